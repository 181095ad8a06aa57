package metamorphic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// rankings are one list of scored documents for each query.
type rankings []metric.List

// randomRankings returns the rankings of a random set by one of its features. Integers are tied often.
func randomRankings(seed uint64, feature int) rankings {
	var lists rankings
	for _, q := range randomSet(seed, 40, false).queries {
		l := metric.List{Query: q.id}
		for i, d := range q.docs {
			l.Labels = append(l.Labels, d.label)
			l.Scores = append(l.Scores, d.values[feature])
			l.Docs = append(l.Docs, string(rune('A'+i)))
		}
		lists = append(lists, l)
	}
	return lists
}

// transformed returns the rankings with other scores.
func (r rankings) transformed(f func(float64) float64) rankings {
	c := slices.Clone(r)
	for i := range c {
		c[i].Scores = slices.Clone(c[i].Scores)
		for d, s := range c[i].Scores {
			c[i].Scores[d] = f(s)
		}
	}
	return c
}

// shuffled returns the rankings with documents in another order.
func (r rankings) shuffled(rng *rand.Rand) rankings {
	c := slices.Clone(r)
	for i, l := range c {
		order := rng.Perm(len(l.Labels))
		c[i].Labels, c[i].Scores, c[i].Docs = pick(l.Labels, order), pick(l.Scores, order), pick(l.Docs, order)
	}
	return c
}

// permuted returns the rankings in another order of queries.
func (r rankings) permuted(rng *rand.Rand) rankings { return pick(r, rng.Perm(len(r))) }

// weighted returns the rankings with a weight for each query.
func (r rankings) weighted(weight func(query int) float64) rankings {
	c := slices.Clone(r)
	for i := range c {
		c[i].Weights = make([]float64, len(c[i].Labels))
		for d := range c[i].Weights {
			c[i].Weights[d] = weight(i)
		}
	}
	return c
}

// duplicated returns the rankings with query n followed by itself, under another name.
func (r rankings) duplicated(n int) rankings {
	again := r[n]
	again.Query = "again"
	return slices.Insert(slices.Clone(r), n, again)
}

// judged returns the results of all kinds of metrics under a convention.
func (r rankings) judged(t *testing.T, c metric.Convention) []metric.Result {
	t.Helper()
	var metrics []metric.Metric
	for _, spec := range specs() {
		m, err := metric.Parse(spec, c)
		require.NoError(t, err)
		metrics = append(metrics, m)
	}
	e := metric.NewEvaluator(metrics, 1, nil)
	defer e.Close()
	for _, l := range r {
		require.NoError(t, e.Add(l))
	}
	return e.Results()
}

// specs returns the specs of all metrics of labels, with and without a cutoff, as each permits.
func specs() []string {
	var specs []string
	for _, name := range metric.Names() {
		for _, spec := range []string{name, name + "@3"} {
			if m, err := metric.Parse(spec, metric.Default()); err == nil && !metric.ReadsPairs(m) {
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

// conventions returns the conventions whose values do not depend on the order of documents in the file, and
// the others.
func conventions() (free, bound []metric.Convention) {
	for _, c := range metric.Presets() {
		if c.Ties == metric.Averaged || c.Ties == metric.ByDocument {
			free = append(free, c)
		} else {
			bound = append(bound, c)
		}
	}
	return free, bound
}

// values compares the results of queries; NaN equals NaN.
func values(results []metric.Result) [][]float64 {
	var all [][]float64
	for _, r := range results {
		all = append(all, r.PerQuery)
	}
	return all
}

func means(results []metric.Result) []float64 {
	var all []float64
	for _, r := range results {
		all = append(all, r.Mean)
	}
	return all
}

// TestOnlyTheOrderOfScoresCounts: functions that keep the order of scores and their ties keep every
// value in every bit.
func TestOnlyTheOrderOfScoresCounts(t *testing.T) {
	free, bound := conventions()
	for _, c := range slices.Concat(free, bound) {
		for feature := range 2 {
			r := randomRankings(3, feature)
			want := r.judged(t, c)
			for name, f := range map[string]func(float64) float64{
				"times 2^40": func(s float64) float64 { return math.Ldexp(s, 40) },
				"cubed":      func(s float64) float64 { return s * s * s },
				"sum":        func(s float64) float64 { return s/1024 + 1 },
			} {
				assert.True(t, same(values(want), values(r.transformed(f).judged(t, c))), "%s: %s", c.Name, name)
			}
		}
	}
}

// TestOrderOfDocuments: the order of documents matters only for tied scores under conventions that break
// ties by it.
func TestOrderOfDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	free, bound := conventions()
	require.NotEmpty(t, free)
	require.NotEmpty(t, bound)
	for _, c := range free {
		r := randomRankings(4, 1)
		assert.True(t, same(values(r.judged(t, c)), values(r.shuffled(rng).judged(t, c))), c.Name)
	}
	for _, c := range bound {
		r := randomRankings(4, 0)
		assert.True(t, same(values(r.judged(t, c)), values(r.shuffled(rng).judged(t, c))), c.Name)
	}
}

// TestOrderOfQueries: values move with their queries, and means differ only by rounding.
func TestOrderOfQueries(t *testing.T) {
	free, bound := conventions()
	for _, c := range slices.Concat(free, bound) {
		r := randomRankings(5, 1)
		a, b := r.judged(t, c), r.permuted(rand.New(rand.NewPCG(2, 2))).judged(t, c)
		back := rand.New(rand.NewPCG(2, 2)).Perm(len(r))
		for m := range a {
			assert.True(t, same([][]float64{pick(a[m].PerQuery, back)}, [][]float64{b[m].PerQuery}), "%s %s",
				c.Name, a[m].Metric)
		}
		assert.InDeltaSlice(t, means(a), means(b), 1e-12, c.Name)
	}
}

// TestQueryTwiceIsWeightTwo: under conventions with weights, duplicating a query has the same mean as
// doubling its weight. The scale of weights does not matter.
func TestQueryTwiceIsWeightTwo(t *testing.T) {
	free, bound := conventions()
	tested := 0
	for _, c := range slices.Concat(free, bound) {
		r := randomRankings(6, 1)
		twice := func(n int) float64 {
			if n == 7 {
				return 2
			}
			return 1
		}
		by := r.weighted(twice).judged(t, c)
		if !by[0].Weighted {
			continue
		}
		tested++
		assert.InDeltaSlice(t, means(r.duplicated(7).judged(t, c)), means(by), 1e-12, c.Name)
		doubled := r.weighted(func(n int) float64 { return 2 * twice(n) }).judged(t, c)
		assert.InDeltaSlice(t, means(by), means(doubled), 1e-12, c.Name)
	}
	assert.Positive(t, tested, "some convention uses weights")
}

// TestAllQueriesTwice: duplicating all queries does not change a mean.
func TestAllQueriesTwice(t *testing.T) {
	free, bound := conventions()
	for _, c := range slices.Concat(free, bound) {
		r := randomRankings(7, 1)
		again := slices.Clone(r)
		for i := range again {
			again[i].Query += "again"
		}
		assert.InDeltaSlice(t, means(r.judged(t, c)), means(slices.Concat(r, again).judged(t, c)), 1e-12, c.Name)
	}
}

// TestDocumentsBelowAll: irrelevant documents below all others change no value of
// nDCG, MAP, MRR, recall or ERR.
func TestDocumentsBelowAll(t *testing.T) {
	free, bound := conventions()
	for _, c := range slices.Concat(free, bound) {
		r := randomRankings(8, 0)
		longer := slices.Clone(r)
		for i := range longer {
			longer[i].Labels = append(slices.Clone(longer[i].Labels), 0, 0)
			longer[i].Scores = append(slices.Clone(longer[i].Scores), -100, -101)
			longer[i].Docs = append(slices.Clone(longer[i].Docs), "y", "z")
		}
		want, got := r.judged(t, c), longer.judged(t, c)
		for m := range want {
			if slices.Contains([]string{"ndcg", "dcg", "map", "mrr", "recall", "err", "map@3", "mrr@3"},
				want[m].Metric) {
				assert.InDelta(t, want[m].Mean, got[m].Mean, 1e-12, "%s %s", c.Name, want[m].Metric)
			}
		}
	}
}

// same compares in every bit; NaN equals NaN.
func same(a, b [][]float64) bool {
	return slices.EqualFunc(a, b, func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(v, w float64) bool { return v == w || v != v && w != w })
	})
}
