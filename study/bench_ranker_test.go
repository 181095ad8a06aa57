package study

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
)

func settingPairs(pairs ...string) (list []param.Setting) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, param.Setting{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// TestWhichSettingWins: a ranker's settings override the file's; the command line overrides all.
func TestWhichSettingWins(t *testing.T) {
	rankers, err := newRankers([]RankerSpec{{Name: "a", Kind: "lambdamart",
		Settings: settingPairs("num_leaves", "7", "max_depth", "3", "lambda", "2")}},
		settingPairs("num_leaves", "5", "max_depth", "2", "min_data_in_leaf", "8"), settingPairs("lambda_l2", "4"))
	require.NoError(t, err)
	require.Len(t, rankers, 1)
	assert.ElementsMatch(t, []string{"num_leaves=7", "max_depth=3", "min_data_in_leaf=8", "lambda_l2=4"},
		rankers[0].set)
	assert.Equal(t, 7, rankers[0].learner.(*treeLearner).params.NumLeaves)
	assert.Equal(t, 4.0, rankers[0].learner.(*treeLearner).params.LambdaL2)
}

func TestRankersThatCannotBe(t *testing.T) {
	one := []RankerSpec{{Name: "a", Kind: "lambdamart"}}
	for _, c := range []struct {
		want              string
		entries           []RankerSpec
		general, override []param.Setting
	}{
		{"rankers= names none; there are lambdamart, lambdamart-auto, ranknet, listnet, ", nil, nil, nil},
		{`ranker "lamdamart": unknown; there are lambdamart, lambdamart-auto, ranknet`,
			[]RankerSpec{{Name: "a", Kind: "lamdamart"}}, nil, nil},
		{"ranker a comes twice", append(one, one...), nil, nil},
		{"num_leafs=3: unknown parameter; did you mean num_leaves?",
			[]RankerSpec{{Name: "a", Kind: "lambdamart", Settings: settingPairs("num_leafs", "3")}}, nil, nil},
		{"preset=best: unknown parameter: the ranker lambdamart-auto chooses its parameters as preset=auto does",
			[]RankerSpec{{Name: "a", Kind: "lambdamart", Settings: settingPairs("preset", "best")}}, nil, nil},
		{"num_leaves=1: must be >= 2", []RankerSpec{{Name: "a", Kind: "lambdamart",
			Settings: settingPairs("num_leaves", "1")}}, nil, nil},
		{"num_leaves=1: must be >= 2", one, settingPairs("num_leaves", "1"), nil},
		{"warp=1: none of the rankers has this parameter", one, settingPairs("warp", "1"), nil},
		{"warp=1: none of the rankers has this parameter", one, nil, settingPairs("warp", "1")},
		{"random_seed=4: the experiment decides this: seeds=n",
			[]RankerSpec{{Name: "a", Kind: "lambdamart", Settings: settingPairs("random_seed", "4")}}, nil, nil},
		{"metric=map: the experiment decides this", []RankerSpec{{Name: "a", Kind: "lambdamart",
			Settings: settingPairs("metric", "map")}}, nil, nil},
		{"seed=4: the experiment decides this", one, settingPairs("seed", "4"), nil},
	} {
		_, err := newRankers(c.entries, c.general, c.override)
		require.Error(t, err, c.want)
		assert.Contains(t, err.Error(), c.want)
	}
}

// TestDecidedParametersExist: the names of parameters that an experiment sets must exist, since an unknown
// name would protect nothing.
func TestDecidedParametersExist(t *testing.T) {
	for _, kind := range []string{KindLambdaMART, "ranknet"} {
		known := newLearner(kind).table()
		for name := range decidedParams {
			assert.NotNil(t, known.Find(name), "%s of %s", name, kind)
		}
	}
}

// TestGeneralSettingsGoWhereTheyBelong: settings that only some rankers have are passed to those rankers.
func TestGeneralSettingsGoWhereTheyBelong(t *testing.T) {
	rankers, err := newRankers([]RankerSpec{{Name: "a", Kind: "lambdamart"}, {Name: "b", Kind: "ranknet"}},
		settingPairs("num_leaves", "9", "epochs", "3", "patience", "4"), nil)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"num_leaves=9", "patience=4"}, rankers[0].set)
	assert.ElementsMatch(t, []string{"epochs=3", "patience=4"}, rankers[1].set)
	_, err = newRankers([]RankerSpec{{Name: "b", Kind: "ranknet"}}, settingPairs("num_leaves", "9"), nil)
	assert.ErrorContains(t, err, "num_leaves=9: none of the rankers has this parameter")
	_, err = newRankers([]RankerSpec{{Name: "b", Kind: "ranknet", Settings: settingPairs("ranker", "mse")}}, nil,
		nil)
	assert.ErrorContains(t, err, "ranker=mse: unknown parameter")
}

// TestSharedParametersMeanTheSame: networks and trees share parameter names and aliases, and the same help
// text if the meaning is the same.
func TestSharedParametersMeanTheSame(t *testing.T) {
	networks, trees := nnbaseline.DefaultParams(), booster.DefaultParams()
	ownHelp := []string{"learning_rate", "seed", "metric_freq", "patience"}
	shared := 0
	for _, entry := range networks.Table() {
		theirs := trees.Table().Find(entry.Name)
		if theirs == nil {
			for _, alias := range entry.Aliases {
				assert.Nil(t, trees.Table().Find(alias), alias)
			}
			continue
		}
		shared++
		assert.Equal(t, theirs.Name, entry.Name)
		assert.Subset(t, entry.Aliases, theirs.Aliases)
		assert.Equal(t, theirs.Value.Type(), entry.Value.Type())
		assert.Equal(t, theirs.Value.Range(), entry.Value.Range())
		if entry.Name != "learning_rate" {
			assert.Equal(t, theirs.Group, entry.Group)
			assert.Equal(t, theirs.Value.String(), entry.Value.String())
		}
		assert.Equal(t, slices.Contains(ownHelp, entry.Name), theirs.Help != entry.Help, entry.Name)
	}
	assert.Equal(t, 15, shared)
}
