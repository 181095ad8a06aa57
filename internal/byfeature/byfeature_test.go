package byfeature

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzParse: the items of a parsed list have numbers within the range, and either all or none have names.
func FuzzParse(f *testing.F) {
	f.Add("0,1,0,-1", true)
	f.Add("(bm25:1,'a:b':-0.5, 12 : 1e-3)", false)
	f.Fuzz(func(t *testing.T, text string, whole bool) {
		r := Range{Least: -1, Most: 2, Whole: whole}
		items, err := Parse(text, r)
		if err != nil {
			require.Nil(t, items)
			return
		}
		for _, it := range items {
			require.True(t, it.Number >= r.Least && it.Number <= r.Most, "%+v", it)
			require.True(t, !whole || it.Number == math.Trunc(it.Number), "%+v", it)
			require.Equal(t, items[0].Feature == "", it.Feature == "")
		}
	})
}

// TestCountOfFeatures: column 0 of text whose features begin with 1 is none that people count.
func TestCountOfFeatures(t *testing.T) {
	for _, names := range [][2]string{{"", "no features"}, {"a", "1 feature (a)"},
		{"a b c", "3 features (a to c)"}, {"Column_0", "1 feature (Column_0)"},
		{"Column_0 Column_1 Column_2", "features 0 to 2"}} {
		assert.Equal(t, names[1], Count(strings.Fields(names[0])))
	}
}
