package binsum

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Live tells which columns a leaf may be split on. All cuts of a sparse column leave the rows of its bin of 0
// on one side, so if few rows have other bins, no cut leaves enough rows on both sides. With many sparse
// columns this holds for most of them in most leaves: their sums are neither cleared nor subtracted nor
// searched. A column that is not live in a leaf is not live in its children, which have fewer rows.
//
// A nil Live means that all columns are live.
type Live struct {
	Rows  []uint32 // by column: the weights of the rows in other bins than that of 0; the most, if not sparse
	Least uint32   // the column is live from this many on
}

// Has reports whether a column is live.
func (l *Live) Has(column int32) bool { return l == nil || l.Rows[column] >= l.Least }

// HasSparse reports whether there are sparse columns.
func (x *Rows) HasSparse() bool { return len(x.sparse.columns) > 0 }

// AddLive adds up the weights of rows by sparse column, as [Live.Rows], in dst, whose memory it reuses. A nil
// weights has 1 for each row. The sum of the weights must be below 2^32.
func (x *Rows) AddLive(dst []uint32, rows []int32, weights []uint32) []uint32 {
	dst = reuse.Slice(dst, len(x.fields))
	for c, f := range x.fields {
		if dst[c] = 0; !f.Sparse {
			dst[c] = math.MaxUint32
		}
	}
	if len(rows) == x.rows && weights == nil && x.isTransposed() {
		for _, c := range x.sparse.columns {
			dst[c] = uint32(len(x.sparse.rowsAt(x.begin[c], x.begin[c+1])))
		}
		return dst
	}
	x.addLive(dst, rows, weights)
	return dst
}

// addLive adds the weights of rows one by one.
func (x *Rows) addLive(dst []uint32, rows []int32, weights []uint32) {
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
}
