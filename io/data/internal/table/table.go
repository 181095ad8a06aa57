package table

import (
	"cmp"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// New reads the first lines or the footers of the table at path, which is in open inputs: of a file, or of
// the parts in a folder, of which the first one must look like a part of a table. Closing the data closes the
// inputs. path is used in messages and to find companions.
func New(path string, inputs []*stream.Input, o Options) (*Data, error) {
	first := inputs[0]
	if isFolder(path, first) && !o.Format.IsTable() && !IsTablePath(first.Name()) {
		if head, err := first.Head(headSize); err != nil || !resembles(head) {
			return nil, cmp.Or(CheckForeign(first), error(&dataset.Error{Path: first.Name(), Err: ErrStray}))
		}
	}
	form := o.Format.ofTable(first)
	if form != Parquet && !first.Seekable() {
		if head, err := first.Head(len(parquet.Mark)); err == nil && string(head) == parquet.Mark {
			return nil, &dataset.Error{Path: first.Name(), Err: ErrCompressed}
		}
	}
	for i, in := range inputs {
		if i > 0 && o.Format.ofTable(in) != form {
			return nil, &dataset.Error{Path: in.Name(), Err: ErrMixedParts}
		}
		if form == Parquet && isParquet(in) {
			continue
		}
		if err := CheckForeign(in); err != nil {
			return nil, err
		}
	}
	switch form {
	case Parquet:
		return o.openParquet(path, inputs)
	case TSV:
		return o.openText(path, inputs, '\t')
	}
	return o.openText(path, inputs, ',')
}

// openText opens text. Empty parts are ignored.
func (o *Options) openText(path string, inputs []*stream.Input, comma byte) (*Data, error) {
	var parts []rows.Input
	var names []string
	n := 0
	for _, in := range inputs {
		part, partNames, partN, err := o.inputOf(in, comma, n == 0)
		if err != nil {
			return nil, err
		}
		switch {
		case partN == 0:
		case n == 0:
			names, n = partNames, partN
		default:
			if err := sameColumns(in.Name(), names, n, partNames, partN); err != nil {
				return nil, err
			}
		}
		parts = append(parts, part)
	}
	if n == 0 {
		return nil, &dataset.Error{Path: path, Err: dataset.ErrEmpty}
	}
	anyColumn := func(int) bool { return true }
	isIndex := func(column int) bool { // pandas writes an index without a name as the first column
		return names != nil && (column == 0 && names[0] == "" || parquet.IsUnnamedIndex(names[column]))
	}
	c, err := o.find(path, names, n, anyColumn, isIndex)
	if err != nil {
		return nil, err
	}
	newParser := func() rows.Parser { return newCells(c, comma) }
	f := rows.NewFile(path, parts, linesOf(comma), newParser, o.rowOptions(c))
	return &Data{reader: f, rows: &f.Data, columns: c}, nil
}

// linesOf describes the lines of a text with this character between cells.
func linesOf(comma byte) rows.Lines {
	return rows.Lines{IsRow: func(text []byte) bool { return isRow(text, comma) }, Quotes: true}
}

// rowOptions returns the options with which rows are read.
func (o *Options) rowOptions(c *columns) rows.Options {
	options := rows.Options{
		Workers:   o.Workers,
		BlockSize: o.blockSize,
		Progress:  o.Progress,
		Weights:   c.has(weightColumn),
		More:      c.more,
		Places:    c.has(placeColumn),
		Docs:      c.has(docColumn),
		Meta: dataset.Meta{LabelName: o.LabelName, Features: c.features, Absent: c.absent(),
			LabelColumn: max(0, c.label)},
		NoQueries: ErrNoQueries,
		Remarks:   c.Remarks,
	}
	if c.label >= 0 && c.names != nil {
		options.LabelField = c.names[c.label]
	}
	if query := c.with(queryColumn); query >= 0 && c.names != nil {
		options.QueryField = c.names[query]
	}
	return options
}
