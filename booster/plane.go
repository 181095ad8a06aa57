package booster

import "github.com/lambdamart/lambdamart/histogram"

// plane holds the bins of a column in all active rows: for each row a byte, which other columns may share, or
// two bytes if the column is wide.
type plane[T uint8 | uint16] struct {
	rows  []T
	step  int   // distance in rows from one row to the next: 1, unless rows holds whole rows
	shift uint8 // as in [histogram.Field]
	mask  T
}

// fillPlane fills the plane of a column with the bins of the given rows, if the column is sparse or if planes
// share their memory. One goroutine calls it before the plane is read.
func (g *grower) fillPlane(column int32, rows []int32) {
	if g.matrix.Fields[column].Sparse {
		g.sparse.Fill(column, rows)
	} else {
		g.bins.FillPlane(column, rows)
	}
}

// plane returns the bins of a column that is not wide. fillPlane must have been called before.
func (g *grower) plane(f histogram.Field) plane[uint8] {
	if f.Sparse {
		return plane[uint8]{g.sparse.Bins, 1, f.Shift, f.Mask}
	}
	return plane[uint8]{g.bins.Plane(f.At), 1, f.Shift, f.Mask}
}

// planeFor returns the bins of a column that is not wide, from the memory where they are read fastest for the
// rows of a leaf. If the leaf has few rows, its sums were just built from whole rows, which are still in the
// cache.
func (g *grower) planeFor(rows []int32, f histogram.Field) plane[uint8] {
	if f.Sparse || len(rows) > g.fewRows {
		return g.plane(f)
	}
	bytes, stride := g.bins.Bytes(f.At)
	return plane[uint8]{bytes, stride, f.Shift, f.Mask}
}

// widePlane returns the bins of a wide column.
func (g *grower) widePlane(f histogram.Field) plane[uint16] {
	return plane[uint16]{rows: g.bins.WidePlane(f.At), step: 1, mask: 1<<16 - 1}
}

// bin returns the bin of a row.
func (p *plane[T]) bin(row int32) T { return p.rows[int(row)*p.step] >> (p.shift & 7) & p.mask }

// inPlace returns a bin shifted to its bit positions in rows.
func (p *plane[T]) inPlace(bin uint16) T { return T(bin) & p.mask << (p.shift & 7) }

// bits returns the mask of the column's bits in rows.
func (p *plane[T]) bits() T { return p.mask << (p.shift & 7) }

// table returns byBin reindexed by bin in place, with at least 256 entries.
func (p *plane[T]) table(byBin []uint8) []uint8 {
	if len(byBin) > 1<<8 {
		return byBin
	}
	table := make([]uint8, 1<<8)
	for bin, v := range byBin {
		table[p.inPlace(uint16(bin))] = v
	}
	return table
}
