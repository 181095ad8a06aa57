package rows

import (
	"context"
	"sync"
)

// turn lets workers do something in the order of their blocks.
type turn struct {
	ctx     context.Context
	close   func() bool // releases what watches ctx
	mu      sync.Mutex
	changed *sync.Cond
	index   int   // of the block whose turn it is
	err     error // why no block has a turn any more
}

// newTurn begins with block 0, and ends when ctx does. Close it after use.
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

// take waits until the blocks before index are done, calls do, and gives the turn
// to the next block. An error of do ends it for all. take tells whether to go on.
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
