package data

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
)

// Narrow returns the data with all features constant, so that no tree uses them, except those with the given
// numbers. It shares everything but the bins with l, which is the one to close.
func (l *Loaded) Narrow(features []int) *Loaded {
	keep := func(feature int) bool { return slices.Contains(features, feature) }
	narrow := l.Mapper.Narrow(len(l.Mapper.Features), keep)
	return l.with(narrow, func(m *dataset.Meta) *dataset.Meta { return m })
}

// WithoutContext returns the data as it would have been loaded without query context. It shares what it can
// with l, which is the one to close.
func (l *Loaded) WithoutContext() *Loaded {
	c := l.Training.Meta.Context
	if c == nil {
		return l
	}
	all := func(int) bool { return true }
	return l.with(l.Mapper.Narrow(c.Raw, all), func(m *dataset.Meta) *dataset.Meta {
		raw := *m
		raw.Context, raw.Features = nil, m.Features[:c.Raw:c.Raw]
		return &raw
	})
}

// with returns the data with the bins of a mapper that l's was narrowed to.
func (l *Loaded) with(m *histogram.Mapper, meta func(*dataset.Meta) *dataset.Meta) *Loaded {
	narrow := *l
	narrow.Mapper = m
	of := func(s *Set) *Set {
		one := *s
		one.Bins, one.Meta, one.Stored = s.Bins.Narrow(m), meta(s.Meta), false
		return &one
	}
	narrow.Training, narrow.Validation = of(l.Training), nil
	for _, s := range l.Validation {
		narrow.Validation = append(narrow.Validation, of(s))
	}
	return &narrow
}
