package booster

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/test/aid"
)

// counted is a group that counts what one peer exchanges.
type counted struct {
	peers.Group
	collectives, words int
}

func (c *counted) count(words int) { c.collectives, c.words = c.collectives+1, c.words+words }

func (c *counted) Sum(data []int64) { c.count(len(data)); c.Group.Sum(data) }
func (c *counted) Max(data []int64) { c.count(len(data)); c.Group.Max(data) }
func (c *counted) ReduceScatter(dst, src []int64, counts []int) {
	c.count(len(src))
	c.Group.ReduceScatter(dst, src, counts)
}
func (c *counted) AllGather(dst, src []int64) { c.count(len(src)); c.Group.AllGather(dst, src) }

// messagesOf trains on the given number of peers, and returns what peer 0 exchanges per tree.
func messagesOf(t *testing.T, p Params, size int, d Data) (collectives, bytes float64) {
	t.Helper()
	require.NoError(t, aid.Peers(size, func(g peers.Group) error {
		c := &counted{Group: g}
		parts := divided(peers.Join(c), []Data{d})
		c.collectives, c.words = 0, 0
		_, err := Train(context.Background(), p, parts[0], nil, Options{})
		if g.Rank() == 0 {
			collectives, bytes = float64(c.collectives)/float64(p.NumIterations),
				float64(8*c.words)/float64(p.NumIterations)
		}
		return err
	}))
	return collectives, bytes
}

// TestMessages: a peer exchanges at most two messages for each split, and some for each tree; for each leaf
// they hold the sums of all bins at most three times: those of gradients, and of rows where min_data_in_leaf
// counts them.
func TestMessages(t *testing.T) {
	for _, leaves := range []int{4, 31, 127} {
		p := smallParams()
		p.NumLeaves, p.ActiveFraction, p.NumThreads, p.NumIterations = leaves, 0.2, 1, 5
		p.MinDataInLeaf, p.MinSumHessianInLeaf = 10, 1e-9
		d := binned(t, &p, randomTable(3, 12_000))[0]
		_, bins := d.Values.Mapper.Size()
		for _, size := range []int{2, 3} {
			collectives, bytes := messagesOf(t, p, size, d)
			where := fmt.Sprintf("%d leaves, %d peers", leaves, size)
			assert.LessOrEqual(t, collectives, float64(2*leaves+10), where)
			assert.LessOrEqual(t, bytes, float64(3*leaves*8*bins), where)
		}
	}
}
