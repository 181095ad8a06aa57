package booster

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// shown is the number of documents per query that a simulated reader sees.
const shown = 10

// trueBias is the effect of a position, counted from 0, on the log-odds of a click.
func trueBias(position int) float64 { return -1.5 * math.Log(float64(position+1)) }

// clicks simulates a click log. Documents have a true worth, which two of four features show with noise; the
// previous ranker ordered them by one of these. A document is clicked with probability
// 1/(1+e^-(1 + worth + bias of its position)). Labels are clicks; grades are the true worth from 0 to 4.
func clicks(seed uint64, queries int) (t *table, grades []float64) {
	rng := rand.New(rand.NewPCG(seed, 77))
	var values [][]float64
	var labels []float64
	var positions []int32
	for range queries {
		worth, rows := make([]float64, shown), make([][]float64, shown)
		for i := range worth {
			worth[i] = 1.5 * rng.NormFloat64()
			rows[i] = []float64{worth[i] + rng.NormFloat64(), worth[i] + rng.NormFloat64(), rng.NormFloat64(), 0}
		}
		for i := range rows {
			place := 0
			for j := range rows {
				if rows[j][0] > rows[i][0] {
					place++
				}
			}
			click := 0.0
			if rng.Float64() < 1/(1+math.Exp(-(1+worth[i]+trueBias(place)))) {
				click = 1
			}
			labels, positions = append(labels, click), append(positions, int32(place))
			grades = append(grades, math.Round(max(0, min(4, 2+worth[i]))))
		}
		values = append(values, rows...)
	}
	t = newTable(values, labels, shown)
	t.meta.Positions = positions
	for i := range shown {
		t.meta.PositionNames = append(t.meta.PositionNames, strconv.Itoa(i+1))
	}
	return t, grades
}

// positionParams returns the parameters of a training run on clicks.
func positionParams() Params {
	p := DefaultParams()
	p.NumIterations, p.NumLeaves, p.LearningRate, p.NumThreads = 150, 8, 0.1, 2
	p.LambdarankScoreGapNorm, p.LambdarankLogNorm = false, false
	return p
}

// judged returns nDCG@5 of each query, computed with the true grades.
func judged(t *testing.T, p *Params, train, test *table, grades []float64) (perQuery []float64, r *Result) {
	t.Helper()
	data := binned(t, p, train, test)
	r, err := Train(t.Context(), *p, data[0], nil, Options{})
	require.NoError(t, err)
	scores := make([]float64, len(grades))
	require.NoError(t, Scores(scores, r.Model, data[1].Values, 1))
	m := metric.NDCG(metric.Default(), 5)
	for first := 0; first < len(grades); first += shown {
		value, _ := m.Query(grades[first:first+shown], scores[first:first+shown])
		perQuery = append(perQuery, value)
	}
	return perQuery, r
}

// paired returns the mean of a-b and its standard error.
func paired(a, b []float64) (mean, deviation float64) {
	sum, squares, n := 0.0, 0.0, float64(len(a))
	for i := range a {
		d := a[i] - b[i]
		sum, squares = sum+d, squares+d*d
	}
	mean = sum / n
	return mean, math.Sqrt((squares/n - mean*mean) / n)
}

// TestBiasesOfPositionsAreFound: the estimated curve is within 10 % of the true one, and nDCG by true
// grades is more than four standard errors higher than when training treats clicks as grades.
func TestBiasesOfPositionsAreFound(t *testing.T) {
	train, _ := clicks(1, 6000)
	test, grades := clicks(2, 2000)
	p := positionParams()
	with, r := judged(t, &p, train, test, grades)
	require.Len(t, r.PositionBiases, shown)
	for i, b := range r.PositionBiases {
		assert.Equal(t, strconv.Itoa(i+1), b.Position)
		estimate := b.Bias - r.PositionBiases[0].Bias
		t.Logf("position %d: %.3f, true %.3f", i+1, estimate, trueBias(i))
		if i > 0 {
			assert.InEpsilon(t, trueBias(i), estimate, 0.1)
		}
	}
	train.meta.Positions, train.meta.PositionNames = nil, nil
	without, r := judged(t, &p, train, test, grades)
	assert.Nil(t, r.PositionBiases)
	mean, deviation := paired(with, without)
	t.Logf("nDCG@5 by true grades: %+.4f, standard error %.4f", mean, deviation)
	assert.Greater(t, mean, 4*deviation)
}

// TestBiasesAreInCheckpoints: a resumed run continues with the biases of the checkpoint, and other positions
// are refused. Peers learn the biases of one process.
func TestBiasesAreInCheckpoints(t *testing.T) {
	p := positionParams()
	p.NumIterations, p.LambdarankPositionBiasRegularization = 20, 0.5
	data, _ := clicks(5, 200)
	sets := binned(t, &p, data)
	whole, err := Train(t.Context(), p, sets[0], nil, Options{})
	require.NoError(t, err)
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 7}
	assert.Equal(t, training.Canceled, trainUntil(t, p, 9, c, sets).stopped)
	resumed := Options{Options: training.Options{
		Checkpoints: &training.Checkpoints{Path: c.Path, Resume: training.Required}}}
	r, err := Train(t.Context(), p, sets[0], nil, resumed)
	require.NoError(t, err)
	assert.Equal(t, whole.PositionBiases, r.PositionBiases)
	assert.Equal(t, whole.Model, r.Model)
	alone, err := trainOn(t, peers.Group{}, p, sets)
	require.NoError(t, err)
	requirePeers(t, 2, p, sets, alone)
	data.meta.Positions[3] = (data.meta.Positions[3] + 1) % shown
	_, err = Train(t.Context(), p, sets[0], nil, resumed)
	assert.ErrorContains(t, err, "training data: positions differ")
}

// TestPositionsRemarks: a remark says that the objective does not use positions.
func TestPositionsRemarks(t *testing.T) {
	data, _ := clicks(6, 3)
	p := DefaultParams()
	text, ignored := positionsRemark(&p, data.meta, false)
	assert.False(t, ignored)
	assert.Contains(t, text, "10 positions")
	p.Objective = "query_rmse"
	_, ignored = positionsRemark(&p, data.meta, false)
	assert.True(t, ignored)
	p.LambdarankPositionBiasRegularization = 1
	text, ignored = positionsRemark(&p, randomTable(1, 20).meta, false)
	assert.True(t, ignored)
	assert.Contains(t, text, "has no effect")
	_, err := Refit(t.Context(), DefaultParams(), fit(t, smallParams(), data).Model, data, nil, 0.5)
	assert.ErrorContains(t, err, "data without them")
}
