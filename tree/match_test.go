package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
