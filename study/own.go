package study

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// Own are functions of the caller, beside what parameters name. The zero value has none. What a [Store] keeps
// does not depend on them: keep the results of other functions elsewhere.
type Own struct {
	Objective func() objective.Objective // returns a new one for each run; nil: parameters name it
	Metrics   []metric.Metric            // that the stop metric may name
}

// NewObjective returns an objective for a run; nil if parameters name it.
func (o *Own) NewObjective() objective.Objective {
	if o.Objective == nil {
		return nil
	}
	return o.Objective()
}

// Validate returns what is wrong with parameters that are used with these functions.
func (o *Own) Validate(p *booster.Params) error { return p.ValidateFor(o.NewObjective(), o.Metrics) }
