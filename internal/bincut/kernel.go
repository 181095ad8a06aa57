package bincut

import (
	"math"
	"unsafe"
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

	begin int64 // packed sum that goes right at every cut

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

// besideMissing returns the best cut of a column with missing values. It searches twice: first with missing
// values added to bin 0, which always goes left, and then with missing values in no bin.
func (k kernel) besideMissing(c *Column, lf *Leaf) Cut {
	missing := c.Sums[c.Missing]
	var toLeft, toRight Cut
	columns, n := []Span{{0, int32(len(c.Sums))}}, lf.numbers()
	c.Sums[c.Missing] = 0
	c.Sums[0] += missing
	k.search(lastBin, &toLeft, &c.Sums[0], columns, &n)
	c.Sums[0] -= missing
	n.begin = missing
	n.floor = math.Nextafter(lf.floor, math.Inf(1)) // the first bin is kept if its gain is not less
	k.search(firstBin, &toRight, &c.Sums[0], columns, &n)
	c.Sums[c.Missing] = missing
	if toRight.Bin < noBin && toRight.Both > toLeft.Both {
		toRight.MissingRight = true
		return toRight
	}
	return toLeft
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
