package booster

import "github.com/lambdamart/lambdamart/histogram"

// partitionBlock is the number of rows that a worker parts at a time. Fewer rows
// than two blocks are parted by the caller.
const partitionBlock = 1 << 11

// partition moves the rows that a split sends left to the front of rows, and the
// others behind them, each in their order, and returns the number
// of the first. spare is scratch space of at least the same length.
//
// Each block of rows counts its left ones; from the counts every block knows
// where its rows belong, and writes them there:
//
//	rows    a B c | D e f | G h I      (capitals go left)
//	lefts     1       1       2
//	spare   B D G I a c e f h
func (g *grower) partition(rows, spare []int32, s *split) int {
	if len(rows) < 2*partitionBlock {
		return g.partitionSerially(rows, spare, s)
	}
	blocks := (len(rows) + partitionBlock - 1) / partitionBlock
	lefts := make([]int, blocks)
	g.pool.Blocks(len(rows), partitionBlock, func(_, from, to int) {
		lefts[from/partitionBlock] = g.partitionSerially(rows[from:to], spare[from:to], s)
	})
	total := 0
	before := make([]int, blocks) // left rows in earlier blocks
	for i, n := range lefts {
		before[i] = total
		total += n
	}
	g.pool.Blocks(len(rows), partitionBlock, func(_, from, to int) {
		i := from / partitionBlock
		middle := from + lefts[i]
		copy(spare[before[i]:], rows[from:middle])
		copy(spare[total+from-before[i]:], rows[middle:to])
	})
	g.pool.Blocks(len(rows), partitionBlock, func(_, from, to int) {
		copy(rows[from:to], spare[from:to])
	})
	return total
}

// partitionSerially is partition on one worker, and its oracle.
func (g *grower) partitionSerially(rows, spare []int32, s *split) int {
	if stray := s.stray(g.matrix); stray != noBin {
		bins, stride, field := g.binsOf(s.column)
		return partitionMissing(rows, spare, bins, stride, field, s.bin, uint8(stray))
	}
	if g.byColumn != nil {
		return partitionColumn(rows, spare, g.byColumn[s.column], s.bin)
	}
	bins, stride, field := g.binsOf(s.column)
	left, right := 0, 0
	for _, r := range rows {
		// Both are written, and one position moves: no branch to mispredict.
		rows[left], spare[right] = r, r
		above := isAbove(field.Bin(bins[int(r)*stride]), s.bin)
		left, right = left+1-above, right+above
	}
	copy(rows[left:], spare[:right])
	return left
}

// partitionColumn is partitionSerially where the bins of the column lie together.
func partitionColumn(rows, spare []int32, bins []uint8, bin uint8) int {
	left, right := 0, 0
	for _, r := range rows {
		rows[left], spare[right] = r, r
		above := isAbove(bins[r], bin)
		left, right = left+1-above, right+above
	}
	copy(rows[left:], spare[:right])
	return left
}

// partitionMissing is partitionSerially where the rows of bin missing go to the
// other side. Row r's bin is in bins[r·stride].
func partitionMissing(rows, spare []int32, bins []uint8, stride int, field histogram.Field, bin, missing uint8) int {
	left, right := 0, 0
	for _, r := range rows {
		rows[left], spare[right] = r, r
		b := field.Bin(bins[int(r)*stride])
		goesRight := isAbove(b, bin) ^ isEqual(b, missing)
		left, right = left+1-goesRight, right+goesRight
	}
	copy(rows[left:], spare[:right])
	return left
}

// binsOf returns where a column's bins of all rows are: that of row r is in
// bins[r·stride].
func (g *grower) binsOf(column int32) (bins []uint8, stride int, field histogram.Field) {
	if g.byColumn != nil {
		return g.byColumn[column], 1, histogram.Field{Mask: 255}
	}
	field = g.matrix.Field(column)
	return g.matrix.Raw()[field.At:], g.matrix.Stride(), field
}

// isAbove returns 1 if a row's bin is above the last one that goes left, and 0
// otherwise. The compiler would make a branch of a comparison.
func isAbove(bin, last uint8) int { return int(uint32(int32(last)-int32(bin)) >> 31) }

// isEqual returns 1 if a and b are equal, and 0 otherwise.
func isEqual(a, b uint8) int { return int(uint32(int32(a^b)-1) >> 31) }
