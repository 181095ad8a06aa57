package histogram

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
)

// filling is a matrix whose rows are being binned. Any worker may bin any row.
type filling struct {
	matrix   *Matrix
	defaults []uint8   // the bytes of a row of zeros
	nans     [][]int64 // of each worker: the number of rows in which each feature was NaN
	stored   []stored  // of each worker: bins of sparse columns
	tiles    []tile    // of each worker; nil if rows are binned without assembly
}

func newFilling(x *Matrix, workers int) *filling {
	f := &filling{matrix: x, defaults: make([]uint8, x.Stride), nans: make([][]int64, workers),
		stored: make([]stored, workers)}
	for c, feature := range x.Columns {
		x.Fields[c].put(f.defaults, x.Mapper.Features[feature].Zero)
	}
	for w := range f.nans {
		f.nans[w] = make([]int64, len(x.Mapper.Features))
	}
	f.tiles = newTiles(x, f.nans)
	return f
}

// fillRest bins the rows of kept, which it removes from kept, and reads the others from the source. kept may
// be nil.
func (f *filling) fillRest(ctx context.Context, src dataset.Source, kept *sampler) error {
	if kept == nil {
		_, err := f.scan(ctx, src, nil)
		return err
	}
	if err := f.fillKept(ctx, kept); err != nil {
		return err
	}
	if kept.hasAll() {
		return nil
	}
	_, err := f.scan(ctx, src, func(row int) bool { return !kept.sampled(row) })
	return err
}

// fillKept bins the rows of kept, a page at a time.
func (f *filling) fillKept(ctx context.Context, kept *sampler) error {
	pages := kept.takePages()
	pool := par.New(len(f.nans))
	defer pool.Close()
	rows, alike := make([]unpacked, pool.Workers()), make([]unpackedTile, pool.Workers())
	pool.Run(len(pages), func(worker, i int) {
		if ctx.Err() == nil {
			f.fillPage(worker, pages[i], &rows[worker], &alike[worker])
		}
		pages[i] = nil
	})
	return ctx.Err()
}

// fillPage bins the rows of a page. Rows for tiles are unpacked with their zeros, so that they are alike.
func (f *filling) fillPage(worker int, page []byte, u *unpacked, t *unpackedTile) {
	eachPacked(page, func(row int, p packedValues) {
		if !f.fillsTile(len(p.kinds)) {
			u.unpack(p)
			f.fill(worker, dataset.Row{Number: row, Feature: u.feature, Value: u.value})
			return
		}
		t.add(row, p, len(f.matrix.ColumnOf))
		if len(t.rows) == mostAlike {
			f.fillRows(worker, t.take())
		}
	})
	f.fillRows(worker, t.take())
}

// fillsTile reports whether rows with this many values are binned in tiles. That does not pay if most columns
// have no value.
func (f *filling) fillsTile(values int) bool {
	return f.tiles != nil && 2*values >= len(f.matrix.Columns)
}

// scan bins the rows of a source that keep accepts, or all rows if keep is nil.
func (f *filling) scan(ctx context.Context, src dataset.Source, keep func(row int) bool) (*dataset.Meta,
	error) {
	rows := f.matrix.rows
	meta, err := src.Blocks(ctx, dataset.Pass{Keep: keep, Work: func(worker int, b *dataset.Block) error {
		if n := len(b.Rows); n > 0 && b.Rows[n-1].Number >= rows {
			return fmt.Errorf("%w: more than %d rows", ErrChanged, rows)
		}
		f.fillRows(worker, b.Rows)
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if meta.NumRows() != rows {
		return nil, fmt.Errorf("%w: %d rows, then %d", ErrChanged, rows, meta.NumRows())
	}
	return meta, nil
}

// fillRows writes the bins of some rows, and counts their NaNs by feature. Rows with values of the same
// features are binned one feature after the other: the tables of one feature fit the first-level cache, and
// the tables of all features do not.
func (f *filling) fillRows(worker int, rows []dataset.Row) {
	for len(rows) > 0 {
		n := f.alike(rows)
		switch {
		case n < fewAlike:
			n = 1
			f.fill(worker, rows[0])
		case f.fillsTile(len(rows[0].Feature)):
			f.tiles[worker].fill(rows[:n])
		default:
			f.fillColumns(worker, rows[:n])
		}
		rows = rows[n:]
	}
}

const (
	fewAlike  = 8  // with fewer rows, loading the tables of each feature for them does not pay
	mostAlike = 64 // this many rows stay in the first-level cache with the tables of a feature
)

// alike returns how many of the first rows have values of the same features without a gap. It is 0 if the
// matrix has sparse columns or lacks one of these features.
func (f *filling) alike(rows []dataset.Row) (n int) {
	have := rows[0].Feature
	last := len(have) - 1
	if f.matrix.hasSparse() || last < 0 || int(have[last]) >= len(f.matrix.ColumnOf) {
		return 0
	}
	for n < min(len(rows), mostAlike) {
		now := rows[n].Feature
		if len(now) != len(have) || now[0] != have[0] || int(now[last]) != int(now[0])+last {
			break
		}
		n++
	}
	return n
}

// fillColumns writes the bins of rows that are [filling.alike], one feature after the other.
func (f *filling) fillColumns(worker int, rows []dataset.Row) {
	for _, row := range rows {
		copy(f.matrix.Row(row.Number), f.defaults)
	}
	first := int(rows[0].Feature[0])
	for i := range rows[0].Feature {
		f.fillColumn(rows, i, first+i, &f.nans[worker][first+i])
	}
}

// fillColumn writes the bins of a feature, which is value i of each row.
func (f *filling) fillColumn(rows []dataset.Row, i, feature int, nans *int64) {
	x := f.matrix
	bins, c := &x.Mapper.Features[feature], x.ColumnOf[feature]
	if c >= 0 && bins.hasTables() && x.Fields[c].wholeByte() {
		*nans += bins.lookup.binAll(rows, i, x.bins[x.Fields[c].At:], x.Stride)
		return
	}
	for k := range rows {
		v := rows[k].Value[i]
		if v == 0 {
			continue
		}
		if v != v {
			*nans++
		}
		if c >= 0 {
			x.Fields[c].put(x.Row(rows[k].Number), bins.Bin(v))
		}
	}
}

// fill writes the bins of one row, and counts its NaNs by feature.
func (f *filling) fill(worker int, row dataset.Row) {
	x, nans := f.matrix, f.nans[worker]
	dst := x.Row(row.Number)
	copy(dst, f.defaults)
	sparse := x.hasSparse()
	if sparse {
		f.stored[worker].begin(row.Number, len(row.Feature))
	}
	for i, feature := range row.Feature {
		v := row.Value[i]
		if v == 0 || int(feature) >= len(x.ColumnOf) {
			continue
		}
		if v != v {
			nans[feature]++
		}
		c := x.ColumnOf[feature]
		if c < 0 {
			continue
		}
		bins := &x.Mapper.Features[feature]
		if sparse && bins.Sparse {
			if bin := bins.Bin(v); bin != bins.Zero {
				f.stored[worker].add(x.first[c] + uint32(bin))
			}
			continue
		}
		x.Fields[c].put(dst, bins.Bin(v))
	}
}

// finish returns the matrix after all rows are filled.
func (f *filling) finish() *Matrix {
	if f.matrix.hasSparse() {
		f.matrix.sparse = joinStored(f.stored, f.matrix.rows)
	}
	for _, counts := range f.nans {
		for feature, n := range counts {
			f.matrix.NaNs[feature] += n
		}
	}
	return f.matrix
}
