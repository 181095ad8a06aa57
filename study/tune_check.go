package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
)

// TuneCautions returns remarks on parameters that do nothing in any trial on top of p in a space, and the
// like.
func TuneCautions(p *booster.Params, s Space) (remarks []string) {
	begun := false
	for _, u := range []float64{0, 0.5, 1} {
		q := *p
		if _, err := q.Table().Apply(s.settings(s.diagonal(u))); err != nil {
			return nil // Search has it
		}
		for _, name := range s.objectives(p) {
			q.Objective = name
			own := q.Cautions()
			if !begun {
				remarks, begun = own, true
			}
			remarks = slices.DeleteFunc(remarks, func(r string) bool {
				return !slices.ContainsFunc(own, func(o string) bool { return settingOf(o) == settingOf(r) })
			})
		}
	}
	return remarks
}

// settingOf returns the setting that a remark is about: with other objectives, the rest may be in other
// words.
func settingOf(remark string) string {
	name, _, _ := strings.Cut(remark, " ")
	return name
}

// objectives returns those that trials on top of p have.
func (s Space) objectives(p *booster.Params) []string {
	if i := slices.IndexFunc(s, func(d Dimension) bool { return d.Name == "objective" }); i >= 0 {
		return s[i].Choices
	}
	return []string{p.Objective}
}

// CheckTune returns an error for parameters that trials cannot have, although they can be trained with.
// [Tune] calls it; a caller may do so before it reads any data.
func CheckTune(p *booster.Params) error {
	if p.Boosting == booster.DART {
		return fmt.Errorf("boosting=dart: %w, for each trial; search with boosting=gbdt or rf, or compare a few "+
			"settings of dart by cv, which judges the last iteration", ErrDART)
	}
	if len(p.LearningRates) > 0 {
		return errors.New("learning_rates: the search sets patience and the length of a trial by one learning " +
			"rate; leave it out")
	}
	return Check(p)
}
