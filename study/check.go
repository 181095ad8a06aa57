package study

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
)

// ErrDART is wrapped by the errors about boosting=dart where an iteration is to be chosen.
var ErrDART = errors.New("the trees of boosting=dart change after they were grown, so that the models of " +
	"earlier iterations, among which the best is chosen, are gone")

// Check returns an error for parameters that cannot be cross-validated, although they can be trained with.
// [CrossValidate] and [begin] call it; a caller may do so before it reads any data.
func Check(p *booster.Params) error {
	switch {
	case p.NumModels > 1:
		return fmt.Errorf("num_models=%d: cross-validation trains one model for each fold, as each model of an "+
			"ensemble has a curve of its own; leave num_models out, and train on all data with num_models=%d and "+
			"the best number of iterations",
			p.NumModels, p.NumModels)
	case p.AnyMetricStops:
		return errors.New("first_metric_only=false: cross-validation chooses one number of iterations by one " +
			"metric on the held-out queries; leave first_metric_only out, and name the metric in stop_metric")
	case p.Boosting == booster.DART && p.Patience > 0:
		return fmt.Errorf("boosting=dart and patience=%d: %w; leave patience out, so that the model after "+
			"num_iterations is judged, or use boosting=gbdt", p.Patience, ErrDART)
	}
	return nil
}

// lastDecides reports whether the last iteration is the best by definition, because no other has a model.
func (t *jointRun) lastDecides() bool { return t.params.Boosting == booster.DART }
