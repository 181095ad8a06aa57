package nnbaseline

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// The golden values are PyTorch's; testdata/pytorch_goldens.py writes them.

type torchLosses struct {
	Lists []struct {
		Scores, Labels []float64
		Losses         map[string]struct {
			Loss     float64
			Gradient []float64
		}
	}
}

// TestLossesAgreeWithPyTorch: both sides use float64, but sum in different orders, and
// RankNet uses sums of products.
func TestLossesAgreeWithPyTorch(t *testing.T) {
	const tolerance = 1e-11
	var golden torchLosses
	readGolden(t, "pytorch_losses.json", &golden)
	compared := 0
	for i, list := range golden.Lists {
		for name, want := range list.Losses {
			l := newLoss(torchParams(t, "ranker="+name))
			got := make([]float64, len(list.Scores))
			value := l.of(got, query{labels: list.Labels, step: 1}, list.Scores)
			assert.InDelta(t, want.Loss, value, tolerance*(1+want.Loss), "list %d, %s", i, name)
			for j := range got {
				assert.InDelta(t, want.Gradient[j], got[j], tolerance, "list %d, %s, document %d", i, name, j)
			}
			compared++
		}
	}
	assert.Equal(t, 50, compared)
}

// torchParams sets parameters from NAME=VALUE pairs separated by spaces.
func torchParams(t *testing.T, settings string) *Params {
	t.Helper()
	p := DefaultParams()
	for _, setting := range strings.Fields(settings) {
		name, value, _ := strings.Cut(setting, "=")
		require.NoError(t, set(&p, name, value))
	}
	return &p
}

type torchTraining struct {
	Parameters struct {
		Ranker, Normalization, Optimizer string
		WeightDecay                      float64 `json:"weight_decay"`
		GradientClip                     float64 `json:"gradient_clip"`
		LearningRate                     float64 `json:"learning_rate"`
		Steps                            int
		HiddenLayers                     []int `json:"hidden_layers"`
	}
	Rows           [][]float64
	Labels, Losses []float64
	Sizes          []int
	Before, After  []torchLayer
	FirstGradient  []torchLayer `json:"first_gradient"`
	Scores         []float64
}

// torchLayer is a layer; Weight is inputs × outputs. Parts that a layer lacks are nil.
type torchLayer struct{ Weight, Bias, Gain, Shift, Mean, Variance []float32 }

// TestTrainingAgreesWithPyTorch: PyTorch uses float64 and this package float32, whose rounding of 6e-8
// grows in some terms and over 25 steps; a step is 1e-2. All losses except mse do not change if all scores
// are shifted, so the last bias has a derivative of rounding errors only, and Adam makes steps from them.
func TestTrainingAgreesWithPyTorch(t *testing.T) {
	const tolerance = 2e-5
	var golden struct{ Trainings []torchTraining }
	readGolden(t, "pytorch_training.json", &golden)
	require.Len(t, golden.Trainings, 7)
	for _, want := range golden.Trainings {
		t.Run(want.Parameters.Ranker+" "+want.Parameters.Normalization+" "+want.Parameters.Optimizer,
			func(t *testing.T) {
				trainer := want.trainer(t)
				defer trainer.close()
				for step, loss := range want.Losses {
					got := trainer.step(trainer.queries, want.Parameters.LearningRate)
					require.InDelta(t, loss, got, tolerance, "loss of step %d", step)
					if step == 0 {
						compareLayers(t, want.FirstGradient, trainer.pass.layers, 1e-6)
					}
				}
				scores := make([]float64, len(want.Scores))
				require.NoError(t, trainer.model(trainer.network).ScoreData(scores, trainer.data, 1))
				if want.Parameters.Ranker != MSE {
					want.After[len(want.After)-1].Bias = nil
					center(want.Scores)
					center(scores)
				}
				compareLayers(t, want.After, trainer.network.layers, tolerance)
				assert.InDeltaSlice(t, want.Scores, scores, tolerance)
			})
	}
}

// trainer returns a trainer that starts from PyTorch's initial weights.
func (want *torchTraining) trainer(t *testing.T) *trainer {
	t.Helper()
	p := DefaultParams()
	p.Ranker, p.Normalization, p.Optimizer = want.Parameters.Ranker, want.Parameters.Normalization,
		want.Parameters.Optimizer
	p.WeightDecay, p.GradientClip = want.Parameters.WeightDecay, want.Parameters.GradientClip
	p.HiddenLayers, p.Dropout, p.NumThreads = want.Parameters.HiddenLayers, 0, 1
	p.BatchQueries = len(want.Sizes)
	require.NoError(t, p.Validate())
	made, err := newTrainer(&p, want.data(t))
	require.NoError(t, err)
	require.Len(t, made.queries, len(want.Sizes), "all queries teach")
	for l, layer := range made.network.layers {
		before := want.Before[l]
		for _, part := range [][2][]float32{{layer.weight, before.Weight}, {layer.bias, before.Bias},
			{layer.gain, before.Gain}, {layer.shift, before.Shift}} {
			if part[1] == nil { // batch normalization cancels a bias
				clear(part[0])
				continue
			}
			require.Len(t, part[1], len(part[0]))
			copy(part[0], part[1])
		}
	}
	return made
}

func (want *torchTraining) data(t *testing.T) Data {
	t.Helper()
	meta := &dataset.Meta{Labels: want.Labels, Features: []string{"1", "2", "3", "4", "5"}}
	for first, i := 0, 0; i < len(want.Sizes); i++ {
		meta.Queries = append(meta.Queries, dataset.Query{First: first, Len: want.Sizes[i]})
		first += want.Sizes[i]
	}
	values := new(Values)
	for number, row := range want.Rows {
		require.NoError(t, values.add(dataset.Row{Number: number, Feature: []int32{0, 1, 2, 3, 4}, Value: row}))
	}
	require.NoError(t, values.finish(len(want.Rows), len(meta.Features)))
	return Data{Name: "golden", Meta: meta, Values: values}
}

func compareLayers(t *testing.T, want []torchLayer, got []layer, tolerance float64) {
	t.Helper()
	for l := range want {
		for name, part := range map[string][2][]float32{
			"weight":   {want[l].Weight, got[l].weight},
			"bias":     {want[l].Bias, got[l].bias},
			"gain":     {want[l].Gain, got[l].gain},
			"shift":    {want[l].Shift, got[l].shift},
			"mean":     {want[l].Mean, got[l].mean},
			"variance": {want[l].Variance, got[l].variance},
		} {
			if part[0] != nil {
				assert.InDeltaSlice(t, part[0], part[1], tolerance, "%s of layer %d", name, l)
			}
		}
	}
}

// center shifts values to mean 0.
func center(values []float64) {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for i := range values {
		values[i] -= mean
	}
}

func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}
