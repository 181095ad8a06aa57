package study

import (
	"context"

	"github.com/lambdamart/lambdamart/booster"
)

// fit is what a training on all parts gave.
type fit struct {
	Best     int // the iteration, from 1, around which the mean curve is highest ([smooth])
	Rounds   int // iterations that were done
	Seconds  float64
	Parts    []fittedPart // models of the best iteration
	PerQuery []float64    // of the validation queries of all parts
}

// trainParts trains p on all parts until it stops, and judges the models of the best iteration. If ctx is
// cancelled, it returns the cause.
func trainParts(ctx context.Context, p booster.Params, parts []Part, own Own) (*fit, error) {
	t, err := begin(ctx, p, parts, runOptions{Own: own})
	if err != nil {
		return nil, err
	}
	defer t.close()
	err = t.advance(p.NumIterations)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	f := &fit{Rounds: t.rounds(), Seconds: t.seconds()}
	f.Best, _ = smooth(t.means(), p.MinDelta)
	f.Parts, err = t.judgeAll(f.Best)
	f.PerQuery = perQuery(f.Parts)
	return f, err
}
