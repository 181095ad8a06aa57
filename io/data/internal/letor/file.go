package letor

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// Options control how a file is read. The zero value is for training.
type Options struct {
	// Workers is the number of goroutines that parse; 0 means GOMAXPROCS.
	Workers int

	// FeatureBase is the number of the file's feature that is column 0: 0 (column n is feature n,
	// as in LightGBM) or 1 (column n-1 is feature n).
	FeatureBase int

	// Names has the names of the columns; nil means "Column_n". A row with a column beyond them is an error.
	Names []string

	// Infinite accepts infinite values.
	Infinite bool

	// KeepDocs asks for document ids, which take memory.
	KeepDocs bool

	Progress func(read, total int64) // see rows.Options

	blockSize int // 0 means the default
}

// New reads an input. Closing the file closes the input. path is used in messages and to find companions.
func New(path string, in *stream.Input, opts Options) (dataset.File, error) {
	if opts.FeatureBase != 0 && opts.FeatureBase != 1 {
		return nil, fmt.Errorf("letor: FeatureBase is %d; it is 0 or 1", opts.FeatureBase)
	}
	text, err := rows.SkipMark(in)
	if err != nil {
		return nil, err
	}
	prefixes := packPrefixes()
	newParser := func() rows.Parser { return newParser(prefixes, opts) }
	return rows.NewFile(path, []rows.Input{text}, rows.Lines{Opening: lineOpening}, newParser, rows.Options{
		Workers:     opts.Workers,
		BlockSize:   opts.blockSize,
		Progress:    opts.Progress,
		Docs:        opts.KeepDocs,
		Numbering:   map[int]dataset.Numbering{1: dataset.FromOne}[opts.FeatureBase],
		Numbered:    true,
		Features:    opts.Names,
		QueryPrefix: "qid:",
		NoQueries:   dataset.ErrNoQueries,
	}), nil
}

// isBlank reports whether c separates tokens within a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// endsToken reports whether c ends a token: it is a blank, a line end or begins a comment.
func endsToken(c byte) bool { return isBlank(c) || c == '\n' || c == '#' }

// lineOpening classifies the beginning of a line.
func lineOpening(text []byte) rows.Opening {
	for _, c := range text {
		if isBlank(c) {
			continue
		}
		if c == '\n' || c == '#' {
			return rows.OpensNone
		}
		return rows.OpensRow
	}
	return rows.Unknown
}
