package study

import (
	"context"
	"math"
)

// fit is what a training on all parts gave.
type fit struct {
	Best     int // the iteration, from 1, around which the mean curve is highest ([smooth])
	Rounds   int // iterations that were done
	Seconds  float64
	Parts    []fittedPart // models of the best iteration
	PerQuery []float64    // of the validation queries of all parts
}

// train trains p on all parts until it stops, and judges the models of the best iteration. If ctx is
// cancelled, it returns the cause.
func (b *begun) train(parts []Part) (*fit, error) {
	t, err := begin(b.ctx, b.params, parts, Options{Own: b.own}, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	err = t.advance(b.params.NumIterations)
	if b.ctx.Err() != nil {
		return nil, context.Cause(b.ctx)
	}
	if err != nil {
		return nil, err
	}
	f := &fit{Rounds: len(t.curve), Seconds: t.seconds()}
	f.Best, _ = smooth(t.means(), b.params.MinDelta)
	f.Parts, err = t.judgeAll(f.Best)
	f.PerQuery = perQuery(f.Parts)
	return f, err
}

// smoothWindow is the part of a number of iterations over which a curve is averaged, to both sides.
const smoothWindow = 8

// smooth returns the iteration, from 1, for which the mean of a curve over the iterations from 7/8 to 9/8 of
// it is largest, and that mean; a later iteration is chosen only if it is better by more than least. The
// peaks of a curve on few queries are noise, which would favour trainings with rough curves: large learning
// rates. Without a curve it returns 0 and NaN.
func smooth(curve []float64, least float64) (best int, value float64) {
	value = math.NaN()
	sums := make([]float64, len(curve)+1)
	for i, v := range curve {
		sums[i+1] = sums[i] + v
	}
	for round := 1; round <= len(curve); round++ {
		from, to := round-1-round/smoothWindow, min(round+round/smoothWindow, len(curve))
		mean := math.Round((sums[to]-sums[from])/float64(to-from)*0x1p40) * 0x1p-40 // equal curves are equal
		if best == 0 || mean > value+least {
			best, value = round, mean
		}
	}
	return best, value
}
