package booster

// forest is the state of a random forest (LightGBM's rf.hpp). All trees are fitted to the gradients at the
// scores before the first tree, each on its own draw of rows and features. Their values are not multiplied by
// the learning rate, and the score of a row is their average. The initial score of an objective is part of
// every tree.
type forest struct {
	sums     []float64 // of the values of all trees, by training row
	computed bool      // the gradients of all rows are computed
}

// gradients returns the extremes of the gradients of the queries in the bag. It computes gradients
// once, for all queries.
func (f *forest) gradients(t *trainer) (extremes, error) {
	if !f.computed {
		chosen := t.chosen
		t.chosen = nil
		_, err := t.computeGradients(0)
		if t.chosen = chosen; err != nil {
			return extremes{}, err
		}
		f.computed = true
	}
	largest := extremes{bad: -1}
	for n, e := range t.extremes {
		if t.chosen == nil || t.chosen[n] {
			largest = largest.and(e)
		}
	}
	return largest.ofAll(t.train.Meta.Part), nil
}

// averages returns the scores of rows from the sums of this many trees.
func (f *forest) averages(sums []float64, trees int) []float64 {
	scores := make([]float64, len(sums))
	for row, sum := range sums {
		scores[row] = sum / float64(trees)
	}
	return scores
}
