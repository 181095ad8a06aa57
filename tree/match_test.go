package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// TestMatchedByName: reordering columns changes no score, including linear leaves and categories.
func TestMatchedByName(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	e := editable(rng, 12, false)
	rows := randomRows(rng, 40, 4)
	m, err := e.Matched([]string{"f3", "new", "f1", "f0", "f2"})
	require.NoError(t, err)
	moved := make([]float64, 0, 40*5)
	for r := range 40 {
		x := rows[4*r:]
		moved = append(moved, x[3], 77, x[1], x[0], x[2])
	}
	requireSameBits(t, scoresOf(t, e, rows), scoresOf(t, m, moved))
	assert.Equal(t, []string{"f3", "new", "f1", "f0", "f2"}, m.FeatureNames())
	_, err = e.Matched([]string{"f3", "f1", "f0", "price"})
	assert.ErrorIs(t, err, ErrOtherFeatures)
	assert.ErrorContains(t, err, "lacks f2")
}

func TestMatchedByNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	e := editable(rng, 12, false) // f0 to f3, as XGBoost has it
	rows := randomRows(rng, 40, 4)
	for _, names := range [][]string{{"Column_0", "Column_1", "Column_2", "Column_3"}, {"a", "b", "c", "d"}} {
		m, err := e.Matched(names)
		require.NoError(t, err)
		assert.Equal(t, names, m.FeatureNames())
		requireSameBits(t, scoresOf(t, e, rows), scoresOf(t, m, rows))
	}
	for f := range e.Features {
		e.Features[f].Name = fmt.Sprint("name", f)
	}
	m, err := e.Matched([]string{"Column_0", "Column_1", "Column_2", "Column_3", "Column_4"})
	require.NoError(t, err)
	assert.Equal(t, []string{"name0", "name1", "name2", "name3", "Column_4"}, m.FeatureNames(),
		"names of the model remain")
	for f := range e.Features {
		e.Features[f].Name = fmt.Sprint("f", f)
	}
	_, err = e.Matched([]string{"a", "b", "c"})
	assert.ErrorContains(t, err, "the model has 4 features without names, and the data 3 columns")
	_, err = e.Matched([]string{"Column_0", "Column_1", "Column_2"})
	assert.ErrorContains(t, err, "the model uses f3, and the data ends with column 2")
}

// TestNarrowed: rows of only the features that scores depend on have the same scores, also if
// the model has linear leaves, categories and query context.
func TestNarrowed(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, context := range []*querycontext.Columns{nil, {Raw: 7, List: []querycontext.Column{
		{Kind: querycontext.Rank, Feature: 6}, {Kind: querycontext.Count},
		{Kind: querycontext.ZScore, Feature: 1}}}} {
		e := editable(rng, 12, false)
		wide := []int32{2, 3, 5, 7}
		e.renumberFeatures(wide)
		e.Features = append(e.Features, e.Features...)
		e.Features, e.Context = append(e.Features, e.Features[:2]...), context
		e.Dictionaries = map[int][]string{1: {"a"}, 5: {"b", "c"}}
		narrow, features := e.Narrowed()
		assert.Equal(t, map[int][]string{slices.Index(features, 5): {"b", "c"}}, narrow.Dictionaries)
		want := []int{2, 3, 5, 7}
		if context != nil {
			want = []int{2, 3, 5, 6, 7}
			assert.Equal(t, &querycontext.Columns{Raw: 4, List: []querycontext.Column{
				{Kind: querycontext.Rank, Feature: 3}}}, narrow.Context)
		}
		require.Equal(t, want, features)
		rows := randomRows(rng, 40, len(e.Features))
		var kept []float64
		for r := range 40 {
			for _, f := range features {
				kept = append(kept, rows[r*len(e.Features)+f])
			}
		}
		requireSameBits(t, scoresOf(t, e, rows), scoresOf(t, narrow, kept))
	}
}

func TestSummed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	e := editable(rng, 8, true) // a power of two, so that nothing is rounded
	rows := randomRows(rng, 40, 4)
	m := e.summed()
	assert.False(t, m.Average)
	before, after := scoresOf(t, e, rows), scoresOf(t, m, rows)
	for i := range before {
		if math.Abs(before[i]) < 1e300 { // a sum of large values may overflow
			assert.InDelta(t, before[i], after[i], 1e-12)
		}
	}
	assert.Same(t, m, m.summed())
}
