package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
)

// With the unit u = Σ|g|/(a·n) of sparse gradients (activate.go), the expected number of rows with a
// nonzero gradient is Σ min(1, |g|/u). That is about a·n if few |g| exceed u. But a row whose gradient is a
// large part of Σ|g|, for example because of its weight, counts as one row but uses the budget of many, so
// most others become zero. In this case the unit is the solution of
//
//	Σ min(1, |g|/u) = a·n
//
// with which a·n rows are active. The same holds for Hessians. The unit is at least Σ|g|/2^30, so that
// packed sums fit.
//
// The usual unit is kept if it leaves at least half of a·n rows, which suffice (activefraction.go).

// nonzeros counts nonzero integers of active rows.
type nonzeros struct{ gradients, hessians int }

func (n *nonzeros) count(s binsum.Sum) {
	if s.Gradient != 0 {
		n.gradients++
	}
	if s.Hessian != 0 {
		n.hessians++
	}
}

// refine replaces the unit of gradients, or of Hessians, if fewer than half of share rows have a nonzero
// integer, and reports whether it replaced one. gradient and hessian are the sums of |g| and h.
func (a *activation) refine(share, gradient, hessian float64, rows *rowSet, g objective.Gradients,
	pool *par.Pool) bool {
	refined := false
	if seemsFew(a.nonzero.gradients, share) {
		b := budget{a.part, g.Lambda, a.fine.gradient, share, gradient, binsum.MaxPackedGradient}
		refined = b.refine(&a.gradient, rows, pool)
	}
	if seemsFew(a.nonzero.hessians, share) {
		b := budget{a.part, g.Hessian, a.fine.hessian, share, hessian, binsum.MaxPackedHessian}
		refined = b.refine(&a.hessian, rows, pool) || refined
	}
	return refined
}

// seemsFew reports whether the expected number of nonzero integers may be less than half of share, given the
// number after random rounding: it is not if that number is six standard deviations larger. This saves a pass
// over the rows in the usual case. The decision itself is about the expected number, so it does not depend on
// the draws, and rounding remains unbiased.
func seemsFew(rows int, share float64) bool {
	return float64(rows) < float64(share/2)+float64(6*math.Sqrt(share/2))
}

// budget is the equation Σ min(1, |x|/u) = share for the unit u.
type budget struct {
	part   *dataset.Part // of the data
	values []float64     // x by row
	fine   exact.Scale   // for exact sums of x
	share  float64       // number of rows
	total  float64       // Σ|x|
	packed float64       // largest sum of integers
}

// refine replaces the scale, whose unit is total/share, if the expected number of nonzero integers is less
// than half of share. It reports whether it did.
func (b *budget) refine(s *exact.Scale, rows *rowSet, pool *par.Pool) bool {
	below, above := b.divide(rows, s.Unit(), pool)
	if s.Unit() == 0 || below/s.Unit()+float64(above) >= b.share/2 {
		return false
	}
	*s = exact.ScaleOf(b.unit(rows, pool))
	return true
}

// unitSteps is the largest number of passes over the rows. One heavy row takes two passes, heavy-tailed
// values take about six.
const unitSteps = 32

// unit solves the equation by Newton's method. Σ min(u, |x|) - share·u is concave in u and linear between
// the values of |x|, so the steps
//
//	u' = Σ{|x| < u} |x| / (share - #{|x| ≥ u})
//
// from the right, where it is negative, reach the solution without passing it. If fewer rows than share are
// nonzero, there is no solution, and the unit is the smallest one.
func (b *budget) unit(rows *rowSet, pool *par.Pool) float64 {
	smallest, u := b.total/b.packed, b.total/b.share
	for range unitSteps {
		below, above := b.divide(rows, u, pool)
		next := below / (b.share - float64(above))
		switch {
		case float64(above) >= b.share || next <= smallest:
			return smallest
		case next >= u:
			return u
		}
		u = next
	}
	return u
}

// divide returns the sum of the magnitudes below u, and the number of the others, over all peers.
func (b *budget) divide(rows *rowSet, u float64, pool *par.Pool) (below float64, above int) {
	type part struct {
		below int64
		above int
		_     [112]byte // parts of workers lie in cache lines of their own
	}
	parts := make([]part, pool.Workers())
	pool.Blocks(rows.size, rowBlock, func(worker, from, to int) {
		var p part
		first, offsets := rows.block(from, to)
		for _, offset := range offsets {
			if x := math.Abs(b.values[first+offset]); x < u {
				p.below += b.fine.Round(x)
			} else {
				p.above++
			}
		}
		parts[worker].below += p.below
		parts[worker].above += p.above
	})
	sum := int64(0)
	for _, p := range parts {
		sum += p.below
		above += p.above
	}
	both := []int64{sum, int64(above)}
	b.part.Group().Sum(both)
	return b.fine.Float(both[0]), int(both[1])
}
