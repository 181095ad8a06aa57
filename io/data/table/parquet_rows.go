package table

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

const (
	// rowBlock is the number of rows that are transposed at a time. This many rows fit into a
	// second-level cache, and the pieces of the columns are long enough for the processor to
	// prefetch them.
	rowBlock = 128

	// scanRows is the number of rows that a worker takes at a time in Scan.
	scanRows = 2 * rowBlock
)

// Scan reads all rows once, as [dataset.Source] says.
func (d *parquetData) Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row dataset.Row) error) (*dataset.Meta, error) {
	pool := par.New(d.opts.Workers)
	defer pool.Close()
	buffers := d.rowBuffers(pool)
	j := rows.NewJoiner(&d.opts)
	err := d.each(ctx, pool, func(b *batch) error {
		found := make([]*rows.Found, (b.n+scanRows-1)/scanRows)
		pool.Blocks(b.n, scanRows, func(worker, from, to int) {
			found[from/scanRows] = d.scanBlock(b, from, to, &buffers[worker], keep, func(row dataset.Row) error { return visit(worker, row) })
		})
		for _, block := range found {
			if err := j.Add(b.path, block); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return j.Finish(d.path, d.companions)
}

// scanBlock calls visit for the rows in [from, to) of a batch that are kept, up to the first one
// with an error.
func (d *parquetData) scanBlock(b *batch, from, to int, buffer *rowBuffer, keep func(row int) bool, visit func(row dataset.Row) error) *rows.Found {
	found := rows.NewFound(to - from)
	sound, wrong := d.readMeta(b, from, to, found)
	for ; from < sound; from += rowBlock {
		if err := d.visitRows(b, from, min(from+rowBlock, sound), buffer, keep, visit); err != nil {
			return found.EndedBy(err)
		}
	}
	return found.EndedBy(wrong)
}

// rowBuffer is the memory of a worker: values of rowBlock rows, row after row.
type rowBuffer struct {
	values []float64
	kept   []int // rows of the block
}

func (d *parquetData) rowBuffers(pool *par.Pool) []rowBuffer {
	buffers := make([]rowBuffer, pool.Workers())
	for i := range buffers {
		buffers[i].values = make([]float64, rowBlock*len(d.features))
	}
	return buffers
}

// readMeta notes labels, weights and queries of the rows in [from, to) of a batch. It returns the
// first row with an error, and the error; or to.
func (d *parquetData) readMeta(b *batch, from, to int, dst *rows.Found) (sound int, wrong error) {
	var row rows.Row
	row.Last = -1
	for i := from; i < to; i++ {
		if err := d.metaRow(b, i, &row); err != nil {
			return i, err
		}
		dst.AddQuery(&row)
		dst.AddRow(&row, &d.opts)
	}
	return to, nil
}

// metaRow reads label, weight and query of row i of a batch.
func (d *parquetData) metaRow(b *batch, i int, row *rows.Row) error {
	row.Number, row.Line, row.Weight = b.firstRow+i, b.fileRow+i+1, 1
	for _, column := range d.special {
		switch d.columns.role[column] {
		case labelColumn:
			row.Label = b.values[column][i]
			if math.IsNaN(row.Label) || math.IsInf(row.Label, 0) {
				return d.fault(b, i, column, dataset.ErrLabelFinite)
			}
		case weightColumn:
			row.Weight = b.values[column][i]
			if !(row.Weight >= 0) || math.IsInf(row.Weight, 0) {
				return d.fault(b, i, column, ErrWeight)
			}
		case queryColumn:
			row.Query = b.texts[column].copyOf(row.Query, i)
			if len(row.Query) == 0 {
				return d.fault(b, i, column, ErrQuery)
			}
		case secondColumn:
			row.Second = b.values[column][i]
			if math.IsNaN(row.Second) || math.IsInf(row.Second, 0) {
				return d.fault(b, i, column, ErrSecond)
			}
		case placeColumn:
			row.Place = b.texts[column].copyOf(row.Place, i)
			if !rows.IsPlace(row.Place) {
				return d.fault(b, i, column, ErrPlace)
			}
		case docColumn:
			row.Doc = strings.Clone(b.texts[column].at(i)) // the batch is used again
		}
	}
	return nil
}

func (d *parquetData) fault(b *batch, i, column int, err error) error {
	return &dataset.Error{Path: b.path, Row: int64(b.fileRow + i + 1), Field: d.columns.names[column], Err: err}
}

// visitRows calls visit for the rows in [from, to) of a batch that are kept.
func (d *parquetData) visitRows(b *batch, from, to int, buffer *rowBuffer, keep func(row int) bool, visit func(row dataset.Row) error) error {
	buffer.kept = buffer.kept[:0]
	for i := from; i < to; i++ {
		if keep == nil || keep(b.firstRow+i) {
			buffer.kept = append(buffer.kept, i)
		}
	}
	if len(buffer.kept) == 0 {
		return nil
	}
	if err := d.transpose(b, buffer); err != nil {
		return err
	}
	n := len(d.features)
	for place, i := range buffer.kept {
		row := dataset.Row{Number: b.firstRow + i, Feature: d.features, Value: buffer.values[place*n:][:n]}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// transpose copies the kept rows from the columns of a batch to the rows of a buffer.
func (d *parquetData) transpose(b *batch, buffer *rowBuffer) error {
	n := len(d.features)
	whole := buffer.kept[len(buffer.kept)-1]-buffer.kept[0] == len(buffer.kept)-1
	for column := 0; column < len(d.slots); {
		slot := d.slots[column]
		switch {
		case slot < 0:
			column++
		case whole && d.eightFollow(column):
			transposeEight(buffer.values[slot:], n, b.values[column:], buffer.kept[0], len(buffer.kept))
			column += 8
		default:
			values, at := b.values[column], slot
			for _, i := range buffer.kept {
				buffer.values[at] = values[i]
				at += n
			}
			column++
		}
	}
	if !d.columns.infinite && slices.Contains(b.infinite, true) {
		return d.findInfinite(b, buffer)
	}
	return nil
}

// eightFollow reports whether a column and the seven after it are consecutive features.
func (d *parquetData) eightFollow(column int) bool {
	if column+8 > len(d.slots) {
		return false
	}
	for i, slot := range d.slots[column : column+8] {
		if slot != d.slots[column]+i {
			return false
		}
	}
	return true
}

// transposeEight copies count rows of eight columns to dst, whose rows are width values apart.
// Eight values of a row are a cache line, which is written as a whole.
func transposeEight(dst []float64, width int, columns [][]float64, first, count int) {
	c0, c1, c2, c3 := columns[0][first:][:count], columns[1][first:][:count], columns[2][first:][:count], columns[3][first:][:count]
	c4, c5, c6, c7 := columns[4][first:][:count], columns[5][first:][:count], columns[6][first:][:count], columns[7][first:][:count]
	for i := range c0 {
		row := (*[8]float64)(dst[i*width:])
		row[0], row[1], row[2], row[3] = c0[i], c1[i], c2[i], c3[i]
		row[4], row[5], row[6], row[7] = c4[i], c5[i], c6[i], c7[i]
	}
}

// findInfinite returns the error of the first infinite value.
func (d *parquetData) findInfinite(b *batch, buffer *rowBuffer) error {
	for _, i := range buffer.kept {
		for column, slot := range d.slots {
			if slot >= 0 && math.IsInf(b.values[column][i], 0) {
				return d.fault(b, i, column, dataset.ErrValueFinite)
			}
		}
	}
	return nil
}

const (
	streamRows   = 256 // of a block of Stream
	streamBlocks = 16  // that are in memory
)

// HasWeights reports whether rows have weights.
func (d *parquetData) HasWeights() bool { return d.opts.Weights || d.companions.HasWeights() }

// Stream reads the data once, as [dataset.Streamer] says.
func (d *parquetData) Stream(ctx context.Context, work func(worker int, b *dataset.Block) error, emit func(b *dataset.Block) error) error {
	pool := par.New(d.opts.Workers)
	defer pool.Close()
	buffers := d.rowBuffers(pool)
	var blocks [streamBlocks]rows.Block
	var errs [streamBlocks]error
	count := 0
	err := d.each(ctx, pool, func(b *batch) error {
		count += b.n
		for first := 0; first < b.n; first += streamBlocks * streamRows {
			n := min(streamBlocks*streamRows, b.n-first)
			pool.Blocks(n, streamRows, func(worker, from, to int) {
				i := from / streamRows
				errs[i] = d.fillBlock(b, first+from, first+to, &buffers[worker], &blocks[i])
				if errs[i] == nil {
					errs[i] = work(worker, &blocks[i].Block)
				}
			})
			if err := emitBlocks(blocks[:(n+streamRows-1)/streamRows], errs[:], emit); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count == 0 && d.opts.IsEmpty() {
		return &dataset.Error{Path: d.path, Err: dataset.ErrEmpty}
	}
	if d.columns.query >= 0 {
		return nil
	}
	return d.companions.CheckCounts(count)
}

// emitBlocks calls emit for the blocks up to the first one with an error, and returns the error.
func emitBlocks(blocks []rows.Block, errs []error, emit func(b *dataset.Block) error) error {
	for i := range blocks {
		if errs[i] != nil {
			return errs[i]
		}
		if err := emit(&blocks[i].Block); err != nil {
			return err
		}
	}
	return nil
}

// fillBlock makes dst a block of the rows in [from, to) of a batch.
func (d *parquetData) fillBlock(b *batch, from, to int, buffer *rowBuffer, dst *rows.Block) error {
	dst.Reset(b.path, b.firstRow+from, b.fileRow+from+1)
	var row rows.Row
	row.Feature, row.Last = d.features, -1
	for at := from; at < to; at += rowBlock {
		err := d.visitRows(b, at, min(at+rowBlock, to), buffer, nil, func(visited dataset.Row) error {
			i := visited.Number - b.firstRow
			if err := d.metaRow(b, i, &row); err != nil {
				return err
			}
			row.Value = visited.Value
			dst.AddQuery(&row)
			dst.Append(&row, &d.opts)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return dst.Close(d.companions)
}
