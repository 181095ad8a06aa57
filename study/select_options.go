package study

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
)

// Measures of importance, the values of Options.By.
const (
	ByPermutation  = "permutation" // what nDCG loses if the values of the feature are exchanged among documents
	ByContribution = "shap"        // mean size of the feature's Shapley values, less their means over the query
	ByGain         = "gain"        // of the splits, which training data decides
)

// SelectOptions say how [Select] selects. Begin with [DefaultSelectOptions].
type SelectOptions struct {
	Options // the event of a step is of kind "step"

	Number    int      // of features to select; 0: the rule decides
	Required  []string // features that are always kept, by name or number
	By        string   // the measure of importance that decides
	Share     float64  // of the features that a step leaves out, at least one
	Tolerance float64  // loss of the mean metric that is accepted in any case
	Trainings int      // at most; 0: any number
	Seed      uint64   // of the sample of queries, of exchanges and tests

	Queries int // that importance is measured on, at most, of each part
	Repeats int // exchanges of the values of a feature

	Test *booster.Data // queries that choose nothing, on which the chosen set is judged; nil: none
}

// DefaultSelectOptions returns the default values.
func DefaultSelectOptions() SelectOptions {
	return SelectOptions{By: ByPermutation, Share: 0.2, Queries: 1000, Repeats: 5, Seed: 1}
}

// Errors of selections that cannot be made.
var (
	// ErrTooFewTrainings says that the trainings that are allowed do not lead to the wanted features.
	ErrTooFewTrainings = errors.New("the budget of trainings is too small")
	// ErrNumber says that this many features cannot be selected.
	ErrNumber = errors.New("this many features cannot be selected")
)

// CheckSelect returns an error for parameters that steps cannot have, although they can be trained with.
// [Select] calls it; a caller may do so before it reads any data.
func CheckSelect(p *booster.Params) error {
	switch {
	case p.Boosting == booster.DART:
		return fmt.Errorf("boosting=dart: %w, for each set of features; select with boosting=gbdt, and train on "+
			"the selected features with dart", ErrDART)
	case p.ForcedSplitsFilename != "":
		return fmt.Errorf("forcedsplits_filename=%s: forced splits need their features in every set; leave it "+
			"out, and train on the selected features with it", p.ForcedSplitsFilename)
	case len(p.QueryContext) > 0:
		return fmt.Errorf("query_context: its columns are computed of others, so that features cannot be left " +
			"out one by one; write them as features of their own by lambdamart transform, and select among these")
	}
	return Check(p)
}

// Check returns an error for options that are out of range.
func (o *SelectOptions) Check() error {
	switch {
	case o.By != ByPermutation && o.By != ByContribution && o.By != ByGain:
		return fmt.Errorf("the measure of importance is %q; want %s, %s or %s", o.By, ByPermutation, ByContribution,
			ByGain)
	case !(o.Share > 0 && o.Share < 1):
		return fmt.Errorf("a step leaves out the share %v of the features; want a number above 0 and below 1",
			o.Share)
	case !(o.Tolerance >= 0):
		return fmt.Errorf("the tolerance is %v; want 0 or more", o.Tolerance)
	case o.Number < 0 || o.Queries < 1 || o.Repeats < 1:
		return fmt.Errorf("%d features by %d queries and %d exchanges; want at least 0, 1 and 1", o.Number,
			o.Queries, o.Repeats)
	case o.Trainings < 0 || o.Trainings == 1:
		return fmt.Errorf("%w: %d; one judges all features, so that at least 2 are needed to leave one out",
			ErrTooFewTrainings, o.Trainings)
	}
	return nil
}
