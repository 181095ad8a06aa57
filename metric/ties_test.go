package metric

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// orders calls visit with the labels in every order that the scores permit, highest score first.
func orders(labels, scores []float64, visit func(labels []float64)) {
	index := make([]int, len(labels))
	for rank, d := range new(sorter).order(nil, scores, 0) {
		index[rank] = d.index
	}
	var permute func(fixed int)
	permute = func(fixed int) {
		if fixed == len(index) {
			order := make([]float64, len(index))
			for rank, i := range index {
				order[rank] = labels[i]
			}
			visit(order)
			return
		}
		for other := fixed; other < len(index) && scores[index[other]] == scores[index[fixed]]; other++ {
			index[fixed], index[other] = index[other], index[fixed]
			permute(fixed + 1)
			index[fixed], index[other] = index[other], index[fixed]
		}
	}
	permute(0)
}

func TestTiesByDocumentID(t *testing.T) {
	e := NewEvaluator([]Metric{named("mrr", preset("trec_eval"), 0),
		named("mrr", preset("trec_eval").withTies(FileOrder), 0), named("mrr", preset("trec_eval"), 0)}, 1, nil)
	defer e.Close()
	require.NoError(t, e.Add(List{Query: "1", Labels: []float64{0, 1, 0}, Scores: []float64{1, 1, 1},
		Docs: []string{"a", "b", "c"}}))
	results := e.Results()
	assert.Equal(t, 0.5, results[0].Mean, "c, b, a")
	assert.Equal(t, 0.5, results[1].Mean, "a, b, c")
	require.NoError(t, e.Add(List{Query: "2", Labels: []float64{0, 1, 0}, Scores: []float64{1, 1, 1},
		Docs: []string{"b", "a", "c"}}))
	results = e.Results()
	assert.Equal(t, []float64{0.5, 1.0 / 3}, results[0].PerQuery)
	assert.Equal(t, []float64{0.5, 0.5}, results[1].PerQuery)
	assert.Equal(t, results[0], results[2])

	err := e.Add(List{Query: "3", Labels: []float64{0, 1}, Scores: []float64{1, 1}})
	assert.ErrorIs(t, err, ErrNoDocumentIDs)
	assert.ErrorContains(t, err, "query 3 under the convention trec_eval")
}

func TestUnrankedDocuments(t *testing.T) {
	e := NewEvaluator([]Metric{NDCG(Default(), 0), named("recall", Default(), 0), named("map", Default(), 0),
		named("p", Default(), 0), named("err", Default(), 0)}, 1, nil)
	defer e.Close()
	require.NoError(t, e.Add(
		List{Query: "some", Labels: []float64{1, 0}, Scores: []float64{2, 1}, Unranked: []float64{1, 0}},
		List{Query: "none", Unranked: []float64{1}},
		List{Query: "empty", Unranked: []float64{0}},
	))
	second := 0.6309297535714575 // 1/log2(3)
	for i, want := range [][]float64{{1 / (1 + second), 0, 1}, {0.5, 0, 1}, {0.5, 0, 1}, {0.5, 0, 0},
		{1.0 / 16, 0, 0}} {
		assert.InDeltaSlice(t, want, e.Results()[i].PerQuery, 1e-15, e.Results()[i].Metric)
	}
}

func TestPerfectRankingIsOneInEveryBit(t *testing.T) {
	for _, label := range []float64{0.1, 0.3, 1.7} {
		labels, scores := make([]float64, 11), make([]float64, 11)
		for i := range labels {
			labels[i] = label // the sum of eleven equal values, divided by eleven, may differ
		}
		assert.Equal(t, 1.0, value(t, NDCG(Default(), 0), labels, scores))
		assert.Equal(t, 1.0, value(t, NDCG(SKLearn(), 0), labels, scores))
	}
}

func TestTiedCountsOnlyRanksThatMatter(t *testing.T) {
	e := NewEvaluator([]Metric{NDCG(LightGBM(), 5), NDCG(LightGBM(), 3), NDCG(LightGBM(), 1)}, 1, nil)
	defer e.Close()
	labels := []float64{2, 1, 0, 1, 0}
	require.NoError(t, e.Add(
		List{Labels: labels, Scores: []float64{3, 2, 2, 1, 1}}, // ties at ranks 1 and 3
		List{Labels: labels, Scores: []float64{5, 4, 3, 2, 2}}, // a tie at rank 3
		List{Labels: []float64{1, 1, 0}, Scores: []float64{3, 3, 2}},
	))
	for i, want := range []int{2, 1, 0} {
		assert.Equal(t, want, e.Results()[i].Tied)
	}
}
