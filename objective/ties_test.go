package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// inOrder returns the single query of data and scores with reordered documents: the document at index i was
// at order[i].
func inOrder(data *dataset.Meta, scores []float64, order []int) (*dataset.Meta, []float64) {
	moved, movedScores := oneQuery(make([]float64, len(order))...), make([]float64, len(order))
	for i, from := range order {
		moved.Labels[i], movedScores[i] = data.Labels[from], scores[from]
	}
	return moved, movedScores
}

// fewScores draws a query in which many documents have equal scores.
func fewScores(rng *rand.Rand, n, different int) (labels, scores []float64) {
	labels, scores = randomQuery(rng, n)
	for i := range scores {
		scores[i] = float64(rng.IntN(different)) / 4
	}
	return labels, scores
}

// TestLambdaRankDoesNotDependOnTheFile: derivatives are equal in every bit for any order of the documents.
func TestLambdaRankDoesNotDependOnTheFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, l := range variants() {
		l.params.LambdarankTies = tiesMean
		for trial := range 40 {
			labels, scores := fewScores(rng, 2+rng.IntN(60), 1+trial%12)
			data, order := oneQuery(labels...), rng.Perm(len(labels))
			want := gradientsOf(t, l, data, scores)
			moved, movedScores := inOrder(data, scores, order)
			got := gradientsOf(t, l, moved, movedScores)
			for i, from := range order {
				require.Equal(t, math.Float64bits(want.Lambda[from]), math.Float64bits(got.Lambda[i]), name)
				require.Equal(t, math.Float64bits(want.Hessian[from]), math.Float64bits(got.Hessian[i]), name)
			}
		}
	}
}

// TestDrawnTiesAreFair: the mean of the lambdas over many draws of tied orders approaches the lambdas with
// averaged weights, whatever the order in the file. Normalization is off, because dividing by the sum of
// lambdas is not linear.
func TestDrawnTiesAreFair(t *testing.T) {
	labels, scores := []float64{0, 0, 1, 2, 0, 3, 1, 0}, []float64{1, 1, 1, 1, 0, 0, 0, 0}
	p := DefaultAllParams()
	p.LambdarankScoreGapNorm, p.LambdarankLogNorm, p.LambdarankTruncationLevel = false, false, 3
	data := oneQuery(labels...)
	want := gradientsOf(t, &lambdaRank{params: p}, data, scores)
	p.LambdarankTies = tiesDraw
	for _, o := range []Objective{&lambdaRank{params: p}, usable(pairsOf("lambdarank", &p, dcgRule{3}))} {
		require.NoError(t, o.Prepare(data))
		const iterations = 20000
		sum := make([]float64, len(labels))
		q := queryOf(data, scores)
		for q.Iteration = range iterations {
			for i, lambda := range gradientsAt(o, q).Lambda {
				sum[i] += lambda / iterations
			}
		}
		assert.InDeltaSlice(t, want.Lambda, sum, 0.005)
	}
}

func TestTiesThatCannotBe(t *testing.T) {
	p := DefaultAllParams()
	p.LambdarankTies = tiesMean
	for _, name := range []string{"rank_pairwise", "rank_map", "lambdaloss", "lambdarank:1,rank_map:2"} {
		_, err := New(name, &p)
		require.ErrorIs(t, err, errMeanTies, name)
		assert.NotErrorIs(t, err, ErrUnknown)
	}
	p.LambdarankTarget = targetMAP
	_, err := New("lambdarank", &p)
	require.ErrorIs(t, err, errMeanTies)
	unset := &lambdaRank{params: AllParams{Sigmoid: 1, LabelGain: metric.Exp2()}}
	assert.ErrorContains(t, unset.Prepare(oneQuery(1, 0)), `lambdarank_ties=""`)
}

// TestTiesChangeNothingElse: without equal scores, all treatments of ties give the same derivatives.
func TestTiesChangeNothingElse(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 4))
	for range 20 {
		labels, scores := randomQuery(rng, 2+rng.IntN(50))
		p := DefaultAllParams()
		want := gradientsOf(t, &lambdaRank{params: p}, oneQuery(labels...), scores)
		for _, p.LambdarankTies = range []string{tiesMean, tiesDraw, tiesFile} {
			assert.Equal(t, want, gradientsOf(t, &lambdaRank{params: p}, oneQuery(labels...), scores))
		}
	}
}
