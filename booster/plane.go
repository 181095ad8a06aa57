package booster

import "github.com/lambdamart/lambdamart/histogram"

// plane holds the bins of a column in all active rows: a byte of each row, which other columns may share, or
// two if the column is wide.
type plane[T uint8 | uint16] struct {
	rows  []T
	step  int   // from row to row in rows: 1, unless it is a view of whole rows
	shift uint8 // as in [histogram.Field]
	mask  T
}

// fillPlane makes the plane of a column have the bins of the given rows, if the column is sparse or planes
// have no memory of their own. It is called before the plane is read, by one goroutine.
func (g *grower) fillPlane(column int32, rows []int32) {
	if g.matrix.Field(column).Sparse {
		g.sparse.Fill(column, rows)
	} else {
		g.bins.FillPlane(column, rows)
	}
}

// plane returns the bins of a column that is not wide. Those of a sparse one are there after fillPlane.
func (g *grower) plane(f histogram.Field) plane[uint8] {
	if f.Sparse {
		return plane[uint8]{g.sparse.Bins, 1, f.Shift, f.Mask}
	}
	return plane[uint8]{g.bins.Plane(f.At), 1, f.Shift, f.Mask}
}

// planeFor returns the bins of a column that is not wide, where they are read fastest for the rows of a leaf:
// few rows were just added up, so that the cache has all of their bytes.
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

// bin returns that of a row.
func (p *plane[T]) bin(row int32) T { return p.rows[int(row)*p.step] >> (p.shift & 7) & p.mask }

// inPlace returns a bin in the bits that it has in rows, and bits the mask of these.
func (p *plane[T]) inPlace(bin uint16) T { return T(bin) & p.mask << (p.shift & 7) }
func (p *plane[T]) bits() T              { return p.mask << (p.shift & 7) }

// table returns numbers by bin, 256 at least, in the order of bins in place.
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
