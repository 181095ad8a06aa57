package bincut

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// sortedBins returns all bins that can go left in their order: the definition of [categorySearch.order].
func (s *categorySearch) sortedBins() (bins []int32) {
	for b := 1; b < len(s.c.Sums); b++ {
		if s.c.Sums[b] != 0 && s.estimate(float64(binsum.Unpack(s.c.Sums[b]).Hessian)) >= s.lf.Rules.SmoothRows {
			bins = append(bins, int32(b))
		}
	}
	key := func(bin int32) float64 {
		sum := binsum.Unpack(s.c.Sums[bin])
		return float64(sum.Gradient) / (float64(sum.Hessian) + s.lf.Rules.Smooth)
	}
	sort.SliceStable(bins, func(i, j int) bool { return key(bins[i]) < key(bins[j]) })
	return bins
}

// randomSums draws the sums of a column of many bins, most of them empty, with many equal keys if largest is
// small. Where Hessians are 0 and nothing is added to them, keys are infinite.
func randomSums(rng *rand.Rand) (sums []int64, total binsum.Sum) {
	largest, empty := []int64{1, 30, 1 << 22}[rng.IntN(3)], rng.IntN(100)
	for range 1 + rng.IntN(3000) {
		var s binsum.Sum
		if rng.IntN(100) >= empty {
			s = binsum.Sum{Gradient: rng.Int64N(2*largest+1) - largest, Hessian: rng.Int64N(min(200, largest))}
		}
		sums, total = append(sums, s.Pack()), total.Add(s)
	}
	total.Hessian++
	return sums, total
}

func TestEndsEqualThoseOfAllSortedBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var memory Order
	selected := 0
	for range 3000 {
		sums, total := randomSums(rng)
		if rng.IntN(2) == 0 { // bins of frequent categories come first, and keys may ascend or descend
			slices.Sort(sums[1:])
		} else if rng.IntN(2) == 0 {
			slices.SortFunc(sums[1:], func(a, b int64) int { return int(b>>32 - a>>32) })
		}
		smooth := []float64{0, 0.5, 3}[rng.IntN(3)]
		r := Categories{Smooth: 20 * smooth, SmoothRows: smooth,
			Most: 1 + rng.IntN(1+rng.IntN(200)), MostOneHot: -1}
		lf := (&Limits{}).Valued(Values{}, total, 0, float64(total.Hessian)/float64(1+rng.IntN(100)))
		s := (&CategoryLeaf{Valued: &lf, Rules: &r, Memory: &memory,
			Ends: &Ends{}}).search(&Column{Sums: sums, Missing: -1})
		all, got := s.sortedBins(), s.order()
		most := min(r.Most, (len(all)+1)/2)
		require.Equal(t, most, got.most())
		for i := range most {
			require.Equal(t, all[i], got.at(i, false))
			require.Equal(t, all[len(all)-1-i], got.at(i, true))
		}
		if len(all) > 4*most {
			selected++
		}
	}
	assert.Greater(t, selected, 1000)
}
