package rows

import "github.com/lambdamart/lambdamart/peers"

// sumBefore returns the sum of n over the peers before this one, and over all peers.
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
