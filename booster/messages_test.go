package booster

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/peers"
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
	require.NoError(t, peers.Run(size, func(g peers.Group) error {
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

// TestMessages compares the estimated communication with what training runs exchange.
func TestMessages(t *testing.T) {
	const most = 1.5 // largest allowed factor between the two
	settings := map[string]func(p *Params){
		"no counts":       func(p *Params) { p.MinDataInLeaf = 1 },
		"counts":          func(p *Params) { p.MinDataInLeaf = 10 },
		"sparse":          func(p *Params) { p.ActiveFraction = 0.2 },
		"some features":   func(p *Params) { p.FeatureFraction = 0.6 },
		"goss":            func(p *Params) { p.DataSampleStrategy, p.LearningRate = GOSS, 1 },
		"goss, no counts": func(p *Params) { p.DataSampleStrategy, p.LearningRate, p.MinDataInLeaf = GOSS, 1, 1 },
	}
	sizes := []int{4, 31, 127}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for name, set := range settings {
		for _, leaves := range sizes {
			p := smallParams()
			p.NumLeaves, p.ActiveFraction, p.NumThreads, p.NumIterations, p.MinSumHessianInLeaf = leaves, 1, 1, 5, 1e-9
			set(&p)
			d := binned(t, &p, randomTable(3, 12_000))[0]
			shape := ShapeOf(d.Values.Mapper, d.Meta.NumRows())
			for _, size := range peerSizes() {
				collectives, bytes := messagesOf(t, p, size, d)
				m := shape.Footprint(&p, size, 1)
				where := fmt.Sprintf("%s, %d leaves, %d ranks", name, leaves, size)
				assertNear(t, collectives, float64(m.Collectives), most, where+": collectives")
				assertNear(t, bytes, float64(m.Bytes), most, where+": bytes")
			}
		}
	}
}

// assertNear asserts that an estimate and a counted number differ at most by the factor most.
func assertNear(t *testing.T, counted, model, most float64, what string) {
	t.Helper()
	assert.True(t, model <= counted*most && counted <= model*most, "%s: %.0f; counted %.1f", what, model,
		counted)
}

// TestMessagesAlone: a single process sends nothing.
func TestMessagesAlone(t *testing.T) {
	p := DefaultParams()
	m := Shape{Rows: 1000, Columns: 10, Bins: 2000, RowBytes: 16}.Footprint(&p, 1, 1)
	assert.Zero(t, m.Collectives+m.Bytes+m.Sent)
}
