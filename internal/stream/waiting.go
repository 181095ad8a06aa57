package stream

import (
	"context"
	"os"
	"sync/atomic"
)

// until is the context whose end ends all waiting.
var until atomic.Pointer[context.Context]

// Until makes inputs that wait for another program, or for a person at a terminal, end with the cause of ctx
// when it is canceled. Nothing else interrupts a call of the system that opens a pipe or reads from it. The
// function that it returns undoes this.
func Until(ctx context.Context) (undo func()) {
	before := until.Swap(&ctx)
	return func() { until.Store(before) }
}

// wait calls f, which may wait forever. It returns early, with f still in progress, when waiting ends.
func wait[T any](f func() (T, error)) (T, error) {
	ctx := until.Load()
	if ctx == nil {
		return f()
	}
	return Await(*ctx, f)
}

// Await calls f, which may take long and writes no files. If ctx is canceled, it returns early with the cause,
// with f still in progress: only a program that then ends may use it.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// openWaiting opens a file, which waits for a writer if it is a named pipe.
func openWaiting(path string) (*os.File, error) {
	return wait(func() (*os.File, error) { return os.Open(path) })
}

// waitingReader reads what is not a regular file.
type waitingReader struct {
	file   *os.File
	buffer []byte // of the read in progress, which may outlast Read
}

func (r *waitingReader) Read(dst []byte) (int, error) {
	if len(r.buffer) < len(dst) {
		r.buffer = make([]byte, len(dst))
	}
	buffer := r.buffer[:len(dst)]
	n, err := wait(func() (int, error) { return r.file.Read(buffer) })
	return copy(dst, buffer[:n]), err
}
