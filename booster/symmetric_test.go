package booster

import (
	"bytes"
	"cmp"
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
// level
// and each condition comes after its parent's.
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

	categories map[int32][]int // by feature: the categories with a bin, most frequent first
	rules      CategoryParams
}

// twinLeaf is a leaf and the features on its path.
type twinLeaf struct {
	rows []int
	path []int32
	l2   float64 // regularization of its value
}

func (w *symmetricTwin) divide(rows []int, c condition) (left, right []int) {
	for _, r := range rows {
		x := w.values[r][c.feature]
		if c.set != "" {
			if !math.IsNaN(x) && strings.Contains(","+c.set, fmt.Sprintf(",%v,", x)) {
				left = append(left, r)
			} else {
				right = append(right, r)
			}
			continue
		}
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

// l2Of returns the L2 regularization of the values directly below a condition.
func (w *symmetricTwin) l2Of(c condition) float64 {
	if c.set != "" && len(w.categories[c.feature])+1 > w.rules.MaxCatToOnehot {
		return w.l2 + w.rules.CatL2
	}
	return w.l2
}

func (w *symmetricTwin) score(rows []int, l2 float64) float64 {
	g, h := 0.0, 0.0
	for _, r := range rows {
		g, h = g+w.lambda[r], h+w.hessian[r]
	}
	return g * g / (h + l2)
}

func (w *symmetricTwin) allows(rows []int) bool {
	h := 0.0
	for _, r := range rows {
		h += w.hessian[r]
	}
	return len(rows) >= max(1, w.minData) && h >= w.minHessian
}

// gain returns the sum of the gains of the leaves that may be split by c.
func (w *symmetricTwin) gain(leaves []twinLeaf, c condition) float64 {
	sum := 0.0
	for _, lf := range leaves {
		if left, right := w.divide(lf.rows, c); w.allows(left) && w.allows(right) {
			sum += w.score(left, w.l2Of(c)) + w.score(right, w.l2Of(c)) - w.score(lf.rows, w.l2)
		}
	}
	return sum
}

// setOf returns the condition that sends the given categories left.
func setOf(feature int32, categories []int) condition {
	set := ""
	for _, category := range slices.Sorted(slices.Values(categories)) {
		set += fmt.Sprint(category, ",")
	}
	return condition{feature: feature, set: set}
}

// sets returns the category sets to try for a level: the sets tried for a single leaf that holds the rows
// of all
// splittable leaves. Hessians are 1.
func (w *symmetricTwin) sets(leaves []twinLeaf, feature int32) (all []condition) {
	rows, sums, total := map[int]int{}, map[int]float64{}, 0
	for _, lf := range leaves {
		if len(lf.rows) < 2*max(1, w.minData) || float64(len(lf.rows)) < 2*w.minHessian {
			continue // too small to be split
		}
		total += len(lf.rows)
		for _, r := range lf.rows {
			if x := w.values[r][feature]; !math.IsNaN(x) {
				rows[int(x)]++
				sums[int(x)] += w.lambda[r]
			}
		}
	}
	bins := slices.Clone(w.categories[feature])
	if len(bins)+1 <= w.rules.MaxCatToOnehot {
		for _, category := range bins {
			all = append(all, setOf(feature, []int{category}))
		}
		return all
	}
	bins = slices.DeleteFunc(bins, func(c int) bool {
		return rows[c] == 0 ||
			float64(rows[c]) < w.rules.CatSmooth
	})
	key := func(c int) float64 { return sums[c] / (float64(rows[c]) + w.rules.CatSmooth) }
	slices.SortStableFunc(bins, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	for range 2 {
		left, more := 0, 0
		for n := 1; n <= min(w.rules.MaxCatThreshold, (len(bins)+1)/2); n++ {
			left, more = left+rows[bins[n-1]], more+rows[bins[n-1]]
			if left < w.minData || float64(left) < w.minHessian {
				continue
			}
			if right := total - left; right < max(w.minData, w.rules.MinDataPerGroup) ||
				float64(right) < w.minHessian {
				break
			}
			if more >= w.rules.MinDataPerGroup {
				all, more = append(all, setOf(feature, bins[:n])), 0
			}
		}
		slices.Reverse(bins)
	}
	return all
}

func (w *symmetricTwin) conditions(leaves []twinLeaf) (all []condition) {
	for f, bounds := range w.bounds {
		if w.categories[int32(f)] != nil {
			all = append(all, w.sets(leaves, int32(f))...)
			continue
		}
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
// equal, it
// continues with the fitted tree's condition.
func (w *symmetricTwin) check(t *testing.T, fitted *tree.Tree, levels []condition, depth int) {
	t.Helper()
	all := make([]int, len(w.values))
	for r := range all {
		all[r] = r
	}
	leaves := []twinLeaf{{rows: all, l2: w.l2}}
	for level := range depth {
		best := 0.0
		for _, c := range w.conditions(leaves) {
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
		var next []twinLeaf
		for _, lf := range leaves {
			if left, right := w.divide(lf.rows, c); w.allows(left) && w.allows(right) {
				path := append(slices.Clone(lf.path), c.feature)
				next = append(next, twinLeaf{left, path, w.l2Of(c)}, twinLeaf{right, path, w.l2Of(c)})
			} else {
				next = append(next, lf)
			}
		}
		leaves = next
	}
	require.Equal(t, fitted.NumLeaves(), len(leaves))
	for _, lf := range leaves {
		rows := lf.rows
		leaf := fitted.Leaf(w.values[rows[0]])
		g, h := 0.0, lf.l2
		for _, r := range rows {
			require.Equal(t, leaf, fitted.Leaf(w.values[r]))
			g, h = g+w.lambda[r], h+w.hessian[r]
		}
		require.InDelta(t, -g/h, fitted.LeafValue[leaf], 1e-6)
		require.Equal(t, int64(len(rows)), fitted.LeafCount[leaf])
	}
}

// TestSymmetricTreesAreThoseOfBruteForce: every level has the condition with the largest gain summed over
// its
// leaves, and splits the leaves that may be split.
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

// TestSymmetricSetsAreThoseOfBruteForce: a level split by categories has the set with the largest gain
// summed over its leaves, among the sets that would be tried for one leaf with all rows.
func TestSymmetricSetsAreThoseOfBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 5))
	sorted, single, deep := 0, 0, 0
	for trial := range 40 {
		s := shopTable(uint64(trial), 300+rng.IntN(900), 20)
		o := &given{}
		for r := range s.values {
			o.lambda, o.hessian = append(o.lambda, rng.NormFloat64()-s.meta.Labels[r]+1), append(o.hessian, 1)
		}
		p := shopParams()
		depth := 1 + rng.IntN(5)
		p.GrowPolicy, p.NumIterations, p.LearningRate, p.NumLeaves, p.ActiveFraction = Symmetric, 1, 1, 1<<depth, 1
		p.LambdaL2, p.MinDataInLeaf, p.MinSumHessianInLeaf = float64(rng.IntN(3)*4), rng.IntN(3)*15,
			float64(rng.IntN(2))*8.5
		p.CatSmooth, p.CatL2, p.MinDataPerGroup = float64(rng.IntN(2)*5), float64(rng.IntN(2)*10), 1+rng.IntN(40)
		p.MaxCatThreshold, p.MaxCatToOnehot = 2+rng.IntN(20), []int{1, 4, 100}[rng.IntN(3)]
		data := binned(t, &p, s)[0]
		twin := &symmetricTwin{values: s.values, lambda: o.lambda, hessian: o.hessian, l2: p.LambdaL2,
			minHessian: p.MinSumHessianInLeaf, minData: p.MinDataInLeaf}
		twin.missing = make([]bool, 5)
		twin.rules, twin.categories = p.CategoryParams, map[int32][]int{}
		for f := range s.meta.Features {
			bins := &data.Values.Mapper.Features[f]
			twin.bounds = append(twin.bounds, bins.UpperBounds[:max(0, len(bins.UpperBounds)-1)])
			for _, category := range bins.Categories {
				twin.categories[int32(f)] = append(twin.categories[int32(f)], int(category))
			}
		}
		r, err := Train(t.Context(), p, data, nil, Options{Objective: o})
		require.NoError(t, err)
		fitted := &r.Model.Trees[0]
		levels := levelsOf(t, fitted, depth)
		twin.check(t, fitted, levels, depth)
		for i, c := range levels {
			switch {
			case c.set == "":
				continue
			case twin.l2Of(c) > twin.l2:
				sorted++
			case strings.Count(c.set, ",") == 1:
				single++
			}
			if i > 0 {
				deep++
			}
		}
	}
	assert.Greater(t, sorted, 10)
	assert.Greater(t, single, 10)
	assert.Greater(t, deep, 20)
}

// TestSymmetricInEveryMode: in every mode trees are symmetric, leaves obey the parameters, and num_leaves
// and
// max_depth bound the depth.
func TestSymmetricInEveryMode(t *testing.T) {
	for name, change := range modes {
		p := smallParams()
		if change(&p); p.GrowPolicy != Symmetric {
			continue
		}
		t.Run(name, func(t *testing.T) {
			depth := levelsFor(&p)
			for _, p.MaxDepth = range []int{-1, 3} {
				deepest := 0
				for _, fitted := range fit(t, p, withNaN(randomTable(1, 6000), 1, 0.1)).Model.Trees {
					deepest = max(deepest, len(levelsOf(t, &fitted, depth)))
				}
				assert.Equal(t, depth, deepest)
				depth = 3
			}
		})
	}
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
