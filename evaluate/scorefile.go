package evaluate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// The errors of a file of scores.
var (
	ErrScore      = errors.New("is not a score; expected one number a line")
	ErrBlankScore = errors.New("a blank line where a score should be; write nan for a document without one")
	ErrScoreCount = errors.New("there must be one a line for each row")
)

// scoreReader reads one number a line. Blank lines at the end are ignored.
type scoreReader struct {
	lines *bufio.Scanner
	name  string
	line  int
	blank int // blank lines since the last score
	count int // scores that were read
	ended bool
}

func newScoreReader(r io.Reader, name string) *scoreReader {
	return &scoreReader{lines: bufio.NewScanner(stream.WithoutMark(r)), name: name}
}

// fail gives an error its place: a line from 1, or 0 for the whole file.
func (r *scoreReader) fail(line int, err error) error {
	return &dataset.Error{Path: r.name, Line: line, Err: err}
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
			return 0, false, r.fail(r.line-r.blank, ErrBlankScore)
		}
		if err != nil || strings.Contains(text, "_") { // 12_3 is an id, and a number to strconv
			return 0, false, r.fail(r.line, fmt.Errorf("%q %w", text, ErrScore))
		}
		r.count++
		return score, true, nil
	}
	r.ended = true
	if err := r.lines.Err(); err != nil {
		return 0, false, r.fail(0, err)
	}
	return 0, false, nil
}

// fill reads a score for each entry of dst, or until there are no more.
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

// pass skips scores until n have been read, or there are no more.
func (r *scoreReader) pass(n int) error {
	for ok := !r.ended; ok && r.count < n; {
		var err error
		if _, ok, err = r.next(); err != nil {
			return err
		}
	}
	return nil
}

// finish reads the remaining scores, and returns an error unless there were as many as rows.
func (r *scoreReader) finish(rows int) error {
	if err := r.pass(math.MaxInt); err != nil {
		return err
	}
	if r.count != rows {
		return r.fail(0, fmt.Errorf("%s for %s of data; %w", wording.Count(r.count, "score"),
			wording.Count(rows, "row"), ErrScoreCount))
	}
	return nil
}

// readScores reads the scores of a peer's rows, which follow those of the first rows of all.
func readScores(in *stream.Input, first, all, rows int) ([]float64, error) {
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	scores := newScoreReader(r, in.Name())
	if err := scores.pass(first); err != nil {
		return nil, err
	}
	own := make([]float64, rows)
	if err := scores.fill(own); err != nil {
		return nil, err
	}
	return own, scores.finish(all)
}
