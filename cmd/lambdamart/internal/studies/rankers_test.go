package studies

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

func TestRankerSettings(t *testing.T) {
	got, err := rankersOf("small=ranknet: hidden_layers=64,32 epochs=50, auto=lambdamart-auto:," +
		"lambdamart: max_bin_by_feature=a:3,b:4")
	require.NoError(t, err)
	setting := func(item, name, value string) param.Setting {
		return param.Setting{Name: name, Value: value, Place: "ranker_settings, " + item}
	}
	assert.Equal(t, []study.RankerSpec{
		{Name: "small", Kind: "ranknet", Settings: []param.Setting{setting("small", "hidden_layers", "64,32"),
			setting("small", "epochs", "50")}},
		{Name: "auto", Kind: "lambdamart-auto", Settings: []param.Setting{}},
		{Name: "lambdamart", Kind: "lambdamart", Settings: []param.Setting{setting("lambdamart",
			"max_bin_by_feature", "a:3,b:4")}},
	}, got)
	got, err = rankersOf("")
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestRankerSettingsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"lambdamart":         `"lambdamart": want NAME: key=value`,
		"num_leaves=7":       `"num_leaves=7": want NAME: key=value`,
		"../x: num_leaves=7": "names have up to 60 letters",
		"a/b/c: num_leaves=7": "a/b/c: it was a variant of a ranker, of which validation chose one " +
			"until 2026-11-26; give each a name",
		"trees=lambdamart: num_leaves 7": `trees: "num_leaves": expected key=value`,
		"a: x=1,b=listnet/c: x=1":        "b/c: it was a variant of a ranker",
		"a: x=1,a: x=2":                  "a comes twice",
	} {
		_, err := rankersOf(text)
		assert.ErrorContains(t, err, want, text)
	}
}
