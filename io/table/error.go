package table

import (
	"errors"
	"fmt"
)

// What can be wrong with a table. The texts say what to do.
var (
	ErrNoColumn     = errors.New("there is no such column; name the one to use")
	ErrRepeated     = errors.New("two columns have this name; rename one")
	ErrNoRows       = errors.New("the table is empty: the first line must name the columns")
	ErrNoParts      = errors.New("the folder has no parts")
	ErrSubfolder    = errors.New("it is a folder within a folder of parts; name a folder that has files only")
	ErrQuery        = errors.New("the row has no query")
	ErrNumber       = errors.New("not a number")
	ErrTarget       = errors.New("the target is infinite")
	ErrCompressed   = errors.New("compressed Parquet cannot be read; decompress it")
	ErrRecordLength = errors.New("the row has more or fewer cells than the first line")
)

// Error is what is wrong with a table, and where.
type Error struct {
	Path   string
	Line   int    // of text, from 1; 0 where there is none
	Row    int64  // of a Parquet file, from 1; 0 where there is none
	Column string // name; empty where it is not about one
	Token  string // as in the file
	Err    error
}

// Error gives `path:line: column "name": "token": what is wrong`.
func (e *Error) Error() string {
	text := e.Path
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Row > 0 {
		text += fmt.Sprintf(": row %d", e.Row)
	}
	if e.Column != "" {
		text += fmt.Sprintf(": column %q", e.Column)
	}
	if e.Token != "" {
		text += fmt.Sprintf(": %q", e.Token)
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns what is wrong, for errors.Is.
func (e *Error) Unwrap() error { return e.Err }
