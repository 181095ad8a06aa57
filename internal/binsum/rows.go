package binsum

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// groupSize is the number of bytes of a row that are summed together: one 8-byte load gives the
// bins of a row in all of their columns.
const groupSize = histogram.GroupSize

// Rows are binned rows, arranged for sums: the rows of a matrix ([Of]), or copies of some of them
// ([Rows.Gather]). They have the columns of the matrix.
//
// The bytes are stored row by row and, after [Rows.Transpose] or [Rows.Gather], also plane by plane: plane
// b has byte b of every row. Adding up rows reads whole rows. Partitioning rows by a column reads one byte
// of each row: a cache line for each row in the first layout, but consecutive bytes in the second.
//
//	row after row                    plane after plane
//
//	row 0   b0 b1 b2 b3 … b15        plane 0   b0 of row 0, of row 1, of row 2, …
//	row 1   b0 b1 b2 b3 … b15        plane 1   b1 of row 0, of row 1, of row 2, …
//	row 2   b0 b1 b2 b3 … b15          …
//	  …     └─── stride ────┘        plane 15  b15 of row 0, of row 1, of row 2, …
//
// A column of more than 256 bins is wide (wide.go): its plane has both of its bytes.
type Rows struct {
	rows   int
	stride int        // bytes of a row, in whole groups
	bins   []uint8    // rows × stride
	narrow int        // bytes of a row before the groups of wide columns
	planes [][]uint8  // narrow × rows; nil until they are made
	wide   [][]uint16 // planes of wide columns

	fields []histogram.Field // of each column
	within [][]int32         // columns of each byte, from low bits to high ones
	begin  []int32           // of each column in a Histogram; one more entry for the end
	sparse sparse            // columns, of rows that have some

	bytes plane[uint8] // what Column returned last, so that no call needs memory
	words plane[uint16]
}

// Of returns the rows of a matrix, whose bytes it shares. They have no planes yet.
func Of(m *histogram.Matrix) *Rows {
	columns, raw := len(m.Columns), m.Raw()
	x := &Rows{
		rows: m.NumRows(), stride: m.Stride, narrow: m.Stride, bins: raw.Bins,
		fields: make([]histogram.Field, columns), within: make([][]int32, m.Stride),
		begin: make([]int32, columns+1), sparse: sparse{zeros: make([]int32, columns)},
	}
	for c := range int32(columns) {
		f := m.Fields[c]
		x.fields[c], x.begin[c+1] = f, x.begin[c]+int32(m.Bins(c).NumBins())
		if f.Sparse {
			x.sparse.columns = append(x.sparse.columns, c)
			x.sparse.zeros[c] = x.begin[c] + int32(m.Bins(c).Zero)
			continue
		}
		x.within[f.At] = append(x.within[f.At], c)
		if f.Wide {
			x.narrow = min(x.narrow, int(f.At))
		}
	}
	x.sparse.SparseRows, x.sparse.columnOf = raw.Sparse, m.ColumnOfPlace
	for _, columns := range x.within {
		slices.SortFunc(columns, func(a, b int32) int { return cmp.Compare(x.fields[a].Shift, x.fields[b].Shift) })
	}
	return x
}

// NumRows returns the number of rows.
func (x *Rows) NumRows() int { return x.rows }

// numTiles returns the number of groups of bytes in a row, each of which needs a [Tile].
func (x *Rows) numTiles() int { return x.stride / groupSize }

// HasBytes reports whether the columns of a part have bytes in a row, so that rows can be divided among
// builders ([Builder.Add]). Parts of sparse columns come after all of these.
func (x *Rows) HasBytes(part Part) bool { return !x.isSparse(part.group()) }

// NumGroups returns the number of groups: those of bytes in a row, and then those of sparse columns.
func (x *Rows) NumGroups() int { return x.numTiles() + x.sparse.numGroups() }

// SumsOfRow returns about how many sums a row is added to, at least 1: one for each byte, and one for each
// place in sparse columns.
func (x *Rows) SumsOfRow() int { return max(1, x.stride+x.places()/max(1, x.rows)) }

// places returns the number of places of all rows in sparse columns.
func (x *Rows) places() int {
	ends := x.sparse.Ends
	if len(ends) == 0 {
		return 0
	}
	return int(ends[len(ends)-1] - ends[0])
}

// Group returns the group in which a column lies.
func (x *Rows) Group(column int32) int {
	if x.fields[column].Sparse {
		return x.numTiles() + x.sparse.group(column)
	}
	return int(x.fields[column].At) / groupSize
}

// gatherBlock is the number of rows that a worker copies at a time. They are still in the
// second-level cache when they are transposed.
const gatherBlock = 1 << 9

// gatherSlack determines the size of new memory for copies: it is larger than needed by 1/gatherSlack,
// because the next call may copy somewhat more rows.
const gatherSlack = 16

// Gather returns copies of the given rows, which ascend, with planes. It reuses the memory of
// dst, which an earlier call returned, or nil; dst must not be used afterwards.
func (x *Rows) Gather(dst *Rows, rows []int32, pool *par.Pool) *Rows {
	if dst == nil {
		dst = new(Rows)
	}
	bins, planes, wide, sparse := dst.bins, dst.planes, dst.wide, dst.sparse
	*dst = *x
	dst.rows = len(rows)
	if size := len(rows) * x.stride; cap(bins) < size {
		bins = make([]uint8, size+size/gatherSlack)
	}
	dst.bins = bins[:len(rows)*x.stride]
	dst.planes = resizePlanes(planes, len(rows), len(rows)/gatherSlack, x.narrow, groupSize,
		x.narrowUsed)
	dst.wide = resizePlanes(wide, len(rows), len(rows)/gatherSlack, x.numWide(), wideColumns,
		x.wideUsed)
	pool.Blocks(len(rows), gatherBlock, func(_, from, to int) {
		for i := from; i < to; i++ {
			row := int(rows[i])
			copy(dst.bins[i*x.stride:(i+1)*x.stride], x.bins[row*x.stride:(row+1)*x.stride])
		}
		dst.transpose(from, to)
	})
	dst.gatherSparse(x, sparse, rows, pool)
	return dst
}
