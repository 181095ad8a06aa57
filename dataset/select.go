package dataset

import (
	"slices"
	"strings"
)

// HasPairs reports whether a query, given by its index, has documents with different labels.
func (m *Meta) HasPairs(query int) bool {
	q := m.Queries[query]
	labels := m.Labels[q.First : q.First+q.Len]
	return slices.Min(labels) < slices.Max(labels)
}

// AnyPairs reports whether any query has documents of different labels.
func (m *Meta) AnyPairs() bool {
	for query := range m.Queries {
		if m.HasPairs(query) {
			return true
		}
	}
	return false
}

// Select returns the description of the given queries only: everything that m has about their rows, in the
// given order. queries are indexes of m.Queries. The result shares features and names with m, and keeps the
// slice queries.
func (m *Meta) Select(queries []int) *Meta {
	part := &Meta{Whole: m, Selected: queries, Features: m.Features, PositionNames: m.PositionNames,
		LabelColumn: m.LabelColumn, LabelName: m.LabelName, Absent: m.Absent, Numbering: m.Numbering, Context: m.Context}
	for _, number := range queries {
		part.appendQueries(m, number, number+1)
	}
	return part
}

// appendQueries appends copies of the queries from index first up to, but without, index end of another Meta,
// with all that it has about their rows.
func (m *Meta) appendQueries(from *Meta, first, end int) {
	begin, last, before := from.firstRow(first), from.firstRow(end), m.NumRows()
	for _, q := range from.Queries[first:end] {
		m.Queries = append(m.Queries, Query{ID: strings.Clone(q.ID), First: before + q.First - begin, Len: q.Len})
	}
	m.Labels = appendRows(m.Labels, from.Labels, begin, last)
	m.appendLabels(from, begin, last)
	m.Weights = appendRows(m.Weights, from.Weights, begin, last)
	m.InitialScores = appendRows(m.InitialScores, from.InitialScores, begin, last)
	m.Docs = appendRows(m.Docs, from.Docs, begin, last)
	m.Positions = appendRows(m.Positions, from.Positions, begin, last)
}

// firstRow returns the first row of a query, or the number of rows if there is no query of that index.
func (m *Meta) firstRow(query int) int {
	if query == len(m.Queries) {
		return m.NumRows()
	}
	return m.Queries[query].First
}

// appendRows appends the entries [first, end) of rows. The result is not nil unless both are.
func appendRows[T any](dst, rows []T, first, end int) []T {
	if rows == nil {
		return dst
	}
	if dst == nil {
		dst = make([]T, 0, end-first)
	}
	return append(dst, rows[first:end]...)
}

// RowsOf returns the numbers of the rows of the given queries, in their order.
func (m *Meta) RowsOf(queries []int) []int {
	var rows []int
	for _, number := range queries {
		q := m.Queries[number]
		rows = slices.Grow(rows, q.Len)
		for row := q.First; row < q.First+q.Len; row++ {
			rows = append(rows, row)
		}
	}
	return rows
}
