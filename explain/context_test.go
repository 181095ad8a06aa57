package explain

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/tree"
)

// inContext returns the data and a model with the given kinds of query context to explain.
func inContext(t *testing.T, workers int, kinds ...string) *Data {
	t.Helper()
	return loaded(t, func(o *Options) { o.Workers = workers }, kinds...)
}

// raw returns the rows of a query without context.
func raw(d *Data, q dataset.Query) [][]float64 {
	rows := make([][]float64, q.Len)
	for i := range rows {
		rows[i] = slices.Clone(d.row(q.First + i)[:rawFeatures(d)])
	}
	return rows
}

// rawFeatures returns the number of features of rows without context.
func rawFeatures(d *Data) int {
	if c := d.Model.QueryContext(); c != nil {
		return c.Raw
	}
	return d.Model.NumFeatures()
}

// naive returns the scores of all documents of a query after computing its context from scratch.
func naive(t *testing.T, m *tree.Ensemble, rows [][]float64) []float64 {
	t.Helper()
	scores := make([]float64, len(rows))
	wide := widened.FeaturesOf(m).Rows(slices.Concat(rows...), len(rows))
	require.NoError(t, m.Score(scores, wide))
	return scores
}

// usesAll is a model on all of whose features scores depend.
type usesAll struct{ *tree.Ensemble }

func (m usesAll) UsedFeatures() []int {
	all := make([]int, m.NumFeatures())
	for f := range all {
		all[f] = f
	}
	return all
}

// allKinds are lists of kinds of query context: none, each kind alone, and all together.
var allKinds = [][]string{{}, {"rank"}, {"zscore"}, {"linear"}, {"max_ratio"}, {"gap_to_best"},
	{"rank", "zscore", "linear", "max_ratio", "gap_to_best", "count"}}

// TestChangesAreTheNearest: with the context of the whole query computed again, each change swaps the two
// documents, and no nearer value of a fine grid does. For a feature without a change, no value of a wide grid
// swaps them.
func TestChangesAreTheNearest(t *testing.T) {
	for _, kinds := range allKinds {
		t.Run(strings.Join(kinds, " "), func(t *testing.T) {
			d := inContext(t, 2, kinds...)
			found, none := 0, 0
			for n := range 5 {
				q := d.Meta.Queries[n]
				p, err := d.Pair(n, ordered(t, d, n).Documents[0].ID, ordered(t, d, n).Documents[2].ID)
				require.NoError(t, err)
				for f := range rawFeatures(d) {
					for _, pair := range [][2]Document{{p.Document, p.Against}, {p.Against, p.Document}} {
						if checkNearest(t, d, q, f, pair[0], pair[1], p.Changes) {
							found++
						} else {
							none++
						}
					}
				}
			}
			assert.Greater(t, found, 10)
			assert.Greater(t, none, 3)
		})
	}
}

// checkNearest checks the change of feature f of document a, and reports whether there is one.
func checkNearest(t *testing.T, d *Data, q dataset.Query, f int, a, b Document, changes []Change) bool {
	t.Helper()
	rows := raw(d, q)
	from := rows[a.row-q.First][f]
	scores := func(x float64) (float64, float64) {
		rows[a.row-q.First][f] = x
		all := naive(t, d.Model, rows)
		return all[a.row-q.First], all[b.row-q.First]
	}
	swapped := func(x float64) bool {
		one, other := scores(x)
		return one != other && (a.Rank < b.Rank) != (one > other)
	}
	name := d.Model.Features[f].Name
	at := slices.IndexFunc(changes, func(c Change) bool { return c.Document == a.ID && c.Feature == name })
	reach := 20.0
	if at >= 0 {
		c := changes[at]
		one, other := scores(float64(c.To))
		assert.Equal(t, []float64{float64(c.Score), float64(c.Other)}, []float64{one, other})
		assert.True(t, swapped(float64(c.To)), "%s from %v to %v", name, c.From, c.To)
		if math.IsNaN(float64(c.To)) || math.IsNaN(from) {
			return true
		}
		reach = math.Abs(float64(c.To) - from)
	}
	if math.IsNaN(from) {
		from, reach = 0, 20
	}
	var grid []float64
	for k := range 50 {
		grid = append(grid, from+reach*float64(k)/50, from-reach*float64(k)/50)
	}
	for row := q.First; row < q.First+q.Len; row++ { // values at which ranks change
		x := d.row(row)[f]
		grid = append(grid, math.Nextafter(x, -99), x, math.Nextafter(x, 99))
	}
	for _, x := range grid {
		if math.Abs(x-from) < reach {
			assert.False(t, swapped(x), "%s of %v: %v swaps them", name, a.ID, x)
		}
	}
	return at >= 0
}

// TestCrossingsAreExact: the number just before a change swaps nothing, for the kinds of context that are
// computed with a single rounding.
func TestCrossingsAreExact(t *testing.T) {
	d := inContext(t, 1, "rank", "max_ratio", "gap_to_best")
	found := 0
	for n := range d.Meta.Queries {
		q := d.Meta.Queries[n]
		p, err := d.Pair(n, ordered(t, d, n).Documents[0].ID, ordered(t, d, n).Documents[1].ID)
		require.NoError(t, err)
		for _, c := range p.Changes {
			if math.IsNaN(float64(c.To)) || math.IsNaN(float64(c.From)) {
				continue
			}
			a, b := p.Document, p.Against
			if c.Document == b.ID {
				a, b = b, a
			}
			rows := raw(d, q)
			rows[a.row-q.First][d.number(c.Feature)] = math.Nextafter(float64(c.To), float64(c.From))
			all := naive(t, d.Model, rows)
			one, other := all[a.row-q.First], all[b.row-q.First]
			assert.False(t, one != other && (a.Rank < b.Rank) != (one > other), "%+v", c)
			found++
		}
	}
	assert.Greater(t, found, 50)
}

// TestExchangeComputesContextAnew: after values are exchanged, the rows are as if the whole data had these
// values; when they are exchanged back, the rows are as before.
func TestExchangeComputesContextAnew(t *testing.T) {
	d := inContext(t, 1, allKinds[len(allKinds)-1]...)
	rows, width := slices.Clone(d.Rows), d.Model.NumFeatures()
	order := make([]int, len(d.Number))
	for i := range order {
		order[i] = (i*7 + 3) % len(order)
	}
	d.exchange(rows, d.contextual(2), order)
	for _, q := range d.Meta.Queries {
		changed := raw(d, q)
		for i := range changed {
			changed[i][2] = d.row(order[q.First+i])[2]
		}
		wide := widened.FeaturesOf(usesAll{d.Model}).Rows(slices.Concat(changed...), q.Len)
		assert.True(t, sameBits(wide, rows[q.First*width:][:q.Len*width]))
	}
	assert.False(t, sameBits(d.Rows, rows))
	for i := range order {
		order[i] = i
	}
	d.exchange(rows, d.contextual(2), order)
	assert.True(t, sameBits(d.Rows, rows))
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestContextIsExplainedByFeature: shares by column sum to shares by feature.
func TestContextIsExplainedByFeature(t *testing.T) {
	d := inContext(t, 1, "rank", "linear", "count")
	q := ordered(t, d, 3)
	for _, document := range q.Documents {
		checkSums(t, d, document.Score-q.Mean, document.Shares, document.Columns)
	}
	p, err := d.Pair(3, q.Documents[0].ID, q.Documents[3].ID)
	require.NoError(t, err)
	checkSums(t, d, p.Difference, p.Shares, p.Columns)
}

// TestOverviewFindsWhatMatters: features that grades depend on come first, and those of the original data
// are listed, also with query context. The number of threads changes nothing.
func TestOverviewFindsWhatMatters(t *testing.T) {
	for _, kinds := range [][]string{nil, {"rank", "linear", "count"}} {
		one := overview(t, 1, kinds...)
		assert.Equal(t, kinds != nil, strings.Contains(one, "rank(f0)"))
		assert.Equal(t, one, overview(t, 2, kinds...))
		assert.Equal(t, one, overview(t, 7, kinds...))
	}
}

// overview returns a report in all forms.
func overview(t *testing.T, workers int, kinds ...string) string {
	t.Helper()
	d := inContext(t, workers, kinds...)
	q := ordered(t, d, 3)
	p, err := d.Pair(3, q.Documents[0].ID, q.Documents[3].ID)
	require.NoError(t, err)
	r := Report{Query: q, Pair: p}
	require.NoError(t, r.Overview(t.Context(), d, 0.95))
	for _, i := range r.Importance {
		assert.True(t, len(i.Feature) == 2 || i.Feature == "count(query)", i.Feature)
		assert.True(t, i.Low <= i.Drop && i.Drop <= i.High)
	}
	assert.ElementsMatch(t, []string{"f0", "f1"}, []string{r.Importance[0].Feature, r.Importance[1].Feature})
	assert.Equal(t, [2]string{"f0", "f1"}, r.Interactions[0].Features)
	rising := r.Dependences[0].Score
	assert.Less(t, float64(rising[0]), float64(rising[len(rising)-1]))
	var text bytes.Buffer
	require.NoError(t, json.NewEncoder(&text).Encode(r))
	require.NoError(t, r.WriteText(&text))
	require.NoError(t, r.WriteHTML(&text, "test"))
	return text.String()
}

// checkSums checks that shares by column sum to the shares by feature, and these to the total.
func checkSums(t *testing.T, d *Data, total float64, shares, columns []Share) {
	t.Helper()
	left := map[string]float64{}
	for _, s := range shares {
		left[s.Feature] = float64(s.Share)
		total -= float64(s.Share)
	}
	assert.InDelta(t, 0, total, 1e-12)
	for _, s := range columns {
		left[d.Model.Features[d.owner(d.number(s.Feature))].Name] -= float64(s.Share)
	}
	for name, rest := range left {
		assert.InDelta(t, 0, rest, 1e-12, name)
	}
	assert.Greater(t, len(columns), len(shares))
}

// TestDependenceTakesEachDocumentAlone: a document with another value gets the context that it has among the
// unchanged values of the other documents.
func TestDependenceTakesEachDocumentAlone(t *testing.T) {
	d := inContext(t, 1, "zscore", "linear")
	sum, rows := 0.0, d.sampled(averagedRows)
	for _, row := range rows {
		q := d.queryOf(row)
		changed := raw(d, q)
		changed[row-q.First][0], changed[row-q.First][1] = 0.5, -1
		sum += naive(t, d.Model, changed)[row-q.First]
	}
	scorer, err := tree.Compile(d.Model)
	require.NoError(t, err)
	assert.Equal(t, sum/float64(len(rows)), d.meanWith(scorer, map[int]float64{0: 0.5, 1: -1}))
}

// TestOrdinals: ordinals have the same order as their float64 values.
func TestOrdinals(t *testing.T) {
	values := []float64{-math.MaxFloat64, -1, -5e-324, 0, 5e-324, 1, math.Nextafter(1, 2), math.MaxFloat64}
	for i, x := range values {
		assert.Equal(t, x, fromOrdinal(ordinal(x)))
		if i > 0 {
			assert.Less(t, ordinal(values[i-1]), ordinal(x))
			assert.Equal(t, ordinal(x), ordinal(math.Nextafter(x, -math.MaxFloat64))+1)
		}
	}
	assert.Equal(t, ordinal(0), ordinal(math.Copysign(0, -1)))
}

// TestZscorePeak: moving away from the peak on either side, the zscore moves toward zero or away from it on
// both sides.
func TestZscorePeak(t *testing.T) {
	for _, b := range []float64{0, 1, 2, 5} {
		others := []float64{0, 1, 2, 5, 9}
		zscore := func(x float64) float64 {
			var f querycontext.Feature
			f.Set(append(slices.Clone(others), x))
			return f.Place(querycontext.ZScore)(b)
		}
		at := zscorePeak(others, b)
		for _, aside := range []float64{0.01, 1, 100} {
			left, right := zscore(at-aside)-zscore(at), zscore(at+aside)-zscore(at)
			assert.Positive(t, left*right, "%v: %v %v", b, left, right)
		}
	}
}
