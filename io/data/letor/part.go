package letor

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/stream"
)

// ErrUndivided says that a row has no query id, so that a file cannot be divided between queries.
var ErrUndivided = errors.New("the row has no query id, by which the data is divided among ranks; write qid: into the rows, or bin the data in one process")

// Boundary returns the place of a line, or the end of the file, at which a file can be divided between two
// queries. It depends on the bytes around at alone, and does not fall as at rises: 0 gives 0. The query of
// the first row that begins at or behind at ends there.
func Boundary(in *stream.Input, at int64) (int64, error) {
	if at <= 0 {
		return 0, nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(readerAt{in}, at-1, max(0, in.Size()-at+1)), 1<<16)
	skipped, err := lineLength(r)
	place := at - 1 + skipped
	var query []byte
	for seen := false; err == nil; {
		var line []byte
		if line, err = r.ReadBytes('\n'); err != nil && err != io.EOF {
			break
		}
		if lineOpening(append(line, '\n')) == lineOpening([]byte("1")) {
			id, ok := queryOf(line)
			if !ok {
				return 0, &dataset.Error{Path: in.Name(), Token: string(line[:min(len(line), 40)]), Err: ErrUndivided}
			}
			if seen && !bytes.Equal(id, query) {
				return place, nil
			}
			seen, query = true, append(query[:0], id...)
		}
		place += int64(len(line))
	}
	if err != nil && err != io.EOF {
		return 0, err
	}
	return in.Size(), nil
}

// lineLength reads a line and returns its length.
func lineLength(r *bufio.Reader) (n int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		n += int64(len(part))
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}

// queryOf returns the query id of a row.
func queryOf(line []byte) ([]byte, bool) {
	fields := bytes.FieldsFunc(line[:min(len(line), 4096)], func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' })
	if len(fields) < 2 {
		return nil, false
	}
	return bytes.CutPrefix(fields[1], []byte("qid:"))
}

type readerAt struct{ in *stream.Input }

func (r readerAt) ReadAt(b []byte, offset int64) (int, error) { return r.in.ReadAt(b, offset) }
