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

func TestSeedDescentFromAGoodStart(t *testing.T) {
	scores := []float64{3.2, 0.4, -0.1, -2.1, 0.5, 0.01}
	seedDescent(t, scores, 100)
	assert.InDeltaSlice(t, []float64{4.3905, -0.1219, -1.0463, 2.0759, -1.5135, -1.8746}, scores, 1e-4)
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

// ranking ranks the documents of a query.
func ranking(scores []float64) *pairwise.Ranking {
	r := new(pairwise.Ranking)
	r.RankAnew(scores)
	return r
}

// byFormula returns the derivatives of l's single query by the formulas.
func byFormula(l *lambdaRank, scores []float64) (g Gradients, sum float64) {
	g = Gradients{make([]float64, len(scores)), make([]float64, len(scores))}
	r := new(ranked)
	order := make([]int32, len(scores))
	for i := range order {
		order[i] = int32(i)
	}
	l.rank(r, scores, order, l.gainsOf(r, 0))
	sum = l.distantPairs(g, r, r.gains)
	return g, sum
}

// pairLoss is the loss whose derivatives are the lambdas. Each pair's delta and the query's factor are
// constants, computed from the scores at.
func pairLoss(l *lambdaRank, labels, at, scores []float64) float64 {
	r := ranking(at)
	_, sum := byFormula(l, at)
	factor := 1.0
	if l.params.LambdarankLogNorm && sum > 0 {
		factor = math.Log2(1+sum) / sum
	}
	n := len(labels)
	var gains []float64
	for _, label := range labels {
		gains = append(gains, math.Exp2(label)-1)
	}
	inverse := new(pairwise.DCG).InverseIdeal(gains, l.params.LambdarankTruncationLevel)
	byGap := l.params.LambdarankScoreGapNorm && r.Score[0] != r.Score[n-1]
	loss := 0.0
	for i := 0; i < n-1 && i < l.params.LambdarankTruncationLevel; i++ {
		for j := i + 1; j < n; j++ {
			high, low := r.Order[i], r.Order[j]
			if labels[high] == labels[low] {
				continue
			}
			if labels[high] < labels[low] {
				high, low = low, high
			}
			gain := math.Exp2(labels[high]) - math.Exp2(labels[low])
			delta := gain * math.Abs(1/math.Log2(float64(i+2))-1/math.Log2(float64(j+2))) * inverse
			if byGap {
				delta /= 0.01 + math.Abs(at[high]-at[low])
			}
			loss += factor * delta * math.Log1p(math.Exp(-l.params.Sigmoid*(scores[high]-scores[low])))
		}
	}
	return loss
}

// loss adapts pairLoss to the tests of all objectives.
func (l *lambdaRank) loss(q Query, scores []float64) float64 {
	alone := &lambdaRank{params: l.params}
	if err := alone.Prepare(oneQuery(q.Labels...)); err != nil {
		panic(err)
	}
	return pairLoss(alone, q.Labels, q.Scores, scores)
}

func TestGradientsAgreeWithFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for name, l := range variants() {
		labels, scores := randomQuery(rng, 12)
		g := gradientsOf(t, l, oneQuery(labels...), scores)
		for i := range scores {
			at := func(d float64) float64 {
				moved := append([]float64(nil), scores...)
				moved[i] += d
				return pairLoss(l, labels, scores, moved)
			}
			first, second := firstDifference(at), secondDifference(at)
			assert.InDelta(t, first, g.Lambda[i], 1e-6+1e-6*math.Abs(first), name)
			assert.InDelta(t, second, g.Hessian[i], 1e-6+1e-5*math.Abs(second), name)
		}
	}
}

func TestQueriesWithoutPairs(t *testing.T) {
	for _, labels := range [][]float64{{3}, {0, 0, 0}, {2, 2}} {
		g := gradientsOf(t, defaultLambdaRank(), oneQuery(labels...), make([]float64, len(labels)))
		assert.Equal(t, make([]float64, len(labels)), g.Lambda)
		assert.Equal(t, make([]float64, len(labels)), g.Hessian)
	}
}

func TestEqualScoresRankInFileOrderIfAsked(t *testing.T) {
	l := plainLambdaRank(1, 1)
	g := gradientsOf(t, l, oneQuery(0, 1, 0, 2), []float64{1, 1, 1, 1})
	// Only pairs with rank 0, the first document, count.
	assert.Zero(t, g.Lambda[2])
	assert.Negative(t, g.Lambda[1])
	assert.Negative(t, g.Lambda[3])
	assert.Positive(t, g.Lambda[0])
}

func TestLabelsThatHaveNoGain(t *testing.T) {
	l := defaultLambdaRank()
	err := l.Prepare(oneQuery(1, 40))
	assert.ErrorContains(t, err, "label 40 of row 1 ")
	assert.ErrorContains(t, err, "linear")
	l.params.LabelGain = metric.Linear()
	assert.NoError(t, l.Prepare(oneQuery(0.5, 40)))
}

// TestPairsEqualFormulas compares the sums of package pairwise with sums by the formulas, for queries of
// all sizes, few and many grades, and tied scores.
func TestPairsEqualFormulas(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for name, l := range variants() {
		for trial := range 60 {
			labels, scores := randomQuery(rng, 2+rng.IntN(80))
			l.params.LabelGain = metric.Exp2()
			switch trial % 4 {
			case 1:
				for i := range scores {
					scores[i] = math.Round(scores[i])
				}
			case 2:
				l.params.LabelGain = metric.Linear()
				for i := range labels {
					labels[i] = 100 * rng.Float64()
				}
			case 3:
				for i := range scores {
					scores[i] *= 20 // up to the range of the slower sums
				}
			}
			g := gradientsOf(t, l, oneQuery(labels...), scores)
			want, sum := byFormula(l, scores)
			factor := 1.0
			if l.params.LambdarankLogNorm && sum > 0 {
				factor = math.Log2(1+sum) / sum
			}
			size := 0.0
			for _, v := range want.Lambda {
				size += math.Abs(v) * factor
			}
			tolerance := 1e-12 * size
			if l.params.LambdarankLogNorm && sum > 0 {
				tolerance += 1e-15 / sum * size // rounding of 1 + sum
			}
			for i := range scores {
				assert.InDelta(t, want.Lambda[i]*factor, g.Lambda[i], tolerance, name)
				assert.InDelta(t, want.Hessian[i]*factor, g.Hessian[i], tolerance*l.params.Sigmoid, name)
			}
		}
	}
}
