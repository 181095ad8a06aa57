package binsum

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// A sparse column has no byte in a row. For each row, only the bins other than the bin of 0 are stored, as
// places in a Histogram, and adding a row adds its value at each of its places ([Rows.buildSparse]). The
// sum of the bin of 0 is the sum of all rows minus the sums of the other bins.
//
// Partitioning rows by a sparse column needs its bins in these rows. After [Rows.Transpose] or
// [Rows.Gather], the rows of each place are also known. From them, a plane is filled for one column at a
// time ([Rows.Column]):
//
//	row    places               place   rows
//	 0     2 8                    2      0 3
//	 1     5                      5      1
//	 2                            8      0
//	 3     2 9                    9      3

// sparseColumns is the number of sparse columns of a group.
const sparseColumns = 64

// sparse are the sparse columns of rows.
type sparse struct {
	histogram.SparseRows
	columns []int32 // ascending
	zeros   []int32 // by column: place of the bin of 0; 0 if the column is not sparse

	columnOf []int32 // of each place

	// The rows of each place, ascending, once the rows are transposed.
	ends  []int64 // where each place ends in rows; it begins where the place before ends
	rows  []int32
	plane sparsePlane
	marks marks
}

func (s *sparse) numGroups() int { return (len(s.columns) + sparseColumns - 1) / sparseColumns }

// group returns the number of the group of a column, counting only groups of sparse columns.
func (s *sparse) group(column int32) int {
	at, _ := slices.BinarySearch(s.columns, column)
	return at / sparseColumns
}

// isSparse reports whether a group is one of sparse columns.
func (x *Rows) isSparse(group int) bool { return group >= x.numTiles() }

// sparseOf returns the columns of a part of sparse columns.
func (x *Rows) sparseOf(part Part) []int32 {
	from, to := part.group()-x.numTiles(), part.End/groupSize-x.numTiles()
	return x.sparse.columns[from*sparseColumns : min(to*sparseColumns, len(x.sparse.columns))]
}

// buildSparse sets the sums of the live columns of a part to those of the given rows. values has one entry
// for each row of x. Unless parent is nil, it also subtracts the sums from parent, in the columns that are
// live in the leaf of the other rows.
func (x *Rows) buildSparse(dst, parent Histogram, part Part, rows []int32, values []int64, live, rest *Live) {
	all := x.sparseOf(part)
	columns, others := live.among(all), []int32(nil)
	if parent != nil {
		others = rest.among(all)
		if rest != nil && rest.Exceeds(x, len(rows), binsForTaking) {
			x.takeSparse(parent, all, others, rows, values)
			others = nil
		}
	}
	if len(columns) == 0 && len(others) == 0 {
		return
	}
	total := int64(0)
	if len(rows) == x.rows && x.isTransposed() {
		total = x.sumPlaces(dst, columns, values)
	} else {
		x.clearColumns(dst, columns)
		if live != rest {
			x.clearColumns(dst, others)
		}
		total = x.addSparse(dst, all, rows, values)
	}
	for _, c := range others {
		x.setZero(dst, c, total)
		subtract(x.of(parent, c), x.of(dst, c))
	}
	if parent == nil || live != rest {
		for _, c := range columns {
			x.setZero(dst, c, total)
		}
	}
}

// binsForTaking is the number of bins of live columns that are cleared, added up and subtracted in about the
// time in which a value of a row is taken from the sums of a leaf.
const binsForTaking = 4

// takeSparse subtracts the values of rows from the sums of a leaf in consecutive
// columns, of which some are live.
func (x *Rows) takeSparse(sums Histogram, columns, live, rows []int32, values []int64) {
	begin, end := x.placesOf(columns)
	columnOf, zeros, total := x.sparse.columnOf, x.sparse.zeros, int64(0)
	for _, r := range rows {
		v := values[r]
		total += v
		for _, place := range x.sparse.From(int(r), begin) {
			if place >= end {
				break
			}
			sums[place] -= v
			sums[zeros[columnOf[place]]] += v
		}
	}
	for _, c := range live {
		sums[zeros[c]] -= total
	}
}

func (x *Rows) clearColumns(sums Histogram, columns []int32) {
	for _, c := range columns {
		clear(x.of(sums, c))
	}
}

// setZero sets the sum of the bin of 0 of a column to what the other bins leave of a total.
func (x *Rows) setZero(sums Histogram, column int32, total int64) {
	zero := &sums[x.sparse.zeros[column]]
	*zero = 0
	for _, sum := range x.of(sums, column) {
		total -= sum
	}
	*zero = total
}

// sumPlaces is like addSparse for all rows, but sets the sums of columns, place by place: values are read in
// order, and only sums are written.
func (x *Rows) sumPlaces(dst Histogram, columns []int32, values []int64) (total int64) {
	for _, v := range values[:x.rows] {
		total += v
	}
	for _, c := range columns {
		for place := x.begin[c]; place < x.begin[c+1]; place++ {
			sum := int64(0)
			for _, r := range x.sparse.rowsAt(place, place+1) {
				sum += values[r]
			}
			dst[place] = sum
		}
	}
	return total
}

// addSparse adds the values of rows at their places in consecutive sparse columns, and returns the sum of
// all values.
func (x *Rows) addSparse(dst Histogram, columns, rows []int32, values []int64) (total int64) {
	begin, end := x.placesOf(columns)
	for _, r := range rows {
		v := values[r]
		total += v
		for _, place := range x.sparse.From(int(r), begin) {
			if place >= end {
				break
			}
			dst[place] += v
		}
	}
	return total
}

// placesOf returns where the places of consecutive sparse columns begin and end.
func (x *Rows) placesOf(columns []int32) (begin, end uint32) {
	if len(columns) == 0 {
		return 0, 0
	}
	return uint32(x.begin[columns[0]]), uint32(x.begin[columns[len(columns)-1]+1])
}

// sparseAt is like At, for a sparse column.
func (x *Rows) sparseAt(row, column int32) uint16 {
	begin, end := x.begin[column], x.begin[column+1]
	if places := x.sparse.Within(int(row), uint32(begin), uint32(end)); len(places) > 0 {
		return uint16(int32(places[0]) - begin)
	}
	return uint16(x.sparse.zeros[column] - begin)
}

// gatherSparse copies the places of the given rows of from, and transposes them. It reuses the memory of an
// earlier call.
func (x *Rows) gatherSparse(from *Rows, memory sparse, rows []int32, pool *par.Pool) {
	if len(from.sparse.columns) == 0 {
		return
	}
	x.sparse.ends, x.sparse.rows = memory.ends, memory.rows
	x.sparse.plane, x.sparse.marks = memory.plane, memory.marks
	x.sparse.Ends = reuse.Slice(memory.Ends, len(rows)+1)
	x.sparse.Ends[0] = 0
	for i, r := range rows {
		x.sparse.Ends[i+1] = x.sparse.Ends[i] + int64(len(from.sparse.Of(int(r))))
	}
	size := int(x.sparse.Ends[len(rows)])
	if cap(memory.Places) < size {
		memory.Places = make([]uint32, size+size/4)
	}
	x.sparse.Places = memory.Places[:size]
	pool.Blocks(len(rows), gatherBlock, func(_, first, end int) {
		for i := first; i < end; i++ {
			copy(x.sparse.Of(i), from.sparse.Of(int(rows[i])))
		}
	})
	x.sparse.rows = x.sparse.rows[:0]
	x.transposeSparse(pool)
}

// transposeSparse finds the rows of each place, unless they are known. Each worker does
// so for a part of the columns.
func (x *Rows) transposeSparse(pool *par.Pool) {
	s := &x.sparse
	if len(s.columns) == 0 || len(s.rows) > 0 {
		return
	}
	s.plane.reset(x.rows)
	s.ends = reuse.Slice(s.ends, x.NumBins())
	clear(s.ends)
	eachPart := func(visit func(row int, places []uint32)) {
		parts := pool.Workers()
		pool.Run(parts, func(_, part int) {
			begin, end := x.placesOf(s.columns[part*len(s.columns)/parts : (part+1)*len(s.columns)/parts])
			for row := range x.rows {
				visit(row, s.Within(row, begin, end))
			}
		})
	}
	eachPart(func(_ int, places []uint32) {
		for _, place := range places {
			s.ends[place]++
		}
	})
	before := int64(0)
	for place, n := range s.ends { // where the place begins, which the next visits advance to where it ends
		s.ends[place], before = before, before+n
	}
	if cap(s.rows) < int(before) {
		s.rows = make([]int32, before+before/4)
	}
	s.rows = s.rows[:before]
	eachPart(func(row int, places []uint32) {
		for _, place := range places {
			s.rows[s.ends[place]] = int32(row)
			s.ends[place]++
		}
	})
}

// isTransposed reports whether the rows of each place are known.
func (x *Rows) isTransposed() bool { return len(x.sparse.rows) > 0 }

// rowsAt returns the rows of the places from begin to end-1.
func (s *sparse) rowsAt(begin, end int32) []int32 {
	from := int64(0)
	if begin > 0 {
		from = s.ends[begin-1]
	}
	return s.rows[from:s.ends[end-1]]
}

// sparsePlane holds the bins of some rows in one sparse column at a time.
type sparsePlane struct {
	bins []uint8 // by row; unspecified for rows that were not filled; nil before the first column

	column  int32
	all     bool // all rows are filled
	zero    uint8
	changed []int32 // rows whose bins are not zero
}

// reset prepares p for other rows. It keeps the memory.
func (p *sparsePlane) reset(rows int) {
	p.bins, p.column, p.zero, p.changed = reuse.Slice(p.bins, rows), -1, 0, p.changed[:0]
	clear(p.bins)
}

// sparsePlane returns the bins of the given rows in a sparse column.
func (x *Rows) sparsePlane(column int32, rows []int32) []uint8 {
	p := &x.sparse.plane
	if p.column == column && p.all {
		return p.bins
	}
	p.empty(uint8(x.sparse.zeros[column] - x.begin[column]))
	begin, end := x.begin[column], x.begin[column+1]
	p.column, p.all = column, !x.isLongFor(column, rows)
	if !p.all {
		for _, r := range rows {
			p.set(r, uint8(x.sparseAt(r, column)))
		}
		return p.bins
	}
	for place := begin; place < end; place++ {
		for _, r := range x.sparse.rowsAt(place, place+1) {
			p.set(r, uint8(place-begin))
		}
	}
	return p.bins
}

// isLongFor reports whether a column has so many places that it takes less time to search those of these
// rows.
func (x *Rows) isLongFor(column int32, rows []int32) bool {
	const rowsForSearch = 8 // visiting this many rows of a place takes as long as the search for a bin
	return len(x.sparse.rowsAt(x.begin[column], x.begin[column+1])) > rowsForSearch*len(rows)
}

// empty sets the bins of all rows to the bin of 0.
func (p *sparsePlane) empty(zero uint8) {
	if zero == p.zero {
		for _, r := range p.changed {
			p.bins[r] = zero
		}
	} else {
		for r := range p.bins {
			p.bins[r] = zero
		}
	}
	p.zero, p.changed = zero, p.changed[:0]
}

func (p *sparsePlane) set(row int32, bin uint8) {
	if bin != p.zero {
		p.bins[row] = bin
		p.changed = append(p.changed, row)
	}
}
