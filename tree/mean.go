package tree

import (
	"errors"
	"fmt"
	"slices"
)

// Mean returns one model whose scores are the means of the given models' scores, up to rounding: it has
// all of their trees, in their order, with the values of leaves, and of inner nodes, divided by the
// number of models. Models may have any numbers of trees. The features must be the same. The mean has the
// features and the objective of the first model.
func Mean(models ...*Ensemble) (*Ensemble, error) {
	if len(models) == 0 {
		return nil, errors.New("tree: the mean of no models")
	}
	mean := *models[0]
	mean.Trees, mean.Average = nil, false
	for i, m := range models {
		if !slices.Equal(m.FeatureNames(), mean.FeatureNames()) {
			return nil, fmt.Errorf("tree: model %d has other features than the first", i+1)
		}
		share := float64(len(models))
		if m.Average {
			share *= float64(len(m.Trees))
		}
		for t := range m.Trees {
			mean.Trees = append(mean.Trees, m.Trees[t].dividedBy(share))
		}
	}
	return &mean, nil
}

// dividedBy returns a tree whose values are t's divided by n.
func (t *Tree) dividedBy(n float64) Tree {
	part := *t
	part.Shrinkage /= n
	part.LeafValue = divided(t.LeafValue, n)
	part.InternalValue = divided(t.InternalValue, n)
	if l := t.Linear; l != nil {
		part.Linear = &LinearLeaves{Const: divided(l.Const, n), Feature: l.Feature}
		for _, c := range l.Coefficient {
			part.Linear.Coefficient = append(part.Linear.Coefficient, divided(c, n))
		}
	}
	return part
}

func divided(values []float64, n float64) []float64 {
	all := slices.Clone(values)
	for i := range all {
		all[i] /= n
	}
	return all
}
