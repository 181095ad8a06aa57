package booster

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/fixed"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
)

// scales says what the integers of an iteration's sums stand for.
type scales struct {
	gradient, hessian fixed.Scale
}

// float returns a sum's gradient and Hessian as numbers.
func (s scales) float(sum histogram.Sum) (gradient, hessian float64) {
	return s.gradient.Float(sum.Gradient), s.hessian.Float(sum.Hessian)
}

// GradientError says that an objective gave a row a derivative that cannot be
// used.
type GradientError struct {
	Row             int // from 0
	Lambda, Hessian float64
}

func (e *GradientError) Error() string {
	return fmt.Sprintf("objective: row %d has lambda %v and Hessian %v: both must be finite, and the Hessian not negative",
		e.Row+1, e.Lambda, e.Hessian)
}

// roundBlock is the number of rows that a worker rounds at a time.
const roundBlock = 1 << 14

// round writes the gradients g of all rows to dst as integers. The unit of each
// scale is a power of two, the smallest for which no sum of rows can overflow:
// it follows from the largest gradient and the number of rows alone, so that
// any division of rows among workers or machines finds the same one.
//
// It returns the scales and the largest rounded Hessian.
func round(dst []histogram.Sum, g objective.Gradients, pool *par.Pool) (scales, int64, error) {
	gradient, hessian, err := largest(g, pool)
	if err != nil {
		return scales{}, 0, err
	}
	width := fixed.Width(len(dst))
	s := scales{fixed.ScaleFor(gradient, width), fixed.ScaleFor(hessian, width)}
	pool.Blocks(len(dst), roundBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			dst[row] = histogram.Sum{
				Gradient: s.gradient.Round(g.Lambda[row]),
				Hessian:  s.hessian.Round(g.Hessian[row]),
			}
		}
	})
	return s, s.hessian.Round(hessian), nil
}

// largest returns the largest magnitudes of the gradients.
func largest(g objective.Gradients, pool *par.Pool) (gradient, hessian float64, err error) {
	type extremes struct {
		gradient, hessian float64
		bad               int // first row that cannot be used, or -1
	}
	n := len(g.Lambda)
	blocks := make([]extremes, (n+roundBlock-1)/roundBlock)
	pool.Blocks(n, roundBlock, func(_, from, to int) {
		e := extremes{bad: -1}
		for row := from; row < to; row++ {
			a, h := math.Abs(g.Lambda[row]), g.Hessian[row]
			if !(a <= math.MaxFloat64 && h >= 0 && h <= math.MaxFloat64) && e.bad < 0 {
				e.bad = row
			}
			e.gradient, e.hessian = max(e.gradient, a), max(e.hessian, h)
		}
		blocks[from/roundBlock] = e
	})
	for _, e := range blocks {
		if e.bad >= 0 {
			return 0, 0, &GradientError{e.bad, g.Lambda[e.bad], g.Hessian[e.bad]}
		}
		gradient, hessian = max(gradient, e.gradient), max(hessian, e.hessian)
	}
	return gradient, hessian, nil
}
