package study

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// TestAutoIsThePreset: lambdamart-auto equals lambdamart with the preset's parameters, unless they are
// given.
func TestAutoIsThePreset(t *testing.T) {
	folder := twoFolds(t)
	o := preparedComparison(t, folder)
	o.Seeds, o.General, o.Override = 1, nil, settingPairs("num_iterations", "12")
	splits, err := findSplits(folder)
	require.NoError(t, err)
	src, err := data.Open(splits[0].Train, data.Options{})
	require.NoError(t, err)
	meta, err := dataset.Describe(t.Context(), src)
	require.NoError(t, err)
	require.NoError(t, src.Close())
	usual := booster.DefaultParams()
	var chosen []param.Setting
	for _, c := range choosePreset(PresetAuto, &usual, meta, true, "num_leaves") {
		if c.Name != "num_leaves" {
			chosen = append(chosen, c.Setting)
		}
	}
	given := settingPairs("num_leaves", "3")
	o.Rankers = []RankerSpec{
		{Name: "auto", Kind: KindAuto, Settings: given},
		{Name: "same", Kind: KindLambdaMART, Settings: append(given, chosen...)},
		{Name: "plain", Kind: KindLambdaMART, Settings: given},
	}
	s := compared(t, o)
	values := map[string][]float64{}
	for _, r := range s.Rankers {
		values[r.Ranker] = r.values
	}
	assert.Equal(t, values["same"], values["auto"])
	for _, r := range s.runs {
		assert.LessOrEqual(t, r.Iterations, 12)
	}
	require.Len(t, s.Failed, 0)
}
