package pairwise

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestStopEndsSums: all sums end when Stop reports true, and do not ask again.
func TestStopEndsSums(t *testing.T) {
	defer func(was int) { stretchPairs = was }(stretchPairs)
	stretchPairs = 1000
	q := newQuery(rand.New(rand.NewPCG(2, 2)), 100, 5, 10)
	ranking := func(scores []float64) (r Ranking) { r.RankAnew(scores); return r }
	swaps := Swaps{Ranking: ranking(q.scores), Gains: q.gains, Discounts: q.discounts, Truncation: 100, Scale: 1}
	ranknet := RankNet{Sigma: 1}
	sums := map[string]func(stop Stop){
		"swaps":   func(stop Stop) { swaps.Stop = stop; swaps.All(func(Swap) bool { return true }) },
		"ranknet": func(stop Stop) { ranknet.Stop = stop; ranknet.Arrange(q.gains); ranknet.byOdds(q.scores) },
		"one by one": func(stop Stop) {
			ranknet.Stop = stop
			ranknet.Arrange(q.gains)
			ranknet.oneByOne(q.scores)
		},
	}
	for _, k := range kernels() {
		sums[k.String()] = func(stop Stop) {
			d := Documents{Stop: stop}
			d.Fill(q.scores, q.order, q.gains, q.discounts, q.sigma)
			d.pairs(k, 100, 1)
		}
	}
	for name, sum := range sums {
		asked := 0
		sum(func() bool { asked++; return asked == 3 })
		assert.Equal(t, 3, asked, name)
	}
}

func TestLoad(t *testing.T) {
	labels := make([]float64, 200_000)
	labels[0], labels[199_999] = 1, 1
	data := &dataset.Meta{Labels: labels, Queries: []dataset.Query{
		{ID: "short", Len: 3}, {ID: "equal", First: 3, Len: 99_997}, {ID: "long", First: 100_000, Len: 100_000}}}
	load := func(truncation int) Load {
		return LoadOf(data, func(labels []float64) float64 { return Truncated(len(labels), truncation) })
	}
	assert.Equal(t, Load{9 + 1e10, 1e10, data.Queries[2]}, load(1_000_000))
	assert.Equal(t, "an epoch has 1e+10 pairs of documents, which take a CPU up to about 20 seconds: query "+
		"long, of 100,000 documents, has 1e+10 of them; do this, or divide long queries",
		load(1_000_000).Remark("an epoch", "do this"))
	assert.Empty(t, load(99_999).Remark("an epoch", "do this"))
}
