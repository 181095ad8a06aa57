package aid

import (
	"errors"
	"fmt"
	"sync"

	"github.com/lambdamart/lambdamart/internal/peers"
)

// Peers calls f on n goroutines, which are the peers of a group, and returns the first error of any of them.
// When one returns an error or panics, the others end in their next collective.
func Peers(n int, f func(g peers.Group) error) error {
	t := &team{members: make([][]int64, n)}
	t.all = sync.NewCond(&t.mu)
	var wait sync.WaitGroup
	for rank := range n {
		wait.Go(func() {
			defer func() {
				switch cause := recover().(type) {
				case nil, ended:
				default:
					t.end(fmt.Errorf("rank %d: panic: %v", rank, cause))
				}
			}()
			if err := f(peers.Join(&member{team: t, rank: rank})); err != nil {
				t.end(fmt.Errorf("rank %d: %w", rank, err))
			}
			t.leave()
		})
	}
	wait.Wait()
	return t.err
}

// team is the state that the goroutines of Peers share.
type team struct {
	mu      sync.Mutex
	all     *sync.Cond // signaled when all members have arrived, or one has failed
	come    int
	meeting int
	left    bool // a member has returned
	err     error

	members [][]int64 // the numbers that each member passes to a collective
}

// ended is the panic that ends a member because another one failed.
type ended struct{}

func (ended) Error() string { return "another peer has failed" }

func (t *team) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.all.Broadcast()
}

// leave records that a member has returned, so there are no more collectives.
func (t *team) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	if t.come > 0 && t.err == nil {
		t.err = errUnequal
	}
	t.all.Broadcast()
}

// errUnequal is the error of ranks that call different numbers of collectives.
var errUnequal = errors.New("peers have made different numbers of collectives")

// meet returns when all members have called it.
func (t *team) meet() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left && t.err == nil {
		t.err = errUnequal
	}
	if t.err != nil {
		panic(ended{})
	}
	if t.come++; t.come == len(t.members) {
		t.come = 0
		t.meeting++
		t.all.Broadcast()
		return
	}
	for meeting := t.meeting; meeting == t.meeting; t.all.Wait() {
		if t.err != nil {
			panic(ended{})
		}
	}
}

// member is one of the goroutines of Peers.
type member struct {
	*team
	rank int
}

func (m *member) Rank() int { return m.rank }
func (m *member) Size() int { return len(m.members) }

// exchange shares the numbers of all members, and calls read with them before any member continues.
func (m *member) exchange(data []int64, read func(all [][]int64)) {
	m.members[m.rank] = data
	m.meet()
	read(m.members)
	m.meet()
}

func (m *member) reduce(data []int64, add func(a, b int64) int64) {
	result := make([]int64, len(data))
	m.exchange(data, func(all [][]int64) {
		copy(result, all[0])
		for _, other := range all[1:] {
			if len(other) != len(data) {
				panic(fmt.Sprintf("a collective of %d numbers, and of %d on another peer", len(data), len(other)))
			}
			for i, v := range other {
				result[i] = add(result[i], v)
			}
		}
	})
	copy(data, result)
}

func (m *member) Sum(data []int64) {
	m.reduce(data, func(a, b int64) int64 { return a + b })
}

func (m *member) Max(data []int64) {
	m.reduce(data, func(a, b int64) int64 { return max(a, b) })
}

func (m *member) ReduceScatter(dst, src []int64, counts []int) {
	sums := append([]int64(nil), src...)
	m.Sum(sums)
	from := 0
	for _, n := range counts[:m.rank] {
		from += n
	}
	copy(dst, sums[from:from+counts[m.rank]])
}

func (m *member) AllGather(dst, src []int64) {
	m.exchange(src, func(all [][]int64) {
		for rank, part := range all {
			if len(part) != len(src) {
				panic(fmt.Sprintf("a collective of %d numbers, and of %d on another peer", len(src), len(part)))
			}
			copy(dst[rank*len(src):], part)
		}
	})
}
