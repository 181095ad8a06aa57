package peers_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/test/aid"
)

// onEach runs f on groups of one to four peers.
func onEach(t *testing.T, f func(g peers.Group) error) {
	t.Helper()
	require.NoError(t, f(peers.Group{}))
	for size := 1; size <= 4; size++ {
		require.NoError(t, aid.Peers(size, f), "%d peers", size)
	}
}

func equal(want, got any) error {
	if fmt.Sprint(want) != fmt.Sprint(got) {
		return fmt.Errorf("%v instead of %v", got, want)
	}
	return nil
}

func TestCollectives(t *testing.T) {
	onEach(t, func(g peers.Group) error {
		rank, size := g.Rank(), g.Size()
		sum, largest := []int64{int64(rank), 1}, []int64{int64(-rank), int64(rank)}
		g.Sum(sum)
		g.Max(largest)
		all := make([]int64, 2*size)
		g.AllGather(all, []int64{int64(rank), 7})
		counts, src := make([]int, size), []int64{}
		for r := range counts {
			counts[r] = r + 1
			for range r + 1 {
				src = append(src, int64(r))
			}
		}
		part := make([]int64, rank+1)
		g.ReduceScatter(part, src, counts)
		for _, v := range part {
			if v != int64(rank*size) {
				return fmt.Errorf("scattered %v", part)
			}
		}
		return errors.Join(equal([]int64{int64(size * (size - 1) / 2), int64(size)}, sum),
			equal([]int64{0, int64(size - 1)}, largest),

			equal([]int64{int64(size - 1), 7}, all[2*size-2:]))
	})
}

func TestHelpers(t *testing.T) {
	onEach(t, func(g peers.Group) error {
		rank, size := g.Rank(), g.Size()
		floats := []float64{-1 - float64(rank), float64(rank), math.Inf(-1)}
		g.MaxFloats(floats)
		own := make([]int64, rank)
		gathered := g.Gather(own)
		state := []float64{0, 0}
		g.Chain(state, func() { state[0], state[1] = state[1], 10*state[1]+float64(rank+1) })
		return errors.Join(
			equal(size, g.SumOf(1)), equal(size-1, g.MaxOf(rank)),
			equal([]float64{-1, float64(size - 1), math.Inf(-1)}, floats),
			equal(true, g.Any(rank == size-1)), equal(false, g.Any(false)),
			equal(size-1, len(gathered[size-1])), equal(size, len(gathered)),
			equal([]float64{1, 12, 123, 1234}[size-1], state[1]),
			equal(true, g.Same([]int64{5, -3, math.MinInt64, math.MaxInt64})),
			equal(size == 1, g.Same([]int64{5, int64(rank)})))
	})
}

// TestRunEnds: an error, a panic, or a peer that returns early ends the peers that wait for it.
func TestRunEnds(t *testing.T) {
	sum := func(g peers.Group) { g.Sum([]int64{1}) }
	broken := errors.New("broken")
	assert.ErrorIs(t, aid.Peers(3, func(g peers.Group) error {
		if g.Rank() == 1 {
			return broken
		}
		sum(g)
		return nil
	}), broken)
	assert.ErrorContains(t, aid.Peers(3, func(g peers.Group) error {
		sum(g)
		if g.Rank() == 2 {
			panic("fallen over")
		}
		sum(g)
		return nil
	}), "rank 2: panic: fallen over")
	assert.ErrorContains(t, aid.Peers(2, func(g peers.Group) error {
		for range g.Rank() {
			sum(g)
		}
		return nil
	}), "different numbers of collectives")
}

// TestCopyToFirst: peer 0 writes the other peers' bytes in the order of the peers,
// including peers without bytes.
func TestCopyToFirst(t *testing.T) {
	text := func(rank int) string {
		return strings.Repeat(fmt.Sprint(rank, "\xff;"), []int{3, 1, 0, 700_001}[rank])
	}
	onEach(t, func(g peers.Group) error {
		own := text(g.Rank())
		if g.Rank() > 0 {
			return g.CopyToFirst(nil, strings.NewReader(own), int64(len(own)))
		}
		var out strings.Builder
		if err := g.CopyToFirst(&out, nil, 0); err != nil {
			return err
		}
		want := ""
		for rank := 1; rank < g.Size(); rank++ {
			want += text(rank)
		}
		return equal(want == out.String(), true)
	})
	full := errors.New("full")
	assert.ErrorIs(t, aid.Peers(3, func(g peers.Group) error {
		return g.CopyToFirst(failing{full}, strings.NewReader("text"), int64(4*min(g.Rank(), 1)))
	}), full)
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }
