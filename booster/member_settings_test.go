package booster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/querycontext"
)

// TestModelsHaveSettingsOfTheirOwn: each model equals the model trained alone with its settings, and the
// ensemble is their mean.
func TestModelsHaveSettingsOfTheirOwn(t *testing.T) {
	p := ensembleParams()
	p.NumModels, p.ModelObjectives, p.Patience = 2, nil, 0
	require.NoError(t, set(&p, "model_settings",
		"objective=query_rmse  num_leaves=5 num_iterations=7 seed=3 | grow_policy=symmetric num_leaves=8 eta=0.3"))
	assert.Equal(t, []string{"objective=query_rmse num_leaves=5 num_iterations=7 seed=3",
		"grow_policy=symmetric num_leaves=8 eta=0.3"}, p.ModelSettings)
	require.NoError(t, p.Validate())
	assert.Equal(t, []string{"query_rmse", "lambdarank"}, p.objectives())
	data := binned(t, &p, randomTable(1, 600))
	got, err := Train(t.Context(), p, data[0], nil, Options{})
	require.NoError(t, err)
	for k, change := range []func(p *Params){func(p *Params) {
		p.Objective, p.NumLeaves, p.NumIterations,
			p.Seed = "query_rmse", 5, 7, 3
	}, func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.LearningRate,
			p.Seed = Symmetric, 8, 0.3, 41
	}} {
		alone := p
		alone.NumModels, alone.ModelSettings = 1, nil
		change(&alone)
		r, err := Train(t.Context(), alone, data[0], nil, Options{})
		require.NoError(t, err)
		assert.Equal(t, r.Model.Trees, got.Members[k].Model.Trees, "model %d", k+1)
		assert.Equal(t, alone.Seed, got.Members[k].Seed)
	}
	assert.Len(t, got.Model.Trees, 7+20)

	// The parameter's text parses back to the same settings.
	again := DefaultParams()
	require.NoError(t, set(&again, "model_settings", p.Table().Find("model_settings").Value.String()))
	assert.Equal(t, p.ModelSettings, again.ModelSettings)
	require.NoError(t, set(&again, "model_settings", ""))
	assert.Empty(t, again.ModelSettings)
}

func TestModelSettingsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"num_leafs=3":                 "model 1: num_leafs=3: unknown parameter; did you mean num_leaves?",
		"num_leaves=3 | num_leaves=1": "model 2: num_leaves=1: must be >= 2",
		"num_leaves":                  "num_leaves",
		"max_bin=15": "max_bin=15: all models of an ensemble have the same value of it; " +
			"give it outside model_settings",
		"num_models=2":       "num_models=2: all models",
		"boosting=dart":      "boosting=dart: all models",
		"query_context=rank": "query_context=rank: all models",
		"label_gain=0,1":     "label_gain=0,1: all models",
		"stop_metric=map":    "stop_metric=map: all models",
		"num_threads=2":      "num_threads=2: all models",
		"eta=0.1|eta=0.2|eta=0.3": "model_settings has the parameters of 3 models for num_models=2; set " +
			"num_models=3 or more",
		"objective=lambdarank sigmoid=-1": "sigmoid=-1",
	} {
		p := DefaultParams()
		p.NumModels, p.FeatureFraction = 2, 0.5
		err := set(&p, "model_settings", text)
		if err == nil {
			err = p.Validate()
		}
		assert.ErrorContains(t, err, want, text)
	}
	one := DefaultParams()
	one.ModelSettings = []string{"num_leaves=3"}
	require.ErrorContains(t, one.Validate(), "model_settings has no effect with num_models=1")
	one.ModelSettings, one.ModelObjectives = nil, []string{"query_rmse"}
	require.ErrorContains(t, one.Validate(), "set objective=query_rmse, or num_models=2 or more")

	p := DefaultParams()
	p.NumModels, p.ModelObjectives, p.ModelSettings = 2, []string{"lambdarank"}, []string{"eta=0.1"}
	require.ErrorContains(t, p.Validate(), "leave model_objectives out")
	require.ErrorIs(t, set(&Params{ModelSettings: []string{"max_bin=3"}}, "model_settings", "max_bin=3"),
		ErrMemberSetting)

	// Models with the same settings are equal unless something is drawn at random.
	p = DefaultParams()
	p.NumModels, p.ModelSettings, p.NumIterations, p.MinDataInLeaf = 2, []string{"num_leaves=3"}, 3, 5
	data := binned(t, &p, randomTable(1, 200))
	_, err := Train(t.Context(), p, data[0], nil, Options{})
	assert.ErrorContains(t, err, "model 2 would be the same as model 1")
	for _, random := range []string{"feature_fraction=0.5", "feature_fraction_bynode=0.5", "extra_trees=true"} {
		p.ModelSettings = []string{"num_leaves=3 " + random}
		_, err = Train(t.Context(), p, data[0], nil, Options{})
		require.NoError(t, err, random)
	}
	p.NumModels, p.ModelSettings = 3, []string{"num_leaves=3 feature_fraction=0.5 seed=4",
		"num_leaves=4 feature_fraction=0.5 seed=4"}
	_, err = Train(t.Context(), p, data[0], nil, Options{})
	assert.ErrorContains(t, err, "model 3 would be the same as model 1, as model_settings gives both the "+
		"same seed")
	p.NumModels, p.ModelSettings = 2, []string{"", ""}
	_, err = Train(t.Context(), p, data[0], nil, Options{})
	assert.ErrorContains(t, err, "model 2 would be the same as model 1, because nothing is drawn")
	p.ModelSettings = []string{"objective=query_rmse"}
	custom := randomGradients(200)
	_, err = Train(t.Context(), p, data[0], nil, Options{Objective: &custom})
	assert.ErrorContains(t, err, "an objective of your own")
}

func TestModelSettingsCautions(t *testing.T) {
	p := DefaultParams()
	p.NumModels, p.Objective, p.ModelSettings = 2, "listnet", []string{"objective=query_rmse sigmoid=2",
		"objective=lambdarank bagging_fraction=0.5"}
	assert.Equal(t, []string{
		"model_settings, model 1: sigmoid=2 has no effect with objective=query_rmse",
		"model_settings, model 2: bagging_fraction=0.5 has no effect while bagging_freq=0; set bagging_freq=1",
		"objective=listnet has no effect, as model_settings names the objective of each model",
	}, p.Cautions())
}

// TestModelsWithoutContext: an ensemble's model that is trained without query context equals the model
// trained
// on data without it.
func TestModelsWithoutContext(t *testing.T) {
	p := ensembleParams()
	p.NumModels, p.ModelObjectives, p.Patience = 2, nil, 0
	p.QueryContext, p.QueryContextFeatures = []string{"rank"}, "0-1"
	require.NoError(t, set(&p, "model_settings", "num_leaves=5 query_context= seed=3 | num_leaves=5 seed=3"))
	require.NoError(t, p.Validate())
	data := binned(t, &p, randomTable(1, 600), randomTable(2, 300))
	for _, d := range data {
		d.Meta.Context = &querycontext.Columns{Raw: 3, List: []querycontext.Column{{Kind: querycontext.Rank,
			Feature: 0}, {Kind: querycontext.Rank, Feature: 1}}}
	}
	got, err := Train(t.Context(), p, data[0], data[1:], Options{})
	require.NoError(t, err)
	assert.NotEqual(t, got.Members[0].Model.Trees, got.Members[1].Model.Trees)
	assert.Equal(t, data[0].Meta.Context, got.Model.Context)

	raw := *data[0].Meta
	raw.Context, raw.Features = nil, raw.Features[:3]
	alone := p
	alone.NumModels, alone.ModelSettings, alone.QueryContext, alone.QueryContextFeatures, alone.NumLeaves,
		alone.Seed = 1, nil, nil, "", 5, 3
	values := data[0].Values.Narrow(data[0].Values.Mapper.Narrow(3, func(int) bool { return true }))
	r, err := Train(t.Context(), alone, Data{Name: "raw", Meta: &raw, Values: values}, nil, Options{})
	require.NoError(t, err)
	assert.Equal(t, r.Model.Trees, got.Members[0].Model.Trees)

	p.QueryContext, p.QueryContextFeatures = nil, ""
	assert.Contains(t, strings.Join(p.Cautions(), "\n"),
		"model 1: query_context= has no effect unless query_context is given for all models")
}
