package booster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/training"
)

// examined simulates a log of readers who look at position p, counted from 1, with probability 1/p, and
// click on what they see with probability 1/(1+e^-worth). If ranked is true, the documents are ordered by a
// previous ranker that sees one of the features; otherwise their order is random.
func examined(seed uint64, queries int, ranked bool) (t *table, grades []float64) {
	rng := rand.New(rand.NewPCG(seed, 78))
	former := func(row []float64) float64 {
		score := rng.NormFloat64()
		if ranked {
			score += row[0]
		}
		return score
	}
	return logged(rng, queries, former, func(worth float64, place int) bool {
		return rng.Float64()*float64(place+1) < 1/(1+math.Exp(-worth))
	})
}

// unbiasedParams returns parameters for training on clicks, with XGBoost's defaults.
func unbiasedParams() Params {
	p := DefaultParams()
	p.NumIterations, p.NumLeaves, p.LearningRate, p.NumThreads = 80, 8, 0.1, 2
	p.LambdarankUnbiased = true
	return p
}

// TestRatiosOfPositionsAreFound: if the order is random, positions differ only in how often they are seen,
// and
// the estimated ratios of clicks are within 10 % of the true ones.
func TestRatiosOfPositionsAreFound(t *testing.T) {
	data, _ := examined(1, 20000, false)
	p := unbiasedParams()
	p.Objective, p.NumIterations, p.LambdarankBiasNorm, p.LambdarankScoreGapNorm,
		p.LambdarankLogNorm = "rank_pairwise", 30, 0, false, false
	r, err := Train(t.Context(), p, binned(t, &p, data)[0], nil, Options{})
	require.NoError(t, err)
	require.Len(t, r.PositionRatios, shown)
	assert.Nil(t, r.PositionBiases)
	for i, b := range r.PositionRatios {
		t.Logf("position %s: clicked %.3f, true %.3f; not clicked %.3f", b.Position, b.Clicked, 1/float64(i+1),
			b.Unclicked)
		assert.InEpsilon(t, 1/float64(i+1), b.Clicked, 0.1)
	}
}

// TestUnbiasedRanksBetter: if a previous ranker ordered the documents, nDCG by true grades is more than
// four
// standard errors higher than when training treats clicks as grades.
func TestUnbiasedRanksBetter(t *testing.T) {
	for name, simulated := range map[string]func(seed uint64, queries int) (*table, []float64){
		"clicked by score and position": clicks,
		"clicked if examined": func(seed uint64, queries int) (*table,
			[]float64) {
			return examined(seed, queries, true)
		},
	} {
		if testing.Short() && name != "clicked if examined" {
			continue
		}
		train, _ := simulated(1, 6000)
		test, grades := simulated(2, 2000)
		p := unbiasedParams()
		with, r := judged(t, &p, train, test, grades)
		p.LambdarankUnbiased = false
		train.meta.Positions, train.meta.PositionNames = nil, nil
		without, _ := judged(t, &p, train, test, grades)
		mean, deviation := paired(with, without)
		t.Logf("%s: nDCG@5 by true grades: %+.4f, standard error %.4f; ratios %.3v", name, mean, deviation,
			r.PositionRatios)
		assert.Greater(t, mean, 4*deviation, name)
	}
}

// TestRatiosAreInCheckpoints: a resumed run continues with the ratios of the checkpoint.
func TestRatiosAreInCheckpoints(t *testing.T) {
	p := unbiasedParams()
	p.NumIterations, p.Objective = 20, "rank_pairwise"
	data, _ := clicks(5, 200)
	sets := binned(t, &p, data)
	resumed := resumedAlike(t, p, sets)
	p.LambdarankBiasNorm = 2
	_, err := Train(t.Context(), p, sets[0], nil, Options{Options: training.Options{Checkpoints: resumed}})
	assert.ErrorContains(t, err, "lambdarank_bias_norm")
}

// TestRatiosAreRefused: a parameter without effect is an error or a remark.
func TestRatiosAreRefused(t *testing.T) {
	p := unbiasedParams()
	p.LambdarankPositionBiasRegularization = 1
	assert.ErrorContains(t, p.Validate(), "lambdarank_unbiased=true and lambdarank_position_bias_regularization")
	p = unbiasedParams()
	data := randomTable(1, 20)
	_, err := Train(t.Context(), p, binned(t, &p, data)[0], nil, Options{})
	assert.ErrorContains(t, err, "position_column=name:NAME")
	p.LambdarankUnbiased, p.LambdarankBiasNorm = false, 2
	assert.Contains(t, p.Cautions(), "lambdarank_bias_norm=2 has no effect without lambdarank_unbiased=true")
	p = unbiasedParams()
	clicked, _ := clicks(6, 3)
	text, _ := p.positionsRemark(clicked.meta, false)
	assert.Contains(t, text, "the ratios of 10 positions")
	var damaged positionBias
	assert.ErrorIs(t, damaged.restore([]float64{1}), training.ErrCheckpointDamaged)
	damaged = newPositionBias(&p, new(dataset.Meta), nil, false)
	assert.NoError(t, damaged.restore(nil))
}
