package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judged returns data of queries with the given labels.
func judged(labels ...[]float64) *dataset.Meta {
	data := new(dataset.Meta)
	for number, l := range labels {
		data.Queries = append(data.Queries, dataset.Query{ID: "q" + strconv.Itoa(number), First: len(data.Labels),
			Len: len(l)})
		data.Labels = append(data.Labels, l...)
	}
	return data
}

func TestResultCountsAndSays(t *testing.T) {
	data := judged([]float64{1, 0}, []float64{0, 0, 0}, []float64{2}, []float64{0, 1, 0})
	scores := []float64{2, 1, 3, 3, 1, 0, 5, 5, 5}
	results, err := Evaluate([]Metric{NDCG(LightGBM(), 10), NDCG(LightGBM().withEmpty(EmptyLeftOut), 1),
		NDCG(Default(), 1)}, data, scores, 2)
	require.NoError(t, err)
	r := results[0]
	assert.Equal(t, []int{4, 1, 1, 1, 0}, []int{r.Queries, r.Empty, r.Single, r.Tied, r.LeftOut})
	second := 1 / math.Log2(3) // discount of the document with label 1, at rank 1
	assert.InDeltaSlice(t, []float64{1, 1, 1, second}, r.PerQuery, 1e-15)
	assert.InDelta(t, (3+second)/4, r.Mean, 1e-15)
	assert.Equal(t, "ndcg@10 0.9077 (lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order; "+
		"4 queries, 1 without a relevant document, 1 decided by ties)", r.String())
	r.Queries, r.Empty, r.LeftOut, r.Tied = 249_863, 249_862, 4567, 1234
	assert.Contains(t, r.String(), "; 249,863 queries, 249,862 without a relevant document, 4,567 left out of "+
		"the mean, 1,234 decided by ties)")

	r = results[1]
	assert.Equal(t, 1, r.LeftOut)
	assert.True(t, math.IsNaN(r.PerQuery[1]))
	assert.InDelta(t, 2.0/3, r.Mean, 1e-15)
	assert.InDelta(t, (3+1.0/3)/4, results[2].Mean, 1e-15)
}

func TestWeights(t *testing.T) {
	data := judged([]float64{0, 1}, []float64{0, 0}, []float64{1})
	data.Weights = []float64{1, 3, 5, 5, 0.5} // the mean weights of the queries are 2, 5, 0.5
	scores := []float64{2, 1, 2, 1, 1}
	second := 1 / math.Log2(3)
	weighted := Default()
	quirk := LightGBM()
	neglected := preset("mslr").withEmpty(EmptyOne)
	results, err := Evaluate([]Metric{NDCG(weighted, 0), NDCG(quirk, 0), NDCG(neglected, 0)}, data, scores, 1)
	require.NoError(t, err)
	assert.InDelta(t, (2*second+5*1+0.5)/7.5, results[0].Mean, 1e-15)
	assert.InDelta(t, (2*second+1+0.5)/7.5, results[1].Mean, 1e-15)
	assert.InDelta(t, 1.0, results[2].Mean, 1e-15) // Microsoft's discount of rank 1 is 1
	assert.Contains(t, results[0].String(), ", weighted)")
	assert.NotContains(t, results[2].String(), "weighted")
}

// TestMetricsOfLabels: metrics of several labels have the values that they have if each is the only one.
func TestMetricsOfLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 2))
	data, names := &dataset.Meta{LabelName: "click", More: []dataset.Labels{{Name: "cart"}, {Name: "Buy"}}},
		[]string{"", "click", "cart", "Buy"}
	var scores []float64
	for n := range 30 {
		data.Queries = append(data.Queries, dataset.Query{ID: fmt.Sprint(n), First: len(scores), Len: 1 + n%5})
		for range 1 + n%5 {
			scores, data.Labels = append(scores, float64(r.IntN(4))), append(data.Labels, float64(r.IntN(3)))
			for i := range data.More {
				data.More[i].Values = append(data.More[i].Values, float64(r.IntN(2+i)))
			}
		}
	}
	for _, label := range names {
		alone, err := data.WithLabels(label)
		require.NoError(t, err)
		all := make([]Metric, 0, 8)
		for _, spec := range []string{"ndcg@3", "map(rel=2)", "rbp:0.5@2", "auc"} {
			m, err := Parse(spec, Default())
			require.NoError(t, err)
			named, err := Parse(ofLabel(spec, label), Default())
			require.NoError(t, err)
			assert.Equal(t, ofLabel(spec, label), named.Name())
			all = append(all, m, named)
		}
		own, err := Evaluate([]Metric{all[0], all[2], all[4], all[6]}, alone, scores, 2)
		require.NoError(t, err)
		mixed, err := Evaluate(all, data, scores, 2)
		require.NoError(t, err)
		for i := range own {
			own[i].Metric = mixed[2*i+1].Metric
			assert.Equal(t, own[i], mixed[2*i+1])
		}
	}
	m, err := Parse("ndcg@10@bought", Default())
	require.NoError(t, err)
	_, err = Evaluate([]Metric{m}, data, scores, 1)
	assert.ErrorContains(t, err, "label bought: the data has no such label; there are click, cart, Buy")
	assert.Equal(t, []string{"ndcg@1@Buy", "ndcg@Buy"}, AtCutoffs("ndcg@Buy", []int{1, 0}))
	assert.Equal(t, "map(rel=2)@5@Buy", WithThreshold("map@5@Buy", 2))
}

func TestEvaluateRefusesWhatCannotBeJudged(t *testing.T) {
	data := judged([]float64{1, 0}, []float64{40})
	metrics := []Metric{NDCG(SKLearn(), 1)}
	_, err := Evaluate(metrics, data, []float64{1, 2}, 1)
	assert.ErrorContains(t, err, "2 scores for 3 rows")

	_, err = Evaluate(metrics, data, []float64{1, 2, math.NaN()}, 1)
	var score *scoreError
	require.ErrorAs(t, err, &score)
	assert.Equal(t, scoreError{Row: 2, InData: true, Query: "q1"}, *score)
	assert.ErrorContains(t, err, "the score in row 2 of query q1 is NaN")

	_, err = Evaluate(append(metrics, NDCG(Default(), 1)), data, []float64{1, 2, 3}, 1)
	var label *labelError
	require.ErrorAs(t, err, &label)
	assert.Equal(t, 2, label.Row)
	assert.ErrorContains(t, err,
		"label 40 in row 2 of query q1, by the convention default: 2^label - 1 is for labels up to 31")
	e := NewEvaluator([]Metric{NDCG(Default(), 1)}, 1, nil)
	defer e.Close()
	err = e.Add(List{Query: "q1", Labels: []float64{0, 40}, Scores: []float64{1, 2}})
	assert.ErrorContains(t, err, "label 40 of query q1, by", "a list has no rows of the data")

	data = judged([]float64{1, 0}, []float64{1})
	data.Weights = []float64{1, 1, math.MaxFloat64}
	_, err = Evaluate(metrics, data, []float64{1, 2, 3}, 1)
	require.NoError(t, err)
	data.Weights = []float64{1, math.MaxFloat64, math.MaxFloat64}
	_, err = Evaluate(metrics, data, []float64{1, 2, 3}, 1)
	assert.ErrorIs(t, err, dataset.ErrWeightSum)
}

func TestListsThatDoNotMatch(t *testing.T) {
	e := NewEvaluator([]Metric{NDCG(Default(), 1)}, 1, nil)
	defer e.Close()
	good := List{Query: "1", Labels: []float64{1}, Scores: []float64{1}}
	for _, bad := range []List{
		{Query: "7", Labels: []float64{1}},
		{Query: "7", Labels: []float64{1}, Scores: []float64{1}, Docs: []string{"a", "b"}},
		{Query: "7", Labels: []float64{1}, Scores: []float64{1}, Weights: []float64{}},
	} {
		assert.ErrorContains(t, e.Add(good, bad), "query 7 has 1 label")
	}
	assert.Zero(t, e.Results()[0].Queries, "lists before a bad one do not count")
	require.NoError(t, e.Add(good))
	assert.Equal(t, 1, e.Results()[0].Queries)
}

func TestNoQueries(t *testing.T) {
	results, err := Evaluate([]Metric{NDCG(Default(), 1)}, new(dataset.Meta), nil, 2)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(results[0].Mean))
}

// randomData draws queries of 1 to 60 documents, some with tied scores.
func randomData(rng *rand.Rand, queries int) (*dataset.Meta, []float64) {
	var labels [][]float64
	var scores []float64
	for range queries {
		l, s := randomQuery(rng, 1+rng.IntN(60), rng.IntN(3) == 0)
		labels, scores = append(labels, l), append(scores, s...)
	}
	return judged(labels...), scores
}

// TestEvaluateEqualsQueryByQuery: Evaluate shares sorted lists between metrics, while Query sorts each time.
// Its results are the same for any number of workers, and when queries come in pieces.
func TestEvaluateEqualsQueryByQuery(t *testing.T) {
	data, scores := randomData(rand.New(rand.NewPCG(1, 6)), 200)
	var metrics []Metric
	for _, c := range Presets() {
		if c.Ties == ByDocument {
			c = c.withTies(FileOrder)
		}
		metrics = append(metrics, named("map", c, 0), named("err", c, 8), NDCG(c, 1), NDCG(c, 10),
			named("dcg", c, 5), NDCG(c.withTies(Pessimistic), 3))
	}
	for _, all := range [][]Metric{{NDCG(Default(), 30), named("mrr", Default(), 7)}, metrics} {
		results, err := Evaluate(all, data, scores, 1)
		require.NoError(t, err)
		for i, m := range all {
			for number, q := range data.Queries {
				want, ok := m.Query(data.Labels[q.First:q.First+q.Len], scores[q.First:q.First+q.Len])
				if got := results[i].PerQuery[number]; ok || !math.IsNaN(got) {
					require.Equal(t, want, got, "%s, query %d", m.Name(), number)
				}
			}
		}
		for _, workers := range []int{2, 7, 16} {
			got, err := Evaluate(all, data, scores, workers)
			require.NoError(t, err)
			require.True(t, assert.ObjectsAreEqual(dropNaN(results), dropNaN(got)), "%d workers", workers)
		}
		e := NewEvaluator(all, 2, nil)
		defer e.Close()
		for from := 0; from < 200; from += 7 {
			var lists []List
			for number := from; number < min(from+7, 200); number++ {
				lists = append(lists, listOf(data, number, scores))
			}
			require.NoError(t, e.Add(lists...))
		}
		require.True(t, assert.ObjectsAreEqual(dropNaN(results), dropNaN(e.Results())))
	}
}

// dropNaN returns results whose values of queries that do not count are -1, since NaN does not equal itself.
func dropNaN(results []Result) []Result {
	for _, r := range results {
		for i, v := range r.PerQuery {
			if math.IsNaN(v) {
				r.PerQuery[i] = -1
			}
		}
	}
	return results
}

// firstIsBest is a custom metric.
type firstIsBest struct{}

func (firstIsBest) Name() string           { return "first-is-best" }
func (firstIsBest) Convention() Convention { return Default() }
func (firstIsBest) Query(labels, scores []float64) (float64, bool) {
	return 1, labels[0] > 0
}

func TestMetricFromOutside(t *testing.T) {
	data := judged([]float64{1, 0}, []float64{0, 0})
	results, err := Evaluate([]Metric{firstIsBest{}, NDCG(Default(), 1)}, data, make([]float64, 4), 1)
	require.NoError(t, err)
	assert.Equal(t, 1.0, results[0].Mean)
	assert.Equal(t, []int{1, 1}, []int{results[0].Empty, results[0].LeftOut})
}

// TestJudgingDoesNotAllocate calls the code below Query, which uses a pool for its memory: under the race
// detector the pool drops memory at random.
func TestJudgingDoesNotAllocate(t *testing.T) {
	labels, scores := randomQuery(rand.New(rand.NewPCG(1, 8)), 100, true)
	for _, create := range everyMetric {
		for _, k := range []int{0, 10, 60} {
			m := create(Default(), k).(*metric)
			q := new(query)
			judge := func() {
				q.load(List{Labels: labels, Scores: scores}, m.k)
				m.judge(m, q)
			}
			assert.Zero(t, testing.AllocsPerRun(20, judge), m.Name())
		}
	}
}

// TestLocate: an error about a label of a list gets the row of the data, also where a query comes twice and
// for a label that is no number; an error about another label is left as it is.
func TestLocate(t *testing.T) {
	data := &dataset.Meta{Labels: []float64{1, 40, 40, math.NaN()},
		Queries: []dataset.Query{{ID: "a", Len: 1}, {ID: "b", First: 1, Len: 1}, {ID: "a", First: 2, Len: 2}}}
	describe := func() (*dataset.Meta, error) { return data, nil }
	for label, want := range map[float64]string{40: "in row 2 of query a,", math.NaN(): "in row 3 of query a,",
		41: "label 41 of query a,"} {
		e := NewEvaluator([]Metric{NDCG(Default(), 1)}, 1, nil)
		err := e.Add(List{Query: "a", Labels: []float64{label}, Scores: []float64{1}})
		e.Close()
		assert.ErrorContains(t, Locate(err, describe), want)
		assert.ErrorContains(t, InFile(Locate(err, describe), "x"), want)
	}
}
