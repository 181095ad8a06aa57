package grow

// partitionBlock is the number of rows that a worker partitions at a time. Fewer rows than two blocks are
// partitioned by the caller alone.
const partitionBlock = 1 << 11

// partition moves the rows that a split sends left to the front of rows, and the others after them,
// both in their former order, and returns the number of rows that go left. spare is scratch space of
// at least the same length.
//
// Each block of rows is partitioned separately, its rows that go left in place and the others in spare. Then
// the rows that go left close ranks, one block after the other since they move within rows, and all blocks
// copy the others behind them in parallel:
//
//	rows     a B c │ D e f │ G h I     capitals go left
//	blocks   B · · │ D · · │ G I ·     in place
//	         a c · │ e f · │ h · ·     in spare
//	lefts      1   │   1   │   2
//	rows     B D G I │ a c e f h
func (g *Grower) partition(rows, spare []int32, s *split) int {
	column, cut := g.bins.Column(s.Column, rows), s.cut(g.matrix)
	if len(rows) < 2*partitionBlock || g.pool.Workers() == 1 {
		left := column.Partition(rows, spare, cut)
		copy(rows[left:], spare)
		return left
	}
	lefts := make([]int, (len(rows)+partitionBlock-1)/partitionBlock)
	g.pool.Blocks(len(rows), partitionBlock, func(_, from, to int) {
		lefts[from/partitionBlock] = column.Partition(rows[from:to], spare[from:to], cut)
	})
	total := 0
	before := make([]int, len(lefts)) // left rows in earlier blocks
	for i, n := range lefts {
		before[i] = total
		copy(rows[total:], rows[i*partitionBlock:][:n])
		total += n
	}
	g.pool.Blocks(len(rows), partitionBlock, func(_, from, to int) {
		i := from / partitionBlock
		copy(rows[total+from-before[i]:], spare[from:to-lefts[i]])
	})
	return total
}
