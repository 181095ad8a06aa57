package rows

import "github.com/lambdamart/lambdamart/peers"

// sumBefore returns the sum of the numbers of the peers before this one, and the sum of all.
func sumBefore(g peers.Group, n int) (before, all int) {
	counts := make([]int64, g.Size())
	g.AllGather(counts, []int64{int64(n)})
	for rank, c := range counts {
		if rank < g.Rank() {
			before += int(c)
		}
		all += int(c)
	}
	return before, all
}
