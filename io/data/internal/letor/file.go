package letor

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// New reads an input. Closing the file closes the input. path is used in messages and to find companions. The
// caller sets the options that differ from file to file; features are numbered from 0 or, with
// dataset.FromOne in Meta.Numbering, from 1. infinite accepts infinite values.
func New(path string, in *stream.Input, infinite bool, opts rows.Options) (dataset.File, error) {
	text, err := rows.SkipMark(in)
	if err != nil {
		return nil, err
	}
	p := parser{prefixes: packPrefixes(), infinite: infinite, keepDocs: opts.Docs}
	if opts.Meta.Numbering == dataset.FromOne {
		p.base = 1
	}
	opts.Meta.Numbered, opts.QueryPrefix, opts.NoQueries = true, "qid:", dataset.ErrNoQueries
	newParser := func() rows.Parser { return newParser(p) }
	return rows.NewFile(path, []rows.Input{text}, rows.Lines{IsRow: isRow}, newParser, opts), nil
}

// isBlank reports whether c separates tokens within a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// endsToken reports whether c ends a token: it is a blank, a line end or begins a comment.
func endsToken(c byte) bool { return isBlank(c) || c == '\n' || c == '#' }

// isRow reports whether a line is neither blank nor a comment.
func isRow(text []byte) bool {
	for _, c := range text {
		if !isBlank(c) {
			return c != '\n' && c != '#'
		}
	}
	return false
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

// beginsWithZero matches a line whose first feature is feature 0.
var beginsWithZero = regexp.MustCompile(`^[ \t\r]*[^ \t\r\n#]+([ \t\r]+qid:[^ \t\r\n#]*)*[ \t\r]+0+:`)

func hasZero(r io.Reader) (bool, error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	for begins := true; ; {
		piece, err := lines.ReadSlice('\n')
		if begins && beginsWithZero.Match(piece) {
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
