package booster

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// ensembleParams returns parameters for an ensemble of three models with two objectives.
func ensembleParams() Params {
	p := smallParams()
	p.NumModels, p.ModelObjectives = 3, []string{"lambdarank", "query_rmse"}
	p.FeatureFraction, p.Patience, p.NumIterations, p.Seed = 0.7, 3, 20, 40
	return p
}

// TestEnsembleIsTheMeanOfItsModels trains each model alone, scales its scores to the spread of the first,
// and averages them.
func TestEnsembleIsTheMeanOfItsModels(t *testing.T) {
	p := ensembleParams()
	data := binned(t, &p, randomTable(1, 600), randomTable(2, 300))
	got, err := Train(t.Context(), p, data[0], data[1:], Options{})
	require.NoError(t, err)
	rows := data[0].Meta.NumRows()
	want, trees, first := make([]float64, rows), 0, 0.0
	for k, name := range []string{"lambdarank", "query_rmse", "lambdarank"} {
		alone := p
		alone.NumModels, alone.ModelObjectives, alone.Objective, alone.Seed = 1, nil, name, 40+uint64(k)
		r, err := Train(t.Context(), alone, data[0], data[1:], Options{})
		require.NoError(t, err)
		assert.Equal(t, r.Model, got.Members[k].Model)
		assert.Equal(t, r.BestValue, got.Members[k].BestValue)
		assert.Equal(t, name, got.Members[k].Objective)
		trees += len(r.Model.Trees)
		scores := make([]float64, rows)
		require.NoError(t, Scores(scores, r.Model, data[0].Values, 1))
		variance := 0.0
		for _, q := range data[0].Meta.Queries {
			sum, squares := 0.0, 0.0
			for _, s := range scores[q.First : q.First+q.Len] {
				sum, squares = sum+s, squares+s*s
			}
			variance += squares - sum*sum/float64(q.Len)
		}
		deviation := math.Sqrt(variance / float64(rows))
		assert.InEpsilon(t, deviation, got.Members[k].Spread, 1e-9)
		if k == 0 {
			first = deviation
		}
		for row, s := range scores {
			want[row] += s * first / deviation / 3
		}
	}
	scores := make([]float64, rows)
	require.NoError(t, Scores(scores, got.Model, data[0].Values, 1))
	assert.InDeltaSlice(t, want, scores, 1e-12)
	assert.Len(t, got.Model.Trees, trees)
	assert.Equal(t, trees, got.Kept)
	require.NoError(t, got.Model.Validate())
	require.NotEmpty(t, got.Evaluations)
	assert.Equal(t, "set 1", got.Evaluations[0].Set)
}

// TestInterruptedEnsembleGoesOn interrupts each of the models, with and without checkpoints of the completed
// ones.
func TestInterruptedEnsembleGoesOn(t *testing.T) {
	p := ensembleParams()
	p.Patience = 0
	data := binned(t, &p, randomTable(1, 600), randomTable(2, 300))
	whole, err := Train(t.Context(), p, data[0], data[1:], Options{})
	require.NoError(t, err)
	for _, threads := range []int{1, 2, 7} {
		p.NumThreads = threads
		for model := 1; model <= 3; model++ {
			c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 7,
				Event: func(training.CheckpointEvent) {}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			hook := func(r training.Round) {
				if r.Model == model && r.Number == 12 {
					cancel()
				}
			}
			part, err := Train(ctx, p, data[0], data[1:], Options{Options: training.Options{Checkpoints: c,
				Round: hook}})
			require.NoError(t, err)
			assert.Equal(t, training.Canceled, part.Stopped)
			assert.Len(t, part.Members, max(1, model-1))
			assert.NotEmpty(t, c.Files())
			resumed, restored := *c, 0
			resumed.Resume = training.Required
			r, err := Train(t.Context(), p, data[0], data[1:], Options{Options: training.Options{Checkpoints: &resumed,
				Round: func(r training.Round) {
					if r.Restored {
						restored++
					}
				}}})
			require.NoError(t, err)
			assert.Equal(t, bytesOf(whole.Model), bytesOf(r.Model))
			if least := 14*(model-1) + 12; threads == 1 {
				assert.Equal(t, least, restored, "of the complete models, those up to their last checkpoints")
			} else {
				assert.GreaterOrEqual(t, restored, 12,
					"those of the model whose hook canceled the training, if it was trained at once with others")
			}
			require.NoError(t, c.Remove())
			assert.Empty(t, c.Files())
			_, err = Train(t.Context(), p, data[0], data[1:],
				Options{Options: training.Options{Checkpoints: &resumed}})
			assert.ErrorIs(t, err, training.ErrNoCheckpoint)
		}
	}
}

// TestModelsAtOnceAreSeenInTurn: the caller gets the same model and the same calls in the same order,
// whether models are trained concurrently or one after another. The calls do not synchronize, so the race
// detector reports any that overlap.
func TestModelsAtOnceAreSeenInTurn(t *testing.T) {
	p := ensembleParams()
	data := binned(t, &p, randomTable(1, 600), randomTable(2, 300))
	run := func(threads int) (*Result, []training.Round, []training.CheckpointEvent) {
		p.NumThreads = threads
		var rounds []training.Round
		var events []training.CheckpointEvent
		c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 5,
			Event: func(e training.CheckpointEvent) {
				e.Path = filepath.Base(e.Path)
				events = append(events, e)
			}}
		r, err := Train(t.Context(), p, data[0], data[1:], Options{Options: training.Options{Checkpoints: c,
			Round: func(r training.Round) {
				r.Seconds = 0
				rounds = append(rounds, r)
			}}})
		require.NoError(t, err)
		return r, rounds, events
	}
	want, wantRounds, wantEvents := run(1)
	require.NotEmpty(t, wantEvents)
	for _, threads := range []int{2, 3, 7} {
		got, rounds, events := run(threads)
		assert.Equal(t, bytesOf(want.Model), bytesOf(got.Model))
		assert.Equal(t, want.Evaluations, got.Evaluations)
		assert.Equal(t, wantRounds, rounds)
		assert.Equal(t, len(wantEvents), len(events))
		for i, e := range events {
			assert.Equal(t, wantEvents[i].Path, e.Path)
			assert.Equal(t, wantEvents[i].Round, e.Round)
		}
	}
}

// TestFailureOfAModelAtOnce: an error or a panic of any model reaches the caller, and no goroutine leaks.
func TestFailureOfAModelAtOnce(t *testing.T) {
	p := ensembleParams()
	p.NumModels, p.Patience = 4, 0
	data := binned(t, &p, randomTable(1, 600))
	for failing := range 4 {
		for _, atOnce := range []int{2, 3} {
			models, err := p.members(data[0], nil, Options{}, false), error(nil)
			models[failing].params.NumLeaves = -1
			added := 0
			add := func(m *member) bool {
				added++
				err = m.err
				return err == nil
			}
			trainAtOnce(t.Context(), models, atOnce, 1, add)
			assert.Error(t, err)
			assert.Equal(t, failing+1, added)

			models = p.members(data[0], nil, Options{}, false)
			models[failing].options.Objective = &given{} // has fewer rows than the data
			trainAtOnce(t.Context(), models, atOnce, 1, add)
			var panicked *training.PanicError
			assert.ErrorAs(t, err, &panicked)
		}
	}
}

func TestEnsemblesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*Params, *Data, *Options){
		"model 2 would be the same as model 1": func(p *Params, _ *Data,
			_ *Options) {
			p.ModelObjectives, p.FeatureFraction = nil, 1
		},
		"model 3 would be the same as model 1": func(p *Params, _ *Data,
			_ *Options) {
			p.FeatureFraction = 1
		},
		"model_objectives names 2 objectives for num_models=1": func(p *Params, _ *Data,
			_ *Options) {
			p.NumModels = 1
		},
		"does not go on from a model": func(_ *Params, _ *Data,
			o *Options) {
			o.Before = &tree.Ensemble{}
		},
		"initial scores": func(_ *Params, d *Data,
			_ *Options) {
			d.Meta.InitialScores = make([]float64, 600)
		},
		"model_objectives=lambdarenk: must be one of lambdarank": func(p *Params, _ *Data,
			_ *Options) {
			p.ModelObjectives = []string{"lambdarenk"}
		},
	} {
		p := ensembleParams()
		data, o := binned(t, &p, randomTable(1, 600), randomTable(2, 300)), Options{}
		change(&p, &data[0], &o)
		_, err := Train(t.Context(), p, data[0], data[1:], o)
		assert.ErrorContains(t, err, want)
	}
}

// TestModelsWithoutAScaleAreNoEnsemble: all documents of a query have the same features, so the models'
// scores have no spread.
func TestModelsWithoutAScaleAreNoEnsemble(t *testing.T) {
	p := ensembleParams()
	p.ModelObjectives = []string{"regression"}
	values, labels := make([][]float64, 400), make([]float64, 400)
	for row := range values {
		values[row], labels[row] = []float64{float64(row / 20), float64(row / 40)}, float64(row/20%3)
	}
	p.Patience = 0
	data := binned(t, &p, newTable(values, labels, 20))
	_, err := Train(t.Context(), p, data[0], nil, Options{})
	assert.ErrorContains(t, err, "the same score")
}

// TestMembersAreGivenUp: when one model fails, the runs of the others stop, and no checkpoints remain.
func TestMembersAreGivenUp(t *testing.T) {
	p := ensembleParams()
	p.NumModels, p.Patience, p.NumIterations = 3, 0, 3000
	data := binned(t, &p, randomTable(1, 600))
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Interval: time.Hour}
	members := p.members(data[0], nil, Options{Options: training.Options{Checkpoints: c}}, false)
	members[0].params.NumLeaves = -1
	trainAtOnce(t.Context(), members, 3, 1, func(m *member) bool { return m.err == nil })
	for _, m := range members[1:] {
		assert.Less(t, len(m.unseen), p.NumIterations)
	}
	assert.Empty(t, c.Files())
}
