package evaluate

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/test/aid"
)

// quick returns options for tests with few random draws.
func quick() metric.TestOptions {
	o := metric.DefaultTestOptions()
	o.Resamples, o.Trials, o.Workers = 100, 100, 1
	return o
}

// randomValues draws values for some of 30 queries; some of them are NaN.
func randomValues(rng *rand.Rand, system string) Values {
	v := Values{System: system, Metric: "m"}
	for _, q := range rng.Perm(30) {
		if rng.IntN(10) == 0 {
			continue
		}
		value := float64(rng.IntN(8)) / 8
		if rng.IntN(10) == 0 {
			value = nan
		}
		v.Queries, v.Values = append(v.Queries, fmt.Sprint(q)), append(v.Values, value)
	}
	return v
}

// naiveCommon finds the queries that all systems have, one by one.
func naiveCommon(systems []Values) (queries []string, values [][]float64, missing int) {
	values = make([][]float64, len(systems))
	known := map[string]int{}
	of := func(s Values, id string) (float64, bool) {
		for i, other := range s.Queries {
			if other == id {
				return s.Values[i], true
			}
		}
		return 0, false
	}
	for _, s := range systems {
		for _, id := range s.Queries {
			known[id]++
		}
	}
	for _, n := range known {
		if n < len(systems) {
			missing++
		}
	}
	for _, id := range systems[0].Queries {
		counts := known[id] == len(systems)
		for _, s := range systems {
			v, _ := of(s, id)
			counts = counts && v == v
		}
		if counts {
			queries = append(queries, id)
			for s := range systems {
				v, _ := of(systems[s], id)
				values[s] = append(values[s], v)
			}
		}
	}
	return queries, values, missing
}

func TestCommonQueriesAreCompared(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		systems := []Values{randomValues(rng, "a"), randomValues(rng, "b"), randomValues(rng, "c")}
		queries, values, missing := naiveCommon(systems)
		c, err := Compare(systems, quick(), AllPairs)
		require.NoError(t, err)
		assert.Equal(t, queries, c.Queries)
		assert.Equal(t, values, c.Values)
		assert.Equal(t, missing, c.Missing)
		assert.Equal(t, []string{"a", "b", "c"}, c.Systems)
		var pairs []string
		for i := range c.Pairs {
			p := &c.Pairs[i]
			pairs = append(pairs, c.Systems[p.B]+c.Systems[p.A])
			alone, err := metric.Compare(values[p.A], values[p.B], nil, quick())
			require.NoError(t, err)
			assert.Equal(t, alone, p.Comparison)
			assert.InDelta(t, p.MeanB, c.Means[p.B], 1e-9)
		}
		assert.Equal(t, []string{"ba", "ca", "cb"}, pairs)
		first, err := Compare(systems, quick(), WithFirst)
		require.NoError(t, err)
		assert.Len(t, first.Pairs, 2)
	}
}

func TestHolm(t *testing.T) {
	// Computed by hand: 0.01·4, 0.02·3; then 0.03·2 is not below 0.06; then 0.04·1 is raised to 0.06.
	assert.InDeltaSlice(t, []float64{0.06, 0.04, 0.06, 0.06}, holm([]float64{0.04, 0.01, 0.03, 0.02}), 1e-15)
	assert.Equal(t, []float64{1, 1}, holm([]float64{0.9, 0.6}))
	assert.Empty(t, holm(nil))
}

// TestHolmsCorrectionOfPairs: p-values are corrected over all pairs, for each kind of test separately.
func TestHolmsCorrectionOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	c, err := Compare([]Values{randomValues(rng, "a"), randomValues(rng, "b"), randomValues(rng, "c")}, quick(),
		AllPairs)
	require.NoError(t, err)
	checkHolm(t, c.Pairs)
	other, err := Compare([]Values{randomValues(rng, "a"), randomValues(rng, "b")}, quick(), WithFirst)
	require.NoError(t, err)
	Correct(c, other) // by two metrics
	checkHolm(t, append(c.Pairs, other.Pairs...))
}

// checkHolm checks the correction for all of the pairs.
func checkHolm(t *testing.T, pairs []Pair) {
	t.Helper()
	var p, corrected [3][]float64
	for _, pair := range pairs {
		for test, both := range [3][2]float64{{pair.StudentT.P, pair.Holm.StudentT},
			{pair.Randomization.P, pair.Holm.Randomization}, {pair.Wilcoxon.P, pair.Holm.Wilcoxon}} {
			p[test], corrected[test] = append(p[test], both[0]), append(corrected[test], both[1])
		}
	}
	for test := range p {
		assert.Equal(t, holm(p[test]), corrected[test])
		assert.NotEqual(t, p[test], corrected[test])
	}
}

func TestCompareRefuses(t *testing.T) {
	a := Values{System: "a", Metric: "m", Queries: []string{"1", "2"}, Values: []float64{0, 1}}
	other := Values{System: "b", Metric: "other", Queries: a.Queries, Values: a.Values}
	short := Values{System: "b", Metric: "m", Queries: a.Queries, Values: a.Values[:1]}
	twice := Values{System: "b", Metric: "m", Queries: []string{"1", "1"}, Values: a.Values}
	far := Values{System: "b", Metric: "m", Queries: []string{"2", "3"}, Values: a.Values}
	_, err := Compare([]Values{a}, quick(), WithFirst)
	assert.ErrorIs(t, err, ErrFewSystems)
	_, err = Compare([]Values{a, other}, quick(), WithFirst)
	assert.ErrorIs(t, err, ErrTwoMetrics)
	assert.ErrorContains(t, err, "a has values of m and b of other")
	_, err = Compare([]Values{a, short}, quick(), WithFirst)
	assert.ErrorContains(t, err, "b has 1 value and 0 weights for 2 queries")
	_, err = Compare([]Values{a, twice}, quick(), WithFirst)
	assert.ErrorIs(t, err, ErrRepeatedQuery)
	c, err := Compare([]Values{a, far}, quick(), WithFirst)
	assert.ErrorContains(t, err, "1 query judged: want at least 2")
	require.NotNil(t, c)
	assert.Equal(t, 2, c.Missing)
	assert.Empty(t, c.Pairs)
}

func TestQueriesReadBack(t *testing.T) {
	rows := sample(40)
	rows.Query[0] = "quoted, \"id\""
	var metrics []metric.Metric
	for _, c := range []metric.Convention{metric.Default(), gdevalAveraged()} {
		for _, spec := range []string{"ndcg@5", "rbp:0.8@10", "map"} {
			metrics = append(metrics, parsed(spec, c))
		}
	}
	j := judged(t, FromRows("s", rows), metrics, Options{})
	var text bytes.Buffer
	require.NoError(t, j.WriteQueries(&text))
	head, err := csv.NewReader(strings.NewReader(text.String())).Read()
	require.NoError(t, err)
	for i, name := range head[2:] {
		chosen := Column{Metric: j.Results[i].Metric, Convention: j.Results[i].Convention.Name}
		v, err := ReadQueries(strings.NewReader(text.String()), "file", chosen)
		require.NoError(t, err)
		assert.Equal(t, name, v.Metric)
		assert.Equal(t, "file", v.System)
		assert.Equal(t, chosen, v.Column)
		assert.Equal(t, j.Queries, v.Queries)
		assert.Equal(t, fmt.Sprint(j.Results[i].PerQuery), fmt.Sprint(v.Values), "NaN included")
	}
	assert.Equal(t, "ndcg@5 ("+j.Results[0].Rules+")", j.Values(0).Metric)
	assert.ErrorIs(t, j.WriteQueries(&aid.Full{Err: syscall.ENOSPC}), syscall.ENOSPC)
}

func TestColumnsAreChosen(t *testing.T) {
	const text = "query,documents,ndcg@5:x,rbp:0.8@10:x,ndcg@5:y\n1,5,0.25,0.5,1\n"
	for _, c := range []struct {
		choice Column
		want   string
		err    error
	}{
		{Column{"ndcg@5", "y"}, "ndcg@5:y", nil},
		{Column{Convention: "y"}, "ndcg@5:y", nil},
		{Column{Metric: "rbp:0.8@10"}, "rbp:0.8@10:x", nil},
		{Column{Metric: "ndcg@5"}, "several columns could be meant: choose one of ndcg@5:x, rbp:0.8@10:x, ndcg@5:y",
			ErrColumns},
		{Column{}, "several columns", ErrColumns},
		{Column{"map", "x"}, "f: no column map:x; there are ndcg@5:x", ErrNoColumn},
		{Column{Convention: "z"}, "f: no column of the convention z; there are", ErrNoColumn},
		{Column{Metric: "rbp"}, "f: no column rbp; there are", ErrNoColumn},
	} {
		v, err := ReadQueries(strings.NewReader(text), "f", c.choice)
		if c.err == nil {
			require.NoError(t, err)
			assert.Equal(t, c.want, v.Metric)
			continue
		}
		assert.ErrorIs(t, err, c.err)
		assert.ErrorContains(t, err, c.want)
	}
	v, err := ReadQueries(strings.NewReader("query,documents,bare\n1,5,\n2,1,0.5\n"), "f", Column{})
	require.NoError(t, err)
	assert.Equal(t, Column{Metric: "bare"}, v.Column)
}

func TestQueriesThatAreWrong(t *testing.T) {
	for text, want := range map[string]struct {
		err  error
		text string
	}{
		"": {ErrNotQueries,
			"f: not a file of per_query=: its first line must begin with query,documents (EOF)"},
		"query,documents\n": {ErrNotQueries,
			"f: not a file of per_query=: its first line must begin with query,documents"},
		"query,target,score\n":              {ErrNotQueries, "query,documents"},
		"query,documents,m\n1,1,1\n\n1,1,1": {ErrRepeatedQuery, `f:4: query "1" comes twice`},
		"query,documents,m\n1,1,high\n":     {ErrValue, `f:2: "high" is not a value of m`},
		"query,documents,m\n1,1,NaN\n":      {ErrValue, `f:2: "NaN" is not a value of m`},
		"query,documents,m\n1,1,inf\n":      {ErrValue, `f:2: "inf" is not a value of m`},
		"query,documents,m\n1,1\n":          {csv.ErrFieldCount, "f:2: wrong number of fields: 2, where the f"},
	} {
		_, err := ReadQueries(strings.NewReader(text), "f", Column{})
		var inFile *dataset.Error
		require.ErrorAs(t, err, &inFile, text)
		assert.ErrorIs(t, err, want.err, text)
		assert.ErrorContains(t, err, want.text)
	}
}

// FuzzReadQueries: for any text, the values read are finite or missing, query ids are distinct, and the
// column can be selected again by its name.
func FuzzReadQueries(f *testing.F) {
	f.Add("query,documents,ndcg@10:default\na,3,1\nb,1,\n", "", "")
	f.Add("query,documents,rbp:0.8@10:x,rbp:0.8@10:y\n\"a,b\",3,1,0.5\n", "rbp:0.8@10", "y")
	f.Fuzz(func(t *testing.T, text, metric, convention string) {
		v, err := ReadQueries(strings.NewReader(text), "f", Column{metric, convention})
		if err != nil {
			return
		}
		require.Len(t, v.Values, len(v.Queries))
		seen := map[string]bool{}
		for i, id := range v.Queries {
			require.False(t, seen[id])
			require.False(t, math.IsInf(v.Values[i], 0))
			seen[id] = true
		}
		again, err := ReadQueries(strings.NewReader(text), "f", v.Column)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(v), fmt.Sprint(again))
	})
}

// TestCompareRefusesWeights: systems must have the same query weights, and unweighted means are refused.
func TestCompareRefusesWeights(t *testing.T) {
	a := Values{System: "a", Metric: "m", Queries: []string{"1", "2"}, Values: []float64{0, 1},
		Weights: []float64{1, 3}}
	b := Values{System: "b", Metric: "m", Queries: a.Queries, Values: a.Values}
	_, err := Compare([]Values{a, b}, quick(), WithFirst)
	assert.ErrorIs(t, err, ErrTwoWeights)
	assert.ErrorContains(t, err, `query "2" has the weight 3 in a and 1 in b`)

	text := "query,documents,weight,ndcg@5:lightgbm,map@5:lightgbm,ndcg@5:trec_eval\n" +
		"1,2,1,0,0,0\n2,2,3,1,1,1\n3,1,2,1,0,1\n"
	read := func(metric, convention string) Values {
		v, err := ReadQueries(strings.NewReader(text), "x", Column{metric, convention})
		require.NoError(t, err)
		return v
	}
	_, err = Compare([]Values{read("ndcg@5", "lightgbm"), read("ndcg@5", "lightgbm")}, quick(), WithFirst)
	assert.ErrorIs(t, err, metric.ErrBareQueries)
	c, err := Compare([]Values{read("map@5", "lightgbm"), read("map@5", "lightgbm")}, quick(), WithFirst)
	require.NoError(t, err)
	assert.Equal(t, 0.5, c.Means[0])
	c, err = Compare([]Values{read("ndcg@5", "trec_eval"), read("ndcg@5", "trec_eval")}, quick(), WithFirst)
	require.NoError(t, err)
	assert.InDelta(t, 2.0/3, c.Means[0], 1e-15, "trec_eval neglects weights")
	_, err = ReadQueries(strings.NewReader(strings.Replace(text, "2,2,3", "2,2,-3", 1)), "x",
		Column{"map@5", ""})
	assert.ErrorIs(t, err, ErrQueryWeight)
}

// TestSegments: the figures of scipy.stats.ttest_ind(equal_var=False).
func TestSegments(t *testing.T) {
	of := map[string]string{"1": "x", "2": "x", "3": "x", "4": "x", "5": "x", "6": "y", "7": "y", "8": "y",
		"9": "y"}
	j := &Judgment{Queries: []string{"1", "6", "2", "7", "3", "8", "4", "9", "5"}, Results: []metric.Result{
		{Metric: "a", PerQuery: []float64{.1, .2, .5, .1, .25, 0, .9, .05, .3}},
		{Metric: "b", PerQuery: []float64{1, nan, 1, nan, 1, 1, 1, nan, 1}},
	}}
	s, err := j.Segments(of, quick())
	require.NoError(t, err)
	require.Len(t, s, 4)
	assert.Equal(t, []any{"x", 0, 5, "y", 0, 4}, []any{s[0].Name, s[0].Result, s[0].Queries, s[1].Name,
		s[1].Result, s[1].Queries})
	assert.InDelta(t, .41, s[0].Mean, 1e-15)
	assert.InDelta(t, .41-.0875, s[0].Difference, 1e-15)
	assert.InDelta(t, 2.2295571359361173, s[0].Welch.Statistic, 1e-12)
	assert.InDelta(t, 0.0791232089303924, s[0].Welch.P, 1e-12)
	assert.Equal(t, s[0].Welch.P, s[0].Holm, "the other result has no test, and two segments are one comparison")
	assert.Equal(t, s[0].Holm, s[1].Holm)
	assert.Less(t, s[0].Interval.Low, s[0].Mean)

	assert.Equal(t, []int{5, 1}, []int{s[2].Queries, s[3].Queries})
	assert.True(t, math.IsNaN(s[3].Interval.Low) && math.IsNaN(s[3].Welch.P) && math.IsNaN(s[3].Holm),
		"one query")

	delete(of, "8")
	_, err = j.Segments(of, quick())
	assert.EqualError(t, err, `query "8" has no segment; give each query one`)
}

// TestHolmOfSegments: with three segments each is a comparison of its own.
func TestHolmOfSegments(t *testing.T) {
	all := make([]Segment, 6)
	for i, p := range []float64{.01, .02, nan, .03, .04, .5} {
		all[i].Welch.P, all[i].Holm = p, p
	}
	correctSegments(all, 3)
	for i, want := range []float64{.05, .08, nan, .09, .09, .5} {
		if math.IsNaN(want) {
			assert.True(t, math.IsNaN(all[i].Holm))
			continue
		}
		assert.InDelta(t, want, all[i].Holm, 1e-15)
	}
}
