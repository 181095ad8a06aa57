package querycontext

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var threeNames = []string{"bm25", "12", "price"}

func TestColumns(t *testing.T) {
	c := &Columns{Raw: 3, List: []Column{{Rank, 2}, {Count, 0}, {ZScore, 0}}}
	require.NoError(t, c.Check())
	assert.Equal(t, []string{"bm25", "12", "price", "rank(price)", "count(query)", "zscore(bm25)"},
		c.Names(threeNames))
	assert.Equal(t, 6, c.Len())
	assert.Equal(t, []int{0, 1, 2}, c.Sources([]int{1, 3, 4, 5}))
	assert.Equal(t, []int{2}, c.Sources([]int{2, 3, 4}))
	assert.Equal(t, []int{}, c.Sources([]int{4}))
	var none *Columns
	assert.True(t, none.Equal(nil))
	assert.False(t, c.Equal(nil))
	assert.False(t, none.Equal(c))
}

func TestColumnsThatCannotBe(t *testing.T) {
	for _, c := range []Columns{
		{},
		{Raw: 2},
		{Raw: -1, List: []Column{{Count, 0}}},
		{Raw: 2, List: []Column{{Rank, 2}}},
		{Raw: 2, List: []Column{{Rank, -1}}},
		{Raw: 2, List: []Column{{Count, 1}}},
		{Raw: 2, List: []Column{{"best", 1}}},
		{Raw: 2, List: []Column{{Rank, 1}, {ZScore, 1}, {Rank, 1}}},
	} {
		assert.ErrorIs(t, c.Check(), ErrColumns, "%v", c)
	}
}

func TestTextOfColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		c := &Columns{Raw: 1 + r.IntN(30)}
		for _, k := range Kinds() {
			for f := range c.Raw {
				if k != Count && r.IntN(3) > 0 || k == Count && f == 0 {
					c.List = append(c.List, Column{k, f})
				}
			}
		}
		r.Shuffle(len(c.List), func(i, j int) { c.List[i], c.List[j] = c.List[j], c.List[i] })
		text := c.String()
		assert.NotContains(t, text, " ")
		assert.NotContains(t, text, ":")
		back, err := ParseColumns(text, c.Len())
		require.NoError(t, err, text)
		require.Equal(t, c, back)
	}
}

func TestParseColumnsRefuses(t *testing.T) {
	for _, text := range []string{
		"", "3", "x;rank=1", "-1;count", "3;rank", "3;count=1", "3;rank=", "3;rank=3", "3;rank=1-0",
		"3;rank=0-2147483647",
		"3;best=1", "3;rank=1;rank=1", "3;rank=1,1", "3; rank=1", "3;rank=0-1", "9;rank=1", "3;rank=+1",
		"3;rank=1-2-3",
		"3;rank=" + strings.Repeat("1,", 1000) + "1",
	} {
		_, err := ParseColumns(text, 4)
		assert.ErrorIs(t, err, ErrColumns, text)
	}
}

// FuzzParseColumns: text that is accepted is written back unchanged, and the number
// of columns bounds the memory.
func FuzzParseColumns(f *testing.F) {
	for _, text := range []string{"3;rank=0-2", "137;rank=1-136;zscore=1-3,9;count", "1;count",
		"2;gap_to_best=0"} {
		f.Add(text, 6)
	}
	f.Fuzz(func(t *testing.T, text string, total int) {
		c, err := ParseColumns(text, total%1000)
		if err != nil {
			assert.ErrorIs(t, err, ErrColumns)
			return
		}
		require.NoError(t, c.Check())
		back, err := ParseColumns(c.String(), c.Len())
		require.NoError(t, err)
		require.Equal(t, c, back)
	})
}
