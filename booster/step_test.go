package booster

import (
	"bytes"
	"context"
	"io"
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

// TestStepsGiveTheModelOfTrain continues a stepped run after a pause, after saving and restoring, and at
// the end.
func TestStepsGiveTheModelOfTrain(t *testing.T) {
	for name, change := range map[string]func(*Params){
		"plain": func(*Params) {},
		"stops": func(p *Params) { p.Patience, p.LearningRate = 3, 0.4 },
		"any metric stops": func(p *Params) {
			p.Patience, p.LearningRate, p.AnyMetricStops, p.Metric = 3, 0.4, true, []string{"ndcg@3", "map"}
		},
		"dart": func(p *Params) { p.Boosting = DART },
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultParams()
			p.NumIterations, p.NumLeaves, p.EvalAt = 12, 5, []int{3}
			change(&p)
			data := binned(t, &p, randomTable(1, 600), randomTable(2, 300))
			want, err := Train(t.Context(), p, data[0], data[1:], Options{})
			require.NoError(t, err)
			ends := func(run *Training) {
				require.NoError(t, training.Loop(t.Context(), run, nil))
				got, err := run.Result()
				require.NoError(t, err)
				assert.Equal(t, bytesOf(want.Model), bytesOf(got.Model))
				assert.Equal(t, []any{want.Best, want.BestValue, want.Watched, want.Rounds, want.Stopped,
					string(want.Model.Parameters)},
					[]any{got.Best, got.BestValue, got.Watched, got.Rounds, got.Stopped, string(got.Model.Parameters)})
			}
			for _, rounds := range []int{0, 2, want.Rounds} {
				run := stepped(t, p, data, rounds)
				if rounds > 0 {
					var saved bytes.Buffer
					require.NoError(t, run.Save(&saved))
					restored := stepped(t, p, data, 0)
					require.NoError(t, restored.Restore(&saved))
					ends(restored)
				}
				ends(run)
			}
		})
	}
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

// TestRunsThatCannotBeStepped: parameters that only Train supports are refused, and so are checkpoints of
// other data or parameters.
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

	var saved bytes.Buffer
	require.NoError(t, stepped(t, p, data, 1).Save(&saved))
	p.NumLeaves = 6
	err = stepped(t, p, data, 0).Restore(&saved)
	assert.ErrorIs(t, err, training.ErrCheckpointMismatch)
	assert.ErrorContains(t, err, "the checkpoint is of another training: num_leaves is 6, and was 5; use what")
}

// TestACanceledStepEndsTheRun: a canceled step loses no tree, and later steps grow none.
func TestACanceledStepEndsTheRun(t *testing.T) {
	p := DefaultParams()
	p.NumLeaves = 5
	run := stepped(t, p, binned(t, &p, randomTable(1, 600)), 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := run.Step(ctx)
	assert.Equal(t, io.EOF, err)
	_, err = run.Step(t.Context())
	assert.Equal(t, io.EOF, err)
	r, err := run.Result()
	require.NoError(t, err)
	assert.Equal(t, []any{2, 2, training.Canceled}, []any{r.Rounds, len(r.Model.Trees), r.Stopped})
}
