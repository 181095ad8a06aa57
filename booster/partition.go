package booster

// partitionBlock is the number of rows that a worker partitions at a time. The caller alone
// partitions fewer rows than two blocks.
const partitionBlock = 1 << 11

// partition moves the rows that a split sends left to the front of rows, and the others behind them,
// both in their former order, and returns the number of rows that go left. spare is scratch space of
// at least the same length.
//
// Each block of rows is partitioned by itself and counts the rows that go left. The counts say where
// the rows of every block belong, and all blocks write them there at once:
//
//	rows     a B c │ D e f │ G h I     capitals go left
//	blocks   B a c │ D e f │ G I h
//	lefts      1   │   1   │   2
//	spare    B D G I │ a c e f h
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
	field := g.matrix.Field(s.column)
	plane, mask, last := g.bins.Plane(field.At), field.InPlace(255), field.InPlace(s.bin)
	if s.sides != nil {
		return partitionBySides(rows, spare, plane, mask, s.sides.inPlace(field))
	}
	if exception := s.exception(g.matrix); exception != noBin {
		return partitionWithException(rows, spare, plane, mask, last, field.InPlace(uint8(exception)))
	}
	left, right := 0, 0
	for _, r := range rows {
		// The row is written to both sides and one of the positions moves on, so that there is no
		// branch to predict.
		rows[left], spare[right] = r, r
		above := isAbove(plane[r]&mask, last)
		left, right = left+1-above, right+above
	}
	copy(rows[left:], spare[:right])
	return left
}

// partitionWithException is partitionSerially where the rows of one bin go to the other side than its
// number says. Bins are in place, as in the bytes of the plane.
func partitionWithException(rows, spare []int32, plane []uint8, mask, last, exception uint8) int {
	left, right := 0, 0
	for _, r := range rows {
		rows[left], spare[right] = r, r
		bin := plane[r] & mask
		goesRight := isAbove(bin, last) ^ isEqual(bin, exception)
		left, right = left+1-goesRight, right+goesRight
	}
	copy(rows[left:], spare[:right])
	return left
}

// isAbove returns 1 if a row's bin is above the last one that goes left, and 0 otherwise. The compiler
// would turn a comparison into a branch.
func isAbove(bin, last uint8) int { return int(uint32(int32(last)-int32(bin)) >> 31) }

// isEqual returns 1 if a and b are equal, and 0 otherwise.
func isEqual(a, b uint8) int { return int(uint32(int32(a^b)-1) >> 31) }
