package table

import (
	"bytes"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/decimal"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/stream"
)

// OpenData opens the table at path, a file or a folder of parts. Close it after use.
func OpenData(path string, opts DataOptions) (dataset.File, error) {
	paths, err := partsOf(path)
	if err != nil {
		return nil, err
	}
	var inputs []*stream.Input
	for _, path := range paths {
		in, err := stream.Open(path, stream.Options{Once: opts.Once})
		if err != nil {
			closeAll(inputs)
			return nil, err
		}
		inputs = append(inputs, in)
	}
	data, err := opts.openParts(path, inputs)
	if err != nil {
		closeAll(inputs)
		return nil, err
	}
	return data, nil
}

// openParts opens a table. A folder must look like parts of one.
func (o *DataOptions) openParts(path string, inputs []*stream.Input) (dataset.File, error) {
	if first := inputs[0]; first.Name() != path && o.Format == Auto && !Recognize(first.Name()) {
		if head, err := first.Head(1 << 16); err != nil || !Resembles(head) {
			return nil, &dataset.Error{Path: path, Err: stream.ErrDirectory, Detail: "its files do not look like parts of a table"}
		}
	}
	return o.open(path, inputs)
}

// NewData reads the file at path from an input that is open already, and closes it
// when it is closed.
func NewData(path string, in *stream.Input, opts DataOptions) (dataset.File, error) {
	return opts.open(path, []*stream.Input{in})
}

// closeAll returns the first error.
func closeAll(inputs []*stream.Input) error {
	var first error
	for _, in := range inputs {
		if err := in.Close(); first == nil {
			first = err
		}
	}
	return first
}

// open reads what the first lines or the footers say.
func (o *DataOptions) open(path string, inputs []*stream.Input) (dataset.File, error) {
	format := formatOf(inputs[0], o.Format)
	if format != Parquet && !inputs[0].Seekable() {
		if head, err := inputs[0].Head(len(parquet.Mark)); err == nil && string(head) == parquet.Mark {
			return nil, &dataset.Error{Path: inputs[0].Name(), Err: ErrCompressed}
		}
	}
	for _, in := range inputs[1:] {
		if formatOf(in, o.Format) != format {
			return nil, &dataset.Error{Path: in.Name(), Err: ErrMixedParts}
		}
	}
	switch format {
	case Parquet:
		return o.openParquet(path, inputs)
	case TSV:
		return o.openText(path, inputs, '\t')
	}
	return o.openText(path, inputs, ',')
}

// openText opens text. Parts that are empty are passed over.
func (o *DataOptions) openText(path string, inputs []*stream.Input, comma byte) (dataset.File, error) {
	var parts []rows.Input
	var names []string
	n := 0
	for _, in := range inputs {
		part, partNames, partN, err := o.inputOf(in, comma)
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
	c, err := o.find(path, names, n)
	if err != nil {
		return nil, err
	}
	newParser := func() rows.Parser { return newCells(c, comma) }
	return rows.NewFile(path, parts, rows.Lines{Opening: opening, Quotes: true}, newParser, o.rowOptions(c)), nil
}

// rowOptions are the options of all that reads rows.
func (o *DataOptions) rowOptions(c *columns) rows.Options {
	options := rows.Options{
		Workers:     o.Workers,
		BlockSize:   o.blockSize,
		Progress:    o.Progress,
		Weights:     c.weights,
		Features:    c.features,
		LabelColumn: max(0, c.label),
		NoQueries:   ErrNoQueries,
	}
	if c.query >= 0 && c.names != nil {
		options.QueryField = c.names[c.query]
	}
	return options
}

// Resembles tells whether the beginning of a file looks like a table and not like
// LETOR text: it is Parquet, or its first line has commas or tabs, and is not a number followed,
// after a blank, by "qid:" or a number with a colon.
func Resembles(head []byte) bool {
	if bytes.HasPrefix(head, []byte(parquet.Mark)) {
		return true
	}
	head = bytes.TrimPrefix(head, rows.ByteOrderMark)
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n"), []byte{'\n'})
	if len(line) == 0 || line[0] == '#' || !bytes.ContainsAny(line, "\t,") {
		return false
	}
	words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })
	if len(words) < 2 {
		return len(words) == 1
	}
	if _, err := decimal.Parse(words[0]); err != nil {
		return true
	}
	key, _, found := bytes.Cut(words[1], []byte{':'})
	if !found {
		return words[1][0] != '#'
	}
	_, err := decimal.Parse(key)
	return string(key) != "qid" && err != nil
}
