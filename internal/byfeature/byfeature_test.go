package byfeature

import (
	"math"
	"testing"

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
