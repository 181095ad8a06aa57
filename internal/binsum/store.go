package binsum

// Histogram holds the packed sums of one leaf: those of all bins of all columns, column after
// column without gaps. [Rows.ColumnRange] says where a column is.
//
//	   column 0       column 1            column 2
//	[ 0 1 2 3 4 5 │ 0 1 2 … 253 254 │ 0 1 2 3 4 5 6 7 │ … ]    bins
//	  ↑             ↑                 ↑
//	  begin[0]      begin[1]          begin[2]
type Histogram []int64

// NumBins returns the number of bins of all columns together, the length of a [Histogram].
func (x *Rows) NumBins() int { return int(x.begin[len(x.fields)]) }

// ColumnRange returns where the bins of a column begin and end in a [Histogram].
func (x *Rows) ColumnRange(column int32) (from, to int32) {
	return x.begin[column], x.begin[column+1]
}

// Store moves the sums of a group's columns from the tile to dst, and clears the tile.
func (x *Rows) Store(dst Histogram, group int, tile *Tile) {
	for i, columns := range x.within[group*groupSize:][:groupSize] {
		for _, c := range columns {
			x.take(dst, c, &tile[i])
		}
	}
	*tile = Tile{}
}

// StoreBoth is Store for one of a leaf's two children. It also turns the sums of the leaf, parent,
// into those of the other child, by subtraction.
func (x *Rows) StoreBoth(dst, parent Histogram, group int, tile *Tile) {
	for i, columns := range x.within[group*groupSize:][:groupSize] {
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

// take writes the sums of a column's bins to dst. sums are those of the values of its byte.
func (x *Rows) take(dst Histogram, column int32, sums *[256]int64) {
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
