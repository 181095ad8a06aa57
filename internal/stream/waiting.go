package stream

import (
	"os"
	"sync/atomic"
)

// waits is the number of calls that wait for another program or a person: to open a pipe or to read from it.
var waits atomic.Int64

// Waits reports whether an input waits for another program, or for a person at a terminal. It may wait
// forever, and nothing but the end of the process interrupts it.
func Waits() bool { return waits.Load() > 0 }

// openWaiting opens a file, which waits for a writer if it is a named pipe.
func openWaiting(path string) (*os.File, error) {
	waits.Add(1)
	defer waits.Add(-1)
	return os.Open(path)
}

// waitingReader reads what is not a regular file.
type waitingReader struct{ file *os.File }

func (r waitingReader) Read(dst []byte) (int, error) {
	waits.Add(1)
	defer waits.Add(-1)
	return r.file.Read(dst)
}
