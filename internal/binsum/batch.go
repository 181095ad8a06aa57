package binsum

import "github.com/lambdamart/lambdamart/internal/reuse"

// BatchRows is a number of rows whose bins in some hundred columns fit into a second-level cache.
const BatchRows = 512

// Batch holds copies of some rows, with their values, in some groups. The rows of a leaf are on many pages of
// memory. Reading them there again for each group would take longer than adding them up.
type Batch struct {
	first  int     // group
	stride int     // bytes of a row, in whole groups
	bins   []uint8 // row after row
	values []int64 // of each row
}

// Take makes b a batch of the given rows of x in groups [from, to), without those of sparse columns. It
// leaves out rows whose value is 0, such as those of queries in which all grades are equal: they add nothing.
// values has one entry for each row of x. The numbers of rows must be below NumRows; this is not checked.
func (b *Batch) Take(x *Rows, rows []int32, from, to int, values []int64) {
	b.first, b.stride = from, (to-from)*groupSize
	b.bins, b.values = reuse.Slice(b.bins, len(rows)*b.stride), reuse.Slice(b.values, len(rows))
	if len(b.bins) > 0 {
		b.values = b.values[:b.take(x, rows, values)]
	}
}

// takeInGo copies the rows whose values are not 0, and their values, and returns their number.
func (b *Batch) takeInGo(x *Rows, rows []int32, values []int64) (taken int) {
	for _, r := range rows {
		if values[r] != 0 {
			b.values[taken] = values[r]
			copy(b.bins[taken*b.stride:][:b.stride], x.bins[int(r)*x.stride+b.first*groupSize:])
			taken++
		}
	}
	return taken
}

// place returns where a byte of a row is in b.bins.
func (b *Batch) place(row, at int) int { return row*b.stride + at - b.first*groupSize }

// cacheLine is the size of a cache line on most processors. Only speed depends on it.
const cacheLine = 64

// cached is a number of bytes that a second-level cache holds on most processors. Only speed depends on it.
const cached = 1 << 20

// Prefetch asks for the bins of the given rows in groups [from, to) and does not wait, so that they are in
// the cache when [Batch.Take] copies them. It does nothing if all rows together fit a cache.
func (x *Rows) Prefetch(rows []int32, from, to int, values []int64) {
	if len(rows) > 0 && len(x.bins) > cached {
		x.prefetch(rows, from*groupSize, to*groupSize-1, values)
	}
}

// Tile holds the sums of one byte of a row while rows are added to them: tile[v] is the sum of the rows in
// which the byte has the value v. The tiles of a part fit a first-level cache, and a uint8 cannot index
// beyond one.
//
//	          value of the byte
//	            0    1    2   …  255
//	byte 0   [ sum  sum  sum  …  sum ]
//	byte 1   [ sum  sum  sum  …  sum ]
//	  …
//
// Where columns share a byte, its values are their joint bins.
type Tile [256]int64

// take moves the sums of another tile to t.
func (t *Tile) take(other *Tile) {
	for bin, sum := range other {
		t[bin] += sum
	}
	*other = Tile{}
}

// Build adds the values of the rows to the tiles of a part: the value of a row is added to the entries for
// the bytes of the row. tiles has a tile for each byte of the part.
func (b *Batch) Build(tiles []Tile, part Part) {
	if len(b.values) > 0 {
		b.build(tiles, part)
	}
}

// buildInGo is Build without assembly.
func (b *Batch) buildInGo(tiles []Tile, part Part) {
	first := part.First
	if len(tiles) >= groupSize {
		b.buildWords((*[groupSize]Tile)(tiles), first)
		tiles, first = tiles[groupSize:], first+groupSize
	}
	if len(tiles) >= halfGroup {
		b.buildHalves((*[halfGroup]Tile)(tiles), first)
	}
}

// buildWords adds the values of the rows to the tiles of the eight bytes from first on. It loads the bytes
// one by one: shifts of one load would all come first, and take more registers than there are.
func (b *Batch) buildWords(dst *[groupSize]Tile, first int) {
	at, stride, bins := b.place(0, first), b.stride, b.bins
	for _, v := range b.values {
		row := (*[groupSize]uint8)(bins[at : at+groupSize])
		at += stride
		dst[0][row[0]] += v
		dst[1][row[1]] += v
		dst[2][row[2]] += v
		dst[3][row[3]] += v
		dst[4][row[4]] += v
		dst[5][row[5]] += v
		dst[6][row[6]] += v
		dst[7][row[7]] += v
	}
}

// buildHalves adds the values of the rows to the tiles of the four bytes from first on.
func (b *Batch) buildHalves(dst *[halfGroup]Tile, first int) {
	at, stride, bins := b.place(0, first), b.stride, b.bins
	for _, v := range b.values {
		row := (*[halfGroup]uint8)(bins[at : at+halfGroup])
		at += stride
		dst[0][row[0]] += v
		dst[1][row[1]] += v
		dst[2][row[2]] += v
		dst[3][row[3]] += v
	}
}
