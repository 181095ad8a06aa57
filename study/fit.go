package study

import (
	"context"
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
