package table

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// rowBlock is the number of rows that are transposed at a time. This many rows fit into a second-level cache,
// and the pieces of the columns are long enough for the processor to prefetch them.
const rowBlock = 128

const (
	taskRows = 2 * rowBlock // that a worker takes at a time

	// usualPage is the number of bytes that a page of a column has at least if the column has so many.
	usualPage = 1 << 16

	// mostExpected bounds the rows for which memory is allocated before they are read.
	mostExpected = 1 << 20
)

// Blocks implements [dataset.Source]: it reads all rows once.
func (d *parquetData) Blocks(ctx context.Context, pass dataset.Pass) (*dataset.Meta, error) {
	pool := par.New(d.Opts.Workers)
	defer pool.Close()
	expected, together := min(d.rows, mostExpected), rowBlock
	if pass.Emit != nil {
		expected, together = 0, taskRows
	}
	together = min(together, d.rows)
	if err := d.checkMemory(pool.Workers() * together); err != nil {
		return nil, err
	}
	r := &parquetReading{parquetData: d, pool: pool, pass: pass, workers: make([]rowWorker, pool.Workers()),
		joiner: rows.NewJoiner(ctx, &d.Data, pass.Emit, expected)}
	defer r.joiner.Close()
	for i := range r.workers {
		r.workers[i].values = make([]float64, together*len(d.features))
	}
	if err := d.each(ctx, pool, r.read); err != nil {
		return nil, err
	}
	return r.joiner.Result()
}

// checkMemory returns an error if a batch, so many rows of workers and the pages of all columns do not fit
// into memory.
func (d *parquetData) checkMemory(ofWorkers int) error {
	columns, pages := len(d.features), 0
	for i, f := range d.files {
		ofGroup := int(d.Inputs[i].Size()) / max(1, len(f.Groups))
		pages = max(pages, min(columns*usualPage, ofGroup))
	}
	const ofReader = 1 << 10
	bytes := columns*(ofReader+8*(d.batchRows(columns)+ofWorkers)) + pages
	return limits.Check(bytes, fmt.Sprintf("reading %s of Parquet", wording.Count(columns, "column")),
		"files of fewer columns, CSV and LETOR text need less")
}

// parquetReading is one pass over the files.
type parquetReading struct {
	*parquetData
	pool    *par.Pool
	pass    dataset.Pass
	workers []rowWorker
	joiner  *rows.Joiner
	taken   int // blocks
}

// rowWorker is the memory of a worker.
type rowWorker struct {
	block  rows.Block
	values []float64 // row after row
	used   int       // of values
	kept   []int     // rows of the batch that are transposed
}

// read passes the rows of a batch.
func (r *parquetReading) read(b *batch) error {
	r.pool.Blocks(b.n, taskRows, func(number, from, to int) {
		err := rows.ErrStopped
		w := &r.workers[number]
		defer func() { r.joiner.Take(r.taken+from/taskRows, &w.block, err) }() // others wait for that
		err = r.fill(b, from, to, number, w)
	})
	r.taken += (b.n + taskRows - 1) / taskRows
	return r.joiner.Err()
}

// fill makes a worker's block that of rows [from, to) of a batch, up to the first row with an error, and
// calls Work.
func (r *parquetReading) fill(b *batch, from, to, number int, w *rowWorker) error {
	dst := &w.block
	dst.Reset(b.path, b.firstRow+from, b.fileRow+from+1, to-from)
	sound, wrong := r.readMeta(b, from, to, dst)
	w.used = 0
	for ; from < sound; from += rowBlock {
		err := r.addRows(b, from, min(from+rowBlock, sound), w)
		if err == nil && r.pass.Emit == nil && len(dst.Rows) > 0 {
			err = r.pass.Work(number, &dst.Block)
			dst.Rows, w.used = dst.Rows[:0], 0
		}
		if err != nil {
			return err
		}
	}
	if wrong != nil || r.pass.Emit == nil {
		return wrong
	}
	if err := dst.Close(r.Companions); err != nil {
		return err
	}
	return r.pass.Work(number, &dst.Block)
}

// readMeta reads labels, weights and queries of rows [from, to) of a batch. It returns the first row with an
// error, and the error, or to.
func (d *parquetData) readMeta(b *batch, from, to int, dst *rows.Block) (sound int, wrong error) {
	row := rows.Row{Last: -1, More: make([]float64, len(d.columns.more))}
	for i := from; i < to; i++ {
		if err := d.metaRow(b, i, &row); err != nil {
			return i, err
		}
		dst.AddQuery(&row)
		dst.AddRow(&row, &d.Opts)
	}
	return to, nil
}

// metaRow reads label, weight and query of row i of a batch.
func (d *parquetData) metaRow(b *batch, i int, row *rows.Row) error {
	row.Number, row.Line, row.Weight = b.firstRow+i, b.fileRow+i+1, 1
	for _, column := range d.special {
		switch d.columns.role[column] {
		case queryColumn:
			row.Query = append(row.Query[:0], b.texts[column][i]...)
			if len(row.Query) == 0 {
				return d.fault(b, i, column, ErrQuery)
			}
		case placeColumn:
			row.Place = append(row.Place[:0], b.texts[column][i]...)
			if !rows.IsPlace(row.Place) {
				return d.fault(b, i, column, ErrPlace)
			}
		case docColumn:
			row.Doc = strings.Clone(b.texts[column][i]) // the batch is reused
		default:
			if err := d.columns.setNumber(row, d.columns.role[column], b.values[column][i]); err != nil {
				return d.fault(b, i, column, err)
			}
		}
	}
	return nil
}

// fault returns an error about a cell of a batch.
func (d *parquetData) fault(b *batch, i, column int, err error) *dataset.Error {
	return &dataset.Error{Path: b.path, Row: int64(b.fileRow + i + 1), Field: d.columns.names[column], Err: err}
}

// checkIDs returns an error if one of the first n texts of a column in a batch is no id.
func (d *parquetData) checkIDs(c *parquet.Column, b *batch, column, n int) error {
	for i, id := range b.texts[column][:n] {
		if err := c.CheckID(id); err != nil {
			fault := d.fault(b, i, column, err)
			fault.Token = id
			return fault
		}
	}
	return nil
}

// notANumber returns the error of a text in a column of numbers. It names all columns of texts.
func (d *parquetData) notANumber(f *parquet.File, b *batch, i, column int, cell []byte) error {
	fault := d.fault(b, i, column, dataset.ErrValue)
	fault.Token, fault.Detail = rows.Shorten(cell), d.adviceOnTexts(f)
	return fault
}

// addRows appends those of rows [from, to) of a batch that are kept to a worker's block.
func (r *parquetReading) addRows(b *batch, from, to int, w *rowWorker) error {
	w.kept = w.kept[:0]
	for i := from; i < to; i++ {
		if r.pass.Keep == nil || r.pass.Keep(b.firstRow+i) {
			w.kept = append(w.kept, i)
		}
	}
	if len(w.kept) == 0 {
		return nil
	}
	n := len(r.features)
	values := w.values[w.used:][:len(w.kept)*n]
	w.used += len(values)
	if err := r.transpose(b, w.kept, values); err != nil {
		return err
	}
	for place, i := range w.kept {
		w.block.Rows = append(w.block.Rows, dataset.Row{Number: b.firstRow + i, Feature: r.features,
			Value: values[place*n:][:n:n]})
	}
	return nil
}

// transpose copies the kept rows from the columns of a batch to dst, row after row.
func (d *parquetData) transpose(b *batch, kept []int, dst []float64) error {
	n := len(d.features)
	whole := kept[len(kept)-1]-kept[0] == len(kept)-1
	for column := 0; column < len(d.slots); {
		slot := d.slots[column]
		switch {
		case slot < 0:
			column++
		case whole && d.eightFollow(column):
			transposeEight(dst[slot:], n, b.values[column:], kept[0], len(kept))
			column += 8
		default:
			values, at := b.values[column], slot
			for _, i := range kept {
				dst[at] = values[i]
				at += n
			}
			column++
		}
	}
	if !d.columns.infinite && slices.Contains(b.infinite, true) {
		return d.findInfinite(b, kept)
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
	var from [8][]float64
	for i := range from {
		from[i] = columns[i][first:][:count]
	}
	c0, c1, c2, c3, c4, c5, c6, c7 := from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]
	for i := range count {
		row := (*[8]float64)(dst[i*width:])
		row[0], row[1], row[2], row[3] = c0[i], c1[i], c2[i], c3[i]
		row[4], row[5], row[6], row[7] = c4[i], c5[i], c6[i], c7[i]
	}
}

// findInfinite returns the error of the first infinite value.
func (d *parquetData) findInfinite(b *batch, kept []int) error {
	for _, i := range kept {
		for column, slot := range d.slots {
			if slot >= 0 && math.IsInf(b.values[column][i], 0) {
				return d.fault(b, i, column, dataset.ErrValueFinite)
			}
		}
	}
	return nil
}
