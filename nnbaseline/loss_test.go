package nnbaseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// lossOf returns the loss of a ranker with default parameters except sigma, so that a missing sigma in the
// code shows.
func lossOf(ranker string) loss {
	p := DefaultParams()
	p.Ranker, p.Sigmoid, p.LambdarankTruncationLevel = ranker, 1.5, 5
	return newLoss(&p)
}

// evaluateLoss returns the loss and its derivatives for one query.
func evaluateLoss(l loss, labels, scores []float64) (float64, []float64) {
	dst := make([]float64, len(scores))
	for i := range dst {
		dst[i] = math.NaN() // must be overwritten
	}
	value := l.of(dst, query{labels: labels, step: 1}, scores)
	return value, dst
}

func randomQuery(rng *rand.Rand, n int) (labels, scores []float64) {
	for range n {
		labels = append(labels, float64(rng.IntN(5)))
		scores = append(scores, 2*rng.NormFloat64())
	}
	return labels, scores
}

// differentLabels draws a query without equal labels, so that its ideal order is unique.
func differentLabels(rng *rand.Rand, n int) (labels, scores []float64) {
	for _, label := range rng.Perm(n) {
		labels = append(labels, float64(label)/2)
		scores = append(scores, 2*rng.NormFloat64())
	}
	return labels, scores
}

func TestDerivativesAgreeWithFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const step = 1e-3
	for _, name := range Rankers() {
		if name == LambdaRank {
			continue // its pair weights count as constants: see TestLambdaRankHasTheLambdasOfTrees
		}
		l := lossOf(name)
		for trial := range 20 {
			labels, scores := randomQuery(rng, 2+rng.IntN(20))
			labels[0], labels[1] = 3, 1
			if trial%4 == 0 {
				scores[0] -= 250 // beyond the range of RankNet's fast sums
			}
			_, slopes := evaluateLoss(l, labels, scores)
			for i := range scores {
				at := func(d float64) float64 {
					moved := append([]float64(nil), scores...)
					moved[i] += d
					value, _ := evaluateLoss(l, labels, moved)
					return value
				}
				want := (8*(at(step)-at(-step)) - (at(2*step) - at(-2*step))) / (12 * step)
				assert.InDelta(t, want, slopes[i], 1e-7*(1+math.Abs(want)), name)
			}
		}
	}
}

// oneQuery returns the metadata of a single query.
func oneQuery(labels []float64) *dataset.Meta {
	return &dataset.Meta{Queries: []dataset.Query{{ID: "1", Len: len(labels)}}, Labels: labels}
}

func TestLambdaRankHasTheLambdasOfTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		labels, scores := randomQuery(rng, 2+rng.IntN(40))
		trees, err := objective.New("lambdarank", &objective.AllParams{Sigmoid: 1.5, LambdarankTruncationLevel: 5,
			LambdarankPairMethod: "topk", LambdarankTies: "file", LambdarankTarget: "ndcg", LabelGain: metric.Exp2()})
		require.NoError(t, err)
		data := oneQuery(labels)
		require.NoError(t, trees.Prepare(data))
		want := objective.Gradients{Lambda: make([]float64, len(labels)), Hessian: make([]float64, len(labels))}
		q := objective.QueryOf(data, 0)
		q.Scores = scores
		trees.Gradients(want, q)
		_, got := evaluateLoss(lossOf(LambdaRank), labels, scores)
		assert.InDeltaSlice(t, want.Lambda, got, 1e-12)
	}
}

// TestLambdaRankLoss compares with the pair loss. The weight of each pair is the change of nDCG, by package
// metric, when the two documents swap scores.
func TestLambdaRankLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	ndcg := metric.NDCG(metric.LightGBM(), 0)
	p := DefaultParams()
	p.Ranker, p.LambdarankTruncationLevel = LambdaRank, 100
	for range 20 {
		labels, scores := differentLabels(rng, 2+rng.IntN(10))
		for i := range labels {
			labels[i] *= 2 // whole numbers
		}
		want := 0.0
		before, _ := ndcg.Query(labels, scores)
		for i := range labels {
			for j := range labels {
				if labels[i] <= labels[j] {
					continue
				}
				swapped := append([]float64(nil), scores...)
				swapped[i], swapped[j] = scores[j], scores[i]
				after, _ := ndcg.Query(labels, swapped)
				want += math.Abs(after-before) * math.Log1p(math.Exp(-(scores[i] - scores[j])))
			}
		}
		got, _ := evaluateLoss(newLoss(&p), labels, scores)
		assert.InDelta(t, want, got, 1e-12)
	}
}

// TestLambdaRankOfWorthlessGrades: grades that differ may all have gain 0.
func TestLambdaRankOfWorthlessGrades(t *testing.T) {
	gain, err := metric.Table([]float64{0, 0, 3, 3})
	require.NoError(t, err)
	l := &lambdaRank{sigma: 1, truncation: 30, gain: gain}
	value, slopes := evaluateLoss(l, []float64{0, 1}, []float64{2, 1})
	assert.Equal(t, []float64{0, 0, 0}, append(slopes, value))
	_, slopes = evaluateLoss(l, []float64{3, 2, 0}, []float64{1, 1, 0}) // equal gains
	assert.Negative(t, slopes[0])
	assert.InDelta(t, 0, slopes[0]+slopes[1]+slopes[2], 1e-15)
}

// TestSampledPairsAreAllPairsOnAverage: the mean over many draws of pairs converges to the loss of all
// pairs. 20,000 draws of 3 pairs have a standard error below 1 %.
func TestSampledPairsAreAllPairsOnAverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	labels, scores := randomQuery(rng, 12)
	want, wantSlopes := evaluateLoss(&rankNet{sigma: 1.5}, labels, scores)
	sampled := &rankNet{sigma: 1.5, pairs: 3, seed: 9}
	const steps = 20000
	mean, slopes, dst := 0.0, make([]float64, 12), make([]float64, 12)
	for step := range steps {
		mean += sampled.of(dst, query{number: 5, labels: labels, step: step}, scores) / steps
		for i := range dst {
			slopes[i] += dst[i] / steps
		}
	}
	assert.InEpsilon(t, want, mean, 0.03)
	assert.InDeltaSlice(t, wantSlopes, slopes, 0.01)
}

// TestSampledPairsDiffer: draws differ between queries and between steps, but not between calls.
func TestSampledPairsDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	labels, scores := randomQuery(rng, 40)
	l := &rankNet{sigma: 1, pairs: 5, seed: 1}
	dst := make([]float64, 40)
	seen := map[float64]bool{}
	for _, q := range []query{{number: 1, labels: labels, step: 1}, {number: 2, labels: labels, step: 1},
		{number: 1, labels: labels, step: 2}, {number: 1, labels: labels, step: 1}} {
		seen[l.of(dst, q, scores)] = true
	}
	assert.Len(t, seen, 3)
}

// TestEqualGradesAreDrawnAnew: listmle orders equal grades at random, so that it does not learn the order
// of the file.
func TestEqualGradesAreDrawnAnew(t *testing.T) {
	l := &listMLE{seed: 1}
	labels := []float64{1, 1, 0}
	first := 0
	for step := range 1000 {
		l.arrange(query{labels: labels, step: step})
		require.EqualValues(t, 2, l.order[2])
		first += int(l.order[0])
	}
	assert.InDelta(t, 500, first, 60, "3.8 standard deviations")
}

func TestUnequalScoresStaySound(t *testing.T) {
	for _, name := range Rankers() {
		if name == MSE {
			continue
		}
		for _, gap := range []float64{100, 1e4, 1e30} {
			value, slopes := evaluateLoss(lossOf(name), []float64{0, 1, 0}, []float64{gap, -gap, 0})
			require.False(t, math.IsNaN(value), name)
			assert.Positive(t, value, name)
			for i, s := range slopes {
				assert.False(t, math.IsNaN(s) || math.IsInf(s, 0), name)
				assert.True(t, i != 1 || s <= 0, name)
			}
		}
	}
}

func TestLabelsWithoutGain(t *testing.T) {
	data := Data{Name: "train.txt", Meta: oneQuery([]float64{1, 40})}
	p := DefaultParams()
	assert.NoError(t, checkLabels(&p, data))
	p.Ranker = LambdaRank
	err := checkLabels(&p, data)
	assert.ErrorContains(t, err, "train.txt: label 40 of row 1 (query 1): ")
	assert.ErrorContains(t, err, "linear")
}
