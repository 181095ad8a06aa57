package grow

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
)

// TestRankingEqualsBestCut: the ranking yields cuts in the same order as repeated searches over all of them,
// even if their gains change meanwhile.
func TestRankingEqualsBestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		n := rng.IntN(40)
		g := Grower{constraints: &constraints{}, limits: limits{Limits: bincut.Limits{MinHessian: 0.5},
			gainUnit: 1}}
		s := search{leaf: g.limits.Valued(bincut.Values{}, binsum.Sum{Gradient: 0, Hessian: 100}, 0, 0),
			cuts: make([]bincut.Cut, n)}
		for _, c := range rng.Perm(n) {
			g.placed = append(g.placed, int32(c))
		}
		draw := func() bincut.Cut { return bincut.Cut{Both: float64(rng.IntN(8)), Bin: int32(rng.IntN(6)) - 1} }
		for i := range s.cuts {
			s.cuts[i] = draw()
			s.places = append(s.places, int32(i))
		}
		var k ranking
		k.fill(s.places, g.placed, func(place int) float64 { return g.gain(&s, g.placed[place], &s.cuts[place]) })
		for step := 0; ; step++ {
			at := g.bestCut(&s)
			require.Equal(t, at, k.first())
			if at < 0 {
				break
			}
			if s.cuts[at] = draw(); step > 100 {
				s.cuts[at].Bin = -1
			}
			k.change(g.gain(&s, g.placed[at], &s.cuts[at]))
		}
	}
}
