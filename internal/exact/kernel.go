package exact

// kernel is a way to process several numbers at a time. All kernels give the same bits.
type kernel int

const (
	inGo kernel = iota
	avx2
	avx512
)

// best is the fastest kernel of this CPU and build.
var best = kernels()[len(kernels())-1]

func (k kernel) String() string { return [...]string{"Go", "AVX2", "AVX-512"}[k] }
