package provenance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/param"
)

func TestFormat(t *testing.T) {
	parameters := []param.Setting{
		{Name: "objective", Value: "rank_xendcg"},
		{Name: "extra_trees", Value: "true"},
		{Name: "eval_at", Value: "1,10"},
		{Name: "monotone_constraints", Value: "price:-1"}, // LightGBM accepts only numbers
		{Name: "label_gain", Value: "exp2"},
		{Name: "bagging_seed", Value: "seed"},
		{Name: "active_fraction", Value: "auto"}, // LightGBM lacks it
		{Name: "stop_set", Value: "a; b=\"c\"]\n"},
	}
	facts := []param.Setting{{Name: provenance.MadeBy, Value: provenance.Train},
		{Name: provenance.Rows, Value: "12"}}
	text := provenance.Format(parameters, facts)
	assert.Equal(t, "[objective: rank_xendcg]\n[extra_trees: 1]\n[eval_at: 1,10]\n"+
		"[lambdamart: made_by=train; rows=12; monotone_constraints=price:-1; label_gain=exp2; "+
		`bagging_seed=seed; active_fraction=auto; stop_set="a; b=\"c\"]\n"]`+"\n", text)
	assert.Contains(t, provenance.Edited(text, "a tool"), `made_by="a tool"; rows=12;`)

	got, known, err := provenance.Parse(text)
	require.NoError(t, err)
	assert.Equal(t, facts, known)
	assert.Len(t, got, len(parameters))
	parameters[1].Value = "1"
	for _, p := range parameters {
		assert.Equal(t, p.Value, provenance.Value(got, p.Name), p.Name)
	}
}

func TestParseLightGBM(t *testing.T) {
	got, facts, err := provenance.Parse("[boosting: gbdt]\n[interaction_constraints: [0,1],[2]]\n[data: ]\n\n")
	require.NoError(t, err)
	assert.Nil(t, facts)
	assert.Equal(t, []param.Setting{{Name: "boosting", Value: "gbdt"}, {Name: "data"},
		{Name: "interaction_constraints", Value: "[0,1],[2]"}}, got)
	for _, bad := range []string{"boosting: gbdt", "[boosting]", "[lambdamart: rows]", `[lambdamart: rows="1]`} {
		_, _, err := provenance.Parse("[a: b]\n" + bad + "\n")
		assert.ErrorContains(t, err, "line 2 of the parameters: ", bad)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[boosting: gbdt]\n[lambdamart: made_by=train; stop_set=\"a; b\"]\n")
	f.Fuzz(func(t *testing.T, section string) {
		parameters, facts, err := provenance.Parse(section)
		odd := func(s param.Setting) bool { return strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz_") != "" }
		if err != nil || slices.ContainsFunc(parameters, odd) {
			return
		}
		again, sameFacts, err := provenance.Parse(provenance.Format(parameters, facts))
		require.NoError(t, err)
		assert.Len(t, again, len(parameters))
		assert.Equal(t, facts, sameFacts)
	})
}
