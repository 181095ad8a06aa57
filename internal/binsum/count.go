package binsum

import "github.com/lambdamart/lambdamart/internal/reuse"

// Count adds 1 to the count of the bin of each row in a column. The planes must have been made. The rows of a
// leaf are best given in the same slice for several sparse columns.
func (x *Rows) Count(counts []int64, column int32, rows []int32) {
	f := x.fields[column]
	switch {
	case f.Wide:
		p := plane[uint16]{x.widePlane(f.At), 0, 1<<16 - 1}
		p.count(counts, rows)
	case !f.Sparse:
		p := plane[uint8]{x.planes[f.At], f.Shift & 7, f.Mask}
		p.count(counts, rows)
	case x.isLongFor(column, rows):
		p := plane[uint8]{x.sparsePlane(column, rows), 0, f.Mask}
		p.count(counts, rows)
	default:
		x.countPlaces(counts, column, rows)
	}
}

// CountsFast reports whether Count visits only rows that have a place in the column: it is sparse, and Count
// was given the same rows before, with a sparse column.
func (x *Rows) CountsFast(column int32, rows []int32) bool {
	return x.fields[column].Sparse && x.sparse.marks.are(rows)
}

// countPlaces is Count for a sparse column.
func (x *Rows) countPlaces(counts []int64, column int32, rows []int32) {
	begin, end, zeros := x.begin[column], x.begin[column+1], len(rows)
	leaf := x.sparse.marks.of(rows, x.rows)
	for place := begin; place < end; place++ {
		n := leaf.count(x.sparse.rowsAt(place, place+1))
		counts[place-begin] += int64(n)
		zeros -= n
	}
	counts[x.sparse.zeros[column]-begin] += int64(zeros)
}

// marks tell which rows a leaf has.
type marks struct {
	rows []int32 // of the leaf
	by   []uint8 // by row; it is last for those of the leaf
	last uint8
}

// ForgetLeaves must be called before a tree grows, since the slices that Count was given may have other rows
// in its leaves.
func (x *Rows) ForgetLeaves() { x.sparse.marks.rows = nil }

// are reports whether the marks are of these rows.
func (m *marks) are(rows []int32) bool {
	return len(rows) > 0 && len(rows) == len(m.rows) && &rows[0] == &m.rows[0]
}

// of marks rows, which are among so many, unless it has done so.
func (m *marks) of(rows []int32, all int) *marks {
	if m.are(rows) {
		return m
	}
	if m.last++; m.last == 0 || len(m.by) != all {
		m.by, m.last = reuse.Zeros(m.by, all), 1
	}
	by, mark := m.by, m.last // the compiler need not load them for each row
	for _, r := range rows {
		by[r] = mark
	}
	m.rows = rows
	return m
}

// count returns how many of some rows are marked.
func (m *marks) count(rows []int32) (n int) {
	by, mark := m.by, int32(m.last)
	for _, r := range rows {
		n += isEqual(int32(by[r]), mark)
	}
	return n
}
