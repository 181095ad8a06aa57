package train

import (
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/internal/mpi"
)

// countExchange returns a function that reports what the peers have exchanged over the network since the
// call, if anything.
func (r *run) countExchange() func(trees int) {
	world, ok := r.env.Peers.Transport().(*mpi.World)
	if !ok {
		return func(int) {}
	}
	before := world.Exchanged()
	return func(trees int) {
		size, t := world.Size(), world.Exchanged().Since(before)
		if size == 1 || t.Collectives == 0 {
			return
		}
		each := max(1, trees)
		text := fmt.Sprintf("peer 0 of %d: %d collectives and %.1f MB a tree in training; %v in collectives", size,
			t.Collectives/each, float64(t.Bytes)/1e6/float64(each), t.Waiting.Round(time.Millisecond))
		r.messages.Say("ranks", text, "ranks", size, "collectives", t.Collectives, "bytes", t.Bytes,
			"seconds_in_collectives", t.Waiting.Seconds(), "trees", trees)
	}
}
