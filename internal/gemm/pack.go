package gemm

// pack fills a panel with depth rows of B and their columns from column on:
// packed[i*tileColumns+j] = B[from+i, column+j] for j < width, and 0 beyond.
func (p *product) pack(packed *panel, from, depth, column, width int) {
	if width < tileColumns {
		clear(packed[:depth*tileColumns])
	}
	values := p.b.values[p.b.at(from, column):]
	switch {
	case p.b.transposed:
		packColumns(packed, values, p.b.distance, depth, width)
	case width == tileColumns:
		for i := range depth {
			*(*[tileColumns]float32)(packed[i*tileColumns:]) = [tileColumns]float32(values[i*p.b.distance:])
		}
	default:
		for i := range depth {
			copy(packed[i*tileColumns:], values[i*p.b.distance:][:width])
		}
	}
}

// packColumns is pack of a transposed B: column j is stored at j*distance.
func packColumns(packed *panel, values []float32, distance, depth, width int) {
	whole := depth / 8 * 8
	column := 0
	for ; column+8 <= width && whole > 0; column += 8 {
		first := values[column*distance:]
		_ = first[7*distance+whole-1]
		transpose8(&packed[column], &first[0], distance*floatBytes, whole/8)
		packRest(packed, values, distance, column, column+8, whole, depth)
	}
	packRest(packed, values, distance, column, width, 0, depth)
}

// packRest packs depths [from, to) of columns [first, last).
func packRest(packed *panel, values []float32, distance, first, last, from, to int) {
	for j := first; j < last; j++ {
		source := values[j*distance+from : j*distance+to]
		for i, v := range source {
			packed[(from+i)*tileColumns+j] = v
		}
	}
}
