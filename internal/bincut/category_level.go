package bincut

import "github.com/lambdamart/lambdamart/internal/binsum"

// CategoryLevel is like [Level], for a categorical column: all leaves of a level are split by one set of
// bins. The sets tried are the sets of a single [CategoryLeaf] with the rows of all leaves. The gain of a set
// is the sum of its gains in the leaves. A leaf adds nothing if one of its sides would have less than
// Limits.MinHessian, or fewer rows in Column.Counts than Limits.MinData. If rows are not counted, sums are
// upper bounds, as in [Level].
//
//	Begin, Include each leaf     the sums of all leaves
//	Order                        the sets
//	Add each leaf                what the sets gain in it
//	Best
type CategoryLevel struct {
	Certain float64

	union  Valued
	ends   Ends         // of the column of all leaves
	all    CategoryLeaf // the leaf with the rows of all leaves
	column Column       // the column of that leaf
	gains  [2][]float64 // by the number of a set as in [Cut], from the beginning and from the end of the order
}

// Begin starts the search of a column of this many bins. memory is used until the next search begins.
func (l *CategoryLevel) Begin(limits *Limits, rules *Categories, bins int, memory *Order) {
	l.union = Valued{Leaf: Leaf{limits: limits}, Bounds: Unbounded()}
	l.ends.Forget()
	l.all = CategoryLeaf{Valued: &l.union, Rules: rules, Memory: memory, Ends: &l.ends}
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
		numbers = s.order().most()
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

// Add adds the gains of the sets in a leaf.
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
			bin := l.ends.at(i, fromEnd)
			left, rows, counted = left+c.Sums[bin], rows+s.rowsOf(bin), counted+c.count(int(bin))
			*l.at(i, fromEnd) += l.gain(s, c, left, rows, counted)
		}
	}
}

// gain returns the gain in a leaf if the packed sum left goes left. rows is an estimate of its rows, and
// counted their number if they are counted.
func (l *CategoryLevel) gain(s *categorySearch, c *Column, left int64, rows float64, counted int) float64 {
	if !s.allowsHessians(left) || !c.allows(counted, s.limits.MinData) {
		return 0
	}
	gain := s.both(left, rows) - s.lf.floor
	smaller := min(binsum.Unpack(left).Hessian, binsum.Unpack(s.lf.total-left).Hessian)
	if c.Counts == nil && float64(smaller) < l.Certain {
		return max(gain, 0)
	}
	return gain
}

// Best returns the set with the largest sum. draw and ties are as in [CategoryLeaf.Cut]. Both of the result
// is the sum; Bin is -1 if no sum is above 0.
func (l *CategoryLevel) Best(draw float64) Cut {
	s := l.all.search(&l.column)
	s.level = l
	return s.cut(draw)
}

// LeftBins returns the bins that a cut sends left. They are valid until the memory is used again.
func (l *CategoryLevel) LeftBins(cut *Cut) []int32 { return l.all.LeftBins(&l.column, cut) }
