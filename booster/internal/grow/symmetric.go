package grow

import (
	"slices"

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
// is largest: CatBoost's score_function=L2, minus the score before the split. As in CatBoost, the sum
// includes leaves that lose by the split, which λ2 makes possible. It must exceed min_gain_to_split;
// otherwise the tree ends. If the rules do not allow the split in a leaf, because a side would be below
// min_data_in_leaf or min_sum_hessian_in_leaf, or for another reason, the leaf adds nothing to the sum and is
// not split; later levels may split it. (CatBoost has no such rules for symmetric trees: its leaves may be
// empty.) So every path from the root to a leaf has some of the tree's splits, in their order:
//
//	level 1           a
//	                /   \
//	level 2        b     b
//	              / \   / \
//	level 3      c   ·  c   c        ·: too few rows for c
//
// The sets of categories that are tried are those of a single leaf with the rows of all leaves of the level
// (bincut.CategoryLevel). min_data_per_group, max_cat_threshold and cat_smooth apply to that leaf.
//
// The trees are stored like any others. Package tree detects that they have few different splits.
//
// Sums by bin have no counts of rows (count.go), so cuts are ranked by an upper bound of their sum over the
// leaves. If some leaf may have too few rows on a side of the first cut, all rows are counted by the bins of
// its column and the bound is replaced by the true sum, until a cut with a true sum comes first.
type symmetric struct {
	g       *Grower
	levels  int     // largest number of levels of a tree
	minGain float64 // a level must gain more than this

	last     bool                   // the level that is being made is the last one
	open     []int                  // numbers of the leaves that may be split
	searches []search               // of open leaves
	shared   search                 // what the searches of all leaves of a level have in common
	sums     []bincut.Level         // by worker
	sets     []bincut.CategoryLevel // by worker
	cuts     []bincut.Cut           // by place in Grower.placed; Both is the sum over the leaves
	counts   []int64                // of rows of all peers: column by column, leaf by leaf, bin by bin
	countsAt map[int32]int          // where those of a column begin
	parents  []levelParent          // leaves whose children have no sums yet
}

// levelParent is a leaf that was split, with the numbers of its children.
type levelParent struct {
	leaf
	left, right int
}

// newSymmetric returns the order of symmetric trees. The smallest gain is that of a level, and not of a split
// (rulesOf).
func newSymmetric(g *Grower) *symmetric {
	workers := g.pool.Workers()
	return &symmetric{g: g, levels: g.Settings.Levels(), minGain: g.Settings.MinGain,
		sums: make([]bincut.Level, workers), sets: make([]bincut.CategoryLevel, workers),
		countsAt: map[int32]int{}}
}

// grow grows a symmetric tree from the root.
func (s *symmetric) grow() {
	g := s.g
	if root := &g.leaves[0]; g.splittable(root) {
		g.sums.sum([]family{{left: root}})
	}
	for level := range s.levels {
		s.last = level == s.levels-1
		best := s.bestOfLevel(level)
		g.Watch.Lap(g.Watch.Split)
		if best.gain <= 0 {
			return
		}
		s.splitLevel(level, best)
	}
}

// divided records that the children of a leaf need sums, which sumParents finds after the level is split.
// Leaves of a level are not searched one by one.
func (s *symmetric) divided(f family, _ []*leaf) {
	if s.last {
		return
	}
	at := &s.g.Nodes[f.left.node]
	s.parents = append(s.parents, levelParent{*f.parent, int(^at.Left), int(^at.Right)})
	f.parent.sums = nil
}

// sumParents finds the sums of the children of the leaves of a level that were split.
func (s *symmetric) sumParents() {
	families := make([]family, len(s.parents))
	for i := range s.parents {
		p := &s.parents[i]
		families[i] = family{&p.leaf, &s.g.leaves[p.left], &s.g.leaves[p.right]}
	}
	s.g.sums.sum(families)
	s.parents = s.parents[:0]
}

// bestOfLevel returns the best split of the level: column, bin or sides, and gain; the zero split if none
// gains. If min_data_in_leaf may forbid the best one in a leaf, all peers count rows by the bins of its
// column, which gives its true gain.
func (s *symmetric) bestOfLevel(level int) split {
	g := s.g
	s.beginLevel(level)
	if len(s.open) == 0 {
		return split{}
	}
	g.eachColumn(func(worker, place int) { s.cuts[place] = s.levelCut(worker, place, nil) })
	g.ranking.fill(g.places, g.placed, s.levelGain)
	for {
		best, at := s.first()
		if best.gain <= 0 || best.counted {
			return best
		}
		counts := s.countsOf(best.Column)
		s.cuts[at] = s.levelCut(0, at, func(c *bincut.Column, _ []int32, _ int32) {
			g.setCounts(c, counts[:len(c.Sums)])
			counts = counts[len(c.Sums):]
		})
		g.ranking.change(s.levelGain(at))
	}
}

// first returns the best split so far and its place. It is marked as counted if the rules certainly allow it
// in all leaves that it may split.
func (s *symmetric) first() (best split, at int) {
	if at = s.g.ranking.first(); at < 0 {
		return split{}, at
	}
	column, cut, gain := s.g.placed[at], &s.cuts[at], s.levelGain(at)
	if gain <= 0 { // no cut gains, and a column of categories may not even have a set
		return split{}, at
	}
	best = split{Column: column, bin: uint16(cut.Bin), missingRight: cut.MissingRight, gain: gain,
		sides: s.levelSides(column, cut)}
	best.counted = cut.Counted || s.certain(&best)
	return best, at
}

// beginLevel begins the search of the leaves that may be split.
func (s *symmetric) beginLevel(level int) {
	g := s.g
	s.open, s.counts = s.open[:0], s.counts[:0]
	clear(s.countsAt)
	for number := range g.leaves {
		if g.leaves[number].sums != nil {
			s.open = append(s.open, number)
		}
	}
	for len(s.searches) < len(s.open) {
		s.searches = append(s.searches, search{})
	}
	leaves := make([]*leaf, len(s.open))
	for i, number := range s.open {
		leaves[i] = &g.leaves[number]
		g.constrainValues(&s.searches[i], leaves[i], level)
	}
	s.cuts = reuse.Slice(s.cuts, len(g.placed))
	certain := 0.0
	if n := g.limits.MinData; n > 1 {
		certain = float64(n) * float64(g.limits.largestHessian)
	}
	for worker := range s.sums {
		s.sums[worker].Certain, s.sets[worker].Certain = certain, certain
	}
	s.shared.depth = level
	var above *path // all columns that the tree splits on
	for i := range g.Nodes {
		above = &path{g.Nodes[i].Column, above}
	}
	g.constrainColumns(&s.shared, level, above)
}

// counting sets the counts of a leaf's column.
type counting func(c *bincut.Column, rows []int32, column int32)

// levelCut returns the best cut of a column. If count is nil, its sum is an upper bound.
func (s *symmetric) levelCut(worker, place int, count counting) (cut bincut.Cut) {
	g := s.g
	column := g.placed[place]
	switch {
	case s.shared.allowed != nil && !s.shared.allowed[place]:
		return bincut.Cut{Bin: -1}
	case g.IsCategorical(column):
		cut = s.levelSet(worker, column, count)
	default:
		cut = s.levelThreshold(worker, column, count)
	}
	cut.Counted = count != nil
	return cut
}

// levelThreshold is like levelCut, for a column of numbers.
func (s *symmetric) levelThreshold(worker int, column int32, count counting) bincut.Cut {
	g := s.g
	sums, bins := &s.sums[worker], g.matrix.Bins(column).NumBins()
	request := g.request(&s.shared, column, bins)
	sums.Begin(bins)
	s.eachOpen(column, count, func(of *search, c *bincut.Column) {
		if request.Only >= 0 || of.byValues(request.Direction) {
			sums.AddValued(&of.leaf, c, request)
		} else {
			sums.Add(&of.leaf.Leaf, c)
		}
	})
	return sums.Best()
}

// levelSet is like levelCut, for a column of categories.
func (s *symmetric) levelSet(worker int, column int32, count counting) bincut.Cut {
	g := s.g
	sums := s.unite(worker, column)
	sums.Order()
	s.eachOpen(column, count, func(of *search, c *bincut.Column) {
		sums.Add(g.categoryLeaf(worker, of, column), c)
	})
	return sums.Best(g.setDraw(&s.shared, column))
}

// unite begins the search of a column of categories by the sums of all open leaves.
func (s *symmetric) unite(worker int, column int32) *bincut.CategoryLevel {
	g := s.g
	sums := &s.sets[worker]
	sums.Begin(&g.limits.Limits, &g.limits.categories, g.matrix.Bins(column).NumBins(), &g.orders[worker])
	s.eachOpen(column, nil, func(of *search, c *bincut.Column) {
		sums.Include(g.categoryLeaf(worker, of, column), c)
	})
	return sums
}

// eachOpen calls add for the column of each leaf that may be split, with counts unless count is nil.
func (s *symmetric) eachOpen(column int32, count counting, add func(s *search, c *bincut.Column)) {
	g := s.g
	for i, number := range s.open {
		lf := &g.leaves[number]
		c := g.columnOf(lf, column)
		if count != nil {
			count(&c, lf.rows, column)
		}
		add(&s.searches[i], &c)
	}
}

// levelSides returns the sides of a cut of all open leaves; nil if its column is not categorical.
func (s *symmetric) levelSides(column int32, cut *bincut.Cut) *sides {
	g := s.g
	if !g.IsCategorical(column) {
		return nil
	}
	return g.limits.sidesWith(g.matrix.Bins(column).NumBins(), s.unite(0, column).LeftBins(cut))
}

// levelGain returns the gain beyond min_gain_to_split of a cut of all leaves, by which it is chosen.
func (s *symmetric) levelGain(place int) float64 {
	g := s.g
	if s.cuts[place].Bin < 0 {
		return 0
	}
	return g.constraints.weighed(s.shared.depth, g.placed[place],
		float64(s.cuts[place].Both*g.limits.gainUnit)-s.minGain)
}

// certain reports whether the split certainly leaves min_data_in_leaf rows on both sides in all leaves that
// it can split, without counting.
func (s *symmetric) certain(chosen *split) bool {
	g := s.g
	for i, number := range s.open {
		lf := &g.leaves[number]
		best, cut := s.fixedSplit(&s.searches[i], lf, chosen)
		if cut.Bin >= 0 && !g.limits.plentyOnBoth(lf.sum, &best) {
			return false
		}
	}
	return true
}

// splitLevel splits the leaves in which the rules allow the chosen split. If a split may change the rules of
// other leaves, such as their bounds, they are split one by one.
func (s *symmetric) splitLevel(level int, chosen split) {
	g := s.g
	atOnce := len(s.open)
	if g.constraints.revises() {
		atOnce = 1
	}
	for first := 0; first < len(s.open); first += atOnce {
		for _, number := range s.fix(first, first+atOnce, level, &chosen) {
			g.split(number, nil)
		}
	}
	s.sumParents()
}

// fix makes the chosen split the best split of those of the open leaves first to end in which the rules allow
// it, and returns their numbers.
func (s *symmetric) fix(first, end, level int, chosen *split) (allowed []int) {
	g := s.g
	for i, number := range s.open[first:end] {
		lf, of := &g.leaves[number], &s.searches[first+i]
		g.constrainValues(of, lf, level)
		best, cut := s.fixedSplit(of, lf, chosen)
		if cut.Bin >= 0 && s.leavesEnough(first+i, &best) {
			best.gain = g.gain(of, chosen.Column, &cut)
			lf.best = g.withSides(of, lf, best, &cut)
			allowed = append(allowed, number)
		}
	}
	return allowed
}

// leavesEnough reports whether a split of an open leaf leaves min_data_in_leaf rows on both sides.
func (s *symmetric) leavesEnough(open int, best *split) bool {
	g := s.g
	if g.limits.plentyOnBoth(g.leaves[s.open[open]].sum, best) {
		return true
	}
	column := bincut.Column{Missing: g.matrix.MissingBins[best.Column]}
	bins := g.matrix.Bins(best.Column).NumBins()
	g.setCounts(&column, s.countsOf(best.Column)[open*bins:][:bins])
	return g.limits.allows(best, &column)
}

// countsOf returns the numbers of rows of all peers by the bins of a column, one open leaf after the other.
func (s *symmetric) countsOf(column int32) []int64 {
	if _, counted := s.countsAt[column]; !counted {
		s.count(column)
	}
	return s.counts[s.countsAt[column]:][:len(s.open)*s.g.matrix.Bins(column).NumBins()]
}

// count counts rows by the bins of a column and, if peers must wait for each other, of those that will
// probably be counted next: each time of more columns, since there may be thousands.
func (s *symmetric) count(column int32) {
	g := s.g
	begin, columns := len(s.counts), []int32{column}
	if g.part.Group().Size() > 1 {
		columns = s.uncounted(columns, max(mostCountedFirst, len(s.countsAt)))
	}
	for _, c := range columns {
		s.countsAt[c] = len(s.counts)
		for _, number := range s.open {
			s.counts = g.appendCounts(s.counts, g.leaves[number].rows, c)
		}
	}
	g.part.Group().Sum(s.counts[begin:])
}

// uncounted appends the columns of the best cuts in which rows are not counted, until there are most columns.
func (s *symmetric) uncounted(columns []int32, most int) []int32 {
	g := s.g
	rest := ranking{g.ranking.gains, g.ranking.order, slices.Clone(g.ranking.places)}
	for at := rest.first(); at >= 0 && len(columns) < most; at = rest.first() {
		rest.change(0)
		c := g.placed[at]
		if _, counted := s.countsAt[c]; !counted && !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	return columns
}

// fixedSplit returns the split of a leaf by a given cut, even if it does not gain. Bin of the returned cut is
// -1 if a rule other than min_data_in_leaf does not allow it.
func (o *symmetric) fixedSplit(s *search, lf *leaf, chosen *split) (split, bincut.Cut) {
	g := o.g
	c := g.columnOf(lf, chosen.Column)
	direction := g.constraints.monotone.direction(chosen.Column)
	request := bincut.Request{Direction: direction, Only: int32(chosen.bin), MissingRight: chosen.missingRight}
	var cut bincut.Cut
	switch {
	case chosen.sides != nil:
		cut = g.categoryLeaf(0, s, chosen.Column).After(&c, chosen.sides.right)
	case s.byValues(direction):
		cut = s.leaf.After(&c, request)
	default:
		cut = s.leaf.Leaf.After(&c, request)
	}
	found := g.limits.split(&s.leaf.Leaf, chosen.Column, &cut)
	found.sides = chosen.sides
	return found, cut
}
