package booster

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/keyed"
)

// steering is what the search for splits obeys beside sums and limits. A grower has none if all its
// parts are switched off, and then searches by kernels alone (internal/bincut).
//
//	a leaf is to be split      steer: which columns it may be split on, and what bounds its values
//	a column is searched       steeredCut: by the kernels, or by the values that the sides would take
//	the best cut is chosen     gain: factors on the gain
//	the leaf is split          steerChildren: what its children get
//
// All of it is in the units of an iteration, in which values of leaves are multiples of u/u'.
type steering struct {
	values  bincut.Values // in real units
	factors []float64     // on gains, by column; nil: none
	byNode  float64       // share of the columns that a leaf may be split on
	random  bool          // one random threshold of each column

	monotone     *monotone // nil: none
	interactions [][]bool  // sets of columns that may meet on a path; nil: all may
	parents      []int32   // of the nodes of the growing tree
	costs        *costs    // of features; nil: none
	forced       *forced   // first splits of every tree; nil: none
	forcedPrint  string    // of the file that they are from

	nodeSeed, thresholdSeed uint64
	nodeKey, thresholdKey   keyed.Key     // of a draw
	inUnits                 bincut.Values // values in the units of a tree
}

// standing is what a leaf of a growing tree has for steering.
type standing struct {
	value float64   // of the leaf, in units
	place keyed.Key // of the path from the root to the leaf
	above *path     // nil at the root

	bounds   bincut.Bounds // of its children; those of the advanced method are found when it is searched
	outdated bool          // the bounds have changed since its best split was found
}

// path is the latest split on the way from the root to a leaf, and those before it.
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

// newSteering returns what p asks for with this training data, nil if it asks for nothing.
func newSteering(p *Params, train Data) (*steering, error) {
	data, columns := train.Meta, train.Values.Columns
	s := &steering{
		values: bincut.Values{MaxStep: p.MaxDeltaStep, Smooth: p.PathSmooth},
		byNode: p.FeatureFractionByNode, random: p.ExtraTrees,
		nodeSeed: p.FeatureFractionSeed.or(p.Seed), thresholdSeed: p.ExtraSeed.or(p.Seed),
	}
	contri, err := byfeature.Of("feature_contri", p.FeatureContri, contriRange, 1, data.Features)
	if err != nil {
		return nil, err
	}
	s.factors = byColumn(contri, columns)
	if s.monotone, err = newMonotone(p, train); err != nil {
		return nil, err
	}
	if s.interactions, err = newInteractions(p.InteractionConstraints, data, train.Values); err != nil {
		return nil, err
	}
	if s.costs, err = newCosts(p, train); err != nil {
		return nil, err
	}
	if s.forced, s.forcedPrint, err = readForced(p.ForcedSplitsFilename, p, train); err != nil {
		return nil, err
	}
	if !s.values.Any() && s.factors == nil && s.byNode >= 1 && !s.random && s.monotone == nil && s.interactions == nil && s.forced == nil && s.costs == nil {
		return nil, nil
	}
	return s, nil
}

// byColumn returns the numbers of the features that columns have; nil for nil.
func byColumn(byFeature []float64, columns []int32) []float64 {
	if byFeature == nil {
		return nil
	}
	numbers := make([]float64, len(columns))
	for c, f := range columns {
		numbers[c] = byFeature[f]
	}
	return numbers
}

// draws reports whether another draw may give another tree.
func (s *steering) draws() bool { return s != nil && (s.random || s.byNode < 1) }

// keepsSums reports whether a leaf that no split gains in may be searched again.
func (s *steering) keepsSums() bool {
	return s != nil && (s.costs != nil && s.costs.coupled != nil || s.monotone.advanced())
}

// revises reports whether the best split of a leaf may change while others are split.
func (s *steering) revises() bool {
	return s.keepsSums() || s != nil && s.monotone.compares()
}

// needsRows reports whether gains depend on the number of rows of a leaf.
func (s *steering) needsRows() bool {
	return s.values.Smooth > 0 || s.costs != nil && s.costs.split > 0
}

// plantSteering begins the tree of a draw.
func (g *grower) plantSteering(draw int) {
	if s := g.steering; s != nil {
		s.nodeKey = keyed.New(s.nodeSeed, keyed.LeafFeature, draw)
		s.thresholdKey = keyed.New(s.thresholdSeed, keyed.Threshold, draw)
		if s.costs != nil {
			copy(s.costs.usedNow, s.costs.used)
		}
	}
}

// steerRoot gives the root what steering needs of it.
func (g *grower) steerRoot(root *leaf) {
	s := g.steering
	if s == nil {
		return
	}
	s.inUnits = s.values
	if s.values.MaxStep > 0 {
		s.inUnits.MaxStep = s.values.MaxStep / g.limits.valueUnit
	}
	root.standing = standing{value: g.limits.Best(&s.inUnits, root.sum), bounds: bincut.Unbounded()}
}

// steerChildren gives the children of a leaf what steering needs of them.
func (g *grower) steerChildren(parent, left, right *leaf) {
	if g.steering == nil {
		return
	}
	st := g.steering
	st.parents = append(st.parents[:len(g.nodes)-1], parent.node)
	g.steerAhead(parent, left, right)
	if st.monotone.compares() {
		g.narrowOthers(left, right)
	}
	g.pay(parent.best.column)
}

// steerAhead is the part of steerChildren that depends on the path from the root alone. It is all that
// children get that ranks search before it is known that their parent is split: with anything else, they
// search on demand (revises).
func (g *grower) steerAhead(parent, left, right *leaf) {
	if g.steering == nil {
		return
	}
	above := &path{parent.best.column, parent.above}
	left.standing = standing{value: parent.best.values[0], place: parent.place.Key(0), bounds: parent.bounds, above: above}
	right.standing = standing{value: parent.best.values[1], place: parent.place.Key(1), bounds: parent.bounds, above: above}
	if m := g.steering.monotone; m != nil {
		left.bounds, right.bounds = m.divide(parent.bounds, m.direction(parent.best.column), left.value, right.value)
	}
}

// steer begins the search of a leaf.
func (g *grower) steer(s *search, lf *leaf) {
	g.steerValues(s, lf, lf.depth)
	g.steerChoice(s, int(lf.place), lf.above.columns())
}

// steerValues begins the search of a leaf as far as gains are concerned. depth is that of the split.
func (g *grower) steerValues(s *search, lf *leaf, depth int) {
	st := g.steering
	s.valued = g.limits.Valued(st.inUnits, lf.sum, lf.value, lf.about)
	s.valued.Bounds = lf.bounds
	if st.monotone.advanced() {
		s.way = step{lf.node, lf.right}
		s.bounding = g.appendBounding(s.bounding[:0], s.way)
		s.valued.Bounds = boundsBy(s.bounding)
	}
	s.leaf, s.factor = s.valued.Leaf, st.monotone.factor(depth)
}

// steerChoice draws the columns and thresholds that a leaf, or a level of a symmetric tree, may be split by.
// key is that of the leaf or level among those of its tree, and above has the columns that were used above
// it.
func (g *grower) steerChoice(s *search, key int, above []int32) {
	s.threshold = g.steering.thresholdKey.Key(key)
	s.allowed = g.allowedColumns(s.allowed, g.steering.nodeKey.Key(key), above)
}

// allowedColumns writes to dst which of the tree's columns, by place in g.order, may be split on below those
// that were used above. The result is nil for all of them.
func (g *grower) allowedColumns(dst []bool, key keyed.Key, above []int32) []bool {
	st := g.steering
	if st.byNode >= 1 && st.interactions == nil {
		return nil
	}
	columns := make([]int32, 0, len(g.columns))
	meets := g.meeting(above)
	for _, column := range g.columns {
		if meets == nil || meets[column] {
			columns = append(columns, column)
		}
	}
	if st.byNode < 1 {
		draw := func(column int32) uint64 { return key.Uint64(int(g.matrix.Columns[column])) }
		slices.SortFunc(columns, func(a, b int32) int { return cmp.Or(cmp.Compare(draw(a), draw(b)), cmp.Compare(a, b)) })
		columns = columns[:min(len(columns), portion(len(g.columns), st.byNode))]
	}
	slices.Sort(columns)
	dst = append(dst[:0], make([]bool, len(g.order))...)
	for place, column := range g.order {
		_, dst[place] = slices.BinarySearch(columns, column)
	}
	return dst
}

// portion returns a share of n things, rounded, and at least one.
func portion(n int, fraction float64) int { return max(1, int(float64(float64(n)*fraction)+0.5)) }

// steeredGroup is searchGroup with steering. Of columns whose gains depend on the values of sides, it finds
// bounds, which takes a fraction of the time: the best cuts of the few columns that matter are found when the
// leaf's is chosen.
func (g *grower) steeredGroup(worker int, s *search, lf *leaf, cg *columnGroup) {
	st := g.steering
	for i, column := range cg.columns {
		place := cg.first + i
		if s.allowed != nil && !s.allowed[place] {
			s.cuts[place] = bincut.Cut{Bin: -1}
			continue
		}
		c := g.columnOf(lf, column)
		if g.share == nil && !st.random && !g.isCategorical(column) && g.needsValues(s, g.request(s, column, len(c.Sums))) {
			s.cuts[place] = s.valued.Bound(&c)
			continue
		}
		s.cuts[place] = g.steeredCut(worker, s, &c, column)
	}
}

// cut returns the best cut of a leaf in a column.
func (g *grower) cut(worker int, s *search, c *bincut.Column, column int32) bincut.Cut {
	switch {
	case g.steering != nil:
		return g.steeredCut(worker, s, c, column)
	case g.isCategorical(column):
		return g.categoryLeaf(worker, s).Cut(c, bincut.AnySet)
	}
	return s.leaf.Cut(c)
}

func (g *grower) steeredCut(worker int, s *search, c *bincut.Column, column int32) bincut.Cut {
	if g.isCategorical(column) {
		return g.categoryLeaf(worker, s).Cut(c, g.setDraw(s, column))
	}
	request := g.request(s, column, len(c.Sums))
	if !g.needsValues(s, request) {
		return s.leaf.Cut(c)
	}
	return g.valuedIn(worker, s, column).Cut(c, request)
}

// request returns which cuts of a column of this many bins are allowed.
func (g *grower) request(s *search, column int32, bins int) bincut.Request {
	request := bincut.AnyCut
	request.Direction = g.steering.monotone.direction(column)
	if g.steering.random {
		draw := s.threshold.Float64(int(g.matrix.Columns[column]))
		request.Only = int32(float64(draw * float64(bins-1)))
	}
	return request
}

// needsValues reports whether gains depend on the values that sides take, or not all cuts are allowed.
func (g *grower) needsValues(s *search, q bincut.Request) bool {
	return q != bincut.AnyCut || s.valued.Bounded() || g.steering.values.Any()
}

// gain returns the gain of a cut, by which splits are chosen.
func (g *grower) gain(s *search, column int32, c *bincut.Cut) float64 {
	gain := g.limits.gain(&s.leaf, c)
	return g.weighed(s, column, gain)
}

// weighed returns a gain by a column after factors and costs.
func (g *grower) weighed(s *search, column int32, gain float64) float64 {
	st := g.steering
	if st == nil {
		return gain
	}
	if st.factors != nil {
		gain = float64(gain * st.factors[column])
	}
	if st.costs != nil {
		gain -= st.costs.of(s, column)
	}
	if st.monotone.direction(column) != 0 {
		gain = float64(gain * s.factor)
	}
	return gain
}

// withSides returns a split of a leaf by a cut, with the values of its sides.
func (g *grower) withSides(s *search, lf *leaf, best split, c *bincut.Cut) split {
	if g.steering != nil {
		column := g.columnOf(lf, best.column)
		if best.sides != nil {
			best.values[0], best.values[1] = g.categoryLeaf(0, s).Sides(&column, best.sides.right)
		} else {
			best.values[0], best.values[1] = g.valuedIn(0, s, best.column).Sides(&column, c)
		}
	}
	return best
}

// fittedValues returns the values of the leaves and the internal nodes of the grown tree before
// shrinkage, from their sums over all rows.
func (g *grower) fittedValues(totals *leafTotals, nodeSums []binsum.Sum, nodeRows []int64) (leaves, nodes []float64) {
	leaves, nodes = make([]float64, len(totals.sums)), make([]float64, len(nodeSums))
	own := func(parent int32, sum binsum.Sum) float64 {
		gradient, hessian := totals.float(sum)
		return g.rules.outputWith(g.l2Below(parent), gradient, hessian)
	}
	for leaf, sum := range totals.sums {
		leaves[leaf] = own(g.leaves[leaf].node, sum)
	}
	parents := g.parents()
	for i, sum := range nodeSums {
		nodes[i] = own(parents[i], sum)
	}
	if g.steering == nil || g.steering.values.Smooth == 0 && g.steering.monotone == nil {
		return leaves, nodes
	}
	value := func(ref int32, parent float64) float64 {
		if ref < 0 {
			return g.smoothed(leaves[^ref], parent, totals.rows[^ref])
		}
		return g.smoothed(nodes[ref], parent, nodeRows[ref])
	}
	if m := g.steering.monotone; m != nil {
		m.fit(g, parents, leaves, nodes, value)
		return leaves, nodes
	}
	for i := range g.nodes { // a node comes before its children
		for _, child := range []int32{g.nodes[i].left, g.nodes[i].right} {
			if child >= 0 {
				nodes[child] = value(child, nodes[i])
			} else {
				leaves[^child] = value(child, nodes[i])
			}
		}
	}
	return leaves, nodes
}

// smoothed returns the mean of the own value of an internal node or leaf and that of its parent.
func (g *grower) smoothed(own, parent float64, rows int64) float64 {
	return g.steering.values.Towards(own, parent, float64(rows))
}
