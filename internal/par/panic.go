package par

import (
	"fmt"
	"runtime/debug"
)

// Panic is the value that Run, Each and Blocks panic with after a task has panicked. The task may
// have run on another goroutine, whose stack is gone when the caller's is printed, so the value
// carries it: a crash shows the line that panicked.
type Panic struct {
	Value any    // what the task panicked with
	Stack []byte // of the worker at that time, as debug.Stack formats it
}

func (p *Panic) Error() string {
	return fmt.Sprintf("%v\n\nstack of the worker that panicked:\n%s", p.Value, p.Stack)
}

// Unwrap returns the task's value if it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// catch records the panic of a task; it must be deferred. The first panic of a job is kept. One
// that comes from a pool within the task already has the stack that matters.
func (j *job) catch() {
	v := recover()
	if v == nil {
		return
	}
	failure, ok := v.(*Panic)
	if !ok {
		failure = &Panic{Value: v, Stack: debug.Stack()}
	}
	j.failure.CompareAndSwap(nil, failure)
	j.drop()
}

// drop marks all remaining tasks as begun, so that no worker begins another one: the caller returns without
// waiting for workers that have not begun.
func (j *job) drop() {
	j.next.Add(j.n)
	for i := range j.claimed {
		j.claimed[i].Store(true)
	}
}
