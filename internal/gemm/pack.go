package gemm

// pack fills a panel with depth rows of B, from row from on, and their columns from column on:
// packed[i*kernel.columns+j] = B[from+i, column+j] for j < width, and 0 for j >= width.
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

// packColumns is like pack, for a transposed B, where column j begins at values[j*distance]. full is the
// number of columns of the panel.
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

// packRest packs the rows [from, to) of the columns [first, last) without vector instructions.
func packRest(packed *panel, full int, values []float32, distance, first, last, from, to int) {
	for j := first; j < last; j++ {
		for i, v := range values[j*distance+from : j*distance+to] {
			packed[(from+i)*full+j] = v
		}
	}
}
