package grow

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

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
	return g.constraints.weighed(s.depth, column, g.limits.gain(&s.leaf.Leaf, c))
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

// choose returns the best split, among the cuts that were found, that leaves minData rows on both sides. It
// replaces cuts that leave too few rows, and replaces bounds by cuts. It returns the zero split if the leaf
// would be closed. enough counts the rows of a split's column, and reports whether both sides have minData
// rows.
func (g *Grower) choose(s *search, lf *leaf, enough func(c *bincut.Column, best *split) bool) split {
	ranked := false
	for at := g.bestCut(s); at >= 0; at = g.ranking.first() {
		best, c := &s.tried, &s.column
		if *best = g.splitAt(s, lf, at); best.gain < s.least {
			break
		}
		*c = g.columnOf(lf, best.Column)
		if !s.cuts[at].Bound && (best.counted || g.limits.plentyOnBoth(lf.sum, best) || enough(c, best)) {
			return g.withSides(s, lf, *best, &s.cuts[at])
		}
		s.cuts[at] = g.cut(0, s, c, best.Column)
		if ranked {
			g.ranking.change(g.gain(s, best.Column, &s.cuts[at]))
		} else {
			g.ranking.fill(s.places, g.placed, func(place int) float64 {
				return g.gain(s, g.placed[place], &s.cuts[place])
			})
			ranked = true
		}
	}
	return split{}
}

// splitAt returns the split of a leaf by the cut in a place, without the values of its sides.
func (g *Grower) splitAt(s *search, lf *leaf, at int) split {
	cut := &s.cuts[at]
	found := g.limits.split(&s.leaf.Leaf, g.placed[at], cut)
	found.gain = g.gain(s, found.Column, cut)
	if g.IsCategorical(found.Column) {
		c := g.columnOf(lf, found.Column)
		found.sides = g.sidesOf(s, found.Column, cut, &c)
	}
	return found
}

// bestCut returns the place of the cut that gains most, or -1 if no cut gains. If gains are equal, it returns
// the one of the smaller column.
func (g *Grower) bestCut(s *search) int {
	at, best := -1, 0.0
	for _, place := range s.places {
		i := int(place)
		if s.cuts[i].Bin < 0 {
			continue
		}
		gain := g.gain(s, g.placed[i], &s.cuts[i])
		if gain > best || gain == best && at >= 0 && g.placed[i] < g.placed[at] {
			at, best = i, gain
		}
	}
	return at
}

// categoryLeaf returns a leaf that is being searched for cuts of a categorical column.
func (g *Grower) categoryLeaf(worker int, s *search, column int32) *bincut.CategoryLeaf {
	return &bincut.CategoryLeaf{Valued: &s.leaf, Rules: &g.limits.categories, Memory: &g.orders[worker],
		Ends: &s.ends[column]}
}

// forgetEnds prepares the search of another leaf, given the number of columns, or 0 if none is categorical.
func (s *search) forgetEnds(columns int) {
	if s.ends == nil {
		s.ends = make([]bincut.Ends, columns)
	}
	for i := range s.ends {
		s.ends[i].Forget()
	}
}

// sidesOf returns the sides of a cut of a categorical column.
func (g *Grower) sidesOf(s *search, column int32, cut *bincut.Cut, c *bincut.Column) *sides {
	return g.limits.sidesWith(len(c.Sums), g.categoryLeaf(0, s, column).LeftBins(c, cut))
}

// setDraw returns the random number that selects the only set of a column to try (extra_trees), or AnySet.
func (g *Grower) setDraw(s *search, column int32) float64 {
	if !g.constraints.random {
		return bincut.AnySet
	}
	return s.threshold.Float64(int(g.matrix.Columns[column]))
}
