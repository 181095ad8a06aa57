package objective

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDrawsDifferByKey: seed, iteration, query, purpose and index each change the numbers drawn.
func TestDrawsDifferByKey(t *testing.T) {
	seen := map[uint64][5]int{}
	for n := range 4 * 4 * 4 * 4 * 4 {
		key := [5]int{n % 4, n / 4 % 4, n / 16 % 4, n / 64 % 4, n / 256}
		q := Query{Seed: uint64(key[0]), Iteration: key[1], Number: key[2]}
		bits := q.Draws(key[3]).Uint64(key[4])
		require.NotContains(t, seen, bits, "%v", key)
		seen[bits] = key
	}
}

// TestDrawsDependOnTheKeyAlone pins numbers; a change of them changes the models of all objectives that draw.
func TestDrawsDependOnTheKeyAlone(t *testing.T) {
	q := Query{Number: 7, Iteration: 3, Seed: 42}
	want := q.Draws(1).Uint64(5)
	q.First, q.Labels, q.Weights, q.Scores = 99, []float64{1}, []float64{2}, []float64{3}
	assert.Equal(t, want, q.Draws(1).Uint64(5))
	assert.Equal(t, uint64(0x3c56e6ddb54529), want, "by the formulas of internal/random in Python")
	assert.Equal(t, float64(want>>11)*0x1p-53, q.Draws(1).Uniform(5))
}
