package lambdamart

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrInitialModel says that [Train] was given another InitialModel than [Load] or [Bin].
var ErrInitialModel = errors.New("the data was loaded with another Params.InitialModel: load it with the " +
	"one that training continues from")

// beginning is the model that a training continues from.
type beginning struct {
	given *tree.Ensemble
	model *tree.Ensemble // a sum, with the features of the training data
}

// Context implements [data.Beginning].
func (b *beginning) Context() querycontext.Request {
	if b.given.Context == nil {
		return querycontext.Request{}
	}
	return querycontext.Like(b.given.Context, b.given.FeatureNames())
}

// Match implements [data.Beginning].
func (b *beginning) Match(names []string, fromOne bool) (used []int, err error) {
	if err := b.given.Validate(); err != nil {
		return nil, err
	}
	// The data has the query context of the model in columns, by their names.
	if b.model, err = b.given.Summed().Precomputed().Matched(names); err != nil {
		return nil, err
	}
	used = b.model.UsedFeatures()
	if fromOne && len(used) > 0 && used[0] == 0 {
		return nil, ErrFeatureZero
	}
	return used, nil
}

// ErrOtherTexts means that the texts of a categorical feature are not numbered as in the model that a
// training continues from.
var ErrOtherTexts = errors.New("the model that training continues from (input_model) numbers the texts of " +
	"a categorical feature differently from the data; continue with the data that it was trained on, or " +
	"train again from the beginning")

// MatchTexts compares the texts of categorical features.
func (b *beginning) MatchTexts(dictionaries map[int][]string, table bool) error {
	if table && b.model.UnknownCategories {
		return ErrUnknownCategories
	}
	for _, f := range b.model.UsedFeatures() {
		ours, has := b.model.Dictionaries[f]
		theirs, hasToo := dictionaries[f]
		n := min(len(ours), len(theirs))
		if has != hasToo && (table || hasToo) || !slices.Equal(ours[:n], theirs[:n]) {
			return fmt.Errorf("%w: feature %s", ErrOtherTexts, b.model.Features[f].Name)
		}
	}
	return nil
}

// Scores implements [data.Beginning].
func (b *beginning) Scores(ctx context.Context, src dataset.Source) ([]float64, error) {
	scorer, err := tree.Compile(b.model)
	if err != nil {
		return nil, err
	}
	all, err := scoring.Scores(scorer).All(ctx, src)
	if err != nil {
		return nil, err
	}
	return all.Numbers, nil
}

// modelBefore returns the model that a training on d continues from, which must be the one of p; nil if
// there is none.
func modelBefore(p *Params, d *data.Loaded) (*tree.Ensemble, error) {
	b, ok := d.Begin.(*beginning)
	switch {
	case !ok && p.InitialModel == nil:
		return nil, nil
	case !ok || b.given != p.InitialModel:
		return nil, ErrInitialModel
	}
	return b.model, nil
}

// withBefore returns a model with the trees that training continued from before its own.
func (j *job) withBefore(m *tree.Ensemble) (*tree.Ensemble, error) {
	if j.before == nil {
		return m, nil
	}
	trained := *m
	trained.Features = append([]tree.Feature(nil), trained.Features...)
	for f := range trained.Features { // where the data has no names, those of the model remain
		trained.Features[f].Name = j.before.Features[f].Name
	}
	sameContext := *j.before
	sameContext.Context = trained.Context
	joined, err := tree.Join(&sameContext, &trained)
	if err != nil {
		return nil, err
	}
	joined.Objective, joined.LabelIndex, joined.Parameters = trained.Objective, trained.LabelIndex,
		trained.Parameters
	return joined, nil
}

// Refit returns a model with the trees of m whose leaf values are fitted to the judgments of a data
// file, as [booster.Refit] describes. The columns of a table are matched to the features of m by name.
// Of p, Data is used besides what Refit names. For data in memory, call booster.Refit.
func Refit(ctx context.Context, p Params, m *tree.Ensemble, path string, decay float64) (*tree.Ensemble,
	error) {
	o := reading(p.Data, p.NumThreads)
	src, err := Open(m, path, data.Options{Layout: o.Layout, Workers: o.Workers, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return booster.Refit(ctx, p.Params, m, src, nil, decay)
}
