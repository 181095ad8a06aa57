package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lambdamart/lambdamart/internal/mpi"
	"github.com/lambdamart/lambdamart/peers"
)

// behind is how long other ranks than 0 wait before they report an error: most are the same on all ranks,
// and rank 0, which reports them at once, ends all.
const behind = time.Second

// runTogether executes the command line with other ranks. Results and messages are those of rank 0, and
// errors those of the rank that has them.
func runTogether(ctx context.Context, world *mpi.World) int {
	if world.Rank() == 0 {
		return world.Leave(run(ctx, os.Args[1:], os.Stdout, os.Stderr, peers.Join(world)))
	}
	var messages last
	status := run(ctx, os.Args[1:], io.Discard, &messages, peers.Join(world))
	if status != 0 && status < exitSignal {
		time.Sleep(behind)
		fmt.Fprintf(os.Stderr, "rank %d of %d on %s: %s\n", world.Rank(), world.Size(), world.Host(), messages.line)
	}
	return world.Leave(status)
}

// last is a writer that keeps the last message.
type last struct{ line []byte }

func (l *last) Write(b []byte) (int, error) {
	l.line = append(l.line[:0], bytes.TrimSuffix(b, []byte("\n"))...)
	return len(b), nil
}
