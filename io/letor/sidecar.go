package letor

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/io/stream"
)

// sidecars are what the companion files of a data file say. The form is LightGBM's.
type sidecars struct {
	queryPath  string
	hasCounts  bool
	counts     []int // rows of each query
	weightPath string
	hasWeights bool
	weights    []float64 // of each row
}

// read reads the companions of the file at path that are there.
func (s *sidecars) read(path string) (err error) {
	s.queryPath, s.weightPath = path+".query", path+".weight"
	s.hasCounts, err = readColumn(s.queryPath, ErrCount, func(token []byte) bool {
		n, err := strconv.ParseUint(string(token), 10, 48)
		s.counts = append(s.counts, int(n))
		return err == nil
	})
	if err != nil {
		return err
	}
	s.hasWeights, err = readColumn(s.weightPath, ErrWeight, func(token []byte) bool {
		w, err := parseNumber(token)
		s.weights = append(s.weights, w)
		return err == nil && w >= 0 && !math.IsInf(w, 0)
	})
	return err
}

// readColumn calls accept for the one token of each line of a file that is not
// blank. It fails with bad where there is more than one token, or one that is not
// accepted. A file that does not exist gives false.
func readColumn(path string, bad error, accept func(token []byte) bool) (exists bool, err error) {
	text, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		token := trimBlanks(line)
		if len(token) > 0 && !accept(token) {
			column := bytes.Index(line, token) + 1
			return true, &Error{Path: path, Line: n, Column: column, Token: shorten(token), Err: bad}
		}
		text = rest
	}
	return true, nil
}

func readWhole(path string) ([]byte, error) {
	in, err := stream.Open(path, stream.Options{Once: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
