package binsum

import "encoding/binary"

// Tile holds the sums of one group of columns while rows are added to them: tile[i][v] is the sum
// of the rows whose byte i of the group has the value v. It fits a first-level cache, and a uint8
// cannot index beyond it.
//
//	          value of the byte
//	            0    1    2   …  255
//	byte 0   [ sum  sum  sum  …  sum ]
//	byte 1   [ sum  sum  sum  …  sum ]
//	  …
//	byte 7   [ sum  sum  sum  …  sum ]
//
// Where columns share a byte, its values are their joint bins.
type Tile [groupSize][256]int64

// Build adds the values of the given rows to dst: the value of a row is added to the entries for the bytes
// of the row in the group. values has one entry for each row of x. The numbers of rows must be below
// NumRows; this is not checked.
func (x *Rows) Build(dst *Tile, group int, rows []int32, values []int64) {
	if len(rows) > 0 {
		x.build(dst, group, rows, values)
	}
}

// buildInGo is Build without assembly.
func (x *Rows) buildInGo(dst *Tile, group int, rows []int32, values []int64) {
	stride, first := x.stride, group*groupSize
	for _, r := range rows {
		v := values[r]
		at := int(r)*stride + first
		b := binary.LittleEndian.Uint64(x.bins[at : at+groupSize : at+groupSize])
		dst[0][uint8(b)] += v
		dst[1][uint8(b>>8)] += v
		dst[2][uint8(b>>16)] += v
		dst[3][uint8(b>>24)] += v
		dst[4][uint8(b>>32)] += v
		dst[5][uint8(b>>40)] += v
		dst[6][uint8(b>>48)] += v
		dst[7][uint8(b>>56)] += v
	}
}

// buildNaive defines what Build computes. It is the oracle of Build in tests.
func (x *Rows) buildNaive(dst *Tile, group int, rows []int32, values []int64) {
	for _, r := range rows {
		for i := range dst {
			dst[i][x.bins[int(r)*x.stride+group*groupSize+i]] += values[r]
		}
	}
}

// cacheLine is the size of a cache line on most processors. Only speed depends on it.
const cacheLine = 64

// cached is a number of bytes that a second-level cache holds on most processors. Only speed depends on
// it.
const cached = 1 << 20

// Touch loads a byte of each cache line that holds bins of the given rows in groups [from, to), and returns
// the sum of these bytes, so that the compiler does not drop the loads. Build in effect waits for each load
// before the next one. The loads of Touch do not wait for each other, so calling it for the rows that Build
// takes next lets their cache misses overlap. It does nothing if all rows together fit a cache.
func (x *Rows) Touch(rows []int32, from, to int) uint8 {
	sum := uint8(0)
	to = min(to, x.NumTiles())
	if len(x.bins) <= cached || from >= to {
		return sum
	}
	last := to*groupSize - 1
	for _, r := range rows {
		row := x.bins[int(r)*x.stride:][:x.stride]
		for at := from * groupSize; at < last; at += cacheLine {
			sum += row[at]
		}
		sum += row[last]
	}
	return sum
}
