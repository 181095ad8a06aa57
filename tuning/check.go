package tuning

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/crossval"
)

// Cautions returns remarks on parameters that do nothing in any trial on top of p in a space, and the like.
func Cautions(p *booster.Params, s Space) (remarks []string) {
	q := *p
	if _, err := q.Table().Apply(s.settings(s.middle())); err != nil {
		return nil // Search has it
	}
	for i, name := range s.objectives(p) {
		q.Objective = name
		own := q.Cautions()
		if i == 0 {
			remarks = own
		}
		remarks = slices.DeleteFunc(remarks, func(r string) bool { return !slices.Contains(own, r) })
	}
	return remarks
}

// objectives returns those that trials on top of p have.
func (s Space) objectives(p *booster.Params) []string {
	if i := slices.IndexFunc(s, func(d Dimension) bool { return d.Name == "objective" }); i >= 0 {
		return s[i].Choices
	}
	return []string{p.Objective}
}

// Check returns an error for parameters that trials cannot have, although they can be trained with. [Search]
// calls it; a caller may do so before it reads any data.
func Check(p *booster.Params) error {
	if p.Boosting == booster.DART {
		return fmt.Errorf("boosting=dart: %w, for each trial; search with boosting=gbdt or rf, or compare a few settings of dart by cv, which judges the last iteration", crossval.ErrDART)
	}
	return crossval.Check(p)
}
