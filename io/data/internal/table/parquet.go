package table

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// parquetData is ranking data in Parquet files.
//
// Rows come in batches. The columns of a batch are decoded in parallel, and then its rows are used
// in parallel:
//
//	column chunks ─► batch, by column ─► rowWorker: 128 rows, row after row ─► Work
//	                 a task a column     a task a block of rows
//
// so that a file of one row group is read as fast as one of many. While a batch is decoded, each
// column is a page and its dictionary in memory, which are up to two mebibytes a column in files as
// they are usually written.
type parquetData struct {
	rows.Data
	files    []*parquet.File
	rows     int // of the part
	first    int // row of the files with which the part begins
	columns  *columns
	special  []int   // columns that are not features: of labels, weights, texts
	slots    []int   // of each column in a row's values; -1 if it is not a feature
	features []int32 // numbers, ascending
	parsed   []bool  // of each column: it is a feature whose texts may be numbers
}

const (
	// batchBytes is about the memory of a batch for each worker. Columns are decoded one after the other, and
	// are then read from the caches. The more rows a batch has, the less often the dictionary of a column, up
	// to a mebibyte, must be loaded into the caches again, and the less often workers wait for each other.
	batchBytes = 2 << 20

	mostBytes = 64 << 20 // of a batch

	leastRows = 1 << 8 // of a batch, if there are thousands of columns
	mostRows  = 1 << 16

	// groupRows is the number of rows of a batch if row groups are smaller than that. Each group has its own
	// dictionaries, so longer batches would save nothing.
	groupRows = 1 << 13
)

// batchRows returns the number of rows of a batch with this many columns of numbers.
func (d *parquetData) batchRows(columns int) int {
	largest := groupRows
	for _, f := range d.files {
		for _, g := range f.Groups {
			largest = max(largest, int(g.Rows))
		}
	}
	rows := min(batchBytes*d.Opts.Workers, mostBytes) / 8 / max(1, columns)
	rows &^= 7 // eight packed indexes end with a byte
	return min(max(rows, leastRows), mostRows, largest, max(1, d.rows))
}

// openParquet reads the footers. All files must have the same columns.
func (o *Options) openParquet(path string, inputs []*stream.Input) (*Data, error) {
	d := &parquetData{}
	names, err := d.openFooters(path, inputs)
	if err != nil {
		return nil, err
	}
	holdsIDs := func(column int) bool { return d.files[0].Columns[column].IDColumn() == nil }
	isIndex := func(column int) bool { return d.files[0].Columns[column].Index }
	if d.columns, err = o.find(path, names, len(names), holdsIDs, isIndex); err != nil {
		return nil, err
	}
	d.columns.noteZones(func(column int) bool { return d.files[0].Columns[column].Zoned })
	d.findParsed(o.Model != nil)
	d.Data = rows.NewData(path, inputs, o.rowOptions(d.columns))
	d.Opts.NoLines = true
	d.slots, d.features = d.columns.slots()
	for column, role := range d.columns.role {
		if role < 0 && role != ignoredColumn {
			d.special = append(d.special, column)
		}
	}
	return &Data{reader: d, rows: &d.Data, columns: d.columns}, d.checkTypes()
}

// findParsed finds the columns of texts that are read as numbers, as those of text files are: the categories
// of training data, unless any of them is no number, and the features of a model. It leaves out the
// dictionaries of numbers, which are categories themselves.
func (d *parquetData) findParsed(ofModel bool) {
	d.parsed = make([]bool, len(d.columns.role))
	for column, words := range d.columns.dictionaries {
		isLearned := words != nil && words.learning
		if isLearned && d.holdsNumbers(column) {
			d.columns.dictionaries[column] = nil
		}
		d.parsed[column] = d.columns.role[column] >= 0 && (ofModel || isLearned)
	}
}

// holdsNumbers reports whether a column can be read as numbers in all files.
func (d *parquetData) holdsNumbers(column int) bool {
	return !slices.ContainsFunc(d.files, func(f *parquet.File) bool {
		return f.Columns[column].NumberColumn() != nil
	})
}

// isParsed reports whether a column of texts is read as numbers.
func (d *parquetData) isParsed(f *parquet.File, column int) bool {
	c := &f.Columns[column]
	return d.parsed[column] && d.columns.dictionaries[column] == nil && c.HoldsTexts()
}

// looksUpNumbers reports whether a column that is not read as text, such as one of floats, has a dictionary
// of numbers.
func (d *parquetData) looksUpNumbers(f *parquet.File, column int) bool {
	words, c := d.columns.dictionaries[column], &f.Columns[column]
	return words != nil && words.category != nil && words.category.OfNumbers() && c.NumberColumn() == nil &&
		(c.HoldsBooleans() || c.TextColumn() != nil)
}

// openFooters opens the files and returns the names of their columns.
func (d *parquetData) openFooters(path string, inputs []*stream.Input) (names []string, err error) {
	for i, in := range inputs {
		if !in.Seekable() {
			return nil, &dataset.Error{Path: in.Name(), Err: ErrCompressed}
		}
		f, err := parquet.Open(in, in.Size())
		if err != nil {
			return nil, &dataset.Error{Path: in.Name(), Err: err}
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
	return names, unique(path, names)
}

// checkTypes returns an error if a column that is needed has a type that does not fit its role.
func (d *parquetData) checkTypes() error {
	for i, f := range d.files {
		for column, role := range d.columns.role {
			var err error
			switch {
			case role == ignoredColumn:
			case d.looksUpNumbers(f, column), d.isParsed(f, column):
			case isText(role):
				err = f.Columns[column].IDColumn()
			case d.columns.dictionaries[column] != nil:
				err = f.Columns[column].TextColumn()
			default:
				err = f.Columns[column].NumberColumn()
			}
			if err != nil {
				return &dataset.Error{Path: d.Inputs[i].Name(), Err: err, Detail: d.adviceOnType(f, column)}
			}
		}
	}
	return nil
}

// adviceOnType says what to do about a column whose type does not fit its role.
func (d *parquetData) adviceOnType(f *parquet.File, column int) string {
	switch name := d.columns.names[column]; d.columns.role[column] {
	case labelColumn:
		return "column " + name + " is the label, which is a number, such as 0 for bad and 3 for perfect; " +
			"label_column= chooses another column"
	case queryColumn, weightColumn, placeColumn, docColumn:
		return "a parameter, or its name, chose the column " + name
	default:
		if d.columns.role[column] <= furtherLabel {
			return "column " + name + " is a label (label_columns), which is a number, such as 1 if it was bought"
		}
		return d.adviceOnTexts(f)
	}
}

// adviceOnTexts says what to do about the features that are no numbers.
func (d *parquetData) adviceOnTexts(f *parquet.File) string {
	var texts, others []string
	for column, role := range d.columns.role {
		name := d.columns.names[column]
		switch c := &f.Columns[column]; {
		case role < 0 || c.NumberColumn() == nil:
		case c.TextColumn() != nil:
			others = append(others, name)
		case d.columns.dictionaries[column] == nil:
			texts = append(texts, name)
		}
	}
	if len(texts)+len(others) == 0 {
		return "the model, or the training data, has texts in this column: write the same ones"
	}
	return adviceOnTexts(texts, others...)
}

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
	texts    [][]string  // of each column of the table that is a text, empty for nulls; nil for others
	most     int         // rows that there is memory for
}

// newBatch returns a batch without rows, with memory for some.
func (d *parquetData) newBatch() *batch {
	b := &batch{values: make([][]float64, len(d.slots)), infinite: make([]bool, len(d.slots))}
	numbers := 0
	for _, role := range d.columns.role {
		if isNumbers(role) {
			numbers++
		}
	}
	rows := d.batchRows(numbers)
	stride := rows + 8 // a power of two would map a row of all columns to the same cache set
	memory := make([]float64, numbers*stride)
	for column, role := range d.columns.role {
		if isNumbers(role) {
			b.values[column], memory = memory[:rows:rows], memory[stride:]
		}
	}
	b.texts, b.most = make([][]string, len(d.slots)), rows
	for column, role := range d.columns.role {
		if isText(role) {
			b.texts[column] = make([]string, rows)
		}
	}
	return b
}

// isNumbers reports whether a column with that role is read as numbers.
func isNumbers(role int) bool {
	return role != ignoredColumn && !isText(role)
}

// isText reports whether a column with that role is read as text.
func isText(role int) bool {
	return role == queryColumn || role == placeColumn || role == docColumn
}

// each calls do for the batches of all files in their order.
func (d *parquetData) each(ctx context.Context, pool *par.Pool, do func(b *batch) error) error {
	b := d.newBatch()
	total, read := int64(0), int64(0)
	for _, in := range d.Inputs {
		total += in.Size()
	}
	first := 0 // row of the file in all files
	for i, f := range d.files {
		size, rows := d.Inputs[i].Size(), int64(max(rowsOf(f), 1))
		from, to := d.within(first, rowsOf(f))
		first += rowsOf(f)
		b.path, b.fileRow = d.Inputs[i].Name(), from
		err := d.newBatchReader(f, b, from, to).each(ctx, pool, func() error {
			if err := do(b); err != nil {
				return err
			}
			b.firstRow += b.n
			b.fileRow += b.n
			d.Opts.Progress(read+size*int64(b.fileRow)/rows, total)
			return nil
		})
		if err != nil {
			return err
		}
		read += size
	}
	return nil
}

// within returns the rows of a file, whose first row is row first of all files, that belong to the part.
func (d *parquetData) within(first, rows int) (from, to int) {
	from = min(max(0, d.first-first), rows)
	to = min(max(from, d.first+d.rows-first), rows)
	return from, to
}

// rowsOf returns the number of rows according to the footer.
func rowsOf(f *parquet.File) (n int) {
	for _, g := range f.Groups {
		n += int(g.Rows)
	}
	return n
}

// batchReader reads the batches of a file.
type batchReader struct {
	batch *batch
	tasks []func() (int, error) // each reads a column of the next batch
	skips []func(n int64) error // each skips rows of a column
	from  int                   // rows that are skipped first
	left  int                   // rows that follow
	rows  int                   // of the next batch, at most
	sizes []int
	errs  []error
}

// newBatchReader returns a reader of rows [from, to) of a file.
func (d *parquetData) newBatchReader(f *parquet.File, b *batch, from, to int) *batchReader {
	r := &batchReader{batch: b, from: from, left: to - from}
	for column, role := range d.columns.role {
		switch c, words := &f.Columns[column], d.columns.dictionaries[column]; {
		case isText(role):
			r.addWords(f.Texts(c), b.texts[column], func(n int) error { return d.checkIDs(c, b, column, n) })
		case words != nil && !d.looksUpNumbers(f, column):
			r.addConverted(f.Texts(c), b.values[column], func(_ int, text []byte) (float64, error) {
				return words.value(text)
			})
		case d.isParsed(f, column):
			r.addConverted(f.Texts(c), b.values[column], func(i int, text []byte) (float64, error) {
				cell := bytes.TrimSpace(text)
				value, err := numberOf(cell)
				if err != nil {
					return 0, d.notANumber(f, b, i, column, cell)
				}
				b.infinite[column] = b.infinite[column] || math.IsInf(value, 0)
				return value, nil
			})
		case isNumbers(role):
			r.addNumbers(f.Numbers(c), b, column, words)
		}
	}
	r.sizes, r.errs = make([]int, len(r.tasks)), make([]error, len(r.tasks))
	return r
}

// addNumbers adds a task that reads a column of numbers, or of the categories that a dictionary has for them.
func (r *batchReader) addNumbers(numbers *parquet.Reader[float64], b *batch, column int, words *dictionary) {
	numbers.Null = dataset.Missing
	r.tasks = append(r.tasks, func() (int, error) {
		n, err := numbers.Read(b.values[column][:r.rows])
		b.infinite[column] = numbers.Infinite
		if words != nil {
			for i, v := range b.values[column][:n] {
				b.values[column][i] = words.ofNumber(v)
			}
		}
		return n, err
	})
	r.skips = append(r.skips, numbers.Skip)
}

// addWords adds a task that reads a column of texts into dst, and then calls do.
func (r *batchReader) addWords(texts *parquet.Reader[string], dst []string, do func(n int) error) {
	r.tasks = append(r.tasks, func() (int, error) {
		n, err := texts.Read(dst[:r.rows])
		return n, cmp.Or(do(n), err)
	})
	r.skips = append(r.skips, texts.Skip)
}

// addConverted adds a task that reads a column of texts, each of which convert makes a number of.
func (r *batchReader) addConverted(texts *parquet.Reader[string], dst []float64,
	convert func(i int, text []byte) (float64, error)) {
	words := make([]string, len(dst))
	r.addWords(texts, words, func(n int) (err error) {
		for i := range n {
			if dst[i], err = convert(i, []byte(words[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// each calls do for each batch of the file.
func (r *batchReader) each(ctx context.Context, pool *par.Pool, do func() error) error {
	for {
		err := r.next(ctx, pool)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do()
		}
		if err != nil {
			return err
		}
	}
}

// next fills the batch. It returns io.EOF when there are no more rows.
func (r *batchReader) next(ctx context.Context, pool *par.Pool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.left == 0 {
		return io.EOF
	}
	r.rows = min(r.batch.most, r.left)
	pool.Run(len(r.tasks), func(_, i int) {
		if r.sizes[i], r.errs[i] = 0, r.skips[i](int64(r.from)); r.errs[i] == nil {
			r.sizes[i], r.errs[i] = r.tasks[i]()
		}
	})
	r.from = 0
	for _, err := range r.errs {
		if located := (*dataset.Error)(nil); errors.As(err, &located) {
			return located
		}
		if err != nil && err != io.EOF {
			return &dataset.Error{Path: r.batch.path, Err: err}
		}
	}
	for _, n := range r.sizes {
		if n != r.sizes[0] {
			return &dataset.Error{Path: r.batch.path, Err: fmt.Errorf("%w: columns of different lengths",
				parquet.ErrDamaged)}
		}
	}
	if len(r.sizes) == 0 || r.sizes[0] == 0 {
		return io.EOF
	}
	r.batch.n = r.sizes[0]
	r.left -= r.batch.n
	return nil
}
