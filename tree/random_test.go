package tree

import (
	"math"
	"math/rand/v2"
)

// The tests of scorers use random models and rows. Thresholds and values are drawn from the same small set,
// so values often equal thresholds.

var notableValues = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 2, 3, -2.5, 1e-35, ZeroThreshold, -ZeroThreshold, 1e-36,
	math.Nextafter(ZeroThreshold, 1),
	5e-324, -5e-324, 1e300, -1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.Nextafter(1, 2),
	math.Nextafter(1, 0),
	float64(math.Nextafter32(1, 2)), 7.25, 31, 32, 33, 63, 64, 0.1, float64(float32(0.1)),
}

func randomValue(rng *rand.Rand) float64 {
	switch rng.IntN(8) {
	case 0, 1, 2:
		return notableValues[rng.IntN(len(notableValues))]
	case 3:
		return float64(rng.IntN(70))
	case 4:
		return float64(float32(rng.NormFloat64()))
	case 5:
		return math.Round(rng.NormFloat64()*4) / 4
	}
	return rng.NormFloat64()
}

// randomModel describes the shape of random trees.
type randomModel struct {
	trees, maxLeaves, features int
	missing                    bool // all missing types, not only none
	categorical                bool
	linear                     bool
	chains                     bool // very unequal depths
	average                    bool
	exact                      bool // maxLeaves in every tree
	dense                      bool // thresholds are all distinct
	binned                     bool // thresholds are some 250 a feature
	levels                     int  // trees are symmetric, but for leaves that are not split; 0: they are not
}

func (m randomModel) make(rng *rand.Rand) *Ensemble {
	e := &Ensemble{Features: make([]Feature, m.features), Average: m.average}
	for range m.trees {
		e.Trees = append(e.Trees, *m.tree(rng))
	}
	return e
}

// tree grows a tree by splitting random leaves, and then renumbers nodes and leaves at random,
// since no code may depend on their order.
func (m randomModel) tree(rng *rand.Rand) *Tree {
	if m.levels > 0 {
		return m.symmetricTree(rng)
	}
	leaves := 1 + rng.IntN(m.maxLeaves)
	if m.exact {
		leaves = m.maxLeaves
	}
	t := &Tree{LeafValue: make([]float64, leaves), LeafWeight: make([]float64, leaves),
		LeafCount: make([]int64, leaves), Shrinkage: 1}
	if leaves == 1 && m.features == 0 {
		t.LeafValue[0] = rng.NormFloat64()
		return t
	}
	parent := make([]*int32, leaves) // by leaf: the field of its parent that refers to it
	t.Left, t.Right = make([]int32, leaves-1), make([]int32, leaves-1)
	for node := range leaves - 1 {
		split := rng.IntN(node + 1)
		if m.chains {
			split = node
		}
		if parent[split] != nil {
			*parent[split] = int32(node)
		}
		t.Left[node], t.Right[node] = ^int32(split), ^int32(node+1)
		parent[split], parent[node+1] = &t.Left[node], &t.Right[node]
		m.addNode(rng, t)
	}
	t.renumber(rng)
	for leaf := range leaves {
		t.LeafValue[leaf] = rng.NormFloat64()
		t.LeafCount[leaf] = int64(1 + rng.IntN(100))
	}
	t.count()
	if m.linear {
		m.addLinear(rng, t)
	}
	return t
}

// symmetricTree splits the leaves of each level by one condition: all leaves if the tree is exact,
// otherwise three of four.
func (m randomModel) symmetricTree(rng *rand.Rand) *Tree {
	t := &Tree{Shrinkage: 1}
	parent := []*int32{nil}
	t.Left, t.Right = make([]int32, 0, 1<<m.levels), make([]int32, 0, 1<<m.levels)
	for range m.levels {
		first := len(t.Left)
		for leaf := range len(parent) {
			if !m.exact && len(t.Left) > first && rng.IntN(4) == 0 {
				continue
			}
			node := len(t.Left)
			if parent[leaf] != nil {
				*parent[leaf] = int32(node)
			}
			t.Left, t.Right = append(t.Left, ^int32(leaf)), append(t.Right, ^int32(len(parent)))
			parent[leaf] = &t.Left[node]
			parent = append(parent, &t.Right[node])
			if m.addNode(rng, t); node > first {
				t.Feature[node], t.Decision[node], t.Threshold[node] = t.Feature[first], t.Decision[first],
					t.Threshold[first]
			}
		}
	}
	leaves := len(parent)
	t.LeafWeight, t.LeafCount = make([]float64, leaves), make([]int64, leaves)
	t.renumber(rng)
	for range leaves {
		t.LeafValue = append(t.LeafValue, rng.NormFloat64())
	}
	return t
}

func (m randomModel) addNode(rng *rand.Rand, t *Tree) {
	decision, threshold := Decision(rng.IntN(2))*DefaultLeft, randomValue(rng)
	if m.dense {
		threshold = rng.NormFloat64()
	}
	if m.binned {
		threshold = math.Round(rng.NormFloat64()*50) / 50
	}
	if m.missing {
		decision |= Decision(rng.IntN(3)) << 2
	}
	if m.categorical && rng.IntN(3) == 0 {
		decision = Categorical
		if t.CategoryStart == nil {
			t.CategoryStart = []int32{0}
		}
		threshold = float64(len(t.CategoryStart) - 1)
		for range rng.IntN(4) {
			t.Categories = append(t.Categories, rng.Uint32()&rng.Uint32())
		}
		t.CategoryStart = append(t.CategoryStart, int32(len(t.Categories)))
	}
	t.Feature = append(t.Feature, int32(rng.IntN(m.features)))
	t.Decision = append(t.Decision, decision)
	t.Threshold = append(t.Threshold, threshold)
	t.Gain = append(t.Gain, rng.Float64())
	t.InternalValue = append(t.InternalValue, 0)
	t.InternalWeight = append(t.InternalWeight, 0)
	t.InternalCount = append(t.InternalCount, 0)
}

func (m randomModel) addLinear(rng *rand.Rand, t *Tree) {
	n := t.NumLeaves()
	t.Linear = &LinearLeaves{Const: make([]float64, n), Feature: make([][]int32, n),
		Coefficient: make([][]float64, n)}
	for leaf := range n {
		t.Linear.Const[leaf] = rng.NormFloat64()
		for range rng.IntN(3) {
			t.Linear.Feature[leaf] = append(t.Linear.Feature[leaf], int32(rng.IntN(m.features)))
			t.Linear.Coefficient[leaf] = append(t.Linear.Coefficient[leaf], rng.NormFloat64())
		}
	}
}

// renumber permutes the nodes other than the root. Leaves keep their numbers, which are random
// already because the splits were.
func (t *Tree) renumber(rng *rand.Rand) {
	n := t.NumNodes()
	if n < 3 {
		return
	}
	to := append([]int{0}, rng.Perm(n-1)...)
	for i := 1; i < n; i++ {
		to[i]++
	}
	left, right, feature, decision, threshold := make([]int32, n), make([]int32, n), make([]int32,
		n), make([]Decision, n), make([]float64, n)
	child := func(c int32) int32 {
		if c < 0 {
			return c
		}
		return int32(to[c])
	}
	for i := range n {
		left[to[i]], right[to[i]] = child(t.Left[i]), child(t.Right[i])
		feature[to[i]], decision[to[i]], threshold[to[i]] = t.Feature[i], t.Decision[i], t.Threshold[i]
	}
	t.Left, t.Right, t.Feature, t.Decision, t.Threshold = left, right, feature, decision, threshold
}

// count sets the counts of all nodes from those of the leaves.
func (t *Tree) count() {
	var down func(child int32) int64
	down = func(child int32) int64 {
		if child < 0 {
			return t.LeafCount[^child]
		}
		t.InternalCount[child] = down(t.Left[child]) + down(t.Right[child])
		return t.InternalCount[child]
	}
	if t.NumNodes() > 0 {
		down(0)
	}
}

func randomRows(rng *rand.Rand, n, features int) []float64 {
	rows := make([]float64, n*features)
	for i := range rows {
		rows[i] = randomValue(rng)
		if rng.IntN(12) == 0 {
			rows[i] = math.NaN()
		}
	}
	return rows
}
