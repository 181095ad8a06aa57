package histogram

import (
	"fmt"
	"math"
)

// SparseRows hold the bins of sparse columns ([FeatureBins].Sparse) row by row, except bins of 0. A bin is
// stored as its place among the bins of all columns, column after column, sparse or
// not; the places of a row ascend:
//
//	           column 0    column 1    column 2
//	places     0  1  2  3  4  5  6  7  8  9  10        where a column begins: the sum of the bins before it
//
//	Places     2 8 │ 5 │ │ 1 6 10                      row 0 has bin 2 of column 0 and bin 1 of column 2,
//	Ends       0     2   3 3        6                  row 2 has the bin of 0 in all columns
type SparseRows struct {
	// Ends[row] and Ends[row+1] are where a row begins and ends in Places; nil if there are no sparse columns
	Ends   []int64
	Places []uint32 // from Ends[0] on
}

// Of returns the places of a row. The slice belongs to the rows.
func (s *SparseRows) Of(row int) []uint32 { return s.Places[s.Ends[row]:s.Ends[row+1]] }

// Within returns those places of a row that are at least first and below end. The slice belongs to the rows.
func (s *SparseRows) Within(row int, first, end uint32) []uint32 {
	places := s.From(row, first)
	return places[:firstFrom(places, end)]
}

// From returns those places of a row that are at least first. The slice belongs to the rows.
func (s *SparseRows) From(row int, first uint32) []uint32 {
	places := s.Of(row)
	if len(places) == 0 || places[0] >= first {
		return places
	}
	return places[firstFrom(places, first):]
}

// firstFrom returns the index of the first of ascending places that is not below a place.
func firstFrom(places []uint32, place uint32) int {
	from, to := 0, len(places)
	for from < to {
		if middle := int(uint(from+to) >> 1); places[middle] < place {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// selected returns copies of rows.
func (s *SparseRows) selected(rows []int) (part SparseRows) {
	if s.Ends == nil {
		return part
	}
	part.Ends = make([]int64, 1, len(rows)+1)
	for _, row := range rows {
		part.Places = append(part.Places, s.Of(row)...)
		part.Ends = append(part.Ends, int64(len(part.Places)))
	}
	return part
}

// part returns the rows from first to end-1, which share the memory of s.
func (s *SparseRows) part(first, end int) SparseRows {
	if s.Ends == nil {
		return *s
	}
	return SparseRows{s.Ends[first : end+1 : end+1], s.Places}
}

const (
	// sparseGain is the factor by which a column must be smaller if it is sparse. It is above 1 since sparse
	// bins are summed more slowly.
	sparseGain = 2
	// placeBits is the number of bits of a place, by which a bin is stored.
	placeBits = 32

	// Columns are sparse only if rows become shorter by at least leastSaved bytes and by the share leastShare:
	// with every row, sums of 6 sparse columns among 136 (6 % less) took longer by an eighth of all training,
	// with 22 among 125 (19 % less) by a tenth, while 48 among 150 (32 %) saved an eighth, and 962 of 1,010
	// three fifths.
	leastSaved = 2 * GroupSize
	leastShare = 0.25
)

// chooseSparse makes columns sparse if this makes rows much shorter. shares has, for each feature, the share
// of sampled rows whose value is not 0.
func (p BinParams) chooseSparse(m *Mapper, shares []float64) {
	if !p.Sparse {
		return
	}
	columns := m.columns()
	ofColumns := make([]float64, len(columns))
	for i, c := range columns {
		ofColumns[i] = shares[c]
	}
	_, sparse := m.Compact(ofColumns)
	for i, is := range sparse {
		m.Features[columns[i]].Sparse = is
		if is {
			m.stored += ofColumns[i]
		}
	}
}

// Compact returns the number of bytes of a row, and for each column whether it is better sparse. shares has
// for each column the share of rows whose value is not 0. The result does not depend on how columns are
// stored.
func (m *Mapper) Compact(shares []float64) (stride int, sparse []bool) {
	_, stride = layout(m.binCounts(), nil)
	if _, bins := m.Size(); bins > math.MaxInt32 {
		return stride, make([]bool, len(shares))
	}
	for i, c := range m.columns() {
		f := &m.Features[c]
		bits := float64(shares[i] * (placeBits * sparseGain))
		sparse = append(sparse, f.canBeSparse() && bits <= float64(fieldBits(f.NumBins())))
	}
	_, left := layout(m.binCounts(), sparse)
	if float64(stride-left) < max(leastSaved, float64(leastShare*float64(stride))) {
		clear(sparse)
		return stride, sparse
	}
	return left, sparse
}

// canBeSparse reports whether columns of the feature may be sparse.
func (f *FeatureBins) canBeSparse() bool { return !f.IsCategorical() && f.NumBins() <= mostInByte }

// sparse returns for each column whether it is sparse, or nil if none is.
func (m *Mapper) sparse() (is []bool) {
	for i, c := range m.columns() {
		if m.Features[c].Sparse && is == nil {
			is = make([]bool, len(m.columns()))
		}
		if is != nil {
			is[i] = m.Features[c].Sparse
		}
	}
	return is
}

// sparseBytes returns about how many bytes the sparse columns of this many rows take, estimated from the
// sample; 0 if the sample is not known.
func (m *Mapper) sparseBytes(rows int) int {
	if m.stored == 0 {
		return 0
	}
	return 8*rows + int(float64(placeBits/8*m.stored)*float64(rows))
}

// hasSparse reports whether any column is sparse.
func (x *Matrix) hasSparse() bool { return x.first != nil }

// firstPlaces returns the places at which columns begin, and where the last one ends.
func (m *Mapper) firstPlaces() []uint32 {
	first := []uint32{0}
	for _, n := range m.binCounts() {
		first = append(first, first[len(first)-1]+uint32(n))
	}
	return first
}

// sparseAt returns the bin of a row in a sparse column.
func (x *Matrix) sparseAt(row, column int32) uint16 {
	first := x.first[column]
	if places := x.sparse.Within(int(row), first, x.first[column+1]); len(places) > 0 {
		return uint16(places[0] - first)
	}
	return x.Bins(column).Zero
}

// setPlaces sets where the places of columns begin, and the columns of places.
func (x *Matrix) setPlaces() {
	x.first = x.Mapper.firstPlaces()
	x.ColumnOfPlace = make([]int32, 0, x.first[len(x.Columns)])
	for c := range x.Columns {
		for range x.first[c+1] - x.first[c] {
			x.ColumnOfPlace = append(x.ColumnOfPlace, int32(c))
		}
	}
}

// checkSparse returns an error unless s has the places of this many rows.
func (x *Matrix) checkSparse(s SparseRows, rows int) error {
	for c, f := range x.Fields {
		if f.Sparse && !x.Bins(int32(c)).canBeSparse() {
			return fmt.Errorf("%w: feature %d of %d bins is sparse", ErrRaw, x.Columns[c], x.Bins(int32(c)).NumBins())
		}
	}
	switch {
	case !x.hasSparse() && s.Ends == nil && len(s.Places) == 0:
		return nil
	case !x.hasSparse() || len(s.Ends) != rows+1 || s.Ends[0] < 0 || s.Ends[rows] > int64(len(s.Places)):
		return fmt.Errorf("%w: %d ends of %d bins of sparse columns for %d rows", ErrRaw, len(s.Ends),
			len(s.Places), rows)
	}
	for row := range rows {
		if s.Ends[row] > s.Ends[row+1] {
			return fmt.Errorf("%w: row %d ends before it begins", ErrRaw, row)
		}
	}
	return nil
}

// badSparse reports whether a row has a place that is out of order, not in a sparse column, or the place of a
// bin of 0, or has two places in a column.
func (x *Matrix) badSparse(row int) bool {
	if !x.hasSparse() {
		return false
	}
	end := uint32(0) // where the column of the place before ends
	for _, place := range x.sparse.Of(row) {
		if place < end || place >= x.first[len(x.Columns)] {
			return true
		}
		c := x.ColumnOfPlace[place]
		if f := x.Bins(c); !f.Sparse || place-x.first[c] == uint32(f.Zero) {
			return true
		}
		end = x.first[c+1]
	}
	return false
}

// narrowSparse returns the sparse rows of x for narrow, which has some of the columns of x.
func (x *Matrix) narrowSparse(narrow *Matrix) (s SparseRows) {
	if !narrow.hasSparse() {
		return s
	}
	s.Ends = make([]int64, 1, x.rows+1)
	for row := range x.rows {
		for _, place := range x.sparse.Of(row) {
			c := x.ColumnOfPlace[place]
			feature := int(x.Columns[c])
			if feature >= len(narrow.ColumnOf) {
				continue
			}
			if to := narrow.ColumnOf[feature]; to >= 0 {
				s.Places = append(s.Places, narrow.first[to]+place-x.first[c])
			}
		}
		s.Ends = append(s.Ends, int64(len(s.Places)))
	}
	return s
}

// storedPage is the number of places of a page, unless a single row needs more.
const storedPage = 1 << 16

// stored is the list of places of the rows that a worker has binned, in the order in which it has binned
// them.
type stored struct {
	rows  []storedRow
	pages [][]uint32
}

// storedRow is a row, and its places, which are on one page.
type storedRow struct {
	row, size int
}

// begin starts a row that has at most this many places.
func (s *stored) begin(row, most int) {
	if n := len(s.pages); n == 0 || cap(s.pages[n-1])-len(s.pages[n-1]) < most {
		s.pages = append(s.pages, make([]uint32, 0, max(storedPage, most)))
	}
	s.rows = append(s.rows, storedRow{row: row})
}

// add adds a place to the row that was started last.
func (s *stored) add(place uint32) {
	page := &s.pages[len(s.pages)-1]
	*page = append(*page, place)
	s.rows[len(s.rows)-1].size++
}

// joinStored returns the rows of all workers, in the order of their numbers. It
// takes the pages from the workers.
func joinStored(workers []stored, rows int) SparseRows {
	s := SparseRows{Ends: make([]int64, rows+1)}
	for _, w := range workers {
		for _, r := range w.rows {
			s.Ends[r.row+1] = int64(r.size)
		}
	}
	for row := range rows {
		s.Ends[row+1] += s.Ends[row]
	}
	s.Places = make([]uint32, s.Ends[rows])
	for i := range workers {
		workers[i].moveTo(&s)
	}
	return s
}

// moveTo copies the places of all rows to where they belong, and frees page after page.
func (w *stored) moveTo(s *SparseRows) {
	page := 0
	for _, r := range w.rows {
		for r.size > 0 && len(w.pages[page]) == 0 {
			w.pages[page] = nil
			page++
		}
		copy(s.Places[s.Ends[r.row]:], w.pages[page][:r.size])
		w.pages[page] = w.pages[page][r.size:]
	}
	*w = stored{}
}

// dense returns the columns that are not sparse.
func (x *Matrix) dense() (columns []int32) {
	for c, f := range x.Fields {
		if !f.Sparse {
			columns = append(columns, int32(c))
		}
	}
	return columns
}

// RowBytes returns a function that appends to dst the bytes that a row has in a matrix without sparse
// columns. Two rows have the same bytes only if they have the same bins in all columns.
func (x *Matrix) RowBytes() func(dst []byte, row int) []byte {
	if !x.hasSparse() {
		return func(dst []byte, row int) []byte { return append(dst, x.Row(row)...) }
	}
	fields, stride := layout(x.Mapper.binCounts(), nil)
	zeros, dense := make([]byte, stride), x.dense()
	for c, f := range x.Fields {
		if f.Sparse {
			fields[c].put(zeros, x.Bins(int32(c)).Zero)
		}
	}
	return func(dst []byte, row int) []byte {
		dst = append(dst, zeros...)
		bytes, stored := dst[len(dst)-stride:], x.Row(row)
		for _, c := range dense {
			fields[c].put(bytes, x.Fields[c].Of(stored))
		}
		for _, place := range x.sparse.Of(row) {
			c := x.ColumnOfPlace[place]
			fields[c].put(bytes, uint16(place-x.first[c]))
		}
		return dst
	}
}
