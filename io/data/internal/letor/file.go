package letor

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

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

	// Names are those of the columns; nil means "Column_n". A row with a column beyond them is an error.
	Names []string

	LabelName string   // name of the label; empty: none
	More      []string // names of further labels, which are in companions

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
		Workers:    opts.Workers,
		BlockSize:  opts.blockSize,
		Progress:   opts.Progress,
		Docs:       opts.KeepDocs,
		LabelFiles: opts.More,
		Meta: dataset.Meta{LabelName: opts.LabelName, Features: opts.Names, Numbered: true,
			Numbering: map[int]dataset.Numbering{1: dataset.FromOne}[opts.FeatureBase]},
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

// The errors of LETOR text, besides those of package dataset for data in any form. The texts say what to do.
// They are wrapped in a [*dataset.Error], which has the place.
var (
	ErrLabel = errors.New("the label is not a number; a line begins with the relevance grade, such as 0 " +
		"for bad and 3 for perfect")
	ErrQueryID       = errors.New("no usable query id; write qid: and an id without blanks and without '#'")
	ErrQueryPlace    = errors.New("the query id must follow the label")
	ErrFeature       = errors.New("not a feature; write <number>:<value>")
	ErrFeatureNumber = fmt.Errorf("the feature number is not a whole number from 0, or from 1 with "+
		"feature_base=1, to %d", maxFeature)
	ErrFeatureOrder = errors.New("feature numbers must ascend within a line; " +
		"sort them and remove repeated ones")
)

// HasZero reports whether a row of an input has a feature 0. It reads the input up to that row.
func HasZero(in *stream.Input) (bool, error) {
	r, err := in.Reader()
	if err != nil {
		return false, err
	}
	defer r.Close()
	return hasZero(r)
}

// BeginsWithZero reports whether one of the rows at the beginning of a file has a feature 0.
func BeginsWithZero(head []byte) bool {
	found, _ := hasZero(bytes.NewReader(head))
	return found
}

func hasZero(r io.Reader) (bool, error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	for begins := true; ; {
		piece, err := lines.ReadSlice('\n')
		if begins && beginsWithZero(piece) {
			return true, nil
		}
		switch {
		case err == io.EOF:
			return false, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
		begins = err == nil
	}
}

// beginsWithZero reports whether the first feature of a line is feature 0.
func beginsWithZero(line []byte) bool {
	line, _, _ = bytes.Cut(line, []byte{'#'})
	words := bytes.FieldsFuncSeq(line, func(c rune) bool {
		return c == ' ' || c == '\t' || c == '\r' || c == '\n'
	})
	place := 0
	for word := range words {
		if place > 0 && !bytes.HasPrefix(word, queryKey) {
			number, _, found := bytes.Cut(word, []byte{':'})
			feature, ok := featureNumber(number)
			return found && ok && feature == 0
		}
		place++
	}
	return false
}
