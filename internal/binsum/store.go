package binsum

import (
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/histogram"
)

// Histogram holds the packed sums of one leaf for all bins of all columns, column after column without gaps.
// [Rows.ColumnRange] locates a column.
//
//	   column 0       column 1            column 2
//	[ 0 1 2 3 4 5 │ 0 1 2 … 253 254 │ 0 1 2 3 4 5 6 7 │ … ]    bins
//	  ↑             ↑                 ↑
//	  begin[0]      begin[1]          begin[2]
type Histogram []int64

// NumBins returns the number of bins of all columns together, the length of a [Histogram].
func (x *Rows) NumBins() int { return int(x.begin[len(x.fields)]) }

// ColumnRange returns where the bins of a column begin and end in a [Histogram].
func (x *Rows) ColumnRange(column int32) (from, to int32) {
	return x.begin[column], x.begin[column+1]
}

// store moves the sums of a part's columns from tiles, which has one for each byte of a row, to dst, and
// clears these tiles. It does nothing for a group of wide or sparse columns, which have no sums in tiles.
func (x *Rows) store(dst Histogram, part Part, tiles []Tile) {
	if part.First >= x.narrow {
		return
	}
	for i := part.First; i < part.End; i++ {
		columns, tile := x.within[i], &tiles[i]
		switch len(columns) {
		case 0:
			tile[0] = 0 // a byte without columns is 0 in all rows
		case 1:
			bins := x.of(dst, columns[0])
			copy(bins, tile[:])
			clear(tile[:len(bins)])
		default:
			x.divide(dst, columns, tile)
		}
	}
}

// storeBoth is like store, for one of a leaf's two children. It also subtracts the sums from parent, the sums
// of the leaf, which become the sums of the other child.
func (x *Rows) storeBoth(dst, parent Histogram, part Part, tiles []Tile) {
	if part.First >= x.narrow {
		x.subtractWide(dst, parent, part.group())
		return
	}
	for i := part.First; i < part.End; i++ {
		columns, tile := x.within[i], &tiles[i]
		switch len(columns) {
		case 0:
			tile[0] = 0
		case 1:
			move(x.of(dst, columns[0]), x.of(parent, columns[0]), tile)
		default:
			x.divide(dst, columns, tile)
			for _, c := range columns {
				subtract(x.of(parent, c), x.of(dst, c))
			}
		}
	}
}

// of returns the sums of a column.
func (x *Rows) of(h Histogram, column int32) []int64 {
	from, to := x.ColumnRange(column)
	return h[from:to]
}

// moveInGo moves the sums of a column's bins from a tile to dst, and subtracts them from parent.
func moveInGo(dst, parent []int64, tile *Tile) {
	copy(dst, tile[:])
	clear(tile[:len(dst)])
	subtract(parent, dst)
}

func subtract(from, sums []int64) {
	from = from[:len(sums)]
	for b, s := range sums {
		from[b] -= s
	}
}

// divide moves the sums of joint bins to the bins of the columns that share a byte, and clears them. The
// column in the lowest bits comes first: for each of its bins, it gets the sum over all bins of the other
// columns. The sums over all of its bins then remain as joint bins of the other columns.
//
//	sums     (0,0) (1,0) (2,0) (0,1) (1,1) (2,1)     two columns, of three and two bins
//	first      0     1     2     0     1     2
//	second     0     0     0     1     1     1
func (x *Rows) divide(dst Histogram, columns []int32, sums *Tile) {
	last := len(columns) - 1
	top := end(x.fields[columns[last]])
	for _, c := range columns[:last] {
		bins, field := x.of(dst, c), x.fields[c]
		clear(bins)
		for other := range 1 << (top - end(field)) {
			total := int64(0)
			for b, s := range sums[other<<width(field):][:len(bins)] {
				bins[b] += s
				total += s
			}
			sums[other] = total
		}
	}
	copy(x.of(dst, columns[last]), sums[:])
	*sums = Tile{}
}

// width returns the number of bits of a field.
func width(f histogram.Field) int { return bits.Len8(f.Mask) }

// end returns the number of bits of the byte up to the last bit of a field.
func end(f histogram.Field) int { return int(f.Shift) + width(f) }

// Sum is the gradient and the Hessian of a row, or their sums over the rows of a bin or a leaf, as integers
// on the scales of the iteration.
type Sum struct {
	Gradient, Hessian int64
}

// Add returns s + t.
func (s Sum) Add(t Sum) Sum { return Sum{s.Gradient + t.Gradient, s.Hessian + t.Hessian} }

// Sub returns s - t.
func (s Sum) Sub(t Sum) Sum { return Sum{s.Gradient - t.Gradient, s.Hessian - t.Hessian} }

// If gradients and Hessians are small enough, one integer holds both. Adding a row to a bin then takes one
// load, one addition and one store:
//
//	bit 63                   32 31                    0
//	   │ gradient, signed      │ Hessian, not negative │
//
// Sums and differences of packed sums are packed sums as long as every Hessian stays below 2^32 and the
// magnitude of every gradient below 2^31.

// Limits of the sum over all rows of the magnitudes of gradients, and of the Hessians, in units and before
// rounding. Rounding changes a row by at most half a unit, and there are fewer than 2^31 rows, so the
// rounded sums fit packed sums.
const (
	MaxPackedGradient = 1 << 30
	MaxPackedHessian  = 1 << 31
)

// Pack returns s as one integer.
func (s Sum) Pack() int64 { return s.Gradient<<32 + s.Hessian }

// Unpack is the inverse of [Sum.Pack].
func Unpack(packed int64) Sum { return Sum{packed >> 32, packed & (1<<32 - 1)} }
