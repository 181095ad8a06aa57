package train

import (
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/internal/mpi"
	"github.com/lambdamart/lambdamart/metric"
)

// ranksEvent is what rank 0 has exchanged with the other ranks in a training.
type ranksEvent struct {
	Ranks       int          `json:"ranks"`
	Collectives int          `json:"collectives"`
	Bytes       int64        `json:"bytes"` // that the rank has contributed
	Seconds     metric.Value `json:"seconds_in_collectives"`
	Trees       int          `json:"trees"`
}

// countExchange returns a function that says what the ranks have exchanged over the network from now on, if
// they have.
func (r *run) countExchange() func(trees int) {
	before := mpi.Exchanged()
	return func(trees int) {
		ranks, t := r.env.Peers.Size(), mpi.Exchanged().Since(before)
		if ranks == 1 || t.Collectives == 0 {
			return
		}
		r.messages.Emit(ranksEvent{Ranks: ranks, Collectives: t.Collectives, Bytes: t.Bytes,
			Seconds: metric.Value(t.Waiting.Seconds()), Trees: trees})
	}
}

func (e ranksEvent) Kind() string { return "ranks" }
func (e ranksEvent) Level() int   { return 1 }

func (e ranksEvent) String() string {
	trees := max(1, e.Trees)
	return fmt.Sprintf("rank 0 of %d: %d collectives and %.1f MB a tree in training; %v in collectives", e.Ranks,
		e.Collectives/trees, float64(e.Bytes)/1e6/float64(trees),
		time.Duration(float64(e.Seconds)*1e9).Round(time.Millisecond))
}
