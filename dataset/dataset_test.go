package dataset

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoQueries returns a Meta with n rows in two queries; the second query has one row.
func twoQueries(n int) Meta {
	return Meta{
		Queries: []Query{{ID: "a", First: 0, Len: n - 1}, {ID: "b", First: n - 1, Len: 1}},
		Labels:  make([]float64, n),
	}
}

func TestCheck(t *testing.T) {
	good := twoQueries(5)
	require.NoError(t, good.Check())
	for name, spoil := range map[string]func(m *Meta){
		"gap":              func(m *Meta) { m.Queries[1].First++ },
		"overlap":          func(m *Meta) { m.Queries[0].Len++ },
		"empty query":      func(m *Meta) { m.Queries = append(m.Queries, Query{First: 5}) },
		"rows left":        func(m *Meta) { m.Queries = m.Queries[:1] },
		"weights":          func(m *Meta) { m.Weights = make([]float64, 4) },
		"documents":        func(m *Meta) { m.Docs = make([]string, 6) },
		"label not finite": func(m *Meta) { m.Labels[2] = math.Inf(1) },
		"weight negative":  func(m *Meta) { m.Weights = []float64{1, 1, -1, 1, 1} },
		"weights of pairs": func(m *Meta) {
			m.Pairs = []Pair{{Worse: 1, Weight: 1e308}, {Worse: 2, Weight: 1e308}}
		},
		"weight not finite": func(m *Meta) { m.Weights = []float64{1, 1, math.NaN(), 1, 1} },
	} {
		m := twoQueries(5)
		spoil(&m)
		assert.Error(t, m.Check(), name)
	}
}

func TestDense(t *testing.T) {
	for _, rows := range []int{2, blockRows, blockRows + 1, 1000} {
		values := make([]float64, 3*rows)
		for i := range values {
			values[i] = float64(i)
		}
		d, err := NewDense(twoQueries(rows), values)
		require.NoError(t, err)
		seen := make([]atomic.Int32, rows)
		keep := func(row int) bool { return row%3 != 1 }
		meta, err := Scan(context.Background(), d, keep, func(worker int, row Row) error {
			assert.Less(t, worker, d.Workers())
			assert.Equal(t, []int32{0, 1, 2}, row.Feature)
			first := float64(3 * row.Number)
			assert.Equal(t, []float64{first, first + 1, first + 2}, row.Value)
			seen[row.Number].Add(1)
			return nil
		})
		require.NoError(t, err)
		for i := range seen {
			assert.Equal(t, keep(i), seen[i].Load() == 1)
		}
		assert.Equal(t, []string{"Column_0", "Column_1", "Column_2"}, meta.Features)
		n, known, err := d.NumRows(context.Background())
		assert.Equal(t, []any{rows, true, nil}, []any{n, known, err})
	}
}

func TestDenseRefuses(t *testing.T) {
	_, err := NewDense(twoQueries(5), make([]float64, 9))
	assert.Error(t, err)
	_, err = NewDense(Meta{}, nil)
	assert.Error(t, err)
	_, err = NewDense(twoQueries(2), []float64{0, 1, 2, math.Inf(1)})
	assert.ErrorContains(t, err, "feature 1 of row 1")
	_, err = NewDense(twoQueries(2), []float64{0, 1, 2, math.NaN()})
	assert.NoError(t, err, "NaN is a missing value")
	named := twoQueries(5)
	named.Features = []string{"one"}
	_, err = NewDense(named, make([]float64, 10))
	assert.Error(t, err)
}

func TestDenseEnds(t *testing.T) {
	d, err := NewDense(twoQueries(5000), make([]float64, 5000))
	require.NoError(t, err)
	errs := make([]error, 5000)
	for i := range errs {
		errs[i] = errors.New("refused")
	}
	_, err = Scan(context.Background(), d, nil, func(_ int, row Row) error {
		if row.Number >= 1234 {
			return errs[row.Number]
		}
		return nil
	})
	assert.Same(t, errs[1234], err)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Scan(ctx, d, nil, func(int, Row) error { cancel(); return nil })
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSelect(t *testing.T) {
	m := &Meta{
		Queries: []Query{{"a", 0, 2}, {"b", 2, 1}, {"c", 3, 3}},
		Labels:  []float64{0, 1, 2, 3, 4, 5}, Weights: []float64{10, 11, 12, 13, 14, 15},
		Docs: []string{"0", "1", "2", "3", "4", "5"}, InitialScores: []float64{.0, .1, .2, .3, .4, .5},
		Features: []string{"x"}, LabelColumn: 7,
	}
	part := m.Select([]int{2, 0})
	require.NoError(t, part.Check())
	assert.Equal(t, &Meta{
		Whole: m, Selected: []int{2, 0},
		Queries: []Query{{"c", 0, 3}, {"a", 3, 2}},
		Labels:  []float64{3, 4, 5, 0, 1}, Weights: []float64{13, 14, 15, 10, 11},
		Docs: []string{"3", "4", "5", "0", "1"}, InitialScores: []float64{.3, .4, .5, .0, .1},
		Features: []string{"x"}, LabelColumn: 7,
	}, part)
	assert.Equal(t, []int{3, 4, 5, 0, 1}, m.RowsOf([]int{2, 0}))
	plain := (&Meta{Queries: m.Queries, Labels: m.Labels}).Select([]int{1})
	assert.Nil(t, plain.Weights)
	assert.Nil(t, plain.Docs)
	assert.Zero(t, m.Select(nil).NumRows())
}
