package wording

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"ndcg", "ndcg", 0},
		{"ndgc", "ndcg", 1},  // a swap
		{"nddcg", "ndcg", 1}, // an insertion
		{"ndc", "ndcg", 1},   // a deletion
		{"ndkg", "ndcg", 1},  // a replacement
		{"ca", "abc", 3},     // would be 2 if a swapped pair could be edited again
		{"kitten", "sitting", 3},
	} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%q, %q", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "%q, %q", c.b, c.a)
	}
}

// naive is the recursive definition of the edit distance.
func naive(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	replace := naive(a[:m], b[:n])
	if a[m] != b[n] {
		replace++
	}
	d := min(replace, naive(a[:m], b)+1, naive(a, b[:n])+1)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		d = min(d, naive(a[:m-1], b[:n-1])+1)
	}
	return d
}

func TestDistanceEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	word := func() string {
		text := make([]byte, rng.IntN(6))
		for i := range text {
			text[i] = "abc"[rng.IntN(3)]
		}
		return string(text)
	}
	for range 2000 {
		a, b := word(), word()
		require.Equal(t, naive(a, b), Distance(a, b), "%q, %q", a, b)
	}
}

func TestNearest(t *testing.T) {
	assert.Equal(t, "ndcg", Nearest("ndgc", []string{"map", "ndcg", "dcg"}))
	assert.Equal(t, "map", Nearest("mop", []string{"map", "mpp"}), "the first of equals")
	assert.Empty(t, Nearest("map", nil))
}
