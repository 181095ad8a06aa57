package lambdamart_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/scoring"
)

// shifted draws data in which the grade depends on feature 0 relative to the query: a random number per query
// is added to the feature.
func shifted(t *testing.T, seed uint64, queries int) (dataset.Columned, [][]float64, []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var rows [][]float64
	var labels []float64
	var sizes []int
	for range queries {
		shift, n := 100*r.NormFloat64(), 5+r.IntN(10)
		sizes = append(sizes, n)
		for range n {
			x := r.NormFloat64()
			noise := r.NormFloat64()
			if r.IntN(9) == 0 {
				noise = math.NaN()
			}
			rows = append(rows, []float64{shift + x, noise, 1})
			labels = append(labels, float64(max(0, min(2, int(x+1)))))
		}
	}
	d, err := dataset.FromRows(rows, labels, sizes)
	require.NoError(t, err)
	return d, rows, sizes
}

func contextParams(kinds ...string) lambdamart.Params {
	p := small()
	p.NumIterations, p.QueryContext = 30, kinds
	return p
}

// TestContextFindsWhatRawFeaturesHide also checks that ScoreQuery gives the scores of a pass over the data.
func TestContextFindsWhatRawFeaturesHide(t *testing.T) {
	train, _, _ := shifted(t, 1, 60)
	test, rows, sizes := shifted(t, 2, 60)
	meta, err := dataset.Describe(ctx, test)
	require.NoError(t, err)
	mean := map[string]float64{}
	for _, kind := range []string{"", "rank", "zscore", "linear", "gap_to_best"} {
		var kinds []string
		if kind != "" {
			kinds = []string{kind}
		}
		p := contextParams(kinds...)
		d, err := lambdamart.Bin(ctx, p, train, test)
		require.NoError(t, err)
		r, err := lambdamart.Train(ctx, p, d)
		require.NoError(t, err)
		require.NoError(t, d.Close())
		compiled, err := lambdamart.Compile(r.Model)
		require.NoError(t, err)
		all, err := scoring.Scores(compiled).All(ctx, test)
		require.NoError(t, err)
		first := 0
		for _, n := range sizes {
			for _, m := range []lambdamart.Model{r.Model, compiled} {
				scores, err := lambdamart.ScoreQuery(m, rows[first:first+n])
				require.NoError(t, err)
				require.Equal(t, all.Numbers[first:first+n], scores, kind)
			}
			first += n
		}
		results, err := metric.Evaluate([]metric.Metric{ndcg}, meta, all.Numbers, 1)
		require.NoError(t, err)
		mean[kind] = results[0].Mean
	}
	for _, kind := range []string{"rank", "zscore", "linear", "gap_to_best"} {
		assert.Greater(t, mean[kind], mean[""]+0.1, kind)
	}
}

func TestContextIsRefusedWhereItCannotBe(t *testing.T) {
	train, rows, _ := shifted(t, 3, 40)
	p := contextParams("rank")
	d, err := lambdamart.Bin(ctx, p, train)
	require.NoError(t, err)
	r, err := lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	_, err = lambdamart.ScoreRows(r.Model, rows[:1])
	assert.ErrorIs(t, err, lambdamart.ErrContext)
	_, err = lambdamart.ScoreQuery(r.Model, [][]float64{{1, 2}})
	assert.ErrorIs(t, err, lambdamart.ErrWidth)
	wide := []float64{1, 2, 3, 0.5, 0.5, 0.5}
	scores, err := lambdamart.ScoreRows(r.Model.Precomputed(), [][]float64{wide})
	require.NoError(t, err)
	want, err := lambdamart.ScoreQuery(r.Model, [][]float64{wide[:3]})
	require.NoError(t, err)
	assert.Equal(t, want, scores, "a document alone has rank 0.5")

	raw, err := lambdamart.Bin(ctx, small(), train)
	require.NoError(t, err)
	_, err = lambdamart.Train(ctx, p, raw)
	assert.ErrorIs(t, err, booster.ErrContext)

	network := lambdamart.DefaultNetworkParams()
	network.Data.QueryContext = p.QueryContext
	_, err = lambdamart.LoadNetworkData(ctx, network, write(t, "a.txt", letorText(3)))
	assert.ErrorIs(t, err, data.ErrContext)

	p.QueryContext = []string{"ranks"}
	_, err = lambdamart.Bin(ctx, p, train)
	assert.ErrorContains(t, err, `"ranks"`)
}
