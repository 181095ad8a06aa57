package tuning

import (
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/crossval"
)

// Check returns an error for parameters that trials cannot have, although they can be trained with. [Search]
// calls it; a caller may do so before it reads any data.
func Check(p *booster.Params) error {
	if p.Boosting == booster.DART {
		return fmt.Errorf("boosting=dart: %w, for each trial; search with boosting=gbdt or rf, or compare a few settings of dart by cv, which judges the last iteration", crossval.ErrDART)
	}
	return crossval.Check(p)
}
