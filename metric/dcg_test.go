package metric

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linear returns the convention of the sources below, which use the label as the gain.
func linear() Convention { return SKLearn() }

func value(t *testing.T, m Metric, labels, scores []float64) float64 {
	t.Helper()
	v, ok := m.Query(labels, scores)
	require.True(t, ok)
	return v
}

// descending returns scores that rank n documents in the order of the input.
func descending(n int) []float64 {
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = float64(n - i)
	}
	return scores
}

// TestNotesOnNDCGInSpark follows the document "nDCG notes and their implementation in Spark", which works
// through six documents A to F and three orders of documents with equal scores.
func TestNotesOnNDCGInSpark(t *testing.T) {
	labels := []float64{3, 2, 3, 0, 1, 2}
	scores := descending(6)
	// Values from its table: 3, 2/1.585 = 1.262, 3/2 = 1.5, 0, 1/2.585 = 0.387, 2/2.807 = 0.712.
	for k, want := range []float64{3, 3 + 1.262, 5.762, 5.762, 6.149, 6.861} {
		assert.InDelta(t, want, value(t, named("dcg", linear(), k+1), labels, scores), 1.5e-3, "DCG@%d", k+1)
	}

	// "[7,0,0,1,4] 0.896, [0,7,0,1,4] 0.638, [0,0,7,1,4] 0.547": the documents with labels 7, 0, 0 have
	// equal scores, 0.9; label 1 has 0.6 and label 4 has 0.5.
	inOrder := linear().withTies(FileOrder)
	tiedScores := func(order ...float64) ([]float64, []float64) {
		return append(order, 4, 1), []float64{0.9, 0.9, 0.9, 0.5, 0.6}
	}
	for _, c := range []struct {
		first [3]float64
		want  float64
	}{{[3]float64{7, 0, 0}, 0.896}, {[3]float64{0, 7, 0}, 0.638}, {[3]float64{0, 0, 7}, 0.547}} {
		labels, scores := tiedScores(c.first[:]...)
		assert.InDelta(t, c.want, value(t, NDCG(inOrder, 0), labels, scores), 5e-4, "%v", c.first)
	}
	labels, scores = tiedScores(7, 0, 0)
	assert.InDelta(t, 0.547, value(t, NDCG(linear().withTies(Pessimistic), 0), labels, scores), 5e-4)
	// Averaging over ties gives the mean of the three orders.
	assert.InDelta(t, (0.896+0.638+0.547)/3, value(t, NDCG(linear(), 0), labels, scores), 5e-4)
}

// TestThreeRulesForTies: a query with four equal scores. LightGBM 4.7.0, CatBoost 1.2.10 and
// scikit-learn 1.9.1 computed the expected values.
func TestThreeRulesForTies(t *testing.T) {
	labels, scores := []float64{2, 0, 0, 1}, make([]float64, 4)
	assert.InDelta(t, .826235, value(t, NDCG(LightGBM(), 3), labels, scores), 5e-7)
	assert.InDelta(t, .137706, value(t, NDCG(LightGBM().withTies(Pessimistic), 3), labels, scores), 5e-7)
	assert.InDelta(t, .586883, value(t, NDCG(Default(), 3), labels, scores), 5e-7)
}

func TestSpecialQueries(t *testing.T) {
	for _, c := range Presets() {
		one, two := []float64{1}, []float64{3, 3}
		assert.Equal(t, 1.0, value(t, NDCG(c, 1), one, []float64{-7}), "%s: a relevant document alone", c.Name)
		short := 1.0
		if c.Short == ShortZero {
			short = 0
		}
		assert.Equal(t, 1.0, value(t, NDCG(c, 2), two, []float64{2, 1}), "%s: equal labels", c.Name)
		assert.Equal(t, 1.0, value(t, NDCG(c, 2), two, []float64{1, 1}), "%s: equal labels and scores", c.Name)
		assert.Equal(t, short, value(t, NDCG(c, 5), two, []float64{2, 1}), "%s: fewer documents than ranks", c.Name)
		want := c.Empty.verdict()
		for _, labels := range [][]float64{{}, {0}, {0, 0, 0}} {
			got, ok := NDCG(c, 2).Query(labels, descending(len(labels)))
			assert.Equal(t, want.value, got, "%s: empty", c.Name)
			assert.Equal(t, want.counts, ok)
			got, ok = named("dcg", c, 2).Query(labels, descending(len(labels)))
			assert.Zero(t, got)
			assert.Equal(t, want.counts, ok)
		}
		v, ok := NDCG(c, 2).Query([]float64{1, 0}, []float64{math.NaN(), 1})
		assert.True(t, math.IsNaN(v) && ok, "%s: a NaN shows", c.Name)
	}
	_, ok := NDCG(LightGBM().withEmpty(EmptyLeftOut), 2).Query([]float64{0}, []float64{1})
	assert.False(t, ok)
	half, _ := NDCG(LightGBM().withEmpty(EmptyHalf), 2).Query([]float64{0}, []float64{1})
	assert.Equal(t, 0.5, half)
}

func TestScoresAtTheEdge(t *testing.T) {
	inf := math.Inf(1)
	m := NDCG(LightGBM(), 0)
	assert.Equal(t, 1.0, value(t, m, []float64{0, 1, 2}, []float64{-inf, 0, inf}))
	negativeZero := math.Copysign(0, -1)
	assert.Equal(t, value(t, m, []float64{0, 2}, []float64{0, 0}),
		value(t, m, []float64{0, 2}, []float64{negativeZero, 0}))
	assert.Equal(t, value(t, m, []float64{0, 2}, []float64{inf, inf}),
		value(t, m, []float64{0, 2}, []float64{0, 0}))
}
