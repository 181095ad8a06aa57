package booster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// stepped starts a run with p and takes the given number of steps.
func stepped(t *testing.T, p Params, data []Data, rounds int) *Training {
	t.Helper()
	run, err := New(p, data[0], data[1:], Options{})
	require.NoError(t, err)
	t.Cleanup(run.Close)
	for range rounds {
		_, err := run.Step(t.Context())
		require.NoError(t, err)
	}
	return run
}

// TestModelsOfEarlierRounds: later rounds do not change the model of an earlier round. dart rescales earlier
// trees, so it has no such models.
func TestModelsOfEarlierRounds(t *testing.T) {
	p := DefaultParams()
	p.NumLeaves, p.EvalAt = 5, []int{3}
	data := binned(t, &p, randomTable(1, 600), randomTable(2, 300))
	early, late := stepped(t, p, data, 2), stepped(t, p, data, 5)
	want, err := early.Model(0)
	require.NoError(t, err)
	got, err := late.Model(2)
	require.NoError(t, err)
	assert.Equal(t, bytesOf(want), bytesOf(got))
	_, err = late.Model(6)
	assert.EqualError(t, err, "there is no model of round 6: 5 rounds are done")

	p.Boosting, p.MetricFreq = DART, 5
	run := stepped(t, p, data, 5)
	_, err = run.Model(2)
	assert.ErrorContains(t, err, "the model of round 2 is not kept")
	_, err = run.Model(5)
	assert.NoError(t, err)
}

// TestRunsThatCannotBeStepped: parameters that only Train supports are refused.
func TestRunsThatCannotBeStepped(t *testing.T) {
	p := DefaultParams()
	p.NumLeaves = 5
	data := binned(t, &p, randomTable(1, 600))
	_, err := New(p, data[0], nil, Options{Options: training.Options{Round: func(training.Round) {}}})
	assert.ErrorContains(t, err, "Step returns the rounds")
	several := p
	several.NumModels, several.FeatureFraction = 2, 0.5
	_, err = New(several, data[0], nil, Options{})
	assert.ErrorContains(t, err, "Train trains ensembles")
}
