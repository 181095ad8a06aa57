package study

import (
	"context"

	"github.com/lambdamart/lambdamart/booster"
)

// Fit is what a training on all parts gave.
type Fit struct {
	Best     int // the iteration, from 1, around which the mean curve is highest ([Smooth])
	Rounds   int // iterations that were done
	Seconds  float64
	Parts    []Fitted  // models of the best iteration
	PerQuery []float64 // of the validation queries of all parts
}

// Train trains p on all parts until it stops, and judges the models of the best iteration. If ctx is
// cancelled, it returns the cause.
func Train(ctx context.Context, p booster.Params, parts []Part, own Own) (*Fit, error) {
	t, err := Begin(ctx, p, parts, TrainingOptions{Own: own})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	err = t.Advance(p.NumIterations)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	f := &Fit{Rounds: t.Rounds(), Seconds: t.Seconds()}
	f.Best, _ = Smooth(t.Means(), p.MinDelta)
	f.Parts, err = t.Judge(f.Best)
	f.PerQuery = PerQuery(f.Parts)
	return f, err
}
