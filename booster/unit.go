package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
)

// With the unit u = Σ|g|/(a·n) of sparse gradients (activate.go), the expected number of rows with a
// nonzero gradient is Σ min(1, |g|/u). That is about a·n if few |g| exceed u. But a row whose gradient is a
// large part of Σ|g|, for example because of its weight, counts as one row but uses the budget of many, so
// most others become zero. In this case the unit is the solution of
//
//	Σ min(1, |g|/u) = a·n
//
// with which a·n rows are active, or a larger one with which half of them are, which suffice
// (activefraction.go): the usual unit is kept if it leaves as many. The same holds for Hessians. The unit is
// at least Σ|g|/2^30, so that packed sums fit.

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
	at := b.divide(rows, s.Unit(), pool)
	if s.Unit() == 0 || at.rows(s.Unit()) >= b.share/2 {
		return false
	}
	*s = exact.ScaleOf(b.unit(s.Unit(), at, rows, pool))
	return true
}

// unitSteps is the largest number of passes over the rows. Usually it takes one or two.
const unitSteps = 32

// unit returns a smaller unit with which at least half of share rows are nonzero, and not more than share:
// the exact solution would take more passes over the rows. It takes steps of Newton's method. The difference
// Σ min(u, |x|) - share·u is concave in u and linear between the values of |x|, so these steps
//
//	u' = Σ{|x| < u} |x| / (share - #{|x| ≥ u})
//
// from the right, where it is negative, do not pass the solution. Neither do steps to u/2, which at most
// double the number of rows. If fewer rows than half of share are not zero, the unit is the smallest one.
func (b *budget) unit(u float64, at division, rows *rowSet, pool *par.Pool) float64 {
	smallest := b.total / b.packed
	if float64(at.nonzero) < b.share/2 {
		return smallest
	}
	for range unitSteps {
		u = max(smallest, min(u/2, at.below/(b.share-float64(at.above))))
		if at = b.divide(rows, u, pool); u == smallest || at.rows(u) >= b.share/2 {
			break
		}
	}
	return u
}

// division says how the magnitudes of all peers compare with a unit.
type division struct {
	below          float64 // sum of those below
	above, nonzero int     // numbers of the others, and of all that are not 0
}

// rows returns the expected number of nonzero integers, given the unit.
func (d *division) rows(unit float64) float64 { return d.below/unit + float64(d.above) }

// divide compares the magnitudes with u.
func (b *budget) divide(rows *rowSet, u float64, pool *par.Pool) division {
	type part struct {
		below          int64
		above, nonzero int64
		_              [104]byte // parts of workers lie in cache lines of their own
	}
	parts := make([]part, pool.Workers())
	pool.Blocks(rows.size, grow.RowBlock, func(worker, from, to int) {
		var p part
		first, offsets := rows.block(from, to)
		for _, offset := range offsets {
			switch x := math.Abs(b.values[first+offset]); {
			case x == 0:
				continue
			case x < u:
				p.below += b.fine.Round(x)
			default:
				p.above++
			}
			p.nonzero++
		}
		parts[worker].below += p.below
		parts[worker].above += p.above
		parts[worker].nonzero += p.nonzero
	})
	sums := make([]int64, 3)
	for _, p := range parts {
		sums[0], sums[1], sums[2] = sums[0]+p.below, sums[1]+p.above, sums[2]+p.nonzero
	}
	b.part.Group().Sum(sums)
	return division{b.fine.Float(sums[0]), int(sums[1]), int(sums[2])}
}
