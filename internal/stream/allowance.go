package stream

import (
	"errors"
	"io"
)

// ErrLong says that a line or record is longer than its reader allows.
var ErrLong = errors.New("a line is too long for this kind of file; it is damaged, or it is something else")

// Allowance is a reader that fails with [ErrLong] when it has delivered Left bytes. The user of lines
// or records, which may be of any length in a damaged file, sets Left before each of them to the
// largest length. What is buffered between the two counts for the record before.
type Allowance struct {
	R    io.Reader
	Left int64 // bytes
}

func (a *Allowance) Read(dst []byte) (int, error) {
	if a.Left <= 0 {
		return 0, ErrLong
	}
	n, err := a.R.Read(dst[:min(int64(len(dst)), a.Left)])
	a.Left -= int64(n)
	return n, err
}
