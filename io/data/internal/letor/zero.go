package letor

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// HasZero reports whether a row of an input has a feature 0. It reads the input up to that row.
func HasZero(in *stream.Input) (bool, error) {
	r, err := in.Reader()
	if err != nil {
		return false, err
	}
	defer r.Close()
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

// BeginsWithZero reports whether one of the rows at the beginning of a file has a feature 0.
func BeginsWithZero(head []byte) bool {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if beginsWithZero(line) {
			return true
		}
	}
	return false
}

// beginsWithZero reports whether the first feature of a line is feature 0.
func beginsWithZero(line []byte) bool {
	line, _, _ = bytes.Cut(line, []byte{'#'})
	words := bytes.FieldsFuncSeq(line, func(c rune) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' })
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
