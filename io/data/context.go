package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/widened"
)

// ErrContext means that query context was requested for something other than boosted trees.
var ErrContext = errors.New("query context is for boosted trees; for other models let lambdamart " +
	"transform write it into the data")

// ErrOtherContext means that a training run continues from a model whose query context differs from the
// requested one.
var ErrOtherContext = errors.New("other columns than those of the model that training continues from")

// ErrCategoryContext means that query context was requested for a categorical feature.
var ErrCategoryContext = errors.New("query context is for numbers, and a categorical feature has none " +
	"that mean anything")

// ask returns the training data with the requested query context, or unchanged if none is requested. If
// training continues from a model, the query context of the model is used, and a request must agree with it.
func (l *Loader) ask(ctx context.Context, src dataset.Source) (dataset.Source, error) {
	asked, ofModel := l.asked(), contextOf(l.opts.InitialModel)
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

// withoutCategories returns the data with the requested query context, but without that of categorical
// features, because the numbers of categories have no order: a request for all features means those that are
// numbers, and naming a categorical feature is an error.
func (l *Loader) withoutCategories(wide *widened.Source) (*widened.Source, error) {
	names, r := wide.Raw().Features, l.asked()
	chosen, err := histogram.CategoricalFeatures(l.params.Categorical, names)
	if err != nil {
		return nil, err
	}
	r.Skip = slices.Concat(r.Skip, chosen)
	own, err := wide.Ask(r)
	if err != nil || r.AllFeatures() {
		return own, err
	}
	for _, f := range widened.FeaturesWithContext(own.Context()) {
		if slices.Contains(chosen, f) {
			return nil, fmt.Errorf("query_context_features=%s: %w: %s; leave it out", r.Features, ErrCategoryContext,
				names[f])
		}
	}
	return own, nil
}

// widen returns a set with the query context of the first set, or unchanged if that has none.
func (l *Loader) widen(src dataset.Source) dataset.Source {
	if l.columns.Context == nil {
		return src
	}
	return widened.New(src, l.columns.Context, nil)
}

// more returns how many features a set has beyond those of the training data. It is negative if it has fewer.
func (l *Loader) more(s *Set, src dataset.Source) int {
	if wide, ok := src.(*widened.Source); ok {
		return wide.Raw().NumFeatures() - l.columns.Context.Raw
	}
	return s.Meta.NumFeatures() - len(l.mapper.Features)
}

// checkContext returns an error if the query context of stored bins differs from the one that the caller
// insists on, or from the one of the first set.
func (l *Loader) checkContext(path string, stored *dataset.Meta) error {
	wanted := dataset.Meta{Context: l.columns.Context}
	if l.mapper == nil {
		wanted.Context = stored.Context
		if l.insistsOn("query_context") || l.insistsOn("query_context_features") {
			var err error
			if wanted.Context, err = l.askedOf(stored).Columns(stored.Features[:rawFeatures(stored)]); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if !wanted.Context.Equal(stored.Context) {
		return &binningError{Path: path, Wanted: l.wantedContext(&wanted), Stored: contextText(stored)}
	}
	return nil
}

// asked returns the query context that the caller asks for.
func (l *Loader) asked() widened.Request {
	return widened.Request{Kinds: l.opts.QueryContext, Features: l.opts.QueryContextFeatures}
}

// askedOf is like asked, for data that was binned. Binned data does not record which features its text could
// not have, so a request for all features means those that have context.
func (l *Loader) askedOf(stored *dataset.Meta) widened.Request {
	r := l.asked()
	if c := stored.Context; c != nil && r.AllFeatures() {
		has := widened.FeaturesWithContext(c)
		for f := range c.Raw {
			if _, found := slices.BinarySearch(has, f); !found {
				r.Skip = append(r.Skip, f)
			}
		}
	}
	return r
}

// rawFeatures returns the number of features that are not query context.
func rawFeatures(m *dataset.Meta) int {
	if m.Context != nil {
		return m.Context.Raw
	}
	return m.NumFeatures()
}

// wantedContext writes the query context that the first set was asked for, or that other sets have to have.
func (l *Loader) wantedContext(wanted *dataset.Meta) string {
	if l.mapper == nil && len(l.opts.QueryContext) > 0 && l.opts.QueryContextFeatures == "" {
		return "query_context=" + strings.Join(l.opts.QueryContext, ",")
	}
	return contextText(wanted)
}

// contextText writes the parameter of query context, with columns in place of kinds.
func contextText(m *dataset.Meta) string {
	if m.Context == nil {
		return "query_context= (none)"
	}
	return "query_context of " + m.Context.String()
}
