package tree

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// quantizer turns a row of values into a row of small integers that decide every node of a model.
//
// Numeric nodes that agree in feature, missing type and default side share a column. With the
// column's distinct thresholds in ascending order, the rank of a value is the number of thresholds
// below it, and the value goes right at the threshold of index i if rank > i. A missing value has
// the rank that sends it to its default side everywhere: 0 for left, the number of thresholds for
// right. A categorical set is a column of its own, with rank 0 for its members and 1 for all
// others. A node is thus a column and an index, and the ranks of a row contain everything that
// scoring needs of the row.
type quantizer struct {
	columns    []column
	conditions int               // number of thresholds and sets in all columns
	columnOf   map[columnKey]int // index of each column; nil after compiling
}

// column is a group of nodes that one rank of a row decides.
type column struct {
	feature        int
	firstCondition int       // number of conditions in the columns before it
	thresholds     []float64 // ascending and distinct, then a +Inf that ends every search; nil for a set
	positive       searchTable
	negative       searchTable
	zeroRank       uint16 // of 0 and -0
	nanRank        uint16
	zeroMissing    bool // values up to ZeroThreshold in magnitude have zeroRank
	compared       compared

	categorical bool
	set         []uint32 // as in Tree.Categories
}

// maxRank is the largest number of thresholds in a column.
const maxRank = math.MaxUint16 - 1

// conditions returns the number of thresholds or sets.
func (c *column) conditions() int {
	if c.categorical {
		return 1
	}
	return len(c.thresholds) - 1
}

// columnKey is what the nodes of a column have in common.
type columnKey struct {
	feature  int32
	decision Decision
	set      string // content of a categorical set
}

// keyOf returns the key of a node's column. If NaN counts as 0, no value goes to the default side, so nodes
// that differ only in that side share a column.
func keyOf(t *Tree, node int) columnKey {
	key := columnKey{feature: t.Feature[node], decision: t.Decision[node]}
	switch {
	case key.decision&Categorical != 0:
		key.decision = Categorical
		set := t.set(int(t.Threshold[node]))
		text, _ := binary.Append(nil, binary.LittleEndian, set) // fails for other types only
		key.set = string(text)
	case key.decision.Missing() == MissingNone:
		key.decision = MissingNone
	}
	return key
}

func (t *Tree) set(split int) []uint32 {
	return t.Categories[t.CategoryStart[split]:t.CategoryStart[split+1]]
}

// newQuantizer collects the columns of all trees, in the order of their features. It returns nil if a column
// has more than maxRank thresholds.
func newQuantizer(trees []Tree) *quantizer {
	thresholds := make(map[columnKey][]float64)
	sets := make(map[columnKey][]uint32)
	for i := range trees {
		t := &trees[i]
		for node := range t.Left {
			key := keyOf(t, node)
			if key.decision == Categorical {
				sets[key] = slices.Clone(t.set(int(t.Threshold[node])))
				thresholds[key] = nil
			} else {
				thresholds[key] = append(thresholds[key], t.Threshold[node])
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(thresholds), func(a, b columnKey) int {
		return cmp.Or(cmp.Compare(a.feature, b.feature), cmp.Compare(a.decision, b.decision),
			cmp.Compare(a.set, b.set))
	})

	q := &quantizer{columns: make([]column, len(keys)), columnOf: make(map[columnKey]int, len(keys))}
	for i, key := range keys {
		c := &q.columns[i]
		if key.decision == Categorical {
			*c = column{categorical: true, set: sets[key]}
		} else {
			sorted := thresholds[key]
			slices.Sort(sorted)
			*c = newColumn(slices.Compact(sorted), key.decision)
		}
		c.feature, c.firstCondition = int(key.feature), q.conditions
		q.conditions += c.conditions()
		if c.conditions() > maxRank {
			return nil
		}
		q.columnOf[key] = i
	}
	return q
}

// conditionOf returns the condition of a node.
func (q *quantizer) conditionOf(t *Tree, node int) condition {
	column := q.columnOf[keyOf(t, node)]
	return condition{column, q.columns[column].index(t.Threshold[node])}
}

// number returns the number of a condition among those of all columns.
func (q *quantizer) number(c condition) int { return q.columns[c.column].firstCondition + c.index }

// newColumn returns the numeric column of ascending distinct thresholds.
func newColumn(thresholds []float64, d Decision) column {
	n := len(thresholds)
	below := func(x float64) int { i, _ := slices.BinarySearch(thresholds, x); return i }
	negatives := below(0)
	positives := below(math.SmallestNonzeroFloat64) // index of the first one
	c := column{
		thresholds: append(slices.Clip(thresholds), math.Inf(1)),
		negative:   newSearchTable(thresholds[:negatives], 0),
		positive:   newSearchTable(thresholds[positives:], positives),
		zeroRank:   uint16(negatives),
	}
	missing := uint16(n)
	if d&DefaultLeft != 0 {
		missing = 0
	}
	switch d.Missing() {
	case MissingNone:
		c.nanRank = c.zeroRank
	case MissingZero:
		c.nanRank, c.zeroRank, c.zeroMissing = missing, missing, true
	case MissingNaN:
		c.nanRank = missing
	}
	c.compared = newCompared(thresholds, d)
	return c
}

// index returns the index of a node's threshold among those of its column.
func (c *column) index(threshold float64) int {
	if c.categorical {
		return 0
	}
	i, _ := slices.BinarySearch(c.thresholds, threshold)
	return i
}

// number is the type of the values of a row.
type number interface{ float32 | float64 }

// ranks writes the rank of the feature's value in each of len(dst) rows. rows is row-major with
// stride values a row.
func ranks[F number](c *column, dst []uint16, rows []F, stride int) {
	if c.categorical {
		for i := range dst {
			dst[i] = 1
			if setHas(c.set, float64(rows[i*stride+c.feature])) {
				dst[i] = 0
			}
		}
		return
	}
	at := c.feature
	for i := range dst {
		x := float64(rows[at])
		at += stride
		var table *searchTable
		var key uint64
		switch {
		case x > 0:
			table, key = &c.positive, math.Float64bits(x)
		case x == 0:
			dst[i] = c.zeroRank
			continue
		case x < 0:
			table, key = &c.negative, ^math.Float64bits(x)
		default:
			dst[i] = c.nanRank
			continue
		}
		if c.zeroMissing && math.Abs(x) <= ZeroThreshold {
			dst[i] = c.zeroRank
			continue
		}
		rank, end := table.bounds(key)
		for end-rank > 8 {
			middle := (rank + end) / 2
			if c.thresholds[middle] < x {
				rank = middle + 1
			} else {
				end = middle
			}
		}
		for c.thresholds[rank] < x {
			rank++
		}
		dst[i] = uint16(rank)
	}
}

// searchTable narrows the search for a value's rank among thresholds of one sign. Their bits, read
// as an integer (inverted for negative thresholds), ascend with the threshold. The table divides
// these integers, from low on, into cells of 2^shift; the first cell includes all that is below it,
// and the last all that is above it.
type searchTable struct {
	low   uint64
	shift uint8
	last  uint64   // index of the last cell
	rank  []uint16 // of the smallest value in each cell; one more at the end
}

// bounds returns the least and the greatest rank of values in the cell of key.
func (s *searchTable) bounds(key uint64) (low, high int) {
	cell := uint64(0)
	if key > s.low {
		cell = min((key-s.low)>>(s.shift&63), s.last)
	}
	return int(s.rank[cell]), int(s.rank[cell+1])
}

const (
	cellsPerThreshold = 8
	// 4 KiB: a table stays in the first-level cache while a block of rows is searched
	maxCells    = 1 << 11
	maxOutliers = 2
)

// newSearchTable returns the table of ascending thresholds of one sign; first is the index of the first one
// in its column. A threshold far from the others, such as LightGBM's 1e-35 for zero, would make the cells too
// coarse. So up to maxOutliers thresholds at each end are left to the first and the last cell, if that
// shortens searches.
func newSearchTable(thresholds []float64, first int) searchTable {
	n := len(thresholds)
	keys := make([]uint64, n)
	for i, t := range thresholds {
		keys[i] = math.Float64bits(t)
		if t < 0 {
			keys[i] = ^keys[i]
		}
	}
	best := searchTable{rank: []uint16{uint16(first), uint16(first + n)}}
	bestCost := n * n
	for from := 0; from <= min(maxOutliers, n-1); from++ {
		for to := n; to >= max(from+1, n-maxOutliers); to-- {
			s := makeCells(keys, first, keys[from], keys[to-1])
			if cost := s.cost(); cost < bestCost {
				best, bestCost = s, cost
			}
		}
	}
	return best
}

// makeCells returns a table whose cells divide [low, high].
func makeCells(keys []uint64, first int, low, high uint64) searchTable {
	cells := uint64(min(maxCells, cellsPerThreshold*len(keys)))
	s := searchTable{low: low}
	for (high-low)>>s.shift >= cells {
		s.shift++
	}
	s.last = (high - low) >> s.shift
	s.rank = make([]uint16, s.last+2)
	i := 0
	for cell := range s.rank {
		for cell > 0 && i < len(keys) && (cell > int(s.last) || keys[i] < low+uint64(cell)<<s.shift) {
			i++
		}
		s.rank[cell] = uint16(first + i)
	}
	return s
}

// cost returns the sum over cells of the square of the number of thresholds. It is proportional to
// the cost of searches if values are distributed as thresholds are.
func (s *searchTable) cost() int {
	cost := 0
	for cell := range s.rank[1:] {
		n := int(s.rank[cell+1] - s.rank[cell])
		cost += n * n
	}
	return cost
}
