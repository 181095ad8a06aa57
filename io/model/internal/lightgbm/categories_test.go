package lightgbm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

var ErrFormat = errFormat // for external tests

// TestPandasCategorical: LightGBM does not write which columns its lists of categories belong to. They are
// known if feature_infos permits only one assignment to the features that trees use.
func TestPandasCategorical(t *testing.T) {
	const words, places = `["a","b","c"]`, `[5,10,20]`
	for _, c := range []struct {
		infos, lists string
		want         map[int][]string
	}{
		{"[0.5:1] -1:0:1", "[" + words + "]", map[int][]string{1: {"a", "b", "c"}}},
		{"[0.5:1] -1:0:1", `[[1,3.0,2.5,true]]`, map[int][]string{1: {"1", "3", "2.5", "true"}}},
		// categorical_feature of an integer would not be scored
		{"[0:1] -1:0:1", "[" + words + "]", map[int][]string{1: {"a", "b", "c"}}},
		{"[0:1] 0:1", "[" + places + "]", nil},
		{"[0:2] [0:3]", "[" + places + "]", map[int][]string{0: {"5", "10", "20"}}},
		{"[0:2] [0:1]", "[" + places + "]", nil},
		{"[0:2] 2:0:5", "[" + places + "]", map[int][]string{0: {"5", "10", "20"}}},
		{"[0:2] 1:0", "[" + words + "," + places + "]", map[int][]string{0: {"a", "b", "c"}, 1: {"5", "10", "20"}}},
		{"0:3 1:0", "[" + words + "]", map[int][]string{1: {"a", "b", "c"}}}, // integer column 0 is categorical
		{"0:3 7:0", "[" + words + "]", nil},                                  // a list for no feature
		{"0:3 0:1 0:1", "[" + words + "," + words + "]", map[int][]string{1: {"a", "b", "c"}, 2: {"a", "b", "c"}}},
		{"none 1:0 none", "[" + places + "]", nil},
		{"none 1:0", "[" + places + "," + places + "]",
			map[int][]string{0: {"5", "10", "20"}, 1: {"5", "10", "20"}}},
		{"1:0", `[]`, nil},
		{"1:0", `null`, nil},
		{"1:0", `[["a"`, nil},
	} {
		e := &tree.Ensemble{PandasCategorical: c.lists, Trees: []tree.Tree{{}}}
		for f, info := range strings.Fields(c.infos) {
			e.Features = append(e.Features, tree.Feature{Range: info})
			if info != constant {
				e.Trees[0].Feature = append(e.Trees[0].Feature, int32(f))
			}
		}
		require.NoError(t, setDictionaries(e, nil), c)
		assert.Equal(t, c.want, e.Dictionaries, c)
		assert.Equal(t, c.want == nil && strings.HasSuffix(c.lists, "]]"), e.UnknownCategories, c)
	}
}
