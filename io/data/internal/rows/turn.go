package rows

import (
	"context"
	"sync"
)

// turn lets workers do something in the order of their blocks, one worker at a time.
type turn struct {
	ctx     context.Context
	close   func() bool // ends watching ctx
	mu      sync.Mutex
	changed *sync.Cond
	index   int   // number of the block whose turn it is
	err     error // why no other block gets a turn
}

// newTurn returns a turn that begins with block 0. It ends when ctx does. Close it after use.
func newTurn(ctx context.Context) *turn {
	t := &turn{ctx: ctx}
	t.changed = sync.NewCond(&t.mu)
	t.close = context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed.Broadcast()
	})
	return t
}

// take waits until the blocks before index are done, calls do, and gives the turn to the next
// block. An error of do ends all turns. take reports whether there is more to do.
func (t *turn) take(index int, do func() error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.index != index && t.err == nil && t.ctx.Err() == nil {
		t.changed.Wait()
	}
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	if t.err == nil {
		t.err = do()
		t.index++
	}
	t.changed.Broadcast()
	return t.err == nil
}
