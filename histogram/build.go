package histogram

import "encoding/binary"

// Tile holds the sums of a group while rows are added: by byte of the group and
// the byte's value. It fits a first-level cache, and a uint8 cannot index beyond
// it.
type Tile [GroupSize][256]int64

// Histogram holds the sums of all bins of all columns of one leaf, column after
// column without gaps; see [Matrix.ColumnRange].
type Histogram []int64

// Build adds the values of the given rows to dst, each to the values that the
// row's bytes of a group have. values has one entry for each row of the matrix.
func (x *Matrix) Build(dst *Tile, group int, rows []int32, values []int64) {
	stride, first := x.stride, group*GroupSize
	for _, r := range rows {
		v := values[r]
		at := int(r)*stride + first
		b := binary.LittleEndian.Uint64(x.bins[at : at+GroupSize : at+GroupSize])
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

// cacheLine is the number of bytes that memory moves at a time on most
// processors. It decides nothing but speed.
const cacheLine = 64

// Touch loads a byte of each cache line that holds bins of the given rows in
// groups [from, to), and returns their sum, which means nothing. The loads do
// not wait for each other, as those of Build do in effect: called for the rows
// that Build takes next, it has their cache misses overlap.
func (x *Matrix) Touch(rows []int32, from, to int) uint8 {
	sum := uint8(0)
	last := to*GroupSize - 1
	for _, r := range rows {
		row := x.bins[int(r)*x.stride:][:x.stride]
		for at := from * GroupSize; at < last; at += cacheLine {
			sum += row[at]
		}
		sum += row[last]
	}
	return sum
}

// buildNaive is the meaning of Build, and its oracle.
func (x *Matrix) buildNaive(dst *Tile, group int, rows []int32, values []int64) {
	for _, r := range rows {
		for c := range dst {
			dst[c][x.bins[int(r)*x.stride+group*GroupSize+c]] += values[r]
		}
	}
}

// Store moves the sums of a group's columns from the tile to dst, and clears the
// tile.
func (x *Matrix) Store(dst Histogram, group int, tile *Tile) {
	for i, columns := range x.within[group*GroupSize:][:GroupSize] {
		for _, c := range columns {
			x.take(dst, c, &tile[i])
		}
	}
	*tile = Tile{}
}

// StoreBoth is Store, and turns the parent's sums into those of the other child
// by subtraction.
func (x *Matrix) StoreBoth(dst, parent Histogram, group int, tile *Tile) {
	for i, columns := range x.within[group*GroupSize:][:GroupSize] {
		for _, c := range columns {
			x.take(dst, c, &tile[i])
			from, to := x.ColumnRange(c)
			child, other := dst[from:to], parent[from:to]
			for b, s := range child {
				other[b] -= s
			}
		}
	}
	*tile = Tile{}
}

// take writes the sums of a column's bins to dst, from those of its byte's values.
func (x *Matrix) take(dst Histogram, column int32, sums *[256]int64) {
	from, to := x.ColumnRange(column)
	bins, field := dst[from:to], x.fields[column]
	if len(x.within[field.At]) == 1 {
		copy(bins, sums[:])
		return
	}
	clear(bins)
	for b, s := range sums {
		if bin := int(field.Bin(uint8(b))); bin < len(bins) {
			bins[bin] += s
		}
	}
}
