package nnbaseline

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// TestAPanicKeepsTheModel: after a panic in an epoch, Train returns the model of the epochs before it, and a
// checkpoint continues to the same model as without the panic.
func TestAPanicKeepsTheModel(t *testing.T) {
	data, valid := syntheticSets(3)
	for name, panics := range map[string]func(*training.Options){
		"step": func(o *training.Options) {
			o.Step = func(epoch, done, _ int) {
				if epoch == 4 && done == 30 {
					panic("planted")
				}
			}
		},
		"round": func(o *training.Options) {
			o.Round = func(r training.Round) {
				if r.Number == 3 {
					panic("planted")
				}
			}
		},
	} {
		for _, ranker := range []string{RankNet, ListNet} {
			p := quickParams(ranker)
			p.Epochs, p.Pairs = 5, 20
			want, _ := train(t, p, data, valid)
			c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 1}
			o := training.Options{Checkpoints: c}
			panics(&o)
			got, err := Train(t.Context(), p, data, []Data{valid}, o)
			require.ErrorContains(t, err, "panic after 3 rounds, in ", name)
			require.NotNil(t, got, name)
			assert.Equal(t, []any{training.Panicked, 3, 3}, []any{got.Stopped, got.Rounds, got.Kept})
			short := p
			short.Epochs = 3
			before, _ := train(t, short, data, valid)
			assert.Equal(t, before.Model.network, got.Model.network, name)
			c.Resume = training.Required
			again, err := Train(t.Context(), p, data, []Data{valid}, training.Options{Checkpoints: c})
			require.NoError(t, err)
			assert.Equal(t, bytesOf(t, want.Model), bytesOf(t, again.Model), name)
		}
	}
}
