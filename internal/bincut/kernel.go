package bincut

import (
	"math"
	"unsafe"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// kernel is a way to search. All kernels give the same bits.
type kernel int

const (
	inGo kernel = iota
	avx2
	avx512
)

// best is the fastest kernel of this CPU and build.
var best = kernels()[len(kernels())-1]

func (k kernel) String() string { return [...]string{"Go", "AVX2", "AVX-512"}[k] }

// numbers are the parameters of a leaf that the assembly gets. It depends on the order of the fields.
type numbers struct {
	gradient, hessian, lambdaL1, lambdaL2, minHessian, floor float64

	// both sides have minHessian if the right side's Hessian is at most spanHessian above leastHessian
	leastHessian, spanHessian uint64
}

func (lf *Leaf) numbers() numbers {
	l := lf.limits
	n := numbers{
		gradient: float64(lf.total >> 32), hessian: float64(lf.total & (1<<32 - 1)),
		lambdaL1: l.LambdaL1, lambdaL2: l.LambdaL2, minHessian: l.MinHessian, floor: lf.floor,
		leastHessian: 1 << 63, // no side has this Hessian
	}
	if least := math.Ceil(l.MinHessian); n.hessian >= 2*least {
		n.leastHessian, n.spanHessian = uint64(least), uint64(n.hessian-2*least)
	}
	return n
}

// last writes the best cuts of columns to dst.
func (k kernel) last(dst []Cut, sums []int64, columns []Span, lf *Leaf) {
	if len(columns) == 0 {
		return
	}
	_ = dst[len(columns)-1]
	for _, s := range columns {
		_ = sums[s.From:s.To]
	}
	n := lf.numbers()
	k.search(lastBin, &dst[0], &sums[0], columns, &n)
}

// Missing is memory for searches of columns with missing values.
type Missing struct {
	spans []Span
	at    []int32 // indexes of these columns
	sums  []int64 // of their missing values
	cuts  []Cut
}

// besideMissing writes the best cuts of columns, whose bins of missing values are given, to dst. It searches
// twice: first with missing values added to the first bin, which always goes left, and then, where there are
// any, added to the last one, which always goes right.
func (k kernel) besideMissing(dst []Cut, sums []int64, columns []Span, missing []int32,
	lf *Leaf, m *Missing) {
	m.spans, m.at, m.sums = m.spans[:0], m.at[:0], m.sums[:0]
	for i, s := range columns {
		if sum := sums[s.From+missing[i]]; sum != 0 {
			m.spans, m.at, m.sums = append(m.spans, s), append(m.at, int32(i)), append(m.sums, sum)
			sums[s.From+missing[i]] = 0
			sums[s.From] += sum
		}
	}
	k.last(dst, sums, columns, lf)
	if len(m.spans) == 0 {
		return
	}
	for i, s := range m.spans {
		sums[s.From] -= m.sums[i]
		sums[s.To-1] += m.sums[i]
	}
	m.cuts = reuse.Slice(m.cuts, len(m.spans))
	n := lf.numbers()
	n.floor = math.Nextafter(lf.floor, math.Inf(1)) // the first bin is kept if its gain is not less
	k.search(firstBin, &m.cuts[0], &sums[0], m.spans, &n)
	for i, s := range m.spans {
		sums[s.To-1] -= m.sums[i]
		sums[s.From+missing[m.at[i]]] += m.sums[i]
		if c := m.cuts[i]; c.Bin < noBin && c.Both > dst[m.at[i]].Both {
			c.MissingRight = true
			dst[m.at[i]] = c
		}
	}
}

// tie selects which of the bins with equal gains is kept.
type tie int

const (
	lastBin tie = iota
	firstBin
)

// noBin is the Bin that a search for the first bin returns if no cut gains.
const noBin = 1 << 20

var _ = [unsafe.Sizeof(Cut{}) - 24]struct{}{} // the size that the assembly uses
