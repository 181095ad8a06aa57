package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	m.Where = func(int) *Error { return &Error{Path: "t.txt"} }
	_, err := m.Select(nil).LabelsOf("click")
	assert.ErrorIs(t, err, ErrNoLabel, "without rows")
}

func TestFromRows(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, math.NaN()}, {5, 6}}
	labels, sizes := []float64{2, 0, 1}, []int{2, 1}
	ofRows, err := FromRows(rows, labels, sizes)
	require.NoError(t, err)
	queries := []Query{{ID: "0", First: 0, Len: 2}, {ID: "1", First: 2, Len: 1}}
	ofValues, err := NewDense(Meta{Labels: labels, Queries: queries}, slices.Concat(rows...))
	require.NoError(t, err)
	for _, d := range []Columned{ofRows, ofValues} {
		seen := make([]string, 3)
		meta, err := Scan(context.Background(), d, nil, func(_ int, row Row) error {
			seen[row.Number] = fmt.Sprint(row.Feature, row.Value)
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, []string{"[0 1] [1 2]", "[0 1] [3 NaN]", "[0 1] [5 6]"}, seen)
		assert.Equal(t, queries, meta.Queries)
		assert.Equal(t, []string{"Column_0", "Column_1"}, meta.Features)
		assert.Equal(t, labels, meta.Labels)
	}
}

func TestFromRowsRefuses(t *testing.T) {
	for _, c := range []struct {
		rows   [][]float64
		labels []float64
		sizes  []int
		want   error
		text   string
	}{
		{nil, nil, nil, ErrEmpty, "there are no rows"},
		{[][]float64{{1}}, []float64{1, 2}, []int{2}, ErrShape, "1 row and 2 labels"},
		{[][]float64{{1, 2}, {3}}, []float64{1, 2}, []int{2}, ErrShape, "row 1 has 1 value, and row 0 has 2"},
		{[][]float64{{1}, {2}}, []float64{1, 2}, []int{1}, ErrShape, "the queries have 1 row, and there are 2"},
		{[][]float64{{1}, {2}}, []float64{1, 2}, []int{2, 0}, ErrShape, "query 1 has 0 rows"},
		{[][]float64{{1}, {math.Inf(-1)}}, []float64{1, 2}, []int{2}, ErrValueFinite, "feature 0 of row 1 is -Inf"},
		{[][]float64{{1}, {2}}, []float64{1, math.NaN()}, []int{2}, nil, "the label of row 1 is NaN"},
	} {
		_, err := FromRows(c.rows, c.labels, c.sizes)
		require.ErrorContains(t, err, c.text)
		if c.want != nil {
			assert.ErrorIs(t, err, c.want)
		}
	}
	_, err := NewDense(Meta{Labels: make([]float64, 2), Queries: []Query{{Len: 2}}}, make([]float64, 5))
	assert.ErrorIs(t, err, ErrShape)
}

// numbered returns n rows in queries of three. The only feature is the row number.
func numbered(t *testing.T, n int) Columned {
	rows, sizes := make([][]float64, n), []int(nil)
	for i := range rows {
		rows[i] = []float64{float64(i)}
	}
	for left := n; left > 0; left -= 3 {
		sizes = append(sizes, min(3, left))
	}
	d, err := FromRows(rows, make([]float64, n), sizes)
	require.NoError(t, err)
	return d
}

// TestDenseStream: blocks are in order and cover all rows with the right queries, for any number of workers.
func TestDenseStream(t *testing.T) {
	for _, rows := range []int{1, blockRows, blockRows + 1, 2000} {
		for _, workers := range []int{1, 2, 7} {
			d := numbered(t, rows)
			d.(*dense).Source.(*memory).workers = workers
			next, queries := 0, 0
			work := func(worker int, b *Block) error {
				assert.Less(t, worker, workers)
				for i := range b.Len() {
					assert.Zero(t, b.Scores[i])
					b.Scores[i] = -b.Rows[i].Value[0]
				}
				return nil
			}
			require.NoError(t, Stream(context.Background(), d, work, func(b *Block) error {
				assert.Equal(t, next, b.FirstRow)
				for i := range b.Len() {
					assert.Equal(t, next, b.Rows[i].Number)
					assert.Equal(t, -float64(next), b.Scores[i])
					next++
				}
				end := b.FirstRow
				for _, q := range b.Queries {
					assert.Equal(t, end, q.First)
					assert.Equal(t, fmt.Sprint(q.First/3), q.ID)
					end += q.Len
					if end%3 == 0 || end == rows {
						queries++
					}
				}
				assert.Equal(t, next, end, "queries cover the block")
				return nil
			}))
			assert.Equal(t, rows, next)
			assert.Equal(t, (rows+2)/3, queries)
		}
	}
}

// TestDenseStreamEnds: all blocks before an error are emitted, and none after it.
func TestDenseStreamEnds(t *testing.T) {
	d := numbered(t, 5000)
	d.(*dense).Source.(*memory).workers = 3
	stop := errors.New("stop")
	nothing := func(int, *Block) error { return nil }
	emitted := 0
	count := func(b *Block) error { emitted += b.Len(); return nil }
	err := Stream(context.Background(), d, func(_ int, b *Block) error {
		if b.FirstRow >= 4*blockRows {
			return stop
		}
		return nil
	}, count)
	assert.Equal(t, stop, err)
	assert.Equal(t, 4*blockRows, emitted)
	assert.Equal(t, stop, Stream(context.Background(), d, nothing, func(*Block) error { return stop }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, Stream(ctx, d, nothing, count), context.Canceled)
}
