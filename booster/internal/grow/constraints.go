package grow

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// constraints are the rules for splits other than limits. The zero value allows everything, and a leaf
// without constraints is searched by the kernels of internal/bincut alone.
//
//	a leaf is to be searched   constrain: which columns it may be split on, and the bounds of its values
//	a column is searched       cut: by the kernels, or by the values that the sides would take
//	the best cut is chosen     gain: factors on the gain
//	the leaf is split          constrainChildren: the state of its children
//
// Everything is in the units of an iteration, in which values of leaves are multiples of u/u'.
type constraints struct {
	values  bincut.Values // in real units
	factors factors       // on gains
	gains   []gainRule    // in the order in which they are applied
	byNode  float64       // share of the columns that a leaf may be split on; 0: all
	random  bool          // one random threshold of each column

	monotone     Monotone
	interactions [][]bool // sets of columns that may meet on a path; nil: all may
	parents      []int32  // of the nodes of the growing tree

	nodeSeed, thresholdSeed uint64
	nodeKey, thresholdKey   random.Key    // of the current draw
	inUnits                 bincut.Values // values in the units of the tree
}

// leafState is what constraints need to know of a leaf of a growing tree.
type leafState struct {
	value float64    // of the leaf, in units
	place random.Key // of the path from the root to the leaf
	above *path      // nil at the root

	bounds   bincut.Bounds // of its children
	outdated bool          // the bounds have changed since its best split was found
}

// path is the last split on the way from the root to a leaf, linked to the splits before it.
type path struct {
	column int32
	up     *path
}

// columns returns the columns of the path, from the leaf up.
func (p *path) columns() (columns []int32) {
	for ; p != nil; p = p.up {
		columns = append(columns, p.column)
	}
	return columns
}

// newConstraints returns the constraints of a tree that grows by s.
func newConstraints(s *Settings) *constraints {
	c := &constraints{
		values: bincut.Values{MaxStep: s.MaxStep, Smooth: s.Smooth}, factors: s.Factors,
		byNode: s.ByNode, random: s.Random, monotone: s.Monotone,
		interactions: s.Interactions, nodeSeed: s.NodeSeed, thresholdSeed: s.ThresholdSeed,
	}
	c.gains = asked(c.factors, &c.monotone)
	return c
}

// A gainRule changes the gains by which splits are chosen. It is for rules that neither forbid splits nor
// bound values.
type gainRule interface {
	// any reports whether the rule changes any gain.
	any() bool
	// changed returns the changed gain of a split of a leaf by a column.
	changed(gain float64, s *search, column int32) float64
}

// asked returns the rules that change any gain.
func asked(all ...gainRule) []gainRule {
	return slices.DeleteFunc(all, func(rule gainRule) bool { return !rule.any() })
}

// factors multiply gains, by column; nil: none.
type factors []float64

func (f factors) any() bool { return f != nil }

func (f factors) changed(gain float64, _ *search, column int32) float64 {
	return float64(gain * f[column])
}

// revises reports whether the best split of a leaf may change while others are split.
func (c *constraints) revises() bool { return c.monotone.compares() }

// needsRows reports whether gains depend on the number of rows of a leaf.
func (c *constraints) needsRows() bool { return c.values.Smooth > 0 }

// begin prepares c for the tree of a draw.
func (c *constraints) begin(draw int) {
	c.nodeKey = random.New(c.nodeSeed, random.LeafFeature, draw)
	c.thresholdKey = random.New(c.thresholdSeed, random.Threshold, draw)
}

// root returns the state of the root, whose rows have the given sum.
func (c *constraints) root(l *limits, sum binsum.Sum) leafState {
	c.inUnits = c.values
	if c.values.MaxStep > 0 {
		c.inUnits.MaxStep = c.values.MaxStep / l.valueUnit
	}
	return leafState{value: l.Best(&c.inUnits, sum), bounds: bincut.Unbounded()}
}

// constrainChildren gives the children of a leaf that is split their states.
func (g *Grower) constrainChildren(parent, left, right *leaf) {
	c := g.constraints
	c.children(parent, left, right)
	if c.revises() {
		g.narrowOthers(left, right)
	}
}

// children is the part of constrainChildren that depends only on the path from the root. Peers use it for
// children that they search before it is certain that the parent is split. If constraints depend on more than
// the path (revises), children are not searched in advance.
func (c *constraints) children(parent, left, right *leaf) {
	column, above := parent.best.Column, &path{parent.best.Column, parent.above}
	left.leafState = leafState{value: parent.best.values[0], place: parent.place.Key(0), above: above}
	right.leafState = leafState{value: parent.best.values[1], place: parent.place.Key(1), above: above}
	m := &c.monotone
	left.bounds, right.bounds = m.divide(parent.bounds, m.direction(column), left.value, right.value)
}

// constrain begins the search of a leaf.
func (g *Grower) constrain(s *search, lf *leaf) {
	g.constrainValues(s, lf, lf.depth)
	g.constrainColumns(s, int(lf.place), lf.above)
}

// constrainValues is the part of constrain that affects gains. depth is the depth of the split.
func (g *Grower) constrainValues(s *search, lf *leaf, depth int) {
	c := g.constraints
	s.leaf = g.limits.Valued(c.inUnits, lf.sum, lf.value, lf.about)
	s.leaf.Bounds = lf.bounds
	s.forgetEnds(len(g.categorical))
	s.depth = depth
}

// constrainColumns draws the columns and thresholds that a leaf, or a level of a symmetric tree, may be split
// by. key identifies the leaf or level within its tree, and above has the columns that were used above it.
func (g *Grower) constrainColumns(s *search, key int, above *path) {
	c := g.constraints
	s.threshold = c.thresholdKey.Key(key)
	s.allowed = g.allowedColumns(s.allowed, c.nodeKey.Key(key), above)
	s.free = s.allowed == nil && !c.random && !c.monotone.any() && !s.byValues(0)
}

// allowedColumns writes to dst which of the tree's columns, by place in g.placed, may be split on after the
// columns of the path above. It returns nil if all of them may.
func (g *Grower) allowedColumns(dst []bool, key random.Key, above *path) []bool {
	st := g.constraints
	if !drawsPart(st.byNode) && st.interactions == nil {
		return nil
	}
	columns := make([]int32, 0, len(g.columns))
	meets := st.meeting(above.columns(), len(g.matrix.Columns))
	for _, column := range g.columns {
		if meets == nil || meets[column] {
			columns = append(columns, column)
		}
	}
	if drawsPart(st.byNode) {
		draw := func(column int32) uint64 { return key.Uint64(int(g.matrix.Columns[column])) }
		slices.SortFunc(columns, func(a, b int32) int {
			return cmp.Or(cmp.Compare(draw(a), draw(b)),
				cmp.Compare(a, b))
		})
		columns = columns[:min(len(columns), Portion(len(g.columns), st.byNode))]
	}
	slices.Sort(columns)
	dst = append(dst[:0], make([]bool, len(g.placed))...)
	for place, column := range g.placed {
		_, dst[place] = slices.BinarySearch(columns, column)
	}
	return dst
}

// searchGroup finds the best cut of a leaf in each column of a group.
func (g *Grower) searchGroup(worker int, s *search, lf *leaf, cg *columnGroup) {
	g.searchColumns(worker, s, lf, cg, len(cg.columns))
}

// searchColumns finds the best cut of a leaf in each of the first columns of a group, which include the plain
// ones.
func (g *Grower) searchColumns(worker int, s *search, lf *leaf, cg *columnGroup, first int) {
	places := s.within(cg)
	places = places[:min(first, len(places))]
	switch {
	case s.free && cg.sparse:
		places = g.searchSparse(worker, s, lf, cg, places)
	case s.free:
		plain, both := len(cg.plain), len(cg.plain)+len(cg.beside)
		cuts := s.cuts[cg.first:][:both]
		s.leaf.Cuts(cuts[:plain], lf.sums, cg.plain)
		s.leaf.CutsBesideMissing(cuts[plain:], lf.sums, cg.beside, cg.missing, &g.gathered[worker].missing)
		places = places[both:]
	}
	for _, place := range places {
		s.cuts[place] = g.firstCut(worker, s, lf, int(place))
	}
}

// within returns the places of a group that are searched.
func (s *search) within(cg *columnGroup) []int32 {
	from, to := cg.first, cg.first+len(cg.columns)
	if !cg.sparse { // these come first, and all of them are searched
		return s.places[from:to]
	}
	first := sort.Search(len(s.places), func(i int) bool { return int(s.places[i]) >= from })
	end := sort.Search(len(s.places), func(i int) bool { return int(s.places[i]) >= to })
	return s.places[first:end]
}

// gathered are columns that are searched together.
type gathered struct {
	spans  []bincut.Span
	cuts   []bincut.Cut
	places []int32 // of them
	others []int32 // places of columns that are searched one by one

	missing bincut.Missing
}

// searchSparse searches the plain columns among those of some places, and returns the places of the others.
func (g *Grower) searchSparse(worker int, s *search, lf *leaf, cg *columnGroup,
	places []int32) (others []int32) {
	m := &g.gathered[worker]
	m.spans, m.places, m.others = m.spans[:0], m.places[:0], m.others[:0]
	for _, place := range places {
		if i := int(place) - cg.first; i < len(cg.plain) {
			m.spans, m.places = append(m.spans, cg.plain[i]), append(m.places, place)
		} else {
			m.others = append(m.others, place)
		}
	}
	m.cuts = reuse.Slice(m.cuts, len(m.spans))
	s.leaf.Cuts(m.cuts, lf.sums, m.spans)
	for i, place := range m.places {
		s.cuts[place] = m.cuts[i]
	}
	return m.others
}

// firstCut returns the best cut of a leaf in the column of a place. If gains depend on the values of the
// sides, it returns an upper bound of the gain instead, which takes a fraction of the time; choose then finds
// the cuts of the few columns that matter.
func (g *Grower) firstCut(worker int, s *search, lf *leaf, place int) bincut.Cut {
	column := g.placed[place]
	if s.allowed != nil && !s.allowed[place] {
		return bincut.Cut{Bin: -1}
	}
	c := g.columnOf(lf, column)
	bounded := !g.constraints.random && !g.IsCategorical(column)
	if bounded && s.byValues(g.constraints.monotone.direction(column)) {
		return s.leaf.Bound(&c)
	}
	return g.cut(worker, s, &c, column)
}

// cut returns the best cut of a leaf in a column.
func (g *Grower) cut(worker int, s *search, c *bincut.Column, column int32) bincut.Cut {
	if g.IsCategorical(column) {
		return g.categoryLeaf(worker, s, column).Cut(c, g.setDraw(s, column))
	}
	request := g.request(s, column, len(c.Sums))
	if request.Only < 0 && !s.byValues(request.Direction) {
		return s.leaf.Leaf.Cut(c)
	}
	return s.leaf.Cut(c, request)
}

// request returns which cuts of a column of this many bins are allowed.
func (g *Grower) request(s *search, column int32, bins int) bincut.Request {
	request := bincut.AnyCut
	request.Direction = g.constraints.monotone.direction(column)
	if g.constraints.random {
		draw := s.threshold.Float64(int(g.matrix.Columns[column]))
		request.Only = int32(float64(draw * float64(bins-1)))
	}
	return request
}

// byValues reports whether gains by a column with this direction depend on the values that the sides take.
func (s *search) byValues(direction int8) bool {
	return direction != 0 || s.leaf.Bounded() || s.leaf.Any()
}

// gain returns the gain of a cut, by which splits are chosen.
func (g *Grower) gain(s *search, column int32, c *bincut.Cut) float64 {
	return g.constraints.weighed(s, column, g.limits.gain(&s.leaf.Leaf, c))
}

// weighed returns a gain by a column after applying the rules that change gains.
func (c *constraints) weighed(s *search, column int32, gain float64) float64 {
	for _, rule := range c.gains {
		gain = rule.changed(gain, s, column)
	}
	return gain
}

// withSides returns a split of a leaf by a cut, with the values of its sides.
func (g *Grower) withSides(s *search, lf *leaf, best split, c *bincut.Cut) split {
	column := g.columnOf(lf, best.Column)
	if best.sides != nil {
		best.values[0], best.values[1] = g.categoryLeaf(0, s, best.Column).Sides(&column, best.sides.right)
	} else {
		best.values[0], best.values[1] = s.leaf.Sides(&column, c)
	}
	return best
}

// fittedValues returns the values of the leaves and the internal nodes of the grown tree before
// shrinkage, from their sums over all rows.
func (g *Grower) fittedValues(totals *Totals, nodeSums []binsum.Sum, nodeRows []int64) (leaves,
	nodes []float64) {
	leaves, nodes = make([]float64, len(totals.Sums)), make([]float64, len(nodeSums))
	own := func(parent int32, sum binsum.Sum) float64 {
		gradient, hessian := totals.Float(sum)
		return g.rules.outputWith(g.l2Below(parent), gradient, hessian)
	}
	for leaf, sum := range totals.Sums {
		leaves[leaf] = own(g.leaves[leaf].node, sum)
	}
	parents := g.parents()
	for i, sum := range nodeSums {
		nodes[i] = own(parents[i], sum)
	}
	c := g.constraints
	if c.values.Smooth == 0 && !c.monotone.any() {
		return leaves, nodes
	}
	value := func(ref int32, parent float64) float64 {
		if ref < 0 {
			return c.values.Toward(leaves[^ref], parent, float64(totals.Rows[^ref]))
		}
		return c.values.Toward(nodes[ref], parent, float64(nodeRows[ref]))
	}
	if m := &c.monotone; m.any() {
		m.fit(g, parents, leaves, nodes, value)
		return leaves, nodes
	}
	for i := range g.Nodes { // a node comes before its children
		for _, child := range []int32{g.Nodes[i].Left, g.Nodes[i].Right} {
			if child >= 0 {
				nodes[child] = value(child, nodes[i])
			} else {
				leaves[^child] = value(child, nodes[i])
			}
		}
	}
	return leaves, nodes
}

// meeting returns, by column, whether it may be split on below the columns of above: these columns, and the
// columns of each set that has all of them. It returns nil if all columns may.
func (c *constraints) meeting(above []int32, columns int) []bool {
	if c.interactions == nil {
		return nil
	}
	marks := make([]bool, columns)
	for _, column := range above {
		marks[column] = true
	}
	for _, set := range c.interactions {
		if hasAll(set, above) {
			for i, in := range set {
				marks[i] = marks[i] || in
			}
		}
	}
	return marks
}

func hasAll(set []bool, columns []int32) bool {
	for _, c := range columns {
		if !set[c] {
			return false
		}
	}
	return true
}

// Values returns the values of the leaves before shrinkage, from sums over rows.
func (g *Grower) Values(totals *Totals) []float64 {
	sums, rows := g.NodeTotals(totals)
	leaves, _ := g.fittedValues(totals, sums, rows)
	return leaves
}
