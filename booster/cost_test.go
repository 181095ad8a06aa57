package booster

import (
	"context"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// TestCostsAreSubtracted: the root's gain is the gain without costs minus the costs of its rows and its
// feature.
func TestCostsAreSubtracted(t *testing.T) {
	p, s := smallParams(), randomTable(1, 2000)
	plain := fit(t, p, s).Model.Trees[0]
	for name, set := range map[string]func(p *Params){
		"split":   func(p *Params) { p.CEGBPenaltySplit = 0.001 },
		"coupled": func(p *Params) { p.CEGBPenaltyFeatureCoupled = "2,2,2,2,2" },
		"lazy":    func(p *Params) { p.CEGBPenaltyFeatureLazy = "0.001,0.001,0.001,0.001,0.001" },
		"factor":  func(p *Params) { p.CEGBPenaltyFeatureCoupled, p.CEGBTradeoff = "4,4,4,4,4", 0.5 },
	} {
		q := p
		set(&q)
		fitted := fit(t, q, s).Model.Trees[0]
		assert.Equal(t, plain.Feature[0], fitted.Feature[0], name)
		assert.InDelta(t, plain.Gain[0]-2, fitted.Gain[0], 1e-9, name)
	}
}

// TestCoupledCostsArePaidOnce: after the first split by a feature, its coupled cost is zero, both below
// that
// split and in later trees.
func TestCoupledCostsArePaidOnce(t *testing.T) {
	p, s := smallParams(), randomTable(1, 2000)
	p.CEGBPenaltyFeatureCoupled = "3:1e9,4:1e9"
	used := splitsByFeature(fit(t, p, s).Model)
	assert.Zero(t, used[3])
	assert.Zero(t, used[4])
	p.CEGBPenaltyFeatureCoupled = "0:1"
	assert.Greater(t, splitsByFeature(fit(t, p, s).Model)[0], 10)
	p.CEGBPenaltyFeatureCoupled = "1e9,1e9,1e9,1e9,1e9"
	_, err := Train(t.Context(), p, binned(t, &p, s)[0], nil, Options{})
	assert.ErrorContains(t, err, "cegb_penalty_feature_coupled forbids every split")
}

// TestRowsThatNeedFeatures checks that the features recorded as needed by a row are the features on the
// row's
// paths in the finished model, when training on all rows and on a sample.
func TestRowsThatNeedFeatures(t *testing.T) {
	for _, fraction := range []float64{1, 0.3} {
		p, s := smallParams(), randomTable(1, 2000)
		p.CEGBPenaltyFeatureLazy, p.ActiveFraction, p.MinDataInLeaf = "0:0.001,1:0.001,2:0.001,4:0.002", fraction,
			20
		tr := trainerAfter(t, &p, 6, binned(t, &p, s))
		want := map[[2]int]bool{}
		m := tr.Model(0)
		for row, x := range s.values {
			for i := range m.Trees {
				fitted := &m.Trees[i]
				for at := int32(0); at >= 0; {
					f := fitted.Feature[at]
					if f != 3 {
						want[[2]int{row, int(f)}] = true
					}
					if x[f] <= fitted.Threshold[at] {
						at = fitted.Left[at]
					} else {
						at = fitted.Right[at]
					}
				}
			}
		}
		assert.Equal(t, len(want), numPaid(&tr.grower.constraints.costs))
		assert.Less(t, len(want), 4*len(s.values), "not every row needs every feature")

		again := trainerAfter(t, &p, 0, binned(t, &p, s)) // a resumed run knows what has been paid
		state, err := tr.State(nil)
		require.NoError(t, err)
		require.NoError(t, again.Restore(state, 6))
		assert.Equal(t, tr.grower.constraints.costs.paid, again.grower.constraints.costs.paid)
		assert.Equal(t, tr.grower.constraints.costs.used, again.grower.constraints.costs.used)
		for _, side := range []*trainer{tr, again} {
			_, err := side.Round(context.Background(), &training.Round{Number: 7})
			require.NoError(t, err)
		}
		assert.Equal(t, bytesOf(tr.Model(0)), bytesOf(again.Model(0)))
	}
}

// numPaid returns the number of (row, feature) pairs that have been needed.
func numPaid(c *costs) (n int) {
	for _, paid := range c.paid {
		for _, word := range paid {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// TestCostsReduceUse: features that cost more are used less often.
func TestCostsReduceUse(t *testing.T) {
	s := randomTable(1, 2000)
	before := -1
	for _, cost := range []float64{0, 0.5, 3, 20} {
		p := smallParams()
		p.CEGBPenaltyFeatureCoupled, p.CEGBTradeoff = "1,1,1,1,1", cost
		n := len(splitsByFeature(fit(t, p, s).Model))
		if before >= 0 {
			assert.LessOrEqual(t, n, before)
		}
		before = n
	}
	assert.Less(t, before, 3)
}
