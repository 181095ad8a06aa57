package booster

import (
	"context"
	"errors"
	"slices"

	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// emptyDraws is the number of consecutive draws without a split after which training ends. With
// feature_fraction=0.01 of 136 features, a tree can split on one feature only, and half of the draws may have
// no split.
const emptyDraws = 100

// round grows the tree of a round. If the tree has no split, it continues with the next draw of queries,
// features and rounding, if anything is drawn, so an unlucky draw does not end training.
func (t *trainer) round(ctx context.Context, r *training.Round) (training.StopReason, error) {
	if t.constant != nil {
		return training.NoSplitsRemain, nil
	}
	first := t.draw
	t.canceled = func() bool { return ctx.Err() != nil }
	for range emptyDraws {
		bins, rate, err := t.beginTree()
		switch {
		case errors.Is(err, errCanceled):
			t.draw = first // a resumed run tries all draws of the round again
			return training.Canceled, nil
		case err != nil:
			return "", err
		}
		t.grower.Grow(&t.active.Active, bins, chooseColumns(t.params, t.train.Values.Columns, t.draw), t.draw)
		if t.keepTree(rate) {
			r.Leaves = t.trees[len(t.trees)-1].NumLeaves()
			return "", nil
		}
		t.dart.undo(&t.forest)
		if !t.redraw() {
			break
		}
	}
	if t.control.giveUp() {
		// A sample has no rows without gradients, which count for min_data_in_leaf. If few have any, all rows may
		// be split where a sample is not.
		t.draw = first
		return t.round(ctx, r)
	}
	if r.Number == 1 {
		return "", t.allowConstant(t.whyNoSplit(), r)
	}
	return training.NoSplitsRemain, nil
}

// Scores implements [rounds.Learner].
func (t *trainer) Scores() ([][]float64, error) {
	if t.params.IsTrainingMetric {
		return append([][]float64{t.scores}, t.validated...), nil
	}
	return t.validated, nil
}

// See implements [rounds.Learner]. Nothing needs to be kept for the best iteration: its model is
// the first trees of any later one.
func (t *trainer) See(int, float64, bool) {}

// Model implements [rounds.Learner].
func (t *trainer) Model(iteration int) *tree.Ensemble {
	trees := t.trees
	if iteration > 0 {
		trees = trees[:iteration]
	}
	return &tree.Ensemble{Trees: trees, Objective: objective.ModelNameOf(t.objective),
		Features: features(t.train), Context: t.train.Meta.Context, LabelIndex: t.train.Meta.LabelColumn,
		Dictionaries: dictionaries(t.train)}
}

// KeepsRounds implements [rounds.Learner]: later iterations change no tree, except with dart.
func (t *trainer) KeepsRounds() bool { return t.dart == nil }

// Weights returns the factors that the constraints of a [rounds.Run] give to the objectives.
func (t *trainer) Weights() []float64 { return slices.Clone(t.multipliers.weights) }

// Shortfalls raises or lowers these factors by how far the constraints are missed.
func (t *trainer) Shortfalls(parts []float64) {
	t.multipliers.see(parts)
	objective.Emphasize(t.objective, t.multipliers.labels, t.multipliers.weights)
}
