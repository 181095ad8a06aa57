package rows

import (
	"context"
	"sync"
)

// turn lets workers do something for each block in the order of the blocks, one at a time.
type turn struct {
	ctx     context.Context
	close   func() bool // ends watching ctx
	mu      sync.Mutex
	changed *sync.Cond
	index   int                  // number of the block whose turn it is
	early   map[int]func() error // what is to be done for later blocks
	err     error                // why no other block gets a turn
}

// newTurn returns a turn that begins with block 0. It ends when ctx does. Close it after use.
func newTurn(ctx context.Context) *turn {
	t := &turn{ctx: ctx, early: map[int]func() error{}}
	t.changed = sync.NewCond(&t.mu)
	t.close = context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed.Broadcast()
	})
	return t
}

// take calls do for the block with the given index. If blocks before it are not done yet, the take of the
// last of them calls do instead. With wait, take returns only after that. An error of do ends all turns. take
// reports whether there is more to do.
func (t *turn) take(index int, wait bool, do func() error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.early[index] = do
	for t.early[t.index] != nil && t.err == nil && t.ctx.Err() == nil {
		t.err = t.early[t.index]()
		delete(t.early, t.index)
		t.index++
	}
	t.changed.Broadcast()
	for wait && t.index <= index && t.err == nil && t.ctx.Err() == nil {
		t.changed.Wait()
	}
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	return t.err == nil
}
