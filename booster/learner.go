package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

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
