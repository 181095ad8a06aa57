package booster

import (
	"errors"
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

// messagesOf trains on a number of peers, requires an outcome, and returns what peer 0 exchanges per tree.
func messagesOf(t *testing.T, p Params, size int, d Data, want rankOutcome) (collectives, bytes float64) {
	t.Helper()
	require.NoError(t, aid.Peers(size, func(g peers.Group) error {
		c := &counted{Group: g}
		got, err := trainOn(t, peers.Join(c), p, []Data{d})
		if g.Rank() == 0 {
			collectives, bytes = float64(c.collectives)/float64(p.NumIterations),
				float64(8*c.words)/float64(p.NumIterations)
		}
		if err == nil && got != want {
			err = errors.New("another model")
		}
		return err
	}))
	return collectives, bytes
}

// TestMessages: a peer exchanges at most one message for each split, and some for each tree; for each leaf
// they hold the sums of all bins at most three times: those of gradients, and of rows where min_data_in_leaf
// counts them. The model is that of one process.
func TestMessages(t *testing.T) {
	intermediate := func(p *Params) {
		p.MonotoneConstraints, p.MonotoneConstraintsMethod = "0:1,1:1,4:-1", MonotoneIntermediate
	}
	for name, change := range map[string]func(*Params){
		"all rows":                func(p *Params) { p.ActiveFraction = 1 },
		"few rows":                func(*Params) {},
		"bag":                     func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.6, 1 },
		"depthwise":               func(p *Params) { p.GrowPolicy = Depthwise },
		"symmetric":               func(p *Params) { p.GrowPolicy = Symmetric },
		"categories":              func(p *Params) { p.CategoricalFeature, p.MinDataPerGroup = "1", 5 },
		"interactions":            func(p *Params) { p.InteractionConstraints = "[0,1],[1,2,3,4]" },
		"smooth":                  func(p *Params) { p.PathSmooth = 5 },
		"random":                  func(p *Params) { p.ExtraTrees, p.FeatureFractionByNode = true, 0.7 },
		"monotone":                func(p *Params) { p.MonotoneConstraints = "0:1,1:1,4:-1" },
		"intermediate":            intermediate,
		"intermediate, depthwise": func(p *Params) { intermediate(p); p.GrowPolicy = Depthwise },
		"intermediate, symmetric": func(p *Params) { intermediate(p); p.GrowPolicy = Symmetric },
		"intermediate, all rows":  func(p *Params) { intermediate(p); p.ActiveFraction = 1 },
	} {
		for _, leaves := range []int{4, 127} {
			p := smallParams()
			p.NumLeaves, p.ActiveFraction, p.NumThreads, p.NumIterations = leaves, 0.2, 1, 5
			p.MinDataInLeaf, p.MinSumHessianInLeaf = 10, 1e-9
			change(&p)
			d := binned(t, &p, randomTable(3, 6_000))[0]
			_, bins := d.Values.Mapper.Size()
			want, err := trainOn(t, peers.Group{}, p, []Data{d})
			require.NoError(t, err)
			collectives, bytes := messagesOf(t, p, 3, d, want)
			where := fmt.Sprintf("%s, %d leaves", name, leaves)
			assert.LessOrEqual(t, collectives, float64(leaves+10), where)
			assert.LessOrEqual(t, bytes, float64(3*leaves*8*bins), where)
		}
	}
}
