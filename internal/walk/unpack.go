package walk

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// unpackedRows is the number of rows that are unpacked at a time.
const unpackedRows = 1 << 9

// unpacker makes rows of bytes for a tree that splits sparse columns. A row has the bins of the columns that
// the tree splits: a byte for each, or two if the column is wide.
//
//	byte 0   bins of sparse columns that the tree does not split, which nobody reads
//	byte 1…  a column after the other
type unpacker struct {
	stride int
	fields []histogram.Field // by column of the matrix: where an unpacked row has its bin
	zeros  []uint8           // the row that has the bin of 0 in all sparse columns
	dense  []int32           // columns of the tree that are not sparse
	places []uint32          // by place of a sparse column (see [histogram.SparseRows]): byte<<8 | bin
}

// newUnpacker returns an unpacker for the columns of the nodes, or nil if none of them is sparse.
func newUnpacker(m *histogram.Matrix, nodes []Node) *unpacker {
	if !slices.ContainsFunc(nodes, func(n Node) bool { return m.Fields[n.Column].Sparse }) {
		return nil
	}
	u := &unpacker{stride: 1, fields: make([]histogram.Field, len(m.Fields))}
	for _, n := range nodes {
		f := &u.fields[n.Column]
		if f.At > 0 {
			continue
		}
		*f = histogram.Field{At: int32(u.stride), Mask: 255, Wide: m.Fields[n.Column].Wide}
		if u.stride++; f.Wide {
			u.stride++
		}
		if !m.Fields[n.Column].Sparse {
			u.dense = append(u.dense, n.Column)
		}
	}
	u.stride = (u.stride + histogram.GroupSize - 1) / histogram.GroupSize * histogram.GroupSize
	u.setPlaces(m)
	return u
}

// setPlaces sets zeros and places for the columns of m.
func (u *unpacker) setPlaces(m *histogram.Matrix) {
	_, places := m.Mapper.Size()
	u.zeros, u.places = make([]uint8, u.stride), make([]uint32, 0, places)
	for c, f := range u.fields {
		bins := m.Bins(int32(c))
		if m.Fields[c].Sparse {
			u.zeros[f.At] = uint8(bins.Zero)
		}
		for bin := range bins.NumBins() {
			u.places = append(u.places, uint32(f.At)<<8|uint32(bin)&255)
		}
	}
}

// some returns n unpacked rows of m, at most unpackedRows, from row first on. They are in memory, and valid
// until the next call with it.
func (u *unpacker) some(m *histogram.Matrix, first, n int, memory *Memory) []uint8 {
	memory.rows = reuse.Slice(memory.rows, unpackedRows*u.stride)
	sparse := m.Raw().Sparse
	rows := memory.rows[:n*u.stride]
	for i := range n {
		u.row(rows[i*u.stride:][:u.stride], m, first+i, sparse.Of(first+i))
	}
	return rows
}

// row unpacks a row of m, which has the given places in sparse columns.
func (u *unpacker) row(dst []uint8, m *histogram.Matrix, row int, places []uint32) {
	copy(dst, u.zeros)
	for _, c := range u.dense {
		bin, f := m.Fields[c].Of(m.Row(row)), u.fields[c]
		if dst[f.At] = uint8(bin); f.Wide {
			dst[f.At+1] = uint8(bin >> 8)
		}
	}
	for _, place := range places {
		at := u.places[place]
		dst[at>>8] = uint8(at)
	}
}
