package widened

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// fake is ranking data in memory. Its rows reach any goroutine in any order, as dataset.Source permits, and
// its blocks end anywhere. Values are sparse.
type fake struct {
	meta    *dataset.Meta
	rows    []map[int32]float64
	workers int
	random  *rand.Rand
	scans   int
}

func newFake(r *rand.Rand, queries, features, workers int) *fake {
	f := &fake{meta: &dataset.Meta{Features: wording.ColumnNames(features)}, workers: workers, random: r}
	for q := range queries {
		n := 1 + r.IntN(9)
		if r.IntN(20) == 0 {
			n = 700 // spans several blocks
		}
		f.meta.Queries = append(f.meta.Queries, dataset.Query{ID: "q" + strconv.Itoa(q), First: len(f.rows),
			Len: n})
		for range n {
			row := map[int32]float64{}
			for feature := range features {
				switch r.IntN(4) {
				case 0:
					row[int32(feature)] = float64(r.IntN(7) - 3)
				case 1:
					row[int32(feature)] = math.NaN()
				}
			}
			f.rows = append(f.rows, row)
			f.meta.Labels = append(f.meta.Labels, float64(r.IntN(3)))
		}
	}
	return f
}

func (f *fake) row(r int) dataset.Row {
	row := dataset.Row{Number: r}
	for feature := range int32(f.meta.NumFeatures()) {
		if v, ok := f.rows[r][feature]; ok {
			row.Feature, row.Value = append(row.Feature, feature), append(row.Value, v)
		}
	}
	return row
}

func (f *fake) Workers() int { return f.workers }

func (f *fake) NumRows(context.Context) (int, bool, error) { return len(f.rows), true, nil }

func (f *fake) HasWeights() bool { return false }

func (f *fake) Part() *dataset.Part { return nil }

func (f *fake) Blocks(_ context.Context, p dataset.Pass) (*dataset.Meta, error) {
	if p.Emit != nil {
		return nil, f.inOrder(p.Work, p.Emit)
	}
	f.scans++
	order := f.random.Perm(len(f.rows))
	errs := make([]error, f.workers)
	var group sync.WaitGroup
	for worker := range f.workers {
		group.Go(func() {
			for i := worker; i < len(order) && errs[worker] == nil; i += f.workers {
				if p.Keep == nil || p.Keep(order[i]) {
					errs[worker] = p.Work(worker, &dataset.Block{Rows: []dataset.Row{f.row(order[i])}})
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return f.meta, nil
}

func (f *fake) inOrder(work func(int, *dataset.Block) error, emit func(*dataset.Block) error) error {
	for first := 0; first < len(f.rows); {
		end := min(len(f.rows), first+1+f.random.IntN(40))
		b := &dataset.Block{FirstRow: first, FirstLine: first + 1, Path: "fake", Labels: f.meta.Labels[first:end]}
		for r := first; r < end; r++ {
			b.Rows = append(b.Rows, f.row(r))
		}
		for _, q := range f.meta.Queries {
			from, to := max(q.First, first), min(q.First+q.Len, end)
			if from < to {
				b.Queries = append(b.Queries, dataset.Query{ID: q.ID, First: from, Len: to - from})
			}
		}
		if err := work(0, b); err != nil {
			return err
		}
		if err := emit(b); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// naive returns all rows with their query context, by the formulas alone: dense, with the context features
// at the end.
func (f *fake) naive(t *testing.T, c *querycontext.Columns) [][]float64 {
	all := make([][]float64, len(f.rows))
	for r, row := range f.rows {
		all[r] = make([]float64, c.Len()+max(0, f.meta.NumFeatures()-c.Raw))
		for feature, v := range row {
			at := int(feature)
			if at >= c.Raw {
				at += len(c.List)
			}
			all[r][at] = v
		}
	}
	for _, q := range f.meta.Queries {
		for i, column := range c.List {
			var values []float64
			for r := q.First; r < q.First+q.Len; r++ {
				values = append(values, f.rows[r][int32(column.Feature)])
			}
			var feature querycontext.Feature
			feature.Set(values)
			place := feature.Place(column.Kind)
			for j, x := range values {
				if !math.IsNaN(x) || column.Kind == querycontext.Count {
					x = place(x)
				}
				all[q.First+j][c.Raw+i] = x
			}
		}
	}
	return all
}

func dense(row dataset.Row, n int) []float64 {
	values := make([]float64, n)
	for i, feature := range row.Feature {
		values[feature] = row.Value[i]
	}
	return values
}

func requireSame(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, math.IsNaN(want[i]) && math.IsNaN(got[i]) || want[i] == got[i], "column %d: %v, want %v", i,
			got[i], want[i])
	}
}

// columnsOf returns context columns of all kinds for raw features, whose number may differ from the fake's.
func columnsOf(raw int) *querycontext.Columns {
	kinds := strings.Split(KindNames(), ", ")
	c, err := Request{Kinds: kinds}.Columns(wording.ColumnNames(raw))
	if err != nil {
		panic(err)
	}
	return c
}

// TestRowsHaveTheirContext: rows have the right context for any number of goroutines and any order of rows.
func TestRowsHaveTheirContext(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, raw := range []int{3, 5, 6} { // the source has 5
			f := newFake(rand.New(rand.NewPCG(uint64(workers), uint64(raw))), 40, 5, workers)
			c := columnsOf(raw)
			s := New(f, c, nil)

			var mu sync.Mutex
			seen := map[int][]float64{}
			meta, err := dataset.Scan(t.Context(), s, nil, func(_ int, row dataset.Row) error {
				mu.Lock()
				defer mu.Unlock()
				seen[row.Number] = dense(row, c.Len()+max(0, 5-raw))
				return nil
			})
			require.NoError(t, err)
			require.Len(t, seen, len(f.rows))
			require.Equal(t, c, meta.Context)
			require.NoError(t, meta.Check())
			require.Len(t, meta.Features, c.Len()+max(0, 5-raw))
			assert.Equal(t, "rank(Column_0)", meta.Features[raw])
			for r, want := range f.naive(t, c) {
				requireSame(t, want, seen[r])
			}
			next := 0
			err = dataset.Stream(t.Context(), s, func(_ int, b *dataset.Block) error {
				require.Len(t, b.Scores, b.Len())
				return nil
			}, func(b *dataset.Block) error {
				require.Equal(t, next, b.FirstRow)
				require.Equal(t, next+1, b.FirstLine)
				for _, q := range b.Queries {
					require.Contains(t, f.meta.Queries, q, "queries are whole")
				}
				for i := range b.Len() {
					require.Equal(t, f.meta.Labels[next], b.Labels[i])
					requireSame(t, seen[next], dense(b.Rows[i], c.Len()+max(0, 5-raw)))
					next++
				}
				return nil
			})
			require.NoError(t, err)
			assert.Len(t, f.rows, next)
		}
	}
}

// TestKeptRowsDependOnAll: rows that are filtered out count in the query's context, but are not passed on.
// The queries of data in memory need no ids.
func TestKeptRowsDependOnAll(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(1, 1)), 30, 4, 3)
	for q := range f.meta.Queries {
		f.meta.Queries[q].ID = ""
	}
	c := columnsOf(4)
	var mu sync.Mutex
	seen := map[int]bool{}
	s, naive := New(f, c, nil), f.naive(t, c)
	_, err := dataset.Scan(t.Context(), s, func(row int) bool { return row%5 == 0 },
		func(_ int, row dataset.Row) error {
			mu.Lock()
			defer mu.Unlock()
			seen[row.Number] = true
			requireSame(t, naive[row.Number], dense(row, c.Len()))
			return nil
		})
	require.NoError(t, err)
	assert.Len(t, seen, (len(f.rows)+4)/5)
	scans := f.scans
	_, err = dataset.Describe(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, scans, f.scans, "the description is known")
}

// TestOnlyNeededColumns: columns that are not requested are zero.
func TestOnlyNeededColumns(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(2, 1)), 20, 4, 2)
	c := columnsOf(4)
	used, naive := []int{1, 5, 14, c.Len() - 1}, f.naive(t, c)
	_, err := dataset.Scan(t.Context(), New(f, c, used), nil, func(_ int, row dataset.Row) error {
		want := slices.Clone(naive[row.Number])
		for i := c.Raw; i < len(want); i++ {
			if i != 5 && i != 14 && i != c.Len()-1 {
				want[i] = 0
			}
		}
		requireSame(t, want, dense(row, c.Len()))
		return nil
	})
	require.NoError(t, err)
}

// TestLeastValues: no row has fewer values of context, and rows without raw values have no more.
func TestLeastValues(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(4, 1)), 20, 4, 2)
	c := columnsOf(4)
	s := New(f, c, nil)
	count := func(row []float64) (n int) {
		for _, x := range row[c.Raw:] {
			if x != 0 {
				n++
			}
		}
		return n
	}
	for _, row := range f.naive(t, c) {
		assert.GreaterOrEqual(t, count(row), s.LeastValues())
	}
	for _, row := range f.rows {
		clear(row)
	}
	for _, row := range f.naive(t, c) {
		assert.Equal(t, count(row), s.LeastValues())
	}
	assert.Equal(t, 1, New(f, c, []int{1, 5, 14}).LeastValues(), "the rank of feature 1")
}

// TestManyColumns: the memory of a block depends on the columns that are computed, and what does not fit is
// refused before it is taken.
func TestManyColumns(t *testing.T) {
	defer func(block, long int) { blockValues, longContext = block, long }(blockValues, longContext)
	blockValues = 100
	f := newFake(rand.New(rand.NewPCG(7, 1)), 40, 4, 2)
	c, longest, blocks := columnsOf(4), 0, 0
	for _, q := range f.meta.Queries {
		longest = max(longest, q.Len)
	}
	stream := func(used []int) error {
		blocks = 0
		return dataset.Stream(t.Context(), New(f, c, used), nil, func(b *dataset.Block) error {
			if used == nil {
				assert.Less(t, b.Len(), blockValues/len(c.List)+1+longest)
			}
			blocks++
			return nil
		})
	}
	require.NoError(t, stream(nil))
	assert.Greater(t, blocks, 10)
	all := blocks
	require.NoError(t, stream([]int{1, 5}))
	assert.Less(t, blocks, all, "there are more rows of one column")

	longContext = 1
	t.Setenv("GOMEMLIMIT", "1")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	err := stream(nil)
	assert.ErrorIs(t, err, limits.ErrMemory)
	assert.ErrorContains(t, err, "the query context of query ")
}

// TestContextFollowsValues: features that are 0 in a whole query take neither memory nor time there, unless
// their ranks are asked for.
func TestContextFollowsValues(t *testing.T) {
	const features, n = 1000, 5
	for kinds, want := range map[string]int{
		"zscore,linear": 2 * n, "zscore,count": 2 * n, "rank": features * n,
	} {
		c, err := Request{Kinds: strings.Split(kinds, ",")}.Columns(wording.ColumnNames(features))
		require.NoError(t, err)
		w := widener{plan: newPlan(c, nil)}
		for _, feature := range []int32{7, 900, 8} { // the one before leaves nothing
			w.begin(n)
			w.set(2, []int32{1, feature}, []float64{0, 3})
			w.finish()
			assert.Len(t, w.values, n)
			assert.Len(t, w.out, want, kinds)
		}
	}
}

func TestRowsOfAQuery(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(3, 1)), 5, 4, 1)
	c := columnsOf(4)
	naive, features := f.naive(t, c), Features{plan: newPlan(c, nil)}
	for _, q := range f.meta.Queries {
		var raw []float64
		for r := q.First; r < q.First+q.Len; r++ {
			raw = append(raw, dense(f.row(r), 4)...)
		}
		wide := features.Rows(raw, q.Len)
		for i := range q.Len {
			requireSame(t, naive[q.First+i], wide[i*c.Len():(i+1)*c.Len()])
		}
	}
	assert.Empty(t, features.Rows(nil))
}

func TestAsk(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(4, 1)), 5, 4, 1)
	s, err := Ask(t.Context(), f, Request{Kinds: []string{"rank"}, Features: "1"})
	require.NoError(t, err)
	assert.Equal(t, "4;rank=1", s.Context().String())
	assert.Equal(t, f.meta, s.Raw())
	_, err = Ask(t.Context(), f, Request{Kinds: []string{"rank"}, Features: "4"})
	assert.ErrorIs(t, err, ErrFeature)
}

func TestStreamRefuses(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(5, 1)), 8, 4, 2)
	c := columnsOf(4)
	stream := func() error {
		return dataset.Stream(t.Context(), New(f, c, nil), func(int, *dataset.Block) error { return nil },
			func(*dataset.Block) error { return nil })
	}
	require.NoError(t, stream())
	f.meta.Queries[7].ID = f.meta.Queries[2].ID
	assert.ErrorIs(t, stream(), dataset.ErrQueryReturns)
	f.meta.Queries = nil
	assert.ErrorIs(t, stream(), ErrNoQueries)
}

// TestErrorsEndTheReading: errors of the reader, and changes of the data between passes, end the reading.
func TestErrorsEndTheReading(t *testing.T) {
	f := newFake(rand.New(rand.NewPCG(6, 1)), 30, 4, 3)
	s := New(f, columnsOf(4), nil)
	failed := fmt.Errorf("no more")
	_, err := dataset.Scan(t.Context(), s, nil, func(_ int, row dataset.Row) error {
		if row.Number == 17 {
			return failed
		}
		return nil
	})
	assert.ErrorIs(t, err, failed)
	emitted := 0
	err = dataset.Stream(t.Context(), s, func(_ int, b *dataset.Block) error {
		if b.FirstRow > 0 {
			return failed
		}
		return nil
	}, func(b *dataset.Block) error { emitted += b.Len(); return nil })
	assert.ErrorIs(t, err, failed)
	assert.Positive(t, emitted)
	assert.Less(t, emitted, len(f.rows))

	last := f.meta.Queries[len(f.meta.Queries)-1]
	f.rows = f.rows[:len(f.rows)-1]
	meta := *f.meta
	meta.Labels = meta.Labels[:len(f.rows)]
	f.meta = &meta
	_, err = dataset.Scan(t.Context(), s, nil, func(int, dataset.Row) error { return nil })
	assert.ErrorIs(t, err, dataset.ErrChanged, "query of %d rows", last.Len)
}

// noticing is data with a warning about its cells.
type noticing struct{ *fake }

func (noticing) Noticed() []string { return []string{"a cell is odd"} }

// TestRemarksOfThePassThatReadsCells: the description of the queries is read without cells; what is noticed
// about them comes with the pass that reads them, once.
func TestRemarksOfThePassThatReadsCells(t *testing.T) {
	c, err := querycontext.ParseColumns("2;rank=0", 3)
	require.NoError(t, err)
	s := New(noticing{newFake(rand.New(rand.NewPCG(1, 1)), 9, 2, 2)}, c, nil)
	for range 2 {
		meta, err := dataset.Scan(t.Context(), s, nil, func(int, dataset.Row) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, []string{"a cell is odd"}, meta.Remarks)
	}
}
