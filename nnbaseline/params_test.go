package nnbaseline

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
)

// TestDefaults makes a changed default visible in the diff.
func TestDefaults(t *testing.T) {
	p := DefaultParams()
	var lines []string
	for _, entry := range p.Table() {
		lines = append(lines, entry.Name+"="+entry.Value.String())
	}
	assert.Equal(t, strings.Fields(`ranker=listnet epochs=20 batch_queries=1
		preset=512-256-128 hidden_layers=512,256,128 dropout=0.2 normalization=none nan=error
		optimizer=adam weight_decay=0 gradient_clip=0 schedule=constant schedule_factor=0.5 schedule_epochs=5
		ranknet_pairs=all
		learning_rate=0.001 seed=0 num_threads=0 sigmoid=1 lambdarank_truncation_level=30 label_gain=exp2
		metric=ndcg eval_at= metric_convention=default metric_freq=1 is_provide_training_metric=false
		patience=0 stop_metric= stop_set= min_delta=0`), lines)
	assert.NoError(t, p.Validate())
	assert.Empty(t, p.Cautions())
}

// TestEveryFieldIsInTheTable: no field can be set only from Go. Those of all learners are tested in package
// training; two are only for trees.
func TestEveryFieldIsInTheTable(t *testing.T) {
	p := torchParams(t, `ranker=mse epochs=3 batch_queries=2 hidden_layers=5 dropout=0.1 normalization=batch
		nan=mean optimizer=adamw weight_decay=0.1 gradient_clip=1 schedule=step schedule_factor=0.1
		schedule_epochs=2 ranknet_pairs=9 learning_rate=0.1 seed=7 sigmoid=2 lambdarank_truncation_level=9
		label_gain=linear`)
	v, before := reflect.ValueOf(*p), reflect.ValueOf(DefaultParams())
	for i := range v.NumField() {
		assert.NotEqual(t, before.Field(i).Interface(), v.Field(i).Interface(), v.Type().Field(i).Name)
	}
	p.AnyMetricStops = true
	assert.ErrorIs(t, p.Validate(), errOneDecides)
	p.AnyMetricStops, p.ConstraintSet = false, "training"
	assert.ErrorIs(t, p.Validate(), errNoConstraint)
}

func TestPresets(t *testing.T) {
	p := DefaultParams()
	require.NoError(t, set(&p, "preset", "32-16"))
	assert.Equal(t, []any{[]int{32, 16}, 0.5}, []any{p.HiddenLayers, p.Dropout})
	// A separate dropout or network setting overrides the preset, whatever the order.
	_, err := p.Table().Apply([]param.Setting{{Name: "dropout", Value: "0.1"}, {Name: "network", Value: "10"}})
	require.NoError(t, err)
	assert.Equal(t, []any{[]int{10}, 0.1}, []any{p.HiddenLayers, p.Dropout})
	assert.Empty(t, p.Table().Find("preset").Value.String())
	assert.ErrorContains(t, set(&p, "preset", "11"), "32-16, 512-256-128, 128-64-32, 10")
	require.NoError(t, set(&p, "preset", "128-64-32"))
	require.NoError(t, set(&p, "hidden_layers", "5"))
	assert.Equal(t, []int{128, 64, 32}, presets()[2].HiddenLayers, "a preset is not changed through a parameter")
}

func TestPairs(t *testing.T) {
	p := DefaultParams()
	require.NoError(t, set(&p, "ranknet_pairs", "100"))
	assert.Equal(t, 100, p.Pairs)
	require.NoError(t, set(&p, "ranknet_pairs", "all"))
	assert.Zero(t, p.Pairs)
	for _, text := range []string{"0", "-1", "many", "1.5"} {
		assert.Error(t, set(&p, "ranknet_pairs", text), text)
	}
}

func TestValidateTellsAll(t *testing.T) {
	p := DefaultParams()
	p.Ranker, p.Dropout, p.HiddenLayers, p.Epochs, p.Pairs, p.StopMetric = "svm", 1, []int{0}, 0, -1, "ndgc@5"
	err := p.Validate()
	for _, want := range []string{"ranker=svm", "dropout=1", "hidden_layers=0", "epochs=0",
		"ranknet_pairs=-1", "ndgc"} {
		assert.ErrorContains(t, err, want)
	}
	p = DefaultParams()
	p.HiddenLayers = slices.Repeat([]int{1}, 256)
	assert.ErrorContains(t, p.Validate(), "at most 255 layers")
}

func TestCautions(t *testing.T) {
	p := DefaultParams()
	p.Pairs, p.Sigmoid, p.HiddenLayers, p.Normalization = 5, 2, nil, LayerNorm
	assert.Len(t, p.Cautions(), 4)
	p = DefaultParams()
	p.ScheduleFactor, p.ScheduleEpochs, p.Optimizer = 0.1, 2, AdamW
	assert.Len(t, p.Cautions(), 3)
	p.Schedule, p.WeightDecay = Step, 0.1
	assert.Empty(t, p.Cautions())
	p = DefaultParams()
	p.Ranker, p.StopMetric, p.Patience = LambdaRank, "ndcg@50", 5
	assert.Len(t, p.Cautions(), 1, "ranks below the truncation are not trained")
}

// set sets one parameter from text.
func set(p *Params, name, value string) error {
	_, err := p.Table().Apply([]param.Setting{{Name: name, Value: value}})
	return err
}
