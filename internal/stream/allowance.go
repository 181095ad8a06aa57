package stream

import (
	"errors"
	"io"
)

// ErrLong means that a line or record is longer than its reader allows.
var ErrLong = errors.New("a line is too long for this kind of file; it is damaged, or it is something else")

// Allowance is a reader that fails with [ErrLong] after it has delivered Left bytes. In a damaged file a line
// or record can have any length, so its user sets Left to the largest allowed length before each one. Bytes
// buffered between two records count for the first.
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
