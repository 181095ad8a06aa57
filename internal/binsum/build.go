package binsum

import "encoding/binary"

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

// buildWords adds the values of the rows to the tiles of the eight bytes from first on.
func (b *Batch) buildWords(dst *[groupSize]Tile, first int) {
	for i, v := range b.values {
		w := word(b.bins, b.place(i, first))
		dst[0][uint8(w)] += v
		dst[1][uint8(w>>8)] += v
		dst[2][uint8(w>>16)] += v
		dst[3][uint8(w>>24)] += v
		dst[4][uint8(w>>32)] += v
		dst[5][uint8(w>>40)] += v
		dst[6][uint8(w>>48)] += v
		dst[7][uint8(w>>56)] += v
	}
}

// buildHalves adds the values of the rows to the tiles of the four bytes from first on.
func (b *Batch) buildHalves(dst *[halfGroup]Tile, first int) {
	for i, v := range b.values {
		w := binary.LittleEndian.Uint32(b.bins[b.place(i, first):])
		dst[0][uint8(w)] += v
		dst[1][uint8(w>>8)] += v
		dst[2][uint8(w>>16)] += v
		dst[3][uint8(w>>24)] += v
	}
}
