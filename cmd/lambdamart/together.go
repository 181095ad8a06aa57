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

// behind is how long peers other than 0 wait before they report an error. Most errors occur on all peers, and
// peer 0 reports them immediately and ends the others.
const behind = time.Second

// runTogether executes the command line with other peers. Results and messages come from peer 0, and an error
// from the peer that has it.
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
