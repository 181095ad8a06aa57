package worker

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// place is the processor of the thread that answers requests for scores of a few rows: the one on which the
// parent process waits. Two processes that take turns need only one processor, and waking another one takes
// longer than scoring the rows, above all in a virtual machine.
type place struct {
	any unix.CPUSet // the processors that the thread may use otherwise; empty before the first request
	on  int         // number of the processor, or -1 for any
}

// follow moves the thread to where the parent process is, or lets it run anywhere for many rows. If that
// cannot be done, the request just takes longer.
func (p *place) follow(q *request) {
	if p.any.Count() == 0 {
		runtime.LockOSThread()
		p.on = -1
		if unix.SchedGetaffinity(0, &p.any) != nil {
			return
		}
	}
	wanted, allowed := -1, p.any
	if q.Rows <= batchRows && q.processor >= 0 && p.any.IsSet(q.processor) {
		wanted = q.processor
		allowed.Zero()
		allowed.Set(wanted)
	}
	if wanted == p.on {
		return
	}
	if unix.SchedSetaffinity(0, &allowed) == nil {
		p.on = wanted
	}
}
