package table

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/parquet"
	"github.com/lambdamart/lambdamart/internal/rows"
	"github.com/lambdamart/lambdamart/io/stream"
)

// parquetData is ranking data in Parquet files.
//
// Rows come in batches. Workers share out the rows of a batch and the columns of the
// next one: a file of one row group is read as fast as one of many. A batch is decoded where
// each column has a page in memory, so that memory is about twice the size of a page,
// a mebibyte as a rule, for each column.
type parquetData struct {
	path       string
	inputs     []*stream.Input
	files      []*parquet.File
	rows       int
	columns    *columns
	special    []int   // columns of label, weight and query
	slots      []int   // of each column in a row's values; -1 if it is not a feature
	features   []int32 // numbers, ascending
	opts       rows.Options
	companions *rows.Companions
}

// batchOfRows is the number of rows that are decoded together: the values of some
// hundred columns then stay in a second- or third-level cache.
const batchOfRows = 1024

// openParquet reads the footers. All files must have the same columns.
func (o *DataOptions) openParquet(path string, inputs []*stream.Input) (Data, error) {
	d := &parquetData{path: path, inputs: inputs, companions: rows.CompanionsOf(path)}
	names, err := d.openFooters()
	if err != nil {
		return nil, err
	}
	if d.columns, err = o.find(path, names, len(names)); err != nil {
		return nil, err
	}
	d.opts = o.rowOptions(d.columns)
	d.opts.NoLines = true
	d.opts.Workers = cmp.Or(max(0, d.opts.Workers), runtime.GOMAXPROCS(0))
	if d.opts.Progress == nil {
		d.opts.Progress = func(int64, int64) {}
	}
	d.slots, d.features = d.columns.slots()
	for column, role := range d.columns.role {
		if role < 0 && role != ignoredColumn {
			d.special = append(d.special, column)
		}
	}
	return d, d.checkTypes()
}

// openFooters opens the files and returns the names of their columns.
func (d *parquetData) openFooters() (names []string, err error) {
	for i, in := range d.inputs {
		f, err := openFooter(in)
		if err != nil {
			return nil, err
		}
		own := make([]string, len(f.Columns))
		for column := range own {
			own[column] = Name(f.Columns[column].Name)
		}
		if i == 0 {
			names = own
		}
		if err := sameColumns(in.Name(), names, len(names), own, len(own)); err != nil {
			return nil, err
		}
		d.files = append(d.files, f)
		d.rows += rowsOf(f)
	}
	return names, unique(d.path, names)
}

func openFooter(in *stream.Input) (*parquet.File, error) {
	if !in.Seekable() {
		return nil, &Error{Path: in.Name(), Err: ErrCompressed}
	}
	f, err := parquet.Open(in, in.Size())
	if err != nil {
		return nil, &Error{Path: in.Name(), Err: err}
	}
	return f, nil
}

// checkTypes fails if a column that is needed holds what it cannot hold.
func (d *parquetData) checkTypes() error {
	for i, f := range d.files {
		for column, role := range d.columns.role {
			var err error
			switch role {
			case ignoredColumn:
			case queryColumn:
				err = f.Columns[column].TextColumn()
			default:
				err = f.Columns[column].NumberColumn()
			}
			if err != nil {
				return &Error{Path: d.inputs[i].Name(), Err: err, Detail: "ignore_column= leaves columns out"}
			}
		}
	}
	return nil
}

func (d *parquetData) Close() error { return closeAll(d.inputs) }

func (d *parquetData) Workers() int { return d.opts.Workers }

func (d *parquetData) NumRows(context.Context) (rows int, known bool, err error) {
	return d.rows, true, nil
}

// batch is consecutive rows, by column.
type batch struct {
	path     string
	firstRow int         // in the data
	fileRow  int         // in the file
	n        int         // rows
	values   [][]float64 // of each column of the table that is a number; nil for others
	infinite []bool      // of each column: there may be infinite values
	query    []string
	missing  []bool // the query is null
}

// newBatch returns a batch of no rows.
func (d *parquetData) newBatch() *batch {
	n := len(d.columns.role)
	return &batch{values: make([][]float64, n), infinite: make([]bool, n)}
}

// each hands out the batches of all files in their order. Workers call do for each
// block of so many rows of a batch, and then each calls end. Those that find no block
// left decode columns of the next batch, so that they seldom wait for each other.
func (d *parquetData) each(ctx context.Context, pool *par.Pool, size int, do func(worker int, b *batch, from, to int), end func(b *batch) error) error {
	now, next := d.newBatch(), d.newBatch()
	progress := d.newProgress()
	for i, f := range d.files {
		r := d.newBatchReader(f, d.inputs[i].Name())
		for more := true; more; more = now.n > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			blocks, columns, slow := (now.n+size-1)/size, len(r.columns), r.sort()
			pool.Run(blocks+columns, func(worker, i int) {
				switch {
				case i < slow:
					r.columns[i].read(next)
				case i < slow+blocks:
					do(worker, now, (i-slow)*size, min((i-slow+1)*size, now.n))
				default:
					r.columns[i-blocks].read(next)
				}
			})
			if now.n > 0 {
				if err := end(now); err != nil {
					return err
				}
				progress(i, now)
			}
			next.firstRow = now.firstRow + now.n
			if err := r.finish(next); err != nil {
				return err
			}
			now, next = next, now
		}
	}
	return nil
}

// newProgress returns what tells how much is read behind a batch of a file.
func (d *parquetData) newProgress() func(file int, b *batch) {
	total := int64(0)
	before := make([]int64, len(d.inputs))
	for i, in := range d.inputs {
		before[i] = total
		total += in.Size()
	}
	return func(file int, b *batch) {
		size, rows := d.inputs[file].Size(), int64(max(rowsOf(d.files[file]), 1))
		d.opts.Progress(before[file]+size*int64(b.fileRow+b.n)/rows, total)
	}
}

// rowsOf returns the number of rows that a footer tells.
func rowsOf(f *parquet.File) (n int) {
	for _, g := range f.Groups {
		n += int(g.Rows)
	}
	return n
}

// batchReader reads the batches of a file.
type batchReader struct {
	path    string
	columns []*columnReader
	rows    int // that were read
}

// columnReader reads a column.
type columnReader struct {
	open func() int                  // rows that take no new page
	next func(b *batch) (int, error) // reads the rows of a batch
	n    int                         // rows of the batch
	err  error
}

func (c *columnReader) read(b *batch) { c.n, c.err = c.next(b) }

func (d *parquetData) newBatchReader(f *parquet.File, path string) *batchReader {
	r := &batchReader{path: path}
	for column, role := range d.columns.role {
		switch c := &f.Columns[column]; role {
		case ignoredColumn:
		case queryColumn:
			r.columns = append(r.columns, readQueries(f.Texts(c)))
		default:
			r.columns = append(r.columns, readNumbers(f.Numbers(c), column))
		}
	}
	return r
}

func readQueries(texts *parquet.Reader[string]) *columnReader {
	return &columnReader{open: texts.Open, next: func(b *batch) (int, error) {
		b.query, b.missing = sized(b.query, batchOfRows), sized(b.missing, batchOfRows)
		return texts.Read(b.query, b.missing)
	}}
}

func readNumbers(numbers *parquet.Reader[float64], column int) *columnReader {
	numbers.Null = math.NaN()
	return &columnReader{open: numbers.Open, next: func(b *batch) (int, error) {
		b.values[column] = sized(b.values[column], batchOfRows)
		n, err := numbers.Read(b.values[column], nil)
		b.infinite[column] = numbers.Infinite
		return n, err
	}}
}

// sort puts the columns first that take new pages for a batch, and returns their
// number: a worker that begins with one of them at last lets the others wait.
func (r *batchReader) sort() (slow int) {
	for i, c := range r.columns {
		if c.open() < batchOfRows {
			r.columns[slow], r.columns[i] = c, r.columns[slow]
			slow++
		}
	}
	return slow
}

// finish completes a batch whose columns are read; it has no rows at the end of the
// file.
func (r *batchReader) finish(b *batch) error {
	b.path, b.fileRow, b.n = r.path, r.rows, 0
	for i, c := range r.columns {
		if c.err != nil && c.err != io.EOF {
			return &Error{Path: r.path, Err: c.err}
		}
		if i == 0 {
			b.n = c.n
		}
		if c.n != b.n {
			return &Error{Path: r.path, Err: fmt.Errorf("%w: columns of different lengths", parquet.ErrDamaged)}
		}
	}
	r.rows += b.n
	return nil
}
