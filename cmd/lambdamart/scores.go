package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/stream"
)

// scoreReader reads one number a line. Blank lines at the end do not count.
type scoreReader struct {
	lines *bufio.Scanner
	name  string
	line  int
	blank int // blank lines since the last score
	count int // scores that were read
	ended bool
}

func newScoreReader(r io.Reader, name string) *scoreReader {
	return &scoreReader{lines: bufio.NewScanner(r), name: name}
}

// next reads a score; ok is false at the end.
func (r *scoreReader) next() (score float64, ok bool, err error) {
	for r.lines.Scan() {
		r.line++
		text := strings.TrimSpace(r.lines.Text())
		if text == "" {
			r.blank++
			continue
		}
		score, err := strconv.ParseFloat(text, 64)
		if r.blank > 0 {
			return 0, false, fmt.Errorf("%s:%d: a blank line where a score should be; write nan for a document without one", r.name, r.line-r.blank)
		}
		if err != nil {
			return 0, false, fmt.Errorf("%s:%d: %q is not a score; expected one number a line", r.name, r.line, text)
		}
		r.count++
		return score, true, nil
	}
	r.ended = true
	if err := r.lines.Err(); err != nil {
		return 0, false, fmt.Errorf("%s: %w", r.name, err)
	}
	return 0, false, nil
}

// fill reads a score for each entry of dst, as long as there are scores.
func (r *scoreReader) fill(dst []float64) error {
	for i := range dst {
		if r.ended {
			return nil
		}
		score, _, err := r.next()
		if err != nil {
			return err
		}
		dst[i] = score
	}
	return nil
}

// drain counts the scores that are left.
func (r *scoreReader) drain() error {
	for ok := !r.ended; ok; {
		var err error
		if _, ok, err = r.next(); err != nil {
			return err
		}
	}
	return nil
}

// allScores reads the scores of all rows.
func allScores(in *stream.Input, rows int) ([]float64, error) {
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	scores := newScoreReader(r, in.Name())
	all := make([]float64, rows)
	if err := scores.fill(all); err != nil {
		return nil, err
	}
	if err := scores.drain(); err != nil {
		return nil, err
	}
	if scores.count != rows {
		return nil, fmt.Errorf("%s: %d scores for %d rows of data; there must be one a line for each row", in.Name(), scores.count, rows)
	}
	return all, nil
}
