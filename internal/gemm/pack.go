package gemm

// pack fills a panel with depth rows of B and their columns from column on:
// packed[i*kernel.columns+j] = B[from+i, column+j] for j < width, and 0 beyond.
func (p *product) pack(packed *panel, from, depth, column, width int) {
	full := p.kernel.columns
	if width < full {
		clear(packed[:depth*full])
	}
	values := p.b.values[p.b.at(from, column):]
	if p.b.transposed {
		packColumns(packed, full, values, p.b.distance, depth, width)
		return
	}
	for i := range depth {
		copy(packed[i*full:], values[i*p.b.distance:][:width])
	}
}

// packColumns is pack of a transposed B: column j begins at j*distance.
func packColumns(packed *panel, full int, values []float32, distance, depth, width int) {
	whole := depth / 8 * 8
	column := 0
	for ; column+8 <= width && whole > 0; column += 8 {
		first := values[column*distance:]
		_ = first[7*distance+whole-1]
		transpose8(&packed[column], full*floatBytes, &first[0], distance*floatBytes, whole/8)
		packRest(packed, full, values, distance, column, column+8, whole, depth)
	}
	packRest(packed, full, values, distance, column, width, 0, depth)
}

// packRest packs depths [from, to) of columns [first, last).
func packRest(packed *panel, full int, values []float32, distance, first, last, from, to int) {
	for j := first; j < last; j++ {
		for i, v := range values[j*distance+from : j*distance+to] {
			packed[(from+i)*full+j] = v
		}
	}
}
