package binsum

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

// buildWords adds the values of the rows to the tiles of the eight bytes from first on. It loads the bytes one
// by one: shifts of one load would all come first, and take more registers than there are.
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
