package nnbaseline

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// TestResumedTrainingIsTheSame: a training run that is interrupted between or within epochs and resumed
// gives the same model as an uninterrupted run.
func TestResumedTrainingIsTheSame(t *testing.T) {
	data, valid := syntheticSets(1)
	for name, change := range map[string]func(*Params){
		"adam":    func(p *Params) { p.Ranker = RankNet; p.Pairs = 20 },
		"batch":   func(p *Params) { p.Normalization, p.Optimizer, p.WeightDecay = BatchNorm, AdamW, 0.01 },
		"cosine":  func(p *Params) { p.Schedule, p.BatchQueries = Cosine, 3 },
		"plateau": func(p *Params) { p.Schedule, p.ScheduleEpochs, p.LearningRate = Plateau, 1, 0.02 },
		"stop":    func(p *Params) { p.Patience, p.LearningRate = 3, 0.05 },
	} {
		t.Run(name, func(t *testing.T) {
			p := quickParams(ListNet)
			p.Epochs = 7
			change(&p)
			var restored int
			run := func(p Params, epoch, done int, c *training.Checkpoints) *Result {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				o := training.Options{Checkpoints: c,
					Step: func(e, d, of int) {
						if e == epoch && (d >= done || d == of) {
							cancel()
						}
					},
					Round: func(r training.Round) {
						if r.Restored {
							restored = r.Number
						}
					}}
				r, err := Train(ctx, p, data, []Data{valid}, o)
				require.NoError(t, err)
				return r
			}
			want := run(p, 0, 0, nil)
			c := training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 100}
			run(p, 2, 5, &c)
			c.Resume, p.NumThreads = training.Required, 3
			run(p, 3, 1000, &c)
			assert.Equal(t, 1, restored)
			got := run(p, 0, 0, &c)
			assert.Equal(t, 3, restored, "cancelled by the last step")
			assert.Equal(t, bytesOf(t, want.Model), bytesOf(t, got.Model))
			assert.Equal(t, want.Best, got.Best)
			assert.Equal(t, want.BestValue, got.BestValue)
			assert.Equal(t, want.Stopped, got.Stopped)

			p.LearningRate *= 2
			_, err := Train(t.Context(), p, data, []Data{valid}, training.Options{Checkpoints: &c})
			assert.ErrorContains(t, err, "learning_rate is")
		})
	}
}
