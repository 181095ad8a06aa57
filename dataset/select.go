package dataset

import "slices"

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
		LabelColumn: m.LabelColumn, Absent: m.Absent, Context: m.Context}
	for _, number := range queries {
		q := m.Queries[number]
		part.Queries = append(part.Queries, Query{ID: q.ID, First: part.NumRows(), Len: q.Len})
		part.Labels = appendRows(part.Labels, m.Labels, q)
		part.SecondLabels = appendRows(part.SecondLabels, m.SecondLabels, q)
		part.Weights = appendRows(part.Weights, m.Weights, q)
		part.Docs = appendRows(part.Docs, m.Docs, q)
		part.Positions = appendRows(part.Positions, m.Positions, q)
		part.InitialScores = appendRows(part.InitialScores, m.InitialScores, q)
	}
	return part
}

// appendRows appends the entries of a query's rows to dst, if there are any.
func appendRows[T any](dst, rows []T, q Query) []T {
	return append(dst, between(rows, q.First, q.First+q.Len)...)
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
