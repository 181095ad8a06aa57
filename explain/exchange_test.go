package explain

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/metric"
)

// set gives a variable a value for the duration of a test.
func set(t *testing.T, variable *int, value int) {
	old := *variable
	t.Cleanup(func() { *variable = old })
	*variable = value
}

// sorted exchanges neighbors until the labels descend, and returns the pairs and the ranks of the exchanges.
func sorted(order []Document) (above, below []string, ranks []int) {
	order = slices.Clone(order)
	for i := range order {
		for at := i; at > 0 && order[at-1].Label < order[at].Label; at-- {
			above, below = append(above, order[at-1].ID), append(below, order[at].ID)
			ranks = append(ranks, at)
			order[at-1], order[at] = order[at], order[at-1]
		}
	}
	return above, below, ranks
}

// TestExchanges: the exchanges are those of sorting neighbor by neighbor. If there are too many, they are
// those at the first ranks where an exchange costs something.
func TestExchanges(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for trial := range 300 {
		d := &Data{}
		d.options.Convention, d.options.Cutoff = metric.Presets()[0], r.IntN(12)
		d.options.Convention.Ties = metric.FileOrder
		order := make([]Document, r.IntN(40))
		for i := range order {
			order[i] = Document{ID: strconv.Itoa(i), Label: float64(r.IntN(1 + trial%7)), Score: -float64(i)}
		}
		m := d.moves(order)
		above, below, ranks := sorted(order)
		list, all := m.exchanges(d, 1)
		require.True(t, all)
		require.Len(t, list, len(ranks))
		for i, e := range list {
			require.Equal(t, []string{above[i], below[i]}, []string{order[e.above].ID, order[e.below].ID})
			gain := d.gain(order[e.below]) - d.gain(order[e.above])
			require.Equal(t, gain*(m.shared[ranks[i]-1]-m.shared[ranks[i]]), e.cost)
		}
		checkFirst(t, d, m, list, ranks)
	}
}

// checkFirst compares the exchanges if only some are looked at with all of them, which are at the given
// ranks.
func checkFirst(t *testing.T, d *Data, m *moves, every []exchange, ranks []int) {
	defer func(old int) { mostExchanges = old }(mostExchanges)
	mostExchanges = len(every) / 2
	costly := make([][]exchange, len(m.order)+1) // by rank
	for i, e := range every {
		if e.cost > 0 {
			costly[ranks[i]] = append(costly[ranks[i]], e)
		}
	}
	want, wantAll := []exchange{}, true
	for _, at := range costly {
		if wantAll = len(want)+len(at) <= mostExchanges; !wantAll {
			break
		}
		want = append(want, at...)
	}
	list, all := m.exchanges(d, 1)
	got := slices.DeleteFunc(list, func(e exchange) bool { return e.cost <= 0 })
	assert.ElementsMatch(t, want, got)
	assert.Equal(t, wantAll, all)
}

// TestContextOfLongQueries: the context of another value of a document is that among the query's other
// documents or, in a long query, among all of them.
func TestContextOfLongQueries(t *testing.T) {
	d := inContext(t, 1, "rank", "zscore", "linear", "max_ratio", "gap_to_best")
	for _, long := range []int{longQuery, 0} {
		set(t, &longQuery, long)
		for _, v := range []float64{d.row(3)[0], 0.123, -9, 1e9, math.NaN()} {
			c := d.contextual(0)
			for row := range 40 {
				q := d.queryOf(row)
				values := d.contextual(0).of(d, q).values
				if long > 0 {
					values[row-q.First] = v
				} else {
					values = append(values, v)
				}
				var naive querycontext.Feature
				naive.Set(values)
				got := slices.Clone(d.row(row))
				d.replace(got, row, c, v)
				for i, column := range c.columns {
					want := v
					if !math.IsNaN(v) {
						want = naive.Place(c.kinds[i])(v)
					}
					assert.InDelta(t, want, got[column], 0, "row %d, %s", row, c.kinds[i])
				}
			}
		}
	}
}

// TestPairOfLongQuery: changes of features with query context are not searched in a long query, and the text
// says so.
func TestPairOfLongQuery(t *testing.T) {
	d := inContext(t, 1, "rank")
	documents := ordered(t, d, 0).Documents
	set(t, &longQuery, len(documents)-1)
	p, err := d.Pair(0, documents[0].ID, documents[2].ID)
	require.NoError(t, err)
	assert.Positive(t, p.Unchanged)
	for _, c := range p.Changes {
		assert.Empty(t, d.contextual(d.number(c.Feature)).columns)
	}
	var text bytes.Buffer
	require.NoError(t, (&Report{Pair: p}).WriteText(&text))
	assert.Contains(t, text.String(), "features with query context were not searched")
}

// TestOrderOfLongQuery: a text lists the first documents, and says how many others there are.
func TestOrderOfLongQuery(t *testing.T) {
	var text, page bytes.Buffer
	r := &Report{Query: &Query{ID: "q", Documents: make([]Document, mostListed+1234)}}
	require.NoError(t, r.WriteText(&text))
	require.NoError(t, r.WriteHTML(&page, "test"))
	assert.Contains(t, text.String(), "1,234 more documents, which json=true lists\n")
	assert.Contains(t, page.String(), "1,234 more documents")
	assert.Less(t, bytes.Count(text.Bytes(), []byte("\n")), mostListed+20)
}
