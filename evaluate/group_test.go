package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// collector collects all lists.
type collector struct {
	lists []metric.List
	most  int // rows of one call
	fail  error
}

func (c *collector) reset() { c.lists = nil }

func (c *collector) add(lists ...metric.List) error {
	rows := 0
	for _, l := range lists {
		rows += len(l.Labels)
		l.Labels, l.Scores, l.Docs, l.Unranked = slices.Clone(l.Labels), slices.Clone(l.Scores),
			slices.Clone(l.Docs), slices.Clone(l.Unranked)
		c.lists = append(c.lists, l)
	}
	c.most = max(c.most, rows)
	return c.fail
}

// inBlocks is a source that emits the rows in blocks.
func inBlocks(all Rows, block int) rowSource {
	return func(_ context.Context, emit func(Rows) error) error {
		for from := 0; from < len(all.Query); from += block {
			to := min(from+block, len(all.Query))
			rows := Rows{Query: all.Query[from:to], Labels: all.Labels[from:to], Scores: all.Scores[from:to]}
			if all.Docs != nil {
				rows.Docs = all.Docs[from:to]
			}
			if err := emit(rows); err != nil {
				return err
			}
		}
		return nil
	}
}

// naive groups rows with a map.
func naive(all Rows) (lists []metric.List) {
	place := map[string]int{}
	for i, id := range all.Query {
		at, known := place[id]
		if !known {
			at = len(lists)
			place[id] = at
			lists = append(lists, metric.List{Query: id})
		}
		l := &lists[at]
		if math.IsNaN(all.Scores[i]) {
			l.Unranked = append(l.Unranked, all.Labels[i])
			continue
		}
		l.Labels, l.Scores = append(l.Labels, all.Labels[i]), append(l.Scores, all.Scores[i])
		if all.Docs != nil {
			l.Docs = append(l.Docs, all.Docs[i])
		}
	}
	return lists
}

func randomRows(rng *rand.Rand, rows, queries int, grouped, docs bool) (all Rows) {
	for i := range rows {
		id := fmt.Sprint("q", rng.IntN(queries))
		if grouped {
			id = fmt.Sprint("q", i*queries/rows)
		}
		score := float64(i)
		if rng.IntN(20) == 0 {
			score = math.NaN()
		}
		all.Query, all.Labels, all.Scores = append(all.Query, id), append(all.Labels, float64(rng.IntN(5))),
			append(all.Scores, score)
		if docs {
			all.Docs = append(all.Docs, fmt.Sprint("doc", i)[:rng.IntN(4)+1])
		}
	}
	return all
}

func equalLists(t *testing.T, want, got []metric.List) {
	t.Helper()
	require.Len(t, got, len(want))
	require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
}

func TestEveryWayGivesTheSameLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		rows, queries int
		grouped, docs bool
	}{{0, 1, true, false}, {1, 1, true, true}, {5000, 100, true, true}, {20_000, 3, true, false},
		{5000, 100, false, false}, {5000, 100, false, true}, {10_000, 1000, false, false},
		{300, 300, false, true}} {
		all := randomRows(rng, c.rows, c.queries, c.grouped, c.docs)
		want := naive(all)
		for _, block := range []int{7, 8192} {
			var sink collector
			g, err := group(t.Context(), inBlocks(all, block), sink.reset, sink.add)
			require.NoError(t, err)
			equalLists(t, want, sink.lists)
			assert.Equal(t, []any{c.rows, len(want), !c.grouped}, []any{g.rows, len(g.numbers), g.sorts})
		}
	}
}

func TestErrorsEndTheWork(t *testing.T) {
	stop := errors.New("stop")
	all := randomRows(rand.New(rand.NewPCG(1, 2)), 100, 5, true, false)
	for _, returns := range []bool{false, true} {
		if returns {
			all.Query[99] = all.Query[0] // so that rows are sorted
		}
		sink := collector{fail: stop}
		_, err := group(t.Context(), inBlocks(all, 10), sink.reset, sink.add)
		assert.ErrorIs(t, err, stop)
		sink.fail = nil
		unread := func(context.Context, func(Rows) error) error { return stop }
		_, err = group(t.Context(), unread, sink.reset, sink.add)
		assert.ErrorIs(t, err, stop)
	}
}

func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	// The source generates rows as they are read, so only the largest query and one batch are in memory.
	source := func(_ context.Context, emit func(Rows) error) error {
		rows := Rows{Query: make([]string, 1000), Labels: make([]float64, 1000), Scores: make([]float64, 1000)}
		for block := range 500 {
			for i := range rows.Query {
				rows.Query[i] = fmt.Sprint(block)
			}
			if err := emit(rows); err != nil {
				return err
			}
		}
		return nil
	}
	var sink collector
	_, err := group(t.Context(), source, sink.reset, sink.add)
	require.NoError(t, err)
	rows := 0
	for _, l := range sink.lists {
		rows += len(l.Labels)
	}
	assert.Equal(t, 500_000, rows)
	assert.LessOrEqual(t, sink.most, flushRows+1000)
}
