package booster

import (
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// dart leaves some trees out while the gradients of the next one are computed. (Rashmi and
// Gilad-Bachrach, DART: Dropouts meet Multiple Additive Regression Trees, AISTATS 2015; LightGBM's
// dart.hpp.) With k trees left out, η the learning rate, and d = 1, or d = η in XGBoost's mode:
//
//	values of the new tree    × η/(1+k)      in XGBoost's mode η/(η+k), or η if k is 0
//	values of the k trees     × k/(d+k)
//
// The scores of all rows are updated: D, the sum of the values of the k trees, is subtracted from the scores
// of the training rows before gradients are computed, and D·k/(d+k) is added afterwards; D·(k/(d+k) - 1) is
// added to the scores of validation rows. So scores differ from the model's by the rounding of these sums,
// and checkpoints must contain them.
//
// The initial score of an objective is part of the first tree, but it is not scaled.
type dart struct {
	weights []float64 // by tree: its first factor, such as η/(1+k), times all later factors

	dropped []int       // numbers of the trees that are left out now, ascending
	sums    []float64   // by row: D
	valid   [][]float64 // sums for each validation set
	kept    []float64   // scores of the training rows with all trees
}

// drop chooses the trees of a draw that are left out, subtracts their values from the scores of the training
// rows, and returns the factor on the values of the next tree, whose learning rate is eta. Without dart, all
// trees stay.
func (d *dart) drop(f *forest, p *Params, draw int, eta float64) (rate float64, err error) {
	if d == nil {
		return eta, nil
	}
	d.dropped = d.choose(p, draw)
	k := float64(len(d.dropped))
	if k == 0 {
		return eta, nil
	}
	if err := d.sumUp(f); err != nil {
		return 0, err
	}
	d.kept = append(d.kept[:0], f.scores...)
	f.addTo(f.scores, -1, d.sums)
	if p.XGBoostDARTMode {
		return eta / (eta + k), nil
	}
	return eta / (1 + k), nil
}

// choose returns the numbers of the trees that are left out in a draw, in ascending order.
func (d *dart) choose(p *Params, draw int) []int {
	key := random.New(seedOr(p.DropSeed, p.Seed), random.DroppedTree, draw)
	var dropped []int
	if key.Float64(0) < p.SkipDrop {
		return dropped
	}
	for n, probability := range d.probabilities(p) {
		if key.Float64(n+1) >= probability {
			continue
		}
		if dropped = append(dropped, n); len(dropped) == p.MaxDrop {
			break
		}
	}
	return dropped
}

// probabilities returns, for each tree, the probability that it is left out. LightGBM's bound for max_drop
// divides by the sum of the weights twice, and so does this function.
func (d *dart) probabilities(p *Params) []float64 {
	all := make([]float64, len(d.weights))
	trees, sum := float64(len(d.weights)), 0.0
	for _, w := range d.weights {
		sum += w
	}
	rate := p.DropRate
	switch {
	case p.MaxDrop < 1:
	case p.UniformDrop:
		rate = min(rate, float64(p.MaxDrop)/trees)
	default:
		rate = min(rate, float64(p.MaxDrop)*trees/sum/sum)
	}
	for n, w := range d.weights {
		all[n] = rate
		if !p.UniformDrop {
			all[n] = float64(rate*w) * trees / sum
		}
	}
	return all
}

// sumUp adds up the values of the trees that are left out, for all rows.
func (d *dart) sumUp(f *forest) error {
	d.sums = reuse.Slice(d.sums, len(f.scores))
	clear(d.sums)
	for len(d.valid) < len(f.valid) {
		d.valid = append(d.valid, make([]float64, len(f.validated[len(d.valid)])))
	}
	for i := range d.valid {
		clear(d.valid[i])
	}
	for _, n := range d.dropped {
		if err := f.addValuesOf(&f.trees[n], f.ownValues(n), d.sums, d.valid); err != nil {
			return err
		}
	}
	return nil
}

// undo puts back the trees that are left out, after a draw without a tree.
func (d *dart) undo(f *forest) {
	if d == nil {
		return
	}
	if len(d.dropped) > 0 {
		copy(f.scores, d.kept)
	}
	d.dropped = nil
}

// settle scales the trees that were left out, after a tree was grown. rate is the factor on the values of
// that tree, and eta its learning rate.
func (d *dart) settle(f *forest, p *Params, rate, eta float64) {
	if d == nil {
		return
	}
	d.weights = append(d.weights, rate)
	k := float64(len(d.dropped))
	if k == 0 {
		return
	}
	factor := k / (1 + k)
	if p.XGBoostDARTMode {
		factor = k / (eta + k)
	}
	for _, n := range d.dropped {
		d.weights[n] = float64(d.weights[n] * factor)
		f.scaleTree(n, factor)
	}
	f.addTo(f.scores, factor, d.sums)
	for i := range f.validated {
		f.addTo(f.validated[i], factor-1, d.valid[i])
	}
	d.dropped = nil
}

// addTo adds factor times each value to the score of the same row.
func (f *forest) addTo(scores []float64, factor float64, values []float64) {
	f.pool.Blocks(len(scores), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += float64(factor * values[row])
		}
	})
}
