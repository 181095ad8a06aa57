package widened

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/querycontext"
)

var threeNames = []string{"bm25", "12", "price"}

func TestRequestChoosesColumns(t *testing.T) {
	for _, c := range []struct {
		kinds    []string
		features string
		skip     []int
		want     string
	}{
		{[]string{"rank"}, "", nil, "3;rank=0-2"},
		{[]string{"rank"}, "all", []int{0}, "3;rank=1-2"},
		{[]string{"zscore", "rank"}, "2,0", nil, "3;zscore=0,2;rank=0,2"},
		{[]string{"rank"}, "0-1,bm25, price", nil, "3;rank=0-2"},
		{[]string{"rank"}, "0,2", []int{0}, "3;rank=0,2"},
		{[]string{"rank"}, "name:12", nil, "3;rank=1"},
		{[]string{"count"}, "", nil, "3;count"},
		{[]string{"max_ratio", "count", "gap_to_best"}, "1", nil, "3;max_ratio=1;count;gap_to_best=1"},
	} {
		got, err := Request{Kinds: c.kinds, Features: c.features, Skip: c.skip}.Columns(threeNames)
		require.NoError(t, err, "%v", c)
		assert.Equal(t, c.want, got.String())
	}
}

// TestAsked: the values of the parameters ask for the same columns.
func TestAsked(t *testing.T) {
	for _, c := range []struct {
		columns  string
		total    int
		kinds    []string
		features string
	}{
		{"3;rank=0-2", 6, []string{"rank"}, ""},
		{"3;count;rank=1-2", 6, []string{"count", "rank"}, ""},
		{"3;rank=0,2;count;zscore=0,2", 8, []string{"rank", "count", "zscore"}, "0,2"},
		{"3;rank=0;zscore=2", 5, nil, ""}, // no values do
	} {
		columns, err := querycontext.ParseColumns(c.columns, c.total)
		require.NoError(t, err)
		kinds, features := Asked(columns, func(f int) bool { return f == 0 })
		assert.Equal(t, c.kinds, kinds, c.columns)
		assert.Equal(t, c.features, features, c.columns)
	}
}

func TestRequestRefuses(t *testing.T) {
	for features, want := range map[string]string{
		"3": "features up to 2", "2-3": "features up to 2", "clicks": `"clicks"`, "": "", "name:13": `"name:13"`,
		"1,,2": `""`, "2-1": `"2-1"`,
	} {
		_, err := Request{Kinds: []string{"rank"}, Features: features}.Columns(threeNames)
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorIs(t, err, ErrFeature)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "query_context_features")
	}
	_, err := Request{Kinds: []string{"rank", "best"}}.Columns(threeNames)
	assert.ErrorContains(t, err, `"best"; there are rank, zscore`)
	assert.ErrorContains(t, CheckKinds([]string{"rank", "zscore", "rank"}), "twice")

	_, err = Request{Kinds: []string{"rank"}}.Columns([]string{"price", "rank(price)"})
	assert.ErrorIs(t, err, ErrTaken)
	_, err = Request{Kinds: []string{"rank"}, Skip: []int{0}}.Columns([]string{"price"})
	assert.ErrorIs(t, err, ErrFeature)
	assert.ErrorContains(t, err, "query_context=rank: no such feature: it is of numbers")
	none, err := Request{}.Columns(threeNames)
	assert.NoError(t, err)
	assert.Nil(t, none)
}

func TestRequestLikeOtherData(t *testing.T) {
	c, err := querycontext.ParseColumns("3;rank=2;count;zscore=0", 6)
	require.NoError(t, err)
	like := Request{Like: &dataset.Meta{Features: threeNames, Context: c}}
	got, err := like.Columns([]string{"price", "other", "bm25", "12"})
	require.NoError(t, err)
	assert.Equal(t, "4;rank=0;count;zscore=2", got.String())
	_, err = like.Columns([]string{"price"})
	assert.ErrorIs(t, err, ErrFeature)
}

func TestColumnsOfNumbers(t *testing.T) {
	c := &querycontext.Columns{Raw: 3}
	for _, kind := range querycontext.Kinds() {
		c.List = append(c.List, querycontext.Column{Kind: kind})
	}
	c.List = append(c.List, querycontext.Column{Kind: querycontext.Rank, Feature: 2})
	var numbers []uint64
	for _, n := range NumbersOf(c) {
		numbers = append(numbers, uint64(n))
	}
	back, err := ColumnsOf(numbers)
	require.NoError(t, err)
	assert.Equal(t, c, back)
	for _, bad := range [][]uint64{{3}, {3, 0}, {3, 6, 0}, {3, 0, 3}, {3, 0, math.MaxUint64}} {
		_, err := ColumnsOf(bad)
		assert.Error(t, err, bad)
	}
}
