package binsum

// A tile has no room for the sums of columns with more than 256 bins. Their groups come last in a row, with
// two bytes for each column, and rows are added directly to the histogram: by clearWide, then buildWide any
// number of times, then store or storeBoth as for other groups.

// wideColumns is the number of wide columns of a group.
const wideColumns = groupSize / 2

// isWide reports whether a group is one of wide columns.
func (x *Rows) isWide(group int) bool { return group*groupSize >= x.narrow && !x.isSparse(group) }

// clearWide sets the sums of a group of wide columns to 0.
func (x *Rows) clearWide(dst Histogram, group int) {
	for _, sums := range x.wideSums(dst, group) {
		clear(sums)
	}
}

// copyWide sets the sums of a group of wide columns to those of another histogram.
func (x *Rows) copyWide(dst, src Histogram, group int) {
	from := x.wideSums(src, group)
	for i, sums := range x.wideSums(dst, group) {
		copy(sums, from[i])
	}
}

// addWide adds the sums of a group of wide columns of another histogram.
func (x *Rows) addWide(dst, src Histogram, group int) {
	from := x.wideSums(src, group)
	for i, sums := range x.wideSums(dst, group) {
		for b, v := range from[i][:len(sums)] {
			sums[b] += v
		}
	}
}

// buildWide adds the values of the rows of a batch of x to the sums of a group of wide columns, as
// [Batch.Build] adds them to a tile.
func (x *Rows) buildWide(dst Histogram, group int, batch *Batch) {
	sums := x.wideSums(dst, group)
	sums0, sums1, sums2, sums3 := sums[0], sums[1], sums[2], sums[3]
	for i, v := range batch.values {
		w := word(batch.bins, batch.place(i, group*groupSize))
		sums0[uint16(w)] += v
		sums1[uint16(w>>16)] += v
		sums2[uint16(w>>32)] += v
		sums3[uint16(w>>48)] += v
	}
}

// wideSums returns the sums of the columns of a group. In place of each column that the last group lacks,
// it returns memory for one sum, since the bytes there are 0.
func (x *Rows) wideSums(h Histogram, group int) (sums [wideColumns][]int64) {
	for i := range sums {
		if columns := x.within[group*groupSize+2*i]; len(columns) > 0 {
			sums[i] = x.of(h, columns[0])
		} else {
			sums[i] = make([]int64, 1)
		}
	}
	return sums
}

// subtractWide is like storeBoth, for a group of wide columns, whose sums are in dst already. It does nothing
// for sparse columns.
func (x *Rows) subtractWide(dst, parent Histogram, group int) {
	if x.isSparse(group) {
		return
	}
	for _, columns := range x.within[group*groupSize:][:groupSize] {
		for _, c := range columns {
			subtract(x.of(parent, c), x.of(dst, c))
		}
	}
}

// widePlane returns the bins of all rows in the wide column whose lower byte is b. The planes must have
// been made.
func (x *Rows) widePlane(b int32) []uint16 { return x.wide[(int(b)-x.narrow)/2] }

// transposeWide writes the bins of the wide columns of the group at byte first, of rows [from, to), to
// their planes, to the first plane last (see resizePlanes).
func (x *Rows) transposeWide(first, from, to int) {
	planes := (*[wideColumns][]uint16)(x.wide[(first-x.narrow)/2:])
	for row := from; row < to; row++ {
		b := word(x.bins, row*x.stride+first)
		planes[3][row] = uint16(b >> 48)
		planes[2][row] = uint16(b >> 32)
		planes[1][row] = uint16(b >> 16)
		planes[0][row] = uint16(b)
	}
}
