package booster

// partitionBlock is the number of rows that a worker partitions at a time. Fewer rows than two blocks are
// partitioned by the caller alone.
const partitionBlock = 1 << 11

// partition moves the rows that a split sends left to the front of rows, and the others after them,
// both in their former order, and returns the number of rows that go left. spare is scratch space of
// at least the same length.
//
// Each block of rows is partitioned separately, and its rows that go left are counted. The counts determine
// where the rows of each block belong, and all blocks are copied there in parallel:
//
//	rows     a B c │ D e f │ G h I     capitals go left
//	blocks   B a c │ D e f │ G I h
//	lefts      1   │   1   │   2
//	spare    B D G I │ a c e f h
func (g *grower) partition(rows, spare []int32, s *split) int {
	g.fillPlane(s.column, rows)
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

// partitionSerially is partition on one worker. It is also the oracle of partition in tests.
func (g *grower) partitionSerially(rows, spare []int32, s *split) int {
	exception := s.exception(g.matrix)
	if field := g.matrix.Fields[s.column]; field.Wide {
		return partitionBy(g.widePlane(field), rows, spare, s, exception)
	} else {
		return partitionBy(g.plane(field), rows, spare, s, exception)
	}
}

// partitionBy is like partitionSerially, for a column whose bins are given. exception is what
// [split.exception] returns.
func partitionBy[T uint8 | uint16](column plane[T], rows, spare []int32, s *split, exception int32) int {
	if s.sides != nil {
		return partitionBySides(rows, spare, column.rows, column.bits(), column.table(s.sides.right))
	}
	bins, mask, last := column.rows, column.bits(), column.inPlace(s.bin)
	if exception != noBin {
		return partitionWithException(rows, spare, bins, mask, last, column.inPlace(uint16(exception)))
	}
	left, right := 0, 0
	for _, r := range rows {
		// The row is written to both sides and one of the positions moves on, so there is no branch to
		// predict.
		rows[left], spare[right] = r, r
		above := isAbove(int32(bins[r]&mask), int32(last))
		left, right = left+1-above, right+above
	}
	copy(rows[left:], spare[:right])
	return left
}

// partitionWithException is like partitionSerially, but the rows of one bin, exception, do not go to the side
// that its number implies. last and exception are in place, like the bins of the rows.
func partitionWithException[T uint8 | uint16](rows, spare []int32, bins []T, mask, last, exception T) int {
	left, right := 0, 0
	for _, r := range rows {
		rows[left], spare[right] = r, r
		bin := int32(bins[r] & mask)
		goesRight := isAbove(bin, int32(last)) ^ isEqual(bin, int32(exception))
		left, right = left+1-goesRight, right+goesRight
	}
	copy(rows[left:], spare[:right])
	return left
}

// isAbove returns 1 if a row's bin is above the last bin that goes left, and 0 otherwise, without a branch.
func isAbove(bin, last int32) int { return int(uint32(last-bin) >> 31) }

// isEqual returns 1 if a and b are equal, and 0 otherwise.
func isEqual(a, b int32) int { return int(uint32((a^b)-1) >> 31) }
