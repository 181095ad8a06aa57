package widened

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Source is ranking data with columns of query context.
type Source struct {
	dataset.Source // of the raw rows
	plan           *plan
	meta           *dataset.Meta // of raw; nil before it is needed
}

var _ dataset.Source = (*Source)(nil)

// New returns src with the given columns, which must be valid. used are the numbers of the columns to
// compute, the others are zero; nil means all.
//
// The first pass without Emit reads src twice, because it must know the queries first, so src must allow
// several passes. A pass with Emit reads it once.
func New(src dataset.Source, c *querycontext.Columns, used []int) *Source {
	return &Source{Source: src, plan: newPlan(c, used)}
}

// Ask returns src with the columns that are asked for, all of which are needed. Errors come from src and
// from [Request.Columns]. The request must not be zero. If src has a method AbsentFeatures() []int, a request
// for all features leaves out the features that it returns, which src cannot have.
func Ask(ctx context.Context, src dataset.Source, r Request) (*Source, error) {
	meta, err := dataset.Describe(ctx, src)
	if err != nil {
		return nil, err
	}
	return ask(src, meta, r)
}

// Ask is like the function [Ask], for the raw source of s, which is not read again.
func (s *Source) Ask(r Request) (*Source, error) { return ask(s.Source, s.meta, r) }

func ask(src dataset.Source, meta *dataset.Meta, r Request) (*Source, error) {
	if known, ok := src.(interface{ AbsentFeatures() []int }); ok {
		r.Skip = append(r.Skip[:len(r.Skip):len(r.Skip)], known.AbsentFeatures()...)
	}
	c, err := r.Columns(meta.Features)
	if err != nil {
		return nil, err
	}
	s := New(src, c, nil)
	s.meta = meta
	return s, nil
}

// Context returns the columns of the source.
func (s *Source) Context() *querycontext.Columns { return s.plan.columns }

// Raw returns the description of the raw source, which may have another number of features than Columns.Raw.
// It is nil before the first pass over a source that [New] made.
func (s *Source) Raw() *dataset.Meta { return s.meta }

// LeastValues implements histogram.ValueCounter: ranks and counts are never 0.
func (s *Source) LeastValues() int { return len(s.plan.ranks) + len(s.plan.counts) }

// Noticed returns what the data noticed in the last pass over it.
func (s *Source) Noticed() []string {
	if noticing, ok := s.Source.(interface{ Noticed() []string }); ok {
		return noticing.Noticed()
	}
	return nil
}

// Blocks implements [dataset.Source]. It reads the rows in their order in any case; those that are not kept
// are converted too, since the others depend on them.
func (s *Source) Blocks(ctx context.Context, pass dataset.Pass) (_ *dataset.Meta, err error) {
	if pass.Emit != nil {
		return nil, s.inOrder(ctx, pass, nil)
	}
	if s.meta == nil {
		if s.meta, err = dataset.Describe(ctx, s.Source); err != nil {
			return nil, err
		}
	}
	if pass.Work != nil {
		if err := s.inAnyOrder(ctx, pass); err != nil {
			return nil, err
		}
	}
	return s.wide(), nil
}

// inAnyOrder is Blocks of a pass without Emit: blocks have only the rows that it keeps.
func (s *Source) inAnyOrder(ctx context.Context, pass dataset.Pass) error {
	keep, work, rows, queries := pass.Keep, pass.Work, 0, 0
	pass.Work = func(worker int, b *dataset.Block) error {
		if keep != nil {
			b.Rows = slices.DeleteFunc(b.Rows, func(row dataset.Row) bool { return !keep(row.Number) })
		}
		if len(b.Rows) == 0 {
			return nil
		}
		return work(worker, b)
	}
	pass.Emit = func(b *dataset.Block) error {
		rows, queries = rows+b.Len(), queries+len(b.Queries)
		return nil
	}
	if err := s.inOrder(ctx, pass, s.meta); err != nil {
		return err
	}
	if rows != s.meta.NumRows() || queries != len(s.meta.Queries) {
		return fmt.Errorf("%d rows in %d queries, after %d in %d: %w", rows, queries, s.meta.NumRows(),
			len(s.meta.Queries), dataset.ErrChanged)
	}
	return nil
}

// wide returns the description of the wider rows.
func (s *Source) wide() *dataset.Meta {
	m, c := *s.meta, s.plan.columns
	raw := m.Features
	if missing := c.Raw - len(raw); missing > 0 {
		raw = append(raw[:len(raw):len(raw)], wording.ColumnNames(c.Raw)[len(raw):]...)
	}
	m.Features = append(c.Names(raw), raw[c.Raw:]...)
	m.Context = c
	for _, text := range s.Noticed() { // in this pass, which the one for the description did not read
		if !slices.Contains(m.Remarks, text) {
			m.Remarks = append(slices.Clip(m.Remarks), text)
		}
	}
	return &m
}
