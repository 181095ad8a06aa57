package booster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrNotRefittable is wrapped by the error of [Refit] for a model whose leaf values it cannot fit.
var ErrNotRefittable = errors.New("the leaf values of this model cannot be fitted again")

// Refit returns a model with the trees of m whose leaf values are fitted to new data, as LightGBM's refit
// (refit_decay_rate) does. The trees are fitted one after the other, each to the gradients at the scores of
// the fitted trees before it, beginning with the initial scores of the data. Each leaf gets the value
//
//	decay·old + (1-decay)·shrinkage·w       where w is the value of a new leaf with these rows
//
// With decay 0, only the new data counts; with 1, nothing changes. A leaf without rows, or whose Hessians sum
// to 0, gets decay·old. Splits, gains, weights and counts remain those of m.
//
// Refit uses the objective of p with its parameters, LambdaL1, LambdaL2, MaxDeltaStep, Seed and NumThreads.
// obj is the caller's own objective; nil: the objective that p names. src must have the features of m, in the
// same order ([tree.Ensemble.Matched]). Query context is computed if m has it. src is read twice, and one,
// two or four bytes are kept for each row and tree. Warnings are in the Remark of the result. The error wraps
// [ErrNotRefittable] for models that average their trees and for linear leaves.
func Refit(ctx context.Context, p Params, m *tree.Ensemble, src dataset.Source, obj objective.Objective,
	decay float64) (*tree.Ensemble, error) {
	if err := checkRefit(&p, m, obj, decay); err != nil {
		return nil, err
	}
	if m.Context != nil {
		src = widened.New(src, m.Context, m.UsedFeatures())
	}
	meta, err := dataset.Describe(ctx, src)
	if err != nil {
		return nil, err
	}
	own := obj != nil
	if meta.Positions != nil && !own && p.learnsPositions() {
		return nil, fmt.Errorf("the data has positions, whose biases are learned only as trees grow: train " +
			"anew, or refit on data without them")
	}
	section, err := p.refitProvenance(m, meta, obj, decay)
	if err != nil {
		return nil, err
	}
	if !own {
		if obj, err = p.newObjective(); err != nil {
			return nil, err
		}
	}
	r, err := newRefitter(&p, m, meta, obj)
	if err != nil {
		return nil, err
	}
	defer r.pool.Close()
	if err := r.findLeaves(ctx, src); err != nil {
		return nil, err
	}
	fitted, err := r.refit(ctx, decay)
	if err != nil {
		return nil, err
	}
	fitted.Parameters = section
	remarks := provenance.Sentences(r.watch.Found())
	if text := labelsRemark(&p, meta, own); text != "" {
		remarks = append(remarks, text)
	}
	if !r.learns && len(m.Trees) > 0 {
		remarks = append(remarks, "the data teaches nothing, since the objective has no Hessian above 0: all leaf "+
			"values are refit_decay_rate times the old ones; check the labels, the weights and the query ids")
	}
	fitted.Remark = strings.Join(remarks, "; ")
	return fitted, nil
}

// checkRefit returns an error for parameters out of their ranges and for a model that Refit cannot fit.
func checkRefit(p *Params, m *tree.Ensemble, obj objective.Objective, decay float64) error {
	if !(decay >= 0 && decay <= 1) {
		return fmt.Errorf("refit_decay_rate=%v: must be between 0 and 1", decay)
	}
	if err := p.Validate(obj); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Average && len(m.Trees) > 0 {
		return fmt.Errorf("%w: its scores are averages of its trees (a random forest), each of which was fitted "+
			"alone", ErrNotRefittable)
	}
	for i := range m.Trees {
		if m.Trees[i].Linear != nil {
			return fmt.Errorf("%w: tree %d has linear leaves", ErrNotRefittable, i)
		}
	}
	return nil
}

// refitter fits the trees of a model to data, one after the other.
type refitter struct {
	lambdas // at the scores of the fitted trees; the data has no bins
	model   *tree.Ensemble
	leaves  []leafColumn // by tree
	watch   *provenance.Watch
	learns  bool // some leaf has a new value
}

// newRefitter prepares the objective and the memory.
func newRefitter(p *Params, m *tree.Ensemble, meta *dataset.Meta, obj objective.Objective) (*refitter,
	error) {
	if meta.NumRows() == 0 {
		return nil, errors.New("the data has no rows")
	}
	if err := checkWeights(meta); err != nil {
		return nil, err
	}
	l, err := newLambdas(p, Data{Meta: meta}, obj)
	if err != nil {
		return nil, err
	}
	rows := meta.NumRows()
	r := &refitter{lambdas: l, model: m, watch: provenance.NewWatch(provenance.KnownCategories(m))}
	r.leafOf = make([]int32, rows)
	r.begin(nil, 0)
	for i := range m.Trees {
		r.leaves = append(r.leaves, newLeafColumn(m.Trees[i].NumLeaves(), rows))
	}
	return r, nil
}

// findLeaves reads the data and stores the leaf of each row in each tree.
func (r *refitter) findLeaves(ctx context.Context, src dataset.Source) error {
	width := r.model.NumFeatures()
	values := make([][]float64, src.Workers())
	for w := range values {
		values[w] = make([]float64, width)
	}
	_, err := dataset.Scan(ctx, src, nil, func(worker int, row dataset.Row) error {
		dense := values[worker]
		for i, f := range row.Feature {
			if int(f) < width {
				dense[f] = row.Value[i]
			}
		}
		provenance.WatchRows(r.watch, dense, width)
		for i := range r.model.Trees {
			r.leaves[i].set(row.Number, r.model.Trees[i].Leaf(dense))
		}
		clear(dense)
		return nil
	})
	return err
}

// refit fits all trees.
func (r *refitter) refit(ctx context.Context, decay float64) (*tree.Ensemble, error) {
	r.canceled = func() bool { return ctx.Err() != nil }
	fitted := *r.model
	fitted.Calibration = nil
	fitted.Trees = slices.Clone(fitted.Trees)
	fitted.Objective = objective.ModelNameOf(r.objective)
	for i := range fitted.Trees {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		values, err := r.refitTree(i, decay)
		if errors.Is(err, errCanceled) {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		fitted.Trees[i].LeafValue = values
	}
	return &fitted, fitted.Validate()
}

// refitTree returns the new leaf values of a tree, and adds them to the scores.
func (r *refitter) refitTree(number int, decay float64) ([]float64, error) {
	t := &r.model.Trees[number]
	largest, err := r.computeGradients(number)
	if err != nil {
		return nil, err
	}
	if largest.bad >= 0 {
		bad := &gradientError{row: int(largest.bad), lambda: r.gradients.Lambda[largest.bad],
			hessian: r.gradients.Hessian[largest.bad]}
		return nil, r.explain(bad, number)
	}
	r.leaves[number].read(r.leafOf, r.pool)
	totals := refit(t.NumLeaves(), r.leafOf, &r.rows, r.gradients, fineScales(largest, r.rows.size), r.pool)
	rules := grow.Rules{LambdaL1: r.params.LambdaL1, LambdaL2: r.params.LambdaL2, MaxStep: r.params.MaxDeltaStep}
	values := make([]float64, t.NumLeaves())
	for leaf, old := range t.LeafValue {
		values[leaf] = float64(decay * old)
		if gradient, hessian := totals.Float(totals.Sums[leaf]); hessian > 0 {
			r.learns = true
			values[leaf] += float64((1 - decay) * float64(t.Shrinkage*rules.Output(gradient, hessian)))
		}
	}
	addValues(r.pool, r.scores, r.leafOf, values)
	return values, nil
}

// leafColumn is the number of a leaf for each row, in as few bytes as possible: 1, 2 or 4.
type leafColumn struct {
	width int
	bytes []byte
}

func newLeafColumn(leaves, rows int) leafColumn {
	width := 4
	switch {
	case leaves <= 1<<8:
		width = 1
	case leaves <= 1<<16:
		width = 2
	}
	return leafColumn{width, make([]byte, rows*width)}
}

func (c *leafColumn) set(row, leaf int) {
	for i := range c.width {
		c.bytes[row*c.width+i] = byte(leaf >> (8 * i))
	}
}

// read writes all numbers to dst.
func (c *leafColumn) read(dst []int32, pool *par.Pool) {
	pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			leaf := int32(0)
			for i := range c.width {
				leaf |= int32(c.bytes[row*c.width+i]) << (8 * i)
			}
			dst[row] = leaf
		}
	})
}
