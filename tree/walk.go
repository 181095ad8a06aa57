package tree

import (
	"math"
	"math/bits"
)

// ZeroThreshold is the largest magnitude of a value that counts as zero at nodes where zero means
// missing. It is LightGBM's kZeroThreshold, a float32 constant widened to float64.
const ZeroThreshold = float64(float32(1e-35))

// Leaf returns the number of the leaf that row reaches. The row has a value for each feature that t compares.
func (t *Tree) Leaf(row []float64) int {
	node := t.Root()
	for node >= 0 {
		if t.goesLeft(node, row[t.Feature[node]]) {
			node = t.Left[node]
		} else {
			node = t.Right[node]
		}
	}
	return int(^node)
}

// Score returns the value that t adds to the score of row. The row has a value for each feature
// that t uses.
func (t *Tree) Score(row []float64) float64 {
	return t.leafScore(t.Leaf(row), row)
}

// leafScore returns the value of a leaf for a row: a constant, or the value of a linear function.
func (t *Tree) leafScore(leaf int, row []float64) float64 {
	if t.Linear == nil {
		return t.LeafValue[leaf]
	}
	score := t.Linear.Const[leaf]
	coefficients := t.Linear.Coefficient[leaf]
	for i, feature := range t.Linear.Feature[leaf] {
		x := row[feature]
		if math.IsNaN(x) {
			return t.LeafValue[leaf]
		}
		score += float64(coefficients[i] * x)
	}
	return score
}

// goesLeft reports whether a row with the value x goes left at an internal node. The package
// documentation has the rules.
func (t *Tree) goesLeft(node int32, x float64) bool {
	d := t.Decision[node]
	if d&Categorical != 0 {
		return setHas(t.set(int(t.Threshold[node])), x)
	}
	nan := math.IsNaN(x)
	switch d.Missing() {
	case MissingZero:
		if nan || math.Abs(x) <= ZeroThreshold {
			return d&DefaultLeft != 0
		}
	case MissingNaN:
		if nan {
			return d&DefaultLeft != 0
		}
	default:
		if nan {
			x = 0
		}
	}
	return x <= t.Threshold[node]
}

// CategoriesLeft returns the categories that a categorical node sends left, ascending. Categories from 2^31
// on are left out, because no value belongs to them.
func (t *Tree) CategoriesLeft(node int) (categories []int) {
	for word, mask := range t.set(int(t.Threshold[node])) {
		for ; mask != 0 && word < 1<<26; mask &= mask - 1 {
			categories = append(categories, 32*word+bits.TrailingZeros32(mask))
		}
	}
	return categories
}

// CategoricalFeatures returns the features with a categorical split.
func (e *Ensemble) CategoricalFeatures() map[int]bool {
	features := map[int]bool{}
	for i := range e.Trees {
		for node, d := range e.Trees[i].Decision {
			if d&Categorical != 0 {
				features[int(e.Trees[i].Feature[node])] = true
			}
		}
	}
	return features
}

// setHas reports whether a categorical set contains x; see [Tree.Categories].
func setHas(set []uint32, x float64) bool {
	if !(x > -1 && x < 1<<31) { // NaN too
		return false
	}
	category := uint32(x)
	word := int(category / 32)
	return word < len(set) && set[word]>>(category%32)&1 != 0
}
