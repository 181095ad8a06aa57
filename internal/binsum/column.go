package binsum

import (
	"github.com/lambdamart/lambdamart/internal/histogram"
)

// Column holds the bins of a column in all rows, and hides how they are stored: in a byte for each row, in
// some bits of a byte, in two bytes if the column is wide, or as places if it is sparse. Each method takes
// many rows, because the layout is then looked up once for all of them. Any number of
// goroutines may use a column.
type Column interface {
	// Partition moves the rows that a cut sends left to the front of rows, and the others to the front of
	// spare, both in their former order, and returns the number of rows that go left. spare has at least the
	// length of rows. What follows in both is unspecified.
	Partition(rows, spare []int32, cut Cut) (left int)

	// CountRight returns the number of rows that a cut sends right.
	CountRight(rows []int32, cut Cut) int

	// Weigh adds the weight of each row to the sum of its bin. weights has one entry for each row of [Rows].
	Weigh(sums []float64, rows []int32, weights []float32)
}

// Cut divides the bins of a column into those whose rows go left and those whose rows go right.
type Cut struct {
	Last      uint16  // the last bin that goes left
	Exception int32   // a bin whose rows go to the side that its number does not imply, or NoBin
	Right     []uint8 // by bin: 1 if its rows go right, instead of the above; nil unless it is categorical
}

// Side returns 1 if the rows of a bin go right, and 0 otherwise. Bins that a categorical column does not have
// are on the left.
func (c *Cut) Side(bin uint16) uint8 {
	switch {
	case c.Right == nil:
		return uint8(isAbove(int32(bin), int32(c.Last)) ^ isEqual(int32(bin), c.Exception))
	case int(bin) < len(c.Right):
		return c.Right[bin]
	}
	return 0
}

// NoBin is larger than the number of any bin.
const NoBin = histogram.MostBins

// Column returns the bins of a column, for the given rows. The planes must have been made. The result is
// valid until the next call and, if the column is sparse, only for these rows.
func (x *Rows) Column(column int32, rows []int32) Column {
	f := x.fields[column]
	switch {
	case f.Sparse:
		x.bytes = plane[uint8]{x.sparsePlane(column, rows), 0, f.Mask}
	case f.Wide:
		x.words = plane[uint16]{x.widePlane(f.At), 0, 1<<16 - 1}
		return &x.words
	default:
		x.bytes = plane[uint8]{x.planes[f.At], f.Shift & 7, f.Mask}
	}
	return &x.bytes
}

// plane holds the bins of a column: for each row a byte, which other columns may share, or two bytes if the
// column is wide.
type plane[T uint8 | uint16] struct {
	bins  []T
	shift uint8 // 0 to 7; as in [histogram.Field]
	mask  T
}

func (p *plane[T]) count(counts []int64, rows []int32) {
	bins, shift, mask := p.bins, p.shift&7, p.mask
	for _, r := range rows {
		counts[bins[r]>>shift&mask]++
	}
}

func (p *plane[T]) CountRight(rows []int32, cut Cut) (n int) {
	if cut.Right != nil {
		return p.countBySides(rows, p.table(cut.Right))
	}
	bins, bits, last, exception := p.bins, p.bits(), int32(p.inPlace(cut.Last)), int32(NoBin)
	if cut.Exception != NoBin {
		exception = int32(p.inPlace(uint16(cut.Exception)))
	}
	for _, r := range rows {
		n += goesRight(int32(bins[r]&bits), last, exception)
	}
	return n
}

// countBySides is CountRight for a cut of categories. sides has the side of each bin in place.
func (p *plane[T]) countBySides(rows []int32, sides []uint8) (n int) {
	bins, bits := p.bins, p.bits()
	_ = sides[1<<8-1] // the compiler need not check bytes below
	for _, r := range rows {
		n += int(sides[bins[r]&bits])
	}
	return n
}

func (p *plane[T]) Weigh(sums []float64, rows []int32, weights []float32) {
	for _, r := range rows {
		sums[p.bins[r]>>(p.shift&7)&p.mask] += float64(weights[r])
	}
}

func (p *plane[T]) Partition(rows, spare []int32, cut Cut) int {
	if cut.Right != nil {
		return p.bySides(rows, spare, p.table(cut.Right))
	}
	done, left := p.inVectors(rows, spare, cut)
	if cut.Exception != NoBin {
		return p.withException(rows, spare, done, left, p.inPlace(cut.Last), p.inPlace(uint16(cut.Exception)))
	}
	return p.byLast(rows, spare, done, left, p.inPlace(cut.Last))
}

// byLast is Partition for a cut without an exception, after done rows, of which some went left. last is in
// place, as in the rows.
func (p *plane[T]) byLast(rows, spare []int32, done, left int, last T) int {
	bins, bits, right := p.bins, p.bits(), done-left
	for _, r := range rows[done:] {
		// The row is written to both sides and one of the positions moves on, so there is no branch to predict.
		rows[left], spare[right] = r, r
		above := isAbove(int32(bins[r]&bits), int32(last))
		left, right = left+1-above, right+above
	}
	return left
}

// withException is byLast for a cut with an exception, which is in place too.
func (p *plane[T]) withException(rows, spare []int32, done, left int, last, exception T) int {
	bins, bits, right := p.bins, p.bits(), done-left
	for _, r := range rows[done:] {
		rows[left], spare[right] = r, r
		isRight := goesRight(int32(bins[r]&bits), int32(last), int32(exception))
		left, right = left+1-isRight, right+isRight
	}
	return left
}

// bySides is Partition for a cut of categories. sides has the side of each bin in place.
func (p *plane[T]) bySides(rows, spare []int32, sides []uint8) int {
	bins, bits, left, right := p.bins, p.bits(), 0, 0
	_ = sides[1<<8-1] // the compiler need not check bytes below
	for _, r := range rows {
		rows[left], spare[right] = r, r
		isRight := int(sides[bins[r]&bits])
		left, right = left+1-isRight, right+isRight
	}
	return left
}

// inPlace returns a bin shifted to its bit positions in rows. Bins in place have the order of bins.
func (p *plane[T]) inPlace(bin uint16) T { return T(bin) & p.mask << (p.shift & 7) }

// bits returns the mask of the column's bits in rows.
func (p *plane[T]) bits() T { return p.mask << (p.shift & 7) }

// table returns byBin reindexed by bin in place, with at least 256 entries.
func (p *plane[T]) table(byBin []uint8) []uint8 {
	if len(byBin) > 1<<8 {
		return byBin
	}
	table := make([]uint8, 1<<8)
	for bin, v := range byBin {
		table[p.inPlace(uint16(bin))] = v
	}
	return table
}

// goesRight returns 1 if a row with this bin goes right by a cut with an exception, and 0 otherwise.
func goesRight(bin, last, exception int32) int { return isAbove(bin, last) ^ isEqual(bin, exception) }

// isAbove returns 1 if a row's bin is above the last bin that goes left, and 0 otherwise, without a branch.
func isAbove(bin, last int32) int { return int(uint32(last-bin) >> 31) }

// isEqual returns 1 if a and b are equal, and 0 otherwise.
func isEqual(a, b int32) int { return int(uint32((a^b)-1) >> 31) }
