package objective

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/metric"
)

// oneQuery returns the metadata of a single query.
func oneQuery(labels ...float64) *dataset.Meta {
	return &dataset.Meta{Queries: []dataset.Query{{ID: "1", Len: len(labels)}}, Labels: labels}
}

// queryOf returns the single query of data, with its scores.
func queryOf(data *dataset.Meta, scores []float64) Query {
	q := QueryOf(data, 0)
	q.Scores = scores
	return q
}

// defaultLambdaRank returns the objective with default parameters.
func defaultLambdaRank() *lambdaRank { return &lambdaRank{params: DefaultAllParams()} }

// plainLambdaRank returns the objective without normalizations.
func plainLambdaRank(sigmoid float64, truncation int) *lambdaRank {
	return &lambdaRank{params: AllParams{Sigmoid: sigmoid, LambdarankTruncationLevel: truncation,
		LambdarankTies: tiesFile, LabelGain: metric.Exp2()}}
}

// gradientsOf prepares l for one query and returns the query's derivatives.
func gradientsOf(t *testing.T, l *lambdaRank, data *dataset.Meta, scores []float64) Gradients {
	t.Helper()
	require.NoError(t, l.Prepare(data))
	dst := Gradients{make([]float64, len(scores)), make([]float64, len(scores))}
	for i := range dst.Lambda {
		dst.Lambda[i], dst.Hessian[i] = math.NaN(), math.NaN() // must be overwritten
	}
	l.Gradients(dst, queryOf(data, scores))
	return dst
}

// seedDescent follows the notebook "lambda gradients" (MSR-TR-2010-82 worked through in PyTorch, with six
// documents of grades 5 3 2 5 1 1). The notebook gives the documents fixed ranks by descending grade.
// Because it uses a list of sorted indexes as ranks, the ranks are 1 4 2 3 5 6. There is no normalization.
func seedDescent(t *testing.T, scores []float64, steps int) (lambda []float64) {
	t.Helper()
	l := plainLambdaRank(1, 6)
	data := oneQuery(5, 3, 2, 5, 1, 1)
	require.NoError(t, l.Prepare(data))
	byRank := []int32{0, 2, 3, 1, 4, 5}
	for range steps {
		r := &ranked{Ranking: pairwise.Ranking{Order: byRank}}
		for _, index := range byRank {
			r.Score = append(r.Score, scores[index])
		}
		lambda = make([]float64, 6)
		l.distantPairs(Gradients{lambda, make([]float64, 6)}, r, l.gainsOf(r, 0))
		for index := range scores {
			scores[index] -= lambda[index]
		}
	}
	return lambda
}

func TestSeedLambdaVector(t *testing.T) {
	scores := []float64{3.2, 0.4, -0.1, -2.1, 0.5, 0.01}
	lambda := seedDescent(t, scores, 1)
	// The notebook prints these values with four digits.
	assert.InDeltaSlice(t, []float64{-0.0548, 0.0303, 0.0587, -0.2099, 0.0851, 0.0906}, lambda, 5e-5)
	assert.InDelta(t, -0.05478230118751526, lambda[0], 1e-7, "document 0, in full, computed there in float32")
}

func TestSeedDescentFromABadStart(t *testing.T) {
	scores := []float64{-3, 2, 3, -4, 6, 8.5}
	linear := metric.LightGBM()
	linear.Gain = metric.Linear() // the notebook's ndcg has linear gains
	ndcg := metric.NDCG(linear, 0)
	labels := []float64{5, 3, 2, 5, 1, 1}
	before, _ := ndcg.Query(labels, scores)
	assert.InDelta(t, 0.6784099365897729, before, 1e-8)
	seedDescent(t, scores, 100)
	assert.InDeltaSlice(t, []float64{6.2690, 1.2374, 0.5772, 3.6842, 0.3482, 0.3840}, scores, 1e-4)
	after, _ := ndcg.Query(labels, scores)
	assert.Equal(t, 1.0, after)
}

// variants returns the objective under all combinations of its switches.
func variants() map[string]*lambdaRank {
	all := map[string]*lambdaRank{}
	for _, gap := range []bool{false, true} {
		for _, log := range []bool{false, true} {
			for _, truncation := range []int{1, 3, 30} {
				l := &lambdaRank{params: AllParams{Sigmoid: 1.5, LambdarankTruncationLevel: truncation,
					LambdarankScoreGapNorm: gap, LambdarankLogNorm: log, LambdarankTies: tiesFile, LabelGain: metric.Exp2()}}
				all["gap "+strconv.FormatBool(gap)+", log "+strconv.FormatBool(log)+", truncation "+strconv.Itoa(
					truncation)] = l
			}
		}
	}
	return all
}

func randomQuery(rng *rand.Rand, n int) (labels, scores []float64) {
	for range n {
		labels = append(labels, float64(rng.IntN(5)))
		scores = append(scores, 2*rng.NormFloat64())
	}
	return labels, scores
}

func TestQueriesWithoutPairs(t *testing.T) {
	for _, labels := range [][]float64{{3}, {0, 0, 0}, {2, 2}} {
		g := gradientsOf(t, defaultLambdaRank(), oneQuery(labels...), make([]float64, len(labels)))
		assert.Equal(t, make([]float64, len(labels)), g.Lambda)
		assert.Equal(t, make([]float64, len(labels)), g.Hessian)
	}
}

func TestLabelsThatHaveNoGain(t *testing.T) {
	l := defaultLambdaRank()
	err := l.Prepare(oneQuery(1, 40))
	assert.ErrorContains(t, err, "label 40 of row 1 ")
	assert.ErrorContains(t, err, "linear")
	l.params.LabelGain = metric.Linear()
	assert.NoError(t, l.Prepare(oneQuery(0.5, 40)))
}
