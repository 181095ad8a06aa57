package histogram

import (
	"encoding/binary"
	"math/bits"

	"github.com/lambdamart/lambdamart/dataset"
)

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg histogram

// tile bins rows that have values of the same features. It copies the values of eight features at a time to
// columns, and in the end the bins of all columns to the rows of the matrix. In between, a column's bounds
// stay in the first-level cache. The copies and the search are in assembly, which the program in _generate, a
// module of its own, writes. A worker has one tile.
type tile struct {
	matrix *Matrix
	tables []*keyTable // by column; nil if its bins are found by [FeatureBins.Bin]
	nans   []int64     // by feature: the number of values that were NaN

	rows   []dataset.Row
	first  int                              // feature of the first value of each row
	starts [mostAlike]*float64              // the first values of rows, and then of row 0 again
	values [tileFeatures][mostAlike]float64 // of eight features in each row
	bytes  []uint8                          // the bytes of the matrix, mostAlike of a column after the other
	words  [mostAlike]uint64                // eight bytes of each row
}

const (
	// mostTileBytes is the largest number of bytes of a row for which a tile stays in the second-level cache.
	mostTileBytes = 1 << 10

	tileFeatures = 8  // of which values are copied at a time
	searchLanes  = 32 // values of a group of binColumn
)

// newTiles returns the tiles of workers, or nil if there is no assembly or it does not pay.
func newTiles(x *Matrix, nans [][]int64) []tile {
	if !hasKernel || x.hasSparse() || x.Stride > mostTileBytes {
		return nil
	}
	tables := make([]*keyTable, len(x.Columns))
	for c := range tables {
		tables[c] = newKeyTable(x.Bins(int32(c)))
	}
	tiles := make([]tile, len(nans))
	for w := range tiles {
		tiles[w] = tile{matrix: x, tables: tables, nans: nans[w]}
	}
	return tiles
}

// fill writes the bins of rows that are [filling.alike].
func (t *tile) fill(rows []dataset.Row) {
	t.begin(rows)
	features := len(rows[0].Feature)
	for i := 0; i < features; i += tileFeatures {
		n := min(tileFeatures, features-i)
		columnsOfRows(&t.values[0][0], &t.starts[0], 8*i, n, mostAlike/8)
		for j := range n {
			t.bin(t.first+i+j, &t.values[j])
		}
	}
	t.putZeros(features)
	t.writeRows()
}

func (t *tile) begin(rows []dataset.Row) {
	if t.bytes == nil {
		t.bytes = make([]uint8, t.matrix.Stride*mostAlike)
	}
	clear(t.bytes)
	t.rows, t.first = rows, int(rows[0].Feature[0])
	for k := range t.starts {
		t.starts[k] = &rows[0].Value[0]
		if k < len(rows) {
			t.starts[k] = &rows[k].Value[0]
		}
	}
}

// bin finds the bins of a feature, and counts its NaNs.
func (t *tile) bin(feature int, values *[mostAlike]float64) {
	c := t.matrix.ColumnOf[feature]
	if c < 0 {
		for _, v := range values[:len(t.rows)] {
			t.nans[feature] += isNaN(v)
		}
		return
	}
	t.nans[feature] += t.binColumn(c, values)
}

// binColumn finds the bins of a column, and returns how many values are NaN.
func (t *tile) binColumn(c int32, values *[mostAlike]float64) (nans int64) {
	bins, field, table := t.matrix.Bins(c), t.matrix.Fields[c], t.tables[c]
	if table == nil {
		for k, v := range values[:len(t.rows)] {
			nans += isNaN(v)
			t.put(field, k, bins.Bin(v))
		}
		return nans
	}
	var undecided [mostAlike / searchLanes]uint32
	binColumn(&t.bytes[int(field.At)*mostAlike], &undecided[0], &values[0], &table.low[0], int(field.Shift),
		len(undecided))
	for group, lanes := range undecided {
		for ; lanes != 0; lanes &= lanes - 1 {
			k := group*searchLanes + bits.TrailingZeros32(lanes)
			if k < len(t.rows) {
				nans += isNaN(values[k])
				t.put(field, k, bins.Bin(values[k]))
			}
		}
	}
	return nans
}

func isNaN(v float64) (one int64) {
	if v != v {
		one = 1
	}
	return one
}

// put sets a bin of row k.
func (t *tile) put(field Field, k int, bin uint16) {
	at := int(field.At)*mostAlike + k
	switch {
	case field.Wide:
		t.bytes[at], t.bytes[at+mostAlike] = uint8(bin), uint8(bin>>8)
	case field.Mask == 255:
		t.bytes[at] = uint8(bin)
	default:
		shift := field.Shift & 7
		t.bytes[at] = t.bytes[at]&^(field.Mask<<shift) | uint8(bin)<<shift
	}
}

// putZeros sets the bins of the columns whose features have no value in the rows. features is the number of
// values of each row.
func (t *tile) putZeros(features int) {
	for c, f := range t.matrix.Columns {
		if int(f) >= t.first && int(f) < t.first+features {
			continue
		}
		for k := range t.rows {
			t.put(t.matrix.Fields[c], k, t.matrix.Bins(int32(c)).Zero)
		}
	}
}

// writeRows copies the bins to the matrix.
func (t *tile) writeRows() {
	x := t.matrix
	for at := 0; at < x.Stride; at += GroupSize {
		rowsOfBytes(&t.words[0], &t.bytes[at*mostAlike:][:GroupSize*mostAlike][0])
		for k, row := range t.rows {
			binary.LittleEndian.PutUint64(x.bins[row.Number*x.Stride+at:], t.words[k])
		}
	}
}
