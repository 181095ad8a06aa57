package grow

// partitionPart is the least number of rows that a worker partitions: for fewer, others need not be called.
const partitionPart = 1 << 11

// partition moves the rows that a split sends left to the front of rows, and the others after them,
// both in their former order, and returns the number of rows that go left. spare is scratch space of
// at least the same length.
//
// Each worker partitions a part of the rows, those that go left in place and the others in spare. Then the
// rows that go left close ranks, one part after the other since they move within rows, and all workers copy
// the others behind them:
//
//	rows     a B c │ D e f │ G h I     capitals go left
//	parts    B · · │ D · · │ G I ·     in place
//	         a c · │ e f · │ h · ·     in spare
//	lefts      1   │   1   │   2
//	rows     B D G I │ a c e f h
func (g *Grower) partition(rows, spare []int32, s *split) int {
	column, cut := g.bins.Column(s.Column, rows), s.cut(g.matrix)
	parts := min(g.pool.Workers(), len(rows)/partitionPart)
	if parts < 2 {
		left := column.Partition(rows, spare, cut)
		copy(rows[left:], spare)
		return left
	}
	first := func(part int) int { return part * len(rows) / parts }
	lefts := make([]int, parts)
	g.pool.Each(parts, func(part int) {
		from, to := first(part), first(part+1)
		lefts[part] = column.Partition(rows[from:to], spare[from:to], cut)
	})
	left := lefts[0]
	for part, n := range lefts[1:] {
		left += copy(rows[left:], rows[first(part+1):][:n])
	}
	g.pool.Each(parts, func(part int) {
		before := 0 // rows of earlier parts that go right
		for i, n := range lefts[:part] {
			before += first(i+1) - first(i) - n
		}
		copy(rows[left+before:], spare[first(part):first(part+1)-lefts[part]])
	})
	return left
}
