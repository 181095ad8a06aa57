package booster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
)

// TestLearningRates: each tree has its own rate, and the last rate is repeated. A list of equal rates is the
// same as that learning_rate, in every mode.
func TestLearningRates(t *testing.T) {
	for name, set := range map[string]func(*Params){
		"gbdt": func(*Params) {},
		"dart": func(p *Params) { p.Boosting, p.DropRate, p.SkipDrop = DART, 0.5, 0 },
		"dart xgboost": func(p *Params) {
			p.Boosting, p.DropRate, p.SkipDrop, p.XGBoostDARTMode = DART, 0.5, 0,
				true
		},
		"ensemble": func(p *Params) { p.NumModels, p.FeatureFraction = 2, 0.5 },
	} {
		p := smallParams()
		set(&p)
		data := binned(t, &p, randomTable(3, 400), randomTable(4, 100))
		once, schedule := p, p
		once.LearningRate, schedule.LearningRates = 0.3, []float64{0.3, 0.3}
		want, err := trainOn(t, peers.Group{}, once, data)
		require.NoError(t, err)
		got, err := trainOn(t, peers.Group{}, schedule, data)
		require.NoError(t, err)
		want.section, got.section = "", ""
		assert.Equal(t, want, got, name)
		schedule.LearningRates = []float64{0.3, 0.1}
		got, err = trainOn(t, peers.Group{}, schedule, data)
		require.NoError(t, err)
		assert.NotEqual(t, want.model, got.model, name)
	}
	p := smallParams()
	p.LearningRates = []float64{0.5, 0.25, 0.125}
	data := binned(t, &p, randomTable(3, 400))
	r, err := Train(t.Context(), p, data[0], nil, Options{})
	require.NoError(t, err)
	var rates []float64
	for _, fitted := range r.Model.Trees[:5] {
		rates = append(rates, fitted.Shrinkage)
	}
	assert.Equal(t, []float64{0.5, 0.25, 0.125, 0.125, 0.125}, rates)
}

// TestLearningRatesThatHaveNoEffect: learning rates without effect are refused or named in a remark.
func TestLearningRatesThatHaveNoEffect(t *testing.T) {
	p := smallParams()
	p.LearningRates = []float64{0.1, 0}
	require.ErrorContains(t, p.Validate(nil), "learning_rates=0.1,0: must be > 0")
	p.LearningRates[1] = 0.2
	require.NoError(t, p.Validate(nil))
	assert.Empty(t, p.Cautions())
	p.NumIterations = 1
	assert.Contains(t, p.Cautions(),
		"learning_rates has 2 rates, and the last 1 have no effect: num_iterations is 1")
	p.LearningRate = 0.2
	require.ErrorContains(t, p.Validate(nil), "leave one of them out")
}
