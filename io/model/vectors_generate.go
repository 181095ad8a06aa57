package model

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// rowOptions determine how vectors are generated.
type rowOptions struct {
	scoring
	Rows    int
	Seed    uint64
	Missing bool // some values are missing

	// Exclude reports whether a feature must not have a value. nil excludes nothing.
	Exclude func(feature int, value float64) bool
}

// generate generates vectors that exercise the splits of e, with the names and scores of e. Each row is aimed
// at one node. The features on the path to the node have values on a threshold, just above one or between
// two, or are missing; the feature of the node itself is on its threshold or just above it. The other
// features have such values for any of their splits, or 0. The rows depend only on e and the options. For a
// model with query context, they form queries of 1 to 12 documents.
func generate(e *tree.Ensemble, o rowOptions) *Vectors {
	g := newGenerator(e, o)
	s := &Vectors{Arithmetic: o.arithmetic}
	raw, _ := widened.FeaturesOf(e).Raw()
	for _, f := range e.Features[:raw] {
		s.Features = append(s.Features, f.Name)
	}
	var values [][]float64
	for i := range o.Rows {
		values = append(values, g.row(i)[:raw])
	}
	rows := values
	if e.Context != nil {
		s.Queries = querySizes(o.Rows)
		rows = widen(values, s.Queries, e)
	}
	for i, row := range rows {
		s.Rows = append(s.Rows, Vector{values[i], scoreIn(o.arithmetic, e, row), scoreIn(inFloat64, e, row)})
		if !o.inOrder {
			s.Tolerance = max(s.Tolerance, orderBound(e, o.arithmetic, row))
		}
	}
	return s
}

// orderBound returns a bound of the change in a score that the order of addition can cause. n numbers and n-1
// sums are rounded, each by at most half a unit in the last place of the sum of magnitudes (Higham, Accuracy
// and Stability of Numerical Algorithms, section 4.2). The bound is doubled, because both sides may add in
// another order.
func orderBound(e *tree.Ensemble, arithmetic string, row []float64) float64 {
	magnitudes := 0.0
	for i := range e.Trees {
		magnitudes += math.Abs(e.Trees[i].Score(row))
	}
	bound := float64(len(e.Trees)) * magnitudes
	if arithmetic == inFloat32 {
		return bound * 0x1p-23
	}
	bound = float64(bound * 0x1p-52)
	if arithmetic == float64ToFloat32 {
		bound += float64(magnitudes * 0x1p-23)
	}
	return bound
}

type generator struct {
	rowOptions
	e     *tree.Ensemble
	cuts  [][]float64 // distinct thresholds of each feature, ascending
	nodes int         // number of nodes of all trees

	key  random.Key // of the current row
	next int        // number of draws for the current row
}

func newGenerator(e *tree.Ensemble, o rowOptions) *generator {
	g := &generator{rowOptions: o, e: e, cuts: make([][]float64, len(e.Features))}
	for i := range e.Trees {
		t := &e.Trees[i]
		g.nodes += t.NumNodes()
		for node, f := range t.Feature {
			if t.Decision[node]&tree.Categorical == 0 && !math.IsInf(t.Threshold[node], 0) {
				g.cuts[f] = append(g.cuts[f], t.Threshold[node])
			}
		}
	}
	for f := range g.cuts {
		slices.Sort(g.cuts[f])
		g.cuts[f] = slices.Compact(g.cuts[f])
	}
	return g
}

// draw returns a number from 0 to n-1.
func (g *generator) draw(n int) int {
	g.next++
	return int(g.key.Float64(g.next) * float64(n))
}

func (g *generator) row(number int) []float64 {
	g.key, g.next = random.New(g.Seed, random.TestVector, number), 0
	row := make([]float64, len(g.e.Features))
	for _, f := range g.e.UsedFeatures() {
		row[f] = g.anyValue(f)
	}
	if g.nodes > 0 {
		g.steer(row, g.target(number))
	}
	for f, x := range row {
		if g.Exclude != nil && g.Exclude(f, x) {
			row[f] = 0
		}
	}
	return row
}

// target returns the node that a row should reach, counted through all trees. If there are fewer rows than
// nodes, the targets are spread evenly; otherwise they cycle through all nodes.
func (g *generator) target(number int) int {
	if g.Rows < g.nodes {
		return int(float64(number) * float64(g.nodes) / float64(g.Rows))
	}
	return number % g.nodes
}

// anyValue returns a value of a feature that does not depend on the other features.
func (g *generator) anyValue(f int) float64 {
	cuts := g.cuts[f]
	switch {
	case g.Missing && g.draw(8) == 0:
		return math.NaN()
	case len(cuts) == 0: // only in categorical splits or linear leaves
		return float64(g.draw(64))
	case g.draw(6) == 0:
		return 0
	}
	i := g.draw(len(cuts))
	low := math.Inf(-1)
	if i > 0 {
		low = cuts[i-1]
	}
	return g.between(low, cuts[i])
}

// between returns a value x of the engine's type with low < x <= high: the lowest, the highest or
// one in the middle. If there is none, it returns a neighboring value.
func (g *generator) between(low, high float64) float64 {
	lowest, highest := g.above(low), g.atMost(high)
	if math.IsInf(low, -1) {
		lowest = g.atMost(highest - float64(math.Abs(highest)/2) - 1)
	}
	if math.IsInf(high, 1) {
		highest = g.atMost(lowest + float64(math.Abs(lowest)/2) + 1)
	}
	switch g.draw(3) {
	case 0:
		return lowest
	case 1:
		return highest
	}
	middle := g.atMost(float64(lowest/2) + float64(highest/2))
	if middle <= low || middle > high {
		return highest
	}
	return middle
}

// largest is the largest magnitude of values. Near the ends of the ranges of float32 and float64, some
// engines have no threshold that separates values.
const largest = 0x1p126

// atMost returns the largest value of the engine's type that is at most x, limited to the largest magnitude.
func (g *generator) atMost(x float64) float64 {
	if g.float32 {
		x = float64(engine.AtMost(x))
	}
	return max(-largest, min(largest, x))
}

// above returns the smallest value of the engine's type above x, limited to the largest magnitude.
func (g *generator) above(x float64) float64 {
	if g.float32 {
		c, _ := engine.Below(x)
		return g.atMost(float64(c))
	}
	return g.atMost(math.Nextafter(x, math.Inf(1)))
}

// steer sets the values that lead to a node, counted through all trees. Categorical splits on the
// path are ignored.
func (g *generator) steer(row []float64, target int) {
	t := &g.e.Trees[0]
	for i := 1; target >= t.NumNodes(); i++ {
		target -= t.NumNodes()
		t = &g.e.Trees[i]
	}
	limits := map[int32]*limit{}
	var order []int32 // the features in order of occurrence, because the draws must not depend on the map
	for _, step := range append(path(t, int32(target)), step{int32(target), g.draw(2) == 0}) {
		f, d, cut := t.Feature[step.node], t.Decision[step.node], t.Threshold[step.node]
		if d&tree.Categorical != 0 {
			continue
		}
		l := limits[f]
		if l == nil {
			l = &limit{low: math.Inf(-1), high: math.Inf(1), missing: true}
			limits[f] = l
			order = append(order, f)
		}
		l.pass(step.left, cut, engine.NaNLeft(d, cut))
	}
	for _, f := range order {
		l := limits[f]
		if g.Missing && l.missing && g.draw(5) == 0 {
			row[f] = math.NaN()
		} else {
			row[f] = g.between(l.low, l.high)
		}
	}
	f, cut := t.Feature[target], t.Threshold[target]
	if limits[f] != nil && !math.IsNaN(row[f]) && !math.IsInf(cut, 0) && g.draw(2) == 0 {
		row[f] = g.edge(limits[f], cut)
	}
}

// edge returns the value next to a threshold on the side that the limit allows.
func (g *generator) edge(l *limit, cut float64) float64 {
	if l.high <= cut {
		return g.atMost(cut)
	}
	return g.above(cut)
}

// limit is the condition of a path on a feature: low < x <= high, or x is missing.
type limit struct {
	low, high float64
	missing   bool // missing values take the path too
}

// pass narrows the limit to the values that go left, or right, at a split.
func (l *limit) pass(left bool, cut float64, nanLeft bool) {
	if left {
		l.high = min(l.high, cut)
	} else {
		l.low = max(l.low, cut)
	}
	l.missing = l.missing && nanLeft == left
}

// step is one decision on a path.
type step struct {
	node int32
	left bool
}

// path returns the decisions from the root to a node.
func path(t *tree.Tree, node int32) []step {
	var steps []step
	for parent := parents(t); node != 0; node = parent[node] {
		steps = append(steps, step{parent[node], t.Left[parent[node]] == node})
	}
	slices.Reverse(steps)
	return steps
}

// parents returns the parent of each node and leaf but the root.
func parents(t *tree.Tree) map[int32]int32 {
	parent := make(map[int32]int32, 2*t.NumNodes())
	for node := range t.Left {
		parent[t.Left[node]], parent[t.Right[node]] = int32(node), int32(node)
	}
	return parent
}

// coverage returns how many of the sides of all splits of e are taken by some row, and the number of sides. e
// must be the model that the vectors were generated for.
func (s *Vectors) coverage(e *tree.Ensemble) (taken, sides int) {
	rows, err := s.rowsFor(e)
	if err != nil {
		return 0, 0 // another model
	}
	for i := range e.Trees {
		t := &e.Trees[i]
		parent, reached := parents(t), map[int32]bool{}
		for _, row := range rows {
			at := ^int32(t.Leaf(row))
			for up, isBelow := parent[at]; isBelow && !reached[at]; up, isBelow = parent[at] {
				reached[at] = true
				at = up
			}
		}
		taken, sides = taken+len(reached), sides+len(parent)
	}
	return taken, sides
}
