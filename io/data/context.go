package data

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/querycontext"
)

// ErrContext says that query context was asked for where there is none.
var ErrContext = errors.New("data: query context is for boosted trees; for other models let lambdamart " +
	"transform write it into the data")

// ErrOtherContext says that a training run continues from a model with other query context than is asked for.
var ErrOtherContext = errors.New("other columns than those of the model that training continues from")

// ErrCategoryContext says that query context was asked for a categorical feature.
var ErrCategoryContext = errors.New("query context is for numbers, and a categorical feature has none " +
	"that mean anything")

// ask returns the training data with the query context that is asked for, or as it is.
// The model that training continues from asks for its own, and so the two must agree.
func (l *Loader) ask(ctx context.Context, src dataset.Source) (dataset.Source, error) {
	asked, ofModel := l.opts.Context, contextOf(l.opts.InitialModel)
	first := ofModel
	if first.IsZero() {
		first = asked
	}
	if first.IsZero() {
		return src, nil
	}
	wide, err := widened.Ask(ctx, src, first)
	switch {
	case err != nil:
		return nil, err
	case asked.IsZero():
		return wide, nil
	}
	own, err := l.withoutCategories(wide)
	if err != nil {
		return nil, err
	}
	if !ofModel.IsZero() && !wide.Context().Equal(own.Context()) {
		return nil, fmt.Errorf("query_context: %w: %s, and the model has %s; leave query_context out",
			ErrOtherContext, own.Context(), wide.Context())
	}
	return own, nil
}

// withoutCategories returns the data with the query context that the options ask for, but none of categorical
// features: what is asked for all features is for those that are numbers, and to name another one is an
// error. The numbers of categories have no order.
func (l *Loader) withoutCategories(wide *widened.Source) (*widened.Source, error) {
	names, r := wide.Raw().Features, l.opts.Context
	chosen, err := histogram.CategoricalFeatures(l.params.Categorical, names)
	if err != nil {
		return nil, err
	}
	r.Skip = slices.Concat(r.Skip, chosen)
	own, err := wide.Ask(r)
	if err != nil || r.AllFeatures() {
		return own, err
	}
	for _, c := range own.Context().List {
		if c.Kind != querycontext.Count && slices.Contains(chosen, c.Feature) {
			return nil, fmt.Errorf("query_context_features=%s: %w: %s; leave it out", r.Features, ErrCategoryContext,
				names[c.Feature])
		}
	}
	return own, nil
}

// widen returns a set with the query context of the first one, or as it is.
func (l *Loader) widen(src dataset.Source) dataset.Source {
	if l.context == nil {
		return src
	}
	return widened.New(src, l.context, nil)
}

// more returns how many features a set has beyond those of the training data. It is negative if it has
// fewer.
func (l *Loader) more(s *Set, src dataset.Source) int {
	if wide, ok := src.(*widened.Source); ok {
		return wide.Raw().NumFeatures() - l.context.Raw
	}
	return s.Meta.NumFeatures() - len(l.mapper.Features)
}

// adoptContext makes the query context of stored bins the loader's. It is an error if the caller
// insists on another one, or the first set has another one.
func (l *Loader) adoptContext(path string, stored *dataset.Meta) error {
	wanted := l.context
	if l.mapper == nil {
		wanted = stored.Context
		if l.insistsOn("query_context") || l.insistsOn("query_context_features") {
			var err error
			if wanted, err = l.wantedOf(stored); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if !wanted.Equal(stored.Context) {
		return &BinningError{Path: path, Wanted: contextText(wanted), Stored: contextText(stored.Context)}
	}
	l.context = stored.Context
	return nil
}

// wantedOf returns the columns that the caller asks for, of data that was binned.
func (l *Loader) wantedOf(stored *dataset.Meta) (*querycontext.Columns, error) {
	raw, r := stored.Features, l.opts.Context
	if c := stored.Context; c != nil {
		raw = raw[:c.Raw]
		if r.AllFeatures() {
			r.Skip = without(c)
		}
	}
	return r.Columns(raw)
}

// without returns the features that have no context. Data that is binned does not say which features
// its text could not have, so that all features are those that have context.
func without(c *querycontext.Columns) []int {
	has := make([]bool, c.Raw)
	for _, column := range c.List {
		if column.Kind != querycontext.Count {
			has[column.Feature] = true
		}
	}
	var list []int
	for f := range has {
		if !has[f] {
			list = append(list, f)
		}
	}
	return list
}

// contextText writes the parameter of query context, with columns in place of kinds.
func contextText(c *querycontext.Columns) string {
	if c == nil {
		return "query_context= (none)"
	}
	return "query_context of " + c.String()
}
