package booster

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// condition is the condition of an inner node.
type condition struct {
	feature     int32
	threshold   float64
	missingLeft bool
	set         string // ascending category numbers, each followed by a comma; empty for a threshold
}

func conditionOf(t *tree.Tree, node int32) condition {
	if t.Decision[node]&tree.Categorical != 0 {
		set := ""
		for _, category := range t.CategoriesLeft(int(node)) {
			set += fmt.Sprint(category, ",")
		}
		return condition{feature: t.Feature[node], set: set}
	}
	return condition{feature: t.Feature[node], threshold: t.Threshold[node],
		missingLeft: t.Decision[node]&tree.DefaultLeft != 0}
}

// levelsOf returns the conditions of the levels of a symmetric tree. It fails unless nodes are ordered by
// level and each condition comes after its parent's.
func levelsOf(t *testing.T, fitted *tree.Tree, most int) (levels []condition) {
	t.Helper()
	level := make([]int, fitted.NumNodes())
	for i := range level {
		c := conditionOf(fitted, int32(i))
		if level[i] = slices.Index(levels, c); level[i] < 0 {
			level[i], levels = len(levels), append(levels, c)
		}
	}
	require.True(t, slices.IsSorted(level))
	require.LessOrEqual(t, len(levels), most)
	for i := range level {
		for _, child := range []int32{fitted.Left[i], fitted.Right[i]} {
			require.True(t, child < 0 || level[child] > level[i])
		}
	}
	return levels
}

// symmetricTwin grows a symmetric tree from feature values, by trying every threshold of every feature.
type symmetricTwin struct {
	values          [][]float64
	lambda, hessian []float64
	l2, minHessian  float64
	minData         int
	bounds          [][]float64 // by feature
	missing         []bool      // by feature: NaN gets a direction of its own
}

func (w *symmetricTwin) divide(rows []int, c condition) (left, right []int) {
	for _, r := range rows {
		x := w.values[r][c.feature]
		if math.IsNaN(x) && !w.missing[c.feature] {
			x = 0
		}
		if x <= c.threshold || math.IsNaN(x) && c.missingLeft {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

func (w *symmetricTwin) score(rows []int) float64 {
	g, h := 0.0, 0.0
	for _, r := range rows {
		g, h = g+w.lambda[r], h+w.hessian[r]
	}
	return g * g / (h + w.l2)
}

func (w *symmetricTwin) allows(rows []int) bool {
	h := 0.0
	for _, r := range rows {
		h += w.hessian[r]
	}
	return len(rows) >= max(1, w.minData) && h >= w.minHessian
}

// gain returns the sum of the gains of the leaves that may be split by c.
func (w *symmetricTwin) gain(leaves [][]int, c condition) float64 {
	sum := 0.0
	for _, rows := range leaves {
		if left, right := w.divide(rows, c); w.allows(left) && w.allows(right) {
			sum += w.score(left) + w.score(right) - w.score(rows)
		}
	}
	return sum
}

func (w *symmetricTwin) conditions() (all []condition) {
	for f, bounds := range w.bounds {
		for _, b := range bounds {
			all = append(all, condition{feature: int32(f), threshold: b, missingLeft: true})
			if w.missing[f] {
				all = append(all, condition{feature: int32(f), threshold: b})
			}
		}
	}
	return all
}

// check grows the tree level by level, and requires the fitted tree to be the same. If gains are nearly
// equal, it continues with the fitted tree's condition.
func (w *symmetricTwin) check(t *testing.T, fitted *tree.Tree, levels []condition, depth int) {
	t.Helper()
	all := make([]int, len(w.values))
	for r := range all {
		all[r] = r
	}
	leaves := [][]int{all}
	for level := range depth {
		best := 0.0
		for _, c := range w.conditions() {
			best = max(best, w.gain(leaves, c))
		}
		if level == len(levels) {
			require.Less(t, best, 1e-6, "the tree ends because nothing gains")
			if level == 0 {
				return
			}
			break
		}
		c := levels[level]
		require.InDelta(t, best, w.gain(leaves, c), 1e-6*(1+best), "level %d", level)
		var next [][]int
		for _, rows := range leaves {
			if left, right := w.divide(rows, c); w.allows(left) && w.allows(right) {
				next = append(next, left, right)
			} else {
				next = append(next, rows)
			}
		}
		leaves = next
	}
	require.Equal(t, fitted.NumLeaves(), len(leaves))
	for _, rows := range leaves {
		leaf := fitted.Leaf(w.values[rows[0]])
		g, h := 0.0, w.l2
		for _, r := range rows {
			require.Equal(t, leaf, fitted.Leaf(w.values[r]))
			g, h = g+w.lambda[r], h+w.hessian[r]
		}
		require.InDelta(t, -g/h, fitted.LeafValue[leaf], 1e-6)
		require.Equal(t, int64(len(rows)), fitted.LeafCount[leaf])
	}
}

// TestSymmetricTreesAreThoseOfBruteForce: every level has the condition with the largest gain summed over
// its leaves, and splits the leaves that may be split.
func TestSymmetricTreesAreThoseOfBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	whole, shallow := 0, 0
	for trial := range 60 {
		s := randomTable(uint64(trial), 150+rng.IntN(400))
		if trial%2 == 0 {
			s = withNaN(s, uint64(trial), 0.2)
		}
		o := &given{}
		for range s.values {
			o.lambda, o.hessian = append(o.lambda, rng.NormFloat64()*rng.ExpFloat64()),
				append(o.hessian, 0.1+rng.ExpFloat64())
		}
		p := smallParams()
		depth := 1 + rng.IntN(5)
		p.GrowPolicy, p.NumIterations, p.LearningRate, p.MaxDepth, p.NumLeaves = Symmetric, 1, 1, depth, 1<<depth
		p.LambdaL2, p.MinDataInLeaf, p.MinSumHessianInLeaf = float64(rng.IntN(3)*4), rng.IntN(3)*15,
			float64(rng.IntN(3)*5)
		if trial%3 == 0 {
			p.NumLeaves, p.MaxDepth = min(1<<depth+rng.IntN(1<<depth), 1<<(depth+1)-1), -1
		}
		p.MaxBin = []int{255, 7}[rng.IntN(2)]
		data := binned(t, &p, s)[0]
		twin := &symmetricTwin{values: s.values, lambda: o.lambda, hessian: o.hessian, l2: p.LambdaL2,
			minHessian: p.MinSumHessianInLeaf, minData: p.MinDataInLeaf}
		for f := range s.meta.Features {
			bins := &data.Values.Mapper.Features[f]
			missing := data.Values.MissingBins[data.Values.ColumnOf[int32(f)]] >= 0
			bounds := bins.UpperBounds[:len(bins.UpperBounds)-1]
			if missing {
				bounds = bins.UpperBounds
			}
			twin.bounds, twin.missing = append(twin.bounds, bounds), append(twin.missing, missing)
		}
		r, err := Train(t.Context(), p, data, nil, Options{Objective: o})
		require.NoError(t, err)
		fitted := &r.Model.Trees[0]
		twin.check(t, fitted, levelsOf(t, fitted, depth), depth)
		if fitted.NumLeaves() == 1<<depth {
			whole++
		} else {
			shallow++
		}
	}
	assert.Greater(t, whole, 10)
	assert.Greater(t, shallow, 10)
}

// TestSymmetricStumps: a symmetric tree of one level equals the leaf-wise tree.
func TestSymmetricStumps(t *testing.T) {
	for kind, change := range missingKinds {
		for _, fraction := range []float64{1, 0.3} {
			for _, smooth := range []float64{0, 20} {
				p, s := smallParams(), withNaN(randomTable(3, 3000), 3, 0.2)
				change(&p)
				p.NumLeaves, p.ActiveFraction, p.PathSmooth, p.MinDataInLeaf = 2, fraction, smooth, 300
				want := bytesOf(fit(t, p, s).Model)
				p.GrowPolicy = Symmetric
				assert.True(t, bytes.Equal(want, bytesOf(fit(t, p, s).Model)), "%s, active_fraction=%v, path_smooth=%v",
					kind, fraction, smooth)
			}
		}
	}
}

// TestSymmetricDraws: all leaves of a level share the drawn features and the random thresholds.
func TestSymmetricDraws(t *testing.T) {
	p, s := smallParams(), randomTable(1, 3000)
	p.GrowPolicy, p.NumLeaves, p.FeatureFractionByNode, p.ExtraTrees = Symmetric, 32, 0.2, true
	first := map[condition]bool{}
	features := map[int32]bool{}
	for _, fitted := range fit(t, p, s).Model.Trees {
		for level, c := range levelsOf(t, &fitted, 5) {
			if features[c.feature] = true; level == 0 {
				first[c] = true
			}
		}
	}
	assert.Greater(t, len(first), 5, "draws differ from tree to tree")
	assert.Len(t, features, 5)
	p.FeatureFractionByNode, p.ExtraTrees, p.InteractionConstraints = 1, false, "[0,2],[1,3,4]"
	for _, fitted := range fit(t, p, s).Model.Trees {
		sets := map[bool]bool{}
		for _, f := range fitted.Feature {
			sets[f == 0 || f == 2] = true
		}
		require.Len(t, sets, 1)
	}
}

// TestSymmetricLeastGain: the gain of a level, summed over its leaves, must exceed min_gain_to_split.
func TestSymmetricLeastGain(t *testing.T) {
	p, s := smallParams(), randomTable(1, 3000)
	p.GrowPolicy, p.NumLeaves, p.NumIterations = Symmetric, 16, 1
	sums := func(fitted *tree.Tree) (sums []float64) {
		levels := levelsOf(t, fitted, 4)
		sums = make([]float64, len(levels))
		for i, gain := range fitted.Gain {
			sums[slices.Index(levels, conditionOf(fitted, int32(i)))] += gain
		}
		return sums
	}
	all := sums(&fit(t, p, s).Model.Trees[0])
	require.Len(t, all, 4)
	require.Greater(t, all[0], all[1])
	p.MinGainToSplit = (all[0] + all[1]) / 2
	assert.Equal(t, all[:1], sums(&fit(t, p, s).Model.Trees[0]))
	p.MinGainToSplit = 2 * all[0]
	_, err := Train(t.Context(), p, binned(t, &p, s)[0], nil, Options{})
	assert.ErrorContains(t, err, "min_gain_to_split forbids every split")
}

func TestSymmetricCautions(t *testing.T) {
	for _, c := range []struct {
		leaves, depth, levels int
		want                  string
	}{
		{64, -1, 6, ""}, {64, 6, 6, ""}, {64, 4, 4, ""}, {31, 4, 4, ""}, {2, -1, 1, ""},
		{31, -1, 4, "num_leaves=31 with grow_policy=symmetric: trees have 4 levels and 16 leaves at most; set " +
			"num_leaves=16 or 32"},
		{31, 6, 4, "num_leaves=31 with grow_policy=symmetric and max_depth=6: trees have 4 levels and 16 leaves " +
			"at most; set num_leaves=64 for 6 levels"},
		{131071, -1, 16, "set num_leaves=65536 or 131072"},
		{131072, math.MaxInt, 17, "trees have 17 levels and 131072 leaves at most"},
	} {
		p := smallParams()
		p.GrowPolicy, p.NumLeaves, p.MaxDepth = Symmetric, c.leaves, c.depth
		assert.Equal(t, c.levels, levelsFor(&p))
		remarks := strings.Join(p.Cautions(), "\n")
		if c.want == "" {
			assert.Empty(t, remarks, "%+v", c)
		} else {
			assert.Contains(t, remarks, c.want)
		}
	}
}

// levelsFor returns the largest number of levels of a tree.
func levelsFor(p *Params) int {
	growth := p.growth()
	return growth.Levels()
}
