//go:build !mpi || !(linux || darwin)

package mpi

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/peers"
)

// Built reports whether the program can join ranks.
const Built = false

// World is the group of all ranks. There is none in this build.
type World struct{ peers.Group }

// Join returns nil: the process is alone. It is an error if a launcher has started others beside it.
func Join() (*World, error) {
	if l := FindLaunch(); l.Size > 1 {
		return nil, l.errUnbuilt()
	}
	return nil, nil
}

// Library returns "": there is no MPI library.
func (*World) Library() string { return "" }

// Host returns the name of this rank's machine.
func (*World) Host() string { return "" }

// Exchanged returns the zero Traffic: there are no other ranks.
func (*World) Exchanged() Traffic { return Traffic{} }

// Leave ends this rank's part.
func (*World) Leave(status int) int { return status }

// Abort ends all ranks.
func (*World) Abort(int) {}

// errUnbuilt is the error for a launcher that starts several processes of a program without MPI.
func (l Launch) errUnbuilt() error {
	return fmt.Errorf("a launcher has started %d processes (%s=%d), and this lambdamart is built for one: "+
		"each would do all the work and write the same files; use a build with -tags mpi (docs/machines.md), or "+
		"set %s=off to run processes that have nothing to do with each other",
		l.Size, l.Variable, l.Size, libraryVariable)
}
