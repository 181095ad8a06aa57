package data

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/dataset/widened"
	"github.com/lambdamart/lambdamart/querycontext"
)

// Beginning is a model that a training continues from. Scores of all sets begin at its scores.
type Beginning interface {
	// Context returns the request for the query context that the model has. It is called before Match.
	Context() querycontext.Request

	// Match is called once, with the names of all features of the training data, before Scores. It
	// returns the numbers of those on which the model's scores depend, or an error if the data lacks
	// some. fromOne says that the data counts features from 1, so that none can have the number 0.
	Match(names []string, fromOne bool) (used []int, err error)

	// Scores returns the model's score of each row, whose features have the numbers that they have in
	// the training data.
	Scores(ctx context.Context, src dataset.Source) ([]float64, error)
}

// textual is a Beginning with categorical features that stand for texts.
type textual interface {
	// MatchTexts is called after Match with the texts of the training data, by feature, and whether the data
	// is a table, where other columns are numbers. It returns an error if they are not those of the model.
	MatchTexts(dictionaries map[int][]string, table bool) error
}

// ErrBinnedBeginning says that a training cannot continue from a model on binned data.
var ErrBinnedBeginning = fmt.Errorf("a training that continues from a model (input_model) begins with the "+
	"model's scores, which need values: %w", ErrBinned)

// match has the model that training continues from find its features in the training data.
func (l *Loader) match(s *Set, src dataset.Source) error {
	if l.opts.Begin == nil {
		return nil
	}
	if wide, ok := src.(*widened.Source); ok {
		src = wide.Unwrap()
	}
	f, opened := src.(*File)
	used, err := l.opts.Begin.Match(l.names, opened && !f.Table && l.opts.FeatureBase == 0)
	if err != nil {
		return fmt.Errorf("%s: %w", s.called(), err)
	}
	if texts, ok := l.opts.Begin.(textual); ok {
		if err := texts.MatchTexts(s.Meta.Dictionaries, opened && f.Table); err != nil {
			return fmt.Errorf("%s: %w", s.called(), err)
		}
	}
	l.used = used
	var constant []string
	for _, f := range used {
		if f < len(l.mapper.Features) && l.mapper.Features[f].Constant() {
			constant = append(constant, l.names[f])
		}
	}
	if constant != nil {
		s.remark(ConstantInModel, "%s: the model that training continues from uses features that do not vary "+
			"here: %s", s.called(), listed(constant))
	}
	return nil
}

// begin adds the scores of the model that training continues from to the initial scores of a set.
func (l *Loader) begin(ctx context.Context, s *Set, src dataset.Source) error {
	if l.opts.Begin == nil {
		return nil
	}
	scores, err := l.opts.Begin.Scores(ctx, src)
	if err != nil {
		return fmt.Errorf("%s: %w", s.called(), err)
	}
	meta := *s.Meta // a source may keep it, and Loader must not change that
	for row, own := range meta.InitialScores {
		scores[row] += own
	}
	meta.InitialScores = slices.Clip(scores)
	s.Meta = &meta
	return nil
}
