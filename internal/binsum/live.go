package binsum

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Live lists the sparse columns that a leaf may be split on. All cuts of a sparse column leave the rows of
// its bin of 0 on one side, so if few rows have other bins, no cut leaves enough rows on both sides. With
// many sparse columns this holds for most of them in most leaves: their sums are neither cleared nor
// subtracted nor searched. A column that is not live in a leaf is not live in its
// children, which have fewer rows.
//
// A nil Live means that all columns are live.
type Live struct {
	Columns []int32  // ascending
	Rows    []uint32 // of each of them: at least the weights of the rows in other bins than that of 0
	bins    int      // of these columns
}

// HasSparse reports whether there are sparse columns.
func (x *Rows) HasSparse() bool { return len(x.sparse.columns) > 0 }

// CountSparse writes to dst, whose memory it reuses, the weights of the rows that each column has in other
// bins than that of 0, if it is sparse. A nil weights has 1 for each row. The sum of the weights must be
// below 2^32.
func (x *Rows) CountSparse(dst []uint32, rows []int32, weights []uint32) []uint32 {
	dst = reuse.Slice(dst, len(x.fields))
	clear(dst)
	if len(rows) == x.rows && weights == nil && x.isTransposed() {
		for _, c := range x.sparse.columns {
			dst[c] = uint32(len(x.sparse.rowsAt(x.begin[c], x.begin[c+1])))
		}
		return dst
	}
	columnOf := x.sparse.columnOf
	weight := uint32(1)
	for _, r := range rows {
		if weights != nil {
			weight = weights[r]
		}
		for _, place := range x.sparse.Of(int(r)) {
			dst[columnOf[place]] += weight
		}
	}
	return dst
}

// SetAll makes l list all sparse columns of x with at least this many rows.
func (l *Live) SetAll(x *Rows, rows []uint32, least uint32) {
	l.reset()
	for _, c := range x.sparse.columns {
		l.add(x, c, rows[c], least)
	}
}

// Divide makes one and other list the live columns of a leaf's children. rows are the weights of the rows of
// one, and apart, unless it is nil, of rows that may be in either.
func (l *Live) Divide(x *Rows, one, other *Live, rows, apart []uint32, least uint32) {
	one.reset()
	other.reset()
	for i, c := range l.Columns {
		n := rows[c]
		other.add(x, c, l.Rows[i]-n, least)
		if apart != nil {
			n += apart[c]
		}
		one.add(x, c, n, least)
	}
}

func (l *Live) reset() { l.Columns, l.Rows, l.bins = l.Columns[:0], l.Rows[:0], 0 }

func (l *Live) add(x *Rows, column int32, rows, least uint32) {
	if rows < least {
		return
	}
	l.Columns, l.Rows = append(l.Columns, column), append(l.Rows, rows)
	l.bins += int(x.begin[column+1] - x.begin[column])
}

// Exceeds reports whether the live columns have more bins than this many rows usually have values in sparse
// columns, times factor. Of hundreds of millions of rows, the products are beyond an int64.
func (l *Live) Exceeds(x *Rows, rows, factor int) bool {
	return float64(l.bins)*float64(x.rows) > float64(factor*rows)*float64(x.places())
}

// among returns which of some consecutive sparse columns are live.
func (l *Live) among(columns []int32) []int32 {
	if l == nil || len(columns) == 0 {
		return columns
	}
	from, _ := slices.BinarySearch(l.Columns, columns[0])
	to, _ := slices.BinarySearch(l.Columns, columns[len(columns)-1]+1)
	return l.Columns[from:to]
}
