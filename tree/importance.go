package tree

import (
	"slices"
)

// ImportanceKind is a measure of how much a model uses a feature.
type ImportanceKind uint8

const (
	BySplit ImportanceKind = iota // number of nodes that compare the feature
	ByGain                        // sum of the gains of those nodes
)

// Importance returns the importance of each feature. As in LightGBM, nodes whose gain is not
// greater than zero do not count.
func (e *Ensemble) Importance(kind ImportanceKind) []float64 {
	importance := make([]float64, len(e.Features))
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, gain := range t.Gain {
			switch {
			case !(gain > 0):
			case kind == ByGain:
				importance[t.Feature[node]] += gain
			default:
				importance[t.Feature[node]]++
			}
		}
	}
	return importance
}

// UsedFeatures returns the numbers, ascending, of the features that a node compares or that a linear leaf has
// a term of. No score depends on other features. The list is not nil if it is empty, because nil means all
// features to readers of tables.
func (e *Ensemble) UsedFeatures() []int {
	used := make([]bool, len(e.Features))
	for i := range e.Trees {
		t := &e.Trees[i]
		for _, f := range t.Feature {
			used[f] = true
		}
		if t.Linear != nil {
			for _, f := range slices.Concat(t.Linear.Feature...) {
				used[f] = true
			}
		}
	}
	list := []int{}
	for f, u := range used {
		if u {
			list = append(list, f)
		}
	}
	return list
}

// Depth returns the number of comparisons on the longest path from the root to a leaf.
func (t *Tree) Depth() int {
	if len(t.Left) == 0 {
		return 0
	}
	depths := make([]int, len(t.Left))
	for _, node := range bottomUp(t) {
		for _, child := range []int32{t.Left[node], t.Right[node]} {
			if child >= 0 {
				depths[node] = max(depths[node], depths[child])
			}
		}
		depths[node]++
	}
	return depths[0]
}
