package training

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// PanicError means that the code of a run, or a function that the caller has given to it, has panicked. The
// rounds before are not lost: booster.Train and [Run.Result] return their model.
type PanicError struct {
	Value  any      // what the code panicked with
	Stack  []string // innermost first: function, file and line
	Rounds int      // that were complete
}

func (e *PanicError) Error() string {
	where := "an unknown place"
	if len(e.Stack) > 0 {
		where = e.Stack[0]
	}
	return fmt.Sprintf("panic after %s, in %s: %v", wording.Count(e.Rounds, "round"), where, e.Value)
}

// Unwrap returns the panic's value if it is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Catch is to be deferred. It sets err to a [*PanicError] if the function panics; rounds is the number of
// rounds that are complete. A fault in memory that was mapped from a file remains a panic: whoever mapped the
// file knows which one it was.
func Catch(rounds int, err *error) {
	v := recover()
	var fault interface{ Addr() uintptr }
	switch cause, _ := v.(error); {
	case v == nil:
	case errors.As(cause, &fault):
		panic(v)
	default:
		*err = panicOf(v, rounds)
	}
}

// panicOf returns the error for the value of a panic. It is called while the stack that panicked is still
// there; that of another goroutine is in the value.
func panicOf(v any, rounds int) *PanicError {
	if worker, ok := v.(*par.Panic); ok {
		return &PanicError{worker.Value, framesOf(string(worker.Stack)), rounds}
	}
	buffer := make([]byte, 1<<16)
	return &PanicError{v, framesOf(string(buffer[:runtime.Stack(buffer, false)])), rounds}
}

// framesOf returns the functions of a stack that debug.Stack has formatted, from the one that panicked on.
func framesOf(stack string) (frames []string) {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		name := lines[i]
		if end := strings.LastIndexByte(name, '('); end > 0 {
			name = name[:end]
		}
		if name == "panic" { // the frames before are those of handling it
			frames = nil
			continue
		}
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		frames = append(frames, strings.TrimPrefix(name, "created by ")+" "+at)
	}
	for len(frames) > 0 && strings.HasPrefix(frames[0], "runtime.") { // such as goPanicIndex
		frames = frames[1:]
	}
	return frames
}
