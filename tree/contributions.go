package tree

import (
	"errors"
	"fmt"
)

var (
	// ErrCounts is wrapped by errors for trees without the numbers of training rows from which
	// contributions are computed.
	ErrCounts = errors.New("contributions need a positive row count at each node and leaf")
	// ErrLinear is wrapped by errors for trees with linear leaves, for which contributions are not defined.
	ErrLinear = errors.New("contributions are not defined for trees with linear leaves")
	// ErrLarge is wrapped by errors for trees whose contributions need more memory than is reasonable.
	ErrLarge = errors.New("contributions of this tree need more than 2 GiB")
)

// Contributions explains the scores of n rows. For each row it writes NumFeatures()+1 numbers to
// dst: the contribution of each feature to the score, and last the mean score of the training rows.
// Their sum is the score up to rounding errors, about 1e-13 of the sizes of the contributions.
// rows is as for [Ensemble.Score].
//
// The contributions are Shapley values, where features that are not known are averaged over the
// training rows that reached each node. They are the values of path-dependent TreeSHAP,
// Lundberg, Erion and Lee, Consistent Individualized Feature Attribution for Tree Ensembles
// (arXiv:1802.03888), and equal LightGBM's pred_contrib, with one difference: LightGBM
// does not divide the contributions of models whose scores are averages (Average).
//
// It is an error if lengths do not fit. For models that have no contributions the error wraps [ErrCounts],
// [ErrLinear] or [ErrLarge].
func (e *Ensemble) Contributions(dst, rows []float64, n int) error {
	features := e.NumFeatures()
	if err := e.checkExplained(len(dst), len(rows), n, features+1, "(%d features + 1)"); err != nil {
		return err
	}
	clear(dst)
	for i := range e.Trees {
		x, err := newShapley(&e.Trees[i])
		if err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		for row := range n {
			values := dst[row*(features+1):][:features+1]
			values[features] += x.mean
			x.explain(values[:features], rows[row*features:][:features])
		}
	}
	e.averageAll(dst)
	return nil
}

// checkExplained returns an error unless dst has width numbers for each of n rows. what says, in the error,
// how width is computed from the number of features.
func (e *Ensemble) checkExplained(dst, values, n, width int, what string) error {
	if err := e.checkRows(values, n); err != nil {
		return err
	}
	if dst != n*width {
		return shapeError("dst", dst, n*width, fmt.Sprintf("%d rows × "+what, n, e.NumFeatures()))
	}
	return nil
}

// averageAll divides sums over all trees if the scores of the model are averages.
func (e *Ensemble) averageAll(sums []float64) {
	for i, v := range sums {
		sums[i] = e.average(v)
	}
}

// mean returns the mean value of the tree over the training rows.
func (t *Tree) mean() (float64, error) {
	if t.Linear != nil {
		return 0, ErrLinear
	}
	if t.NumNodes() == 0 {
		return t.LeafValue[0], nil
	}
	for node, count := range t.InternalCount {
		if count <= 0 {
			return 0, fmt.Errorf("%w: node %d has %d", ErrCounts, node, count)
		}
	}
	mean := 0.0
	for leaf, count := range t.LeafCount {
		if count <= 0 {
			return 0, fmt.Errorf("%w: leaf %d has %d", ErrCounts, leaf, count)
		}
		mean += float64(float64(count) / float64(t.InternalCount[0]) * t.LeafValue[leaf])
	}
	return mean, nil
}

// rowsAt returns the number of training rows that reached a child.
func (t *Tree) rowsAt(child int32) float64 {
	if child < 0 {
		return float64(t.LeafCount[^child])
	}
	return float64(t.InternalCount[child])
}
