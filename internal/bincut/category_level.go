package bincut

import "github.com/lambdamart/lambdamart/internal/binsum"

// CategoryLevel is [Level] for a column of categories: all leaves of a level are split by one set of bins.
// The sets that are tried are those of a leaf that has the rows of all of them, by the rules of
// [CategoryLeaf] for it. A set gains the sum of what it gains in the leaves, of which those add nothing that
// may not be split so: a side of them has less than Limits.MinHessian, or fewer than Limits.MinData rows.
// Rows are those of Column.Counts, and where these are not there, sums are upper bounds, as in [Level].
//
//	Begin, Include each leaf     the sums of all leaves
//	Order                        the sets
//	Add each leaf                what the sets gain in it
//	Best
type CategoryLevel struct {
	Certain float64
	Cost    float64 // what each set of the next leaf loses

	union  Valued
	all    CategoryLeaf // the union
	column Column       // its
	gains  [2][]float64 // by the number of a set as in [Cut], from the beginning and from the end of the order
}

// Begin begins the search of a column of this many bins. Memory is used until the next search begins.
func (l *CategoryLevel) Begin(limits *Limits, rules *Categories, bins int, memory *Order) {
	l.Cost, l.union = 0, Valued{Leaf: Leaf{limits: limits}, Bounds: Unbounded()}
	l.all = CategoryLeaf{Valued: &l.union, Rules: rules, Memory: memory}
	l.column = Column{Sums: append(l.column.Sums[:0], make([]int64, bins)...), Missing: -1}
}

// Include adds a leaf to those that are split.
func (l *CategoryLevel) Include(lf *CategoryLeaf, c *Column) {
	l.union.total += lf.total
	l.all.Rows += lf.Rows
	for b, sum := range c.Sums {
		l.column.Sums[b] += sum
	}
}

// Order finds the sets that are tried.
func (l *CategoryLevel) Order() {
	s, numbers := l.all.search(&l.column), len(l.column.Sums)
	if !s.oneHot() {
		numbers = s.mostOf(s.order())
	}
	for end := range l.gains {
		l.gains[end] = append(l.gains[end][:0], make([]float64, numbers)...)
	}
}

// at returns the gain of a set.
func (l *CategoryLevel) at(number int, fromEnd bool) *float64 {
	if fromEnd {
		return &l.gains[1][number]
	}
	return &l.gains[0][number]
}

// Add adds what the sets gain in a leaf.
func (l *CategoryLevel) Add(lf *CategoryLeaf, c *Column) {
	s := lf.search(&Column{Sums: c.Sums, Missing: -1})
	if s.oneHot() {
		for b := 1; b < len(c.Sums); b++ {
			*l.at(b, false) += l.gain(s, c, c.Sums[b], s.rowsOf(int32(b)), c.count(b))
		}
		return
	}
	for _, fromEnd := range []bool{false, true} {
		left, rows, counted := int64(0), 0.0, 0
		for i := range l.gains[0] {
			bin := binAt(l.all.Memory.bins, i, fromEnd)
			left, rows, counted = left+c.Sums[bin], rows+s.rowsOf(bin), counted+c.count(int(bin))
			*l.at(i, fromEnd) += l.gain(s, c, left, rows, counted)
		}
	}
}

// gain returns what a leaf gains if the packed sum goes left, which has an estimate of rows and, if they are
// counted, this many of them.
func (l *CategoryLevel) gain(s *categorySearch, c *Column, left int64, rows float64, counted int) float64 {
	if !s.allowsHessians(left) || !c.allows(counted, s.limits.MinData) {
		return 0
	}
	gain := s.both(left, rows) - s.lf.floor - l.Cost
	smaller := min(binsum.Unpack(left).Hessian, binsum.Unpack(s.lf.total-left).Hessian)
	if c.Counts == nil && float64(smaller) < l.Certain {
		return max(gain, 0)
	}
	return gain
}

// Best returns the set with the largest sum, with draw and of equal sums as in [CategoryLeaf.Cut]. Its Both
// is the sum; its Bin is -1 if no sum is above 0.
func (l *CategoryLevel) Best(draw float64) Cut {
	s := l.all.search(&l.column)
	s.level = l
	return s.cut(draw)
}

// LeftBins returns the bins that a cut sends left. They are valid until the memory is used again.
func (l *CategoryLevel) LeftBins(cut *Cut) []int32 { return l.all.LeftBins(&l.column, cut) }
