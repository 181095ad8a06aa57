package data

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrBinnedBeginning means that a training run cannot continue from a model on binned data.
var ErrBinnedBeginning = fmt.Errorf("a training run that continues from a model (input_model) begins with "+
	"the model's scores, which need values: %w", ErrBinned)

// ErrOtherTexts means that the texts of a categorical feature are not numbered as in the model that a
// training run continues from.
var ErrOtherTexts = errors.New("the model that training continues from (input_model) numbers the texts of " +
	"a categorical feature differently from the data; continue with the data that it was trained on, or " +
	"train again from the beginning")

// contextOf returns the request for the query context that a model has; none if m is nil.
func contextOf(m *tree.Ensemble) widened.Request {
	if m == nil {
		return widened.Request{}
	}
	return widened.Request{Like: &dataset.Meta{Features: m.FeatureNames(), Context: m.Context}}
}

// match finds the features of the model that training continues from in the training data.
func (l *Loader) match(s *Set, src dataset.Source) error {
	if l.opts.InitialModel == nil {
		return nil
	}
	f := fileOf(src)
	opened := f != nil
	fromOne := opened && !f.Table && f.Numbering == dataset.Unnumbered &&
		(len(l.mapper.Features) == 0 || l.mapper.Features[0].Constant())
	if err := l.matchFeatures(s, fromOne); err != nil {
		return fmt.Errorf("%s: %w", s.called(), err)
	}
	if err := l.matchTexts(s.Meta.Dictionaries, opened && f.table != nil); err != nil {
		return fmt.Errorf("%s: %w", s.called(), err)
	}
	l.remarkOnConstant(s)
	return nil
}

// matchFeatures makes the model one with the features of the training data. fromOne means that the data
// counts features from 1, so that none can have the number 0.
func (l *Loader) matchFeatures(s *Set, fromOne bool) (err error) {
	m, names := l.opts.InitialModel, l.columns.Features
	if l.before, err = m.Matched(names); err != nil {
		return err
	}
	if old := m.FeatureNames(); byfeature.ByOrder(old, names) && !byfeature.AreNumbers(names) {
		s.remark(Remark{IsWarning: true, OfFile: true}, "%s: %s", s.called(), byfeature.OrderRemark(old, names))
	} else if byfeature.AreNumbers(names) && namedColumns(FeaturesOf(m)) {
		s.remark(Remark{IsWarning: true, OfFile: true}, "%s: %s", s.called(), numbersRemark(0, old))
	}
	l.used = l.before.UsedFeatures()
	if fromOne && len(l.used) > 0 && l.used[0] == 0 {
		return ErrFeatureZero
	}
	return nil
}

// matchTexts compares the texts of categorical features, by feature, with those of the model. Other columns
// of a table are numbers.
func (l *Loader) matchTexts(dictionaries map[int][]string, table bool) error {
	if table && l.before.UnknownCategories {
		return ErrUnknownCategories
	}
	for _, f := range l.used {
		ours, has := l.before.Dictionaries[f]
		theirs, hasToo := dictionaries[f]
		n := min(len(ours), len(theirs))
		if has != hasToo && (table || hasToo) || !slices.Equal(ours[:n], theirs[:n]) {
			return fmt.Errorf("%w: feature %s", ErrOtherTexts, l.before.Features[f].Name)
		}
	}
	return nil
}

// remarkOnConstant adds a remark that lists the model's features that do not vary in the training data.
func (l *Loader) remarkOnConstant(s *Set) {
	var constant []string
	for _, f := range l.used {
		if f < len(l.mapper.Features) && l.mapper.Features[f].Constant() {
			constant = append(constant, l.columns.Features[f])
		}
	}
	if constant != nil {
		s.remark(Remark{IsWarning: true}, "%s: the model that training continues from uses features that do "+
			"not vary here: %s", s.called(), wording.List(constant, mostListed))
	}
}

// begin adds the scores of the model that training continues from to the initial scores of a set.
func (l *Loader) begin(ctx context.Context, s *Set, src dataset.Source) error {
	if l.before == nil {
		return nil
	}
	scores, unknown, err := scoresOf(ctx, l.before, src)
	if err != nil {
		return fmt.Errorf("%s: %w", s.called(), err)
	}
	if s.Name == TrainingSet {
		for _, text := range unknown {
			s.remark(Remark{IsWarning: true}, "%s: the model that training continues from: %s", s.called(), text)
		}
	}
	meta := *s.Meta // a source may keep it, and Loader must not change that
	for row, own := range meta.InitialScores {
		scores[row] += own
	}
	meta.InitialScores = slices.Clip(scores)
	s.Meta = &meta
	return nil
}

// scoresOf returns the scores of all rows, and warnings about categories. It is a collective.
func scoresOf(ctx context.Context, m *tree.Ensemble, src dataset.Source) ([]float64, []string, error) {
	scorer, err := tree.Compile(m)
	if err != nil {
		return nil, nil, err
	}
	all, err := scoring.Scores(scorer).All(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	all.Summary.Noticed = nil // remarks on the set have it
	warnings, _ := all.Summary.OfAll(src.Part()).Remarks()
	return all.Numbers, warnings, nil
}
