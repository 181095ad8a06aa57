package bincut

import "github.com/lambdamart/lambdamart/internal/binsum"

// Column holds the sums, and perhaps the counts, of a leaf's rows by the bins of one column.
type Column struct {
	Sums    []int64 // packed, one entry for each bin
	Counts  []int64 // rows in each bin; nil if they were not counted
	Rows    int     // sum of Counts
	Missing int32   // bin of missing values, or -1
}

// isEmpty reports whether a bin has no row with a gradient and, if rows are counted, no row at all.
func (c *Column) isEmpty(bin int32) bool {
	return c.Sums[bin] == 0 && (c.Counts == nil || c.Counts[bin] == 0)
}

// count returns the rows of a bin, 0 if they were not counted.
func (c *Column) count(bin int) int {
	if c.Counts == nil {
		return 0
	}
	return int(c.Counts[bin])
}

// allows reports whether both sides have minData rows if one side has the given number. It returns true if
// rows are not counted.
func (c *Column) allows(rows, minData int) bool {
	return c.Counts == nil || rows >= minData && c.Rows-rows >= minData
}

// Cut is a way to divide the bins of a column into two sides. The assembly
// depends on the order of the fields.
type Cut struct {
	Both         float64 // T(GL)²/(HL+λ2) + T(GR)²/(HR+λ2)
	Right        int64   // packed sum of the rows that go right
	Bin          int32   // last bin that goes left; -1 if no cut gains
	MissingRight bool    // the bin of missing values goes right, regardless of its number
	Counted      bool    // rows were counted: both sides have Limits.MinData of them
	FromEnd      bool    // for categories: the last bins of their order go left (see [CategoryLeaf.LeftBins])
	Bound        bool    // Both is an upper bound, and the other fields have no meaning (see [Valued.Bound])
}

// Span is the range of a column's bins in a histogram, from From to To-1. The assembly depends on the order
// of the fields.
type Span struct{ From, To int32 }

// Cuts writes the best cuts of columns to dst. The columns have no missing values, and rows are not counted.
func (lf *Leaf) Cuts(dst []Cut, sums binsum.Histogram, columns []Span) {
	lf.cuts(best, dst, sums, columns)
}

func (lf *Leaf) cuts(by kernel, dst []Cut, sums binsum.Histogram, columns []Span) {
	if by != inGo {
		by.last(dst, sums, columns, lf)
		return
	}
	for i, s := range columns {
		dst[i] = lf.scan(&Column{Sums: sums[s.From:s.To], Missing: -1}, 0, 0, lastBin)
	}
}

// CutsBesideMissing is like Cuts for columns with bins of missing values, counted from the first bin of each.
// It changes the sums of these bins while it searches.
func (lf *Leaf) CutsBesideMissing(dst []Cut, sums binsum.Histogram, columns []Span, missing []int32,
	m *Missing) {
	lf.cutsBesideMissing(best, dst, sums, columns, missing, m)
}

func (lf *Leaf) cutsBesideMissing(by kernel, dst []Cut, sums binsum.Histogram, columns []Span,
	missing []int32,
	m *Missing) {
	if by != inGo {
		by.besideMissing(dst, sums, columns, missing, lf, m)
		return
	}
	for i, s := range columns {
		dst[i] = lf.cut(inGo, &Column{Sums: sums[s.From:s.To], Missing: missing[i]})
	}
}

// Cut returns the best cut of a column. It changes the sums of the bin of missing values while it searches.
func (lf *Leaf) Cut(c *Column) Cut { return lf.cut(best, c) }

func (lf *Leaf) cut(by kernel, c *Column) Cut {
	besideMissing := c.Missing >= 0 && !c.isEmpty(c.Missing)
	switch {
	case by != inGo && c.Counts == nil && besideMissing:
		var one [1]Cut
		by.besideMissing(one[:], c.Sums, []Span{{0, int32(len(c.Sums))}}, []int32{c.Missing}, lf, new(Missing))
		return one[0]
	case by != inGo && c.Counts == nil:
		var one [1]Cut
		by.last(one[:], c.Sums, []Span{{0, int32(len(c.Sums))}}, lf)
		return one[0]
	case besideMissing:
		return lf.scanBothSides(c)
	}
	return lf.scan(c, 0, 0, lastBin)
}
