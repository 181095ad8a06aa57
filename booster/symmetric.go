package booster

import (
	"fmt"
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Symmetric trees (oblivious decision tables: Kohavi and Li, IJCAI 1995; CatBoost's SymmetricTree:
// Prokhorenkova et al., CatBoost, NeurIPS 2018) grow level by level, and all leaves of a level are split by
// the same feature and threshold, with missing values on the same side, or by the same set of categories. It
// is the split for which
//
//	Σ over leaves of T(GL)²/(HL+λ2) + T(GR)²/(HR+λ2) - T(G)²/(H+λ2)
//
// is largest: CatBoost's score_function=L2, less the score before the split. As in CatBoost, the sum includes
// leaves in which the split is a loss, which λ2 makes possible. It must exceed min_gain_to_split; otherwise
// the tree ends. A leaf that the split would leave less than min_data_in_leaf or min_sum_hessian_in_leaf on a
// side, or that other rules do not let be split so, adds nothing to the sum and remains whole; later levels
// may split it. (CatBoost has no such rules for symmetric trees: its leaves may be empty.) So every path from
// the root to a leaf has some of the tree's splits, in their order:
//
//	level 1           a
//	                /   \
//	level 2        b     b
//	              / \   / \
//	level 3      c   ·  c   c        ·: too few rows for c
//
// Sets of categories are those that are tried for one leaf with the rows of all leaves of the level
// (bincut.CategoryLevel). min_data_per_group, max_cat_threshold and cat_smooth are rules for that leaf.
//
// The trees are written as any others are. Package tree finds out that they have few different splits.
//
// Sums by bin have no counts of rows (count.go). Cuts are ranked by an upper bound of their sums. Where some
// leaf may have too few rows on a side of the first cut, all rows of its column are counted and its sum
// replaced by the true one, until a cut with a true sum comes first.
type symmetric struct {
	levels  int     // most of a tree
	minGain float64 // that a level must gain beyond

	last     bool                   // the level that is being made is the last one
	open     []int                  // numbers of the leaves that may be split
	searches []search               // of open leaves
	shared   search                 // what all of them have
	sums     []bincut.Level         // by worker
	sets     []bincut.CategoryLevel // by worker
	cuts     []bincut.Cut           // by place in grower.order; Both is the sum over the leaves
	parents  []levelParent          // leaves whose children have no sums yet; only where ranks grow the tree
}

// fixedCut is a cut by which leaves are split that was chosen elsewhere, such as for all leaves of a
// level.
type fixedCut struct {
	column int32 // -1: none
	cut    bincut.Cut
	// of the bins of a column of categories; nil for others, and on ranks that do not have the column
	sides *sides
}

// levelParent is a leaf that was split, with the numbers of its children.
type levelParent struct {
	leaf
	left, right int
}

// newSymmetric returns nil unless p asks for symmetric trees. Then the limits of single splits have no least
// gain.
func newSymmetric(p *Params, r *rules, workers int) *symmetric {
	if p.GrowPolicy != Symmetric {
		return nil
	}
	s := &symmetric{levels: p.symmetricLevels(), minGain: r.minGain, sums: make([]bincut.Level, workers),
		sets: make([]bincut.CategoryLevel, workers)}
	r.minGain = 0
	return s
}

// symmetricLevels returns the most levels of a symmetric tree: max_depth, as far as num_leaves allows.
func (p *Params) symmetricLevels() int {
	levels := bits.Len(uint(p.NumLeaves)) - 1
	if p.MaxDepth > 0 {
		return min(levels, p.MaxDepth)
	}
	return levels
}

// checkSymmetric returns an error for a parameter that symmetric trees do not go together with.
func (p *Params) checkSymmetric() error {
	if p.GrowPolicy != Symmetric || p.ForcedSplitsFilename == "" {
		return nil
	}
	return fmt.Errorf("grow_policy=%s and forcedsplits_filename=%s: all leaves of a level have the same "+
		"split; leave forcedsplits_filename out, or use grow_policy=depthwise", Symmetric, p.ForcedSplitsFilename)
}

// symmetricCautions returns remarks on the size of symmetric trees.
func (p *Params) symmetricCautions() (remarks []string) {
	if p.GrowPolicy != Symmetric {
		return nil
	}
	levels := p.symmetricLevels()
	switch {
	case p.MaxDepth > levels:
		remarks = append(remarks, fmt.Sprintf("num_leaves=%d with grow_policy=%s and max_depth=%d: trees have "+
			"%d levels and %d leaves at most; set num_leaves=%d for %d levels",
			p.NumLeaves, Symmetric, p.MaxDepth, levels, 1<<levels, min(1<<min(p.MaxDepth, 62), mostLeaves),
			min(p.MaxDepth, bits.Len(mostLeaves)-1)))
	case p.MaxDepth <= 0 && p.NumLeaves != 1<<levels:
		remarks = append(remarks, fmt.Sprintf("num_leaves=%d with grow_policy=%s: trees have %d levels and %d "+
			"leaves at most; set num_leaves=%d or %d",
			p.NumLeaves, Symmetric, levels, 1<<levels, 1<<levels, min(2<<levels, mostLeaves)))
	}
	return remarks
}

// growLevels grows a symmetric tree from the root.
func (g *grower) growLevels() {
	s := g.symmetric
	g.onDemand = true
	if root := &g.leaves[0]; g.splittable(root) && g.share != nil {
		g.sumTogether([]expansion{{small: root}})
	} else if g.splittable(root) {
		g.sumRoot(root)
	}
	for level := range s.levels {
		s.last = level == s.levels-1
		best := g.bestOfLevel(level)
		g.watch.lap(PhaseSplit)
		if best.column < 0 {
			return
		}
		g.splitLevel(level, best)
	}
}

// sumRoot finds the sums of the root.
func (g *grower) sumRoot(root *leaf) {
	root.sums = g.acquire()
	g.eachChunk(func(worker int, chunk []columnGroup) { g.sumRows(worker, chunk, root, notYet) })
}

// notYet is the search for splits of leaves that are searched when all of their level are there.
func notYet(int, *columnGroup) {}

// sumChildren finds the sums of the children of a leaf that may be split further.
func (s *symmetric) sumChildren(g *grower, parent, left, right *leaf) {
	if s.last {
		return
	}
	if g.share != nil {
		s.parents = append(s.parents, levelParent{*parent, int(^g.nodes[left.node].left),
			int(^g.nodes[left.node].right)})
		parent.sums = nil
		return
	}
	small, large := bySize(left, right)
	splitSmall, splitLarge := g.splittable(small), g.splittable(large)
	if !splitSmall && !splitLarge {
		return
	}
	g.sumChildren(parent, small, large, notYet)
	if !splitSmall {
		g.release(small)
	}
	if !splitLarge {
		g.release(large)
	}
}

// bestOfLevel returns the best cut of all leaves that may be split.
func (g *grower) bestOfLevel(level int) fixedCut {
	g.beginLevel(level)
	s := g.symmetric
	if len(s.open) == 0 {
		return fixedCut{column: -1}
	}
	g.eachPlace(func(worker, place int) { s.cuts[place] = g.levelCut(worker, place, nil) })
	g.ranking.fill(g.order, g.levelGain)
	if g.share != nil {
		return g.bestTogether()
	}
	for {
		at := g.ranking.first()
		if at < 0 {
			return fixedCut{column: -1}
		}
		if best := g.fixedCutAt(at); best.cut.Counted || g.certain(&best) {
			return best
		}
		s.cuts[at] = g.levelCut(0, at, g.countBins)
		g.ranking.change(g.levelGain(at))
	}
}

// eachPlace calls a task for each place in g.order.
func (g *grower) eachPlace(task func(worker, place int)) {
	if g.share != nil {
		g.pool.Run(len(g.order), task)
		return
	}
	g.eachChunk(func(worker int, chunk []columnGroup) {
		for _, cg := range chunk {
			for i := range cg.columns {
				task(worker, cg.first+i)
			}
		}
		g.watch.workerLap(worker, PhaseSplit)
	})
}

// beginLevel begins the search of the leaves that may be split.
func (g *grower) beginLevel(level int) {
	s := g.symmetric
	s.open = s.open[:0]
	for number := range g.leaves {
		if g.leaves[number].sums != nil {
			s.open = append(s.open, number)
		}
	}
	for len(s.searches) < len(s.open) {
		s.searches = append(s.searches, search{})
	}
	searches, leaves := make([]*search, len(s.open)), make([]*leaf, len(s.open))
	for i, number := range s.open {
		searches[i], leaves[i] = &s.searches[i], &g.leaves[number]
		g.constrainValues(searches[i], leaves[i], level)
	}
	g.countUnpaid(searches, leaves...)
	s.cuts = reuse.Slice(s.cuts, len(g.order))
	certain := 0.0
	if n := g.limits.MinData; n > 1 {
		certain = float64(n) * float64(g.active.largestHessian)
	}
	for worker := range s.sums {
		s.sums[worker].Certain, s.sets[worker].Certain = certain, certain
	}
	s.shared.factor = g.constraints.monotone.factor(level)
	var above *path // all columns that the tree splits on
	for i := range g.nodes {
		above = &path{g.nodes[i].column, above}
	}
	g.constrainColumns(&s.shared, level, above)
}

// counting sets the counts of a leaf's column.
type counting func(c *bincut.Column, rows []int32, column int32)

// levelCut returns the best cut of a column. Unless count is there, its sum is an upper bound.
func (g *grower) levelCut(worker, place int, count counting) (cut bincut.Cut) {
	s, column := g.symmetric, g.order[place]
	switch {
	case s.shared.allowed != nil && !s.shared.allowed[place]:
		return bincut.Cut{Bin: -1}
	case g.isCategorical(column):
		cut = g.levelSet(worker, column, count)
	default:
		cut = g.levelThreshold(worker, column, count)
	}
	cut.Counted = count != nil
	return cut
}

// levelThreshold is levelCut for a column of numbers.
func (g *grower) levelThreshold(worker int, column int32, count counting) bincut.Cut {
	sums, bins := &g.symmetric.sums[worker], g.matrix.Bins(column).NumBins()
	request := g.request(&g.symmetric.shared, column, bins)
	sums.Begin(bins)
	g.eachOpen(column, count, func(s *search, c *bincut.Column) {
		sums.Cost = g.levelCost(s, column)
		if request.Only >= 0 || s.byValues(request.Direction) {
			sums.AddValued(g.valuedIn(worker, s, column), c, request)
		} else {
			sums.Add(&s.leaf.Leaf, c)
		}
	})
	return sums.Best()
}

// levelSet is levelCut for a column of categories.
func (g *grower) levelSet(worker int, column int32, count counting) bincut.Cut {
	sums := g.unite(worker, column)
	sums.Order()
	g.eachOpen(column, count, func(s *search, c *bincut.Column) {
		sums.Cost = g.levelCost(s, column)
		sums.Add(g.categoryLeaf(worker, s), c)
	})
	return sums.Best(g.setDraw(&g.symmetric.shared, column))
}

// unite begins the search of a column of categories by the sums of all open leaves.
func (g *grower) unite(worker int, column int32) *bincut.CategoryLevel {
	sums := &g.symmetric.sets[worker]
	sums.Begin(&g.limits.Limits, &g.limits.categories, g.matrix.Bins(column).NumBins(), &g.orders[worker])
	g.eachOpen(column, nil, func(s *search, c *bincut.Column) { sums.Include(g.categoryLeaf(worker, s), c) })
	return sums
}

// eachOpen calls add for the column of each leaf that may be split, with counts if count is there.
func (g *grower) eachOpen(column int32, count counting, add func(s *search, c *bincut.Column)) {
	for i, number := range g.symmetric.open {
		lf := &g.leaves[number]
		c := g.columnOf(lf, column)
		if count != nil {
			count(&c, lf.rows, column)
		}
		add(&g.symmetric.searches[i], &c)
	}
}

// fixedCutAt returns the split by the cut in a place.
func (g *grower) fixedCutAt(at int) fixedCut {
	column, cut := g.order[at], g.symmetric.cuts[at]
	return fixedCut{column, cut, g.levelSides(column, &cut)}
}

// levelSides returns the sides of a cut of all open leaves; nil if its column is not one of categories.
func (g *grower) levelSides(column int32, cut *bincut.Cut) *sides {
	if !g.isCategorical(column) {
		return nil
	}
	return g.sidesWith(g.matrix.Bins(column).NumBins(), g.unite(0, column).LeftBins(cut))
}

// levelCost returns what a split of a leaf by a column costs, so that the sum of a level less costs is right
// after it is multiplied by the column's factor.
func (g *grower) levelCost(s *search, column int32) float64 {
	c := &g.constraints
	cost := c.costs.ofRows(s, column)
	switch {
	case cost == 0 || c.factors != nil && c.factors[column] == 0:
		return 0
	case c.factors != nil:
		return cost / g.limits.gainUnit / c.factors[column]
	}
	return cost / g.limits.gainUnit
}

// levelGain returns the gain of a cut of all leaves beyond min_gain_to_split, by which it is chosen. All
// leaves of a level pay for a feature together.
func (g *grower) levelGain(place int) float64 {
	s := g.symmetric
	if s.cuts[place].Bin < 0 {
		return 0
	}
	return g.constraints.weighed(&s.shared, g.order[place],
		float64(s.cuts[place].Both*g.limits.gainUnit)-s.minGain)
}

// certain reports whether all leaves that can be split so have min_data_in_leaf rows on both sides, without
// counting.
func (g *grower) certain(chosen *fixedCut) bool {
	s := g.symmetric
	for i, number := range s.open {
		lf := &g.leaves[number]
		best, cut := g.fixedSplit(&s.searches[i], lf, chosen)
		if cut.Bin >= 0 && !g.plentyOnBoth(lf, &best) {
			return false
		}
	}
	return true
}

// splitLevel splits the leaves in which the rules allow a cut. Where what one split changes matters to the
// next one, such as bounds that it narrows, they are split one by one.
func (g *grower) splitLevel(level int, chosen fixedCut) {
	s := g.symmetric
	at := len(s.open)
	if g.constraints.revises() {
		at = 1
	}
	for numbers, searches := s.open, s.searches; len(numbers) > 0; numbers, searches = numbers[at:],
		searches[at:] {
		for _, number := range g.fix(numbers[:at], searches, level, &chosen) {
			g.split(number)
		}
	}
	if g.share != nil {
		g.sumParents()
	}
}

// fix makes a cut the best split of those leaves in which the rules allow it, and returns their
// numbers.
func (g *grower) fix(numbers []int, searches []search, level int, chosen *fixedCut) (allowed []int) {
	for i, number := range numbers {
		g.constrainValues(&searches[i], &g.leaves[number], level)
	}
	const forbidden = -1 // as a column
	splits := g.fromOwner(chosen.column, len(numbers), func(i int) split {
		lf, of := &g.leaves[numbers[i]], &searches[i]
		best, cut := g.fixedSplit(of, lf, chosen)
		if cut.Bin < 0 {
			return split{column: forbidden}
		}
		best.gain = g.gain(of, chosen.column, &cut)
		return g.withSides(of, lf, best, &cut)
	})
	var possible []*leaf
	for i, number := range numbers {
		if splits[i].column != forbidden {
			g.leaves[number].best = splits[i]
			possible = append(possible, &g.leaves[number])
		}
	}
	g.keepEnough(possible)
	for i, number := range numbers {
		if splits[i].column != forbidden && g.leaves[number].best != (split{}) {
			allowed = append(allowed, number)
		}
	}
	return allowed
}

// keepEnough takes away the best splits of leaves that leave less than min_data_in_leaf rows on a side.
func (g *grower) keepEnough(leaves []*leaf) {
	if g.share != nil {
		g.keepEnoughTogether(leaves)
		return
	}
	for _, lf := range leaves {
		if !g.enough(lf, &lf.best) {
			lf.best = split{}
		}
	}
}

// fixedSplit returns the split of a leaf by a cut that was chosen elsewhere, whatever it gains. Bin of the
// cut is -1 if the rules other than min_data_in_leaf do not allow it.
func (g *grower) fixedSplit(s *search, lf *leaf, chosen *fixedCut) (split, bincut.Cut) {
	c := g.columnOf(lf, chosen.column)
	direction := g.constraints.monotone.direction(chosen.column)
	request := bincut.Request{Direction: direction, Only: chosen.cut.Bin, MissingRight: chosen.cut.MissingRight}
	var cut bincut.Cut
	switch {
	case chosen.sides != nil:
		cut = g.categoryLeaf(0, s).After(&c, chosen.sides.right)
	case s.byValues(direction):
		cut = g.valuedIn(0, s, chosen.column).After(&c, request)
	default:
		cut = s.leaf.Leaf.After(&c, request)
	}
	found := g.limits.split(&s.leaf.Leaf, chosen.column, &cut)
	found.sides = chosen.sides
	return found, cut
}

// enough reports whether a split leaves min_data_in_leaf rows of a leaf on both sides.
func (g *grower) enough(lf *leaf, s *split) bool {
	if g.plentyOnBoth(lf, s) {
		return true
	}
	c := g.columnOf(lf, s.column)
	return g.count(&c, lf.rows, s)
}
