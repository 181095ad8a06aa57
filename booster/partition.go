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
	column, cut := g.bins.Column(s.column, rows), s.cut(g.matrix)
	if len(rows) < 2*partitionBlock {
		return column.Partition(rows, spare, cut)
	}
	blocks := (len(rows) + partitionBlock - 1) / partitionBlock
	lefts := make([]int, blocks)
	g.pool.Blocks(len(rows), partitionBlock, func(_, from, to int) {
		lefts[from/partitionBlock] = column.Partition(rows[from:to], spare[from:to], cut)
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
