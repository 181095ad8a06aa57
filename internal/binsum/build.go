package binsum

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

// Build adds the values of the rows to dst: the value of a row is added to the entries for the bytes of the
// row in the group.
func (b *Batch) Build(dst *Tile, group int) {
	if len(b.values) > 0 {
		b.build(dst, group)
	}
}

// buildInGo is Build without assembly.
func (b *Batch) buildInGo(dst *Tile, group int) {
	for i, v := range b.values {
		w := b.word(i, group)
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
