package letor

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a file. The texts say what to do.
var (
	ErrEmpty         = errors.New("there are no rows")
	ErrLabel         = errors.New("the label is not a number; a line begins with the relevance grade")
	ErrLabelFinite   = errors.New("the label is not finite")
	ErrQueryID       = errors.New("no usable query id; write qid: and an id without blanks and without '#'")
	ErrQueryPlace    = errors.New("the query id must follow the label")
	ErrQueryReturns  = errors.New("the rows of a query are not consecutive; sort the file by query id")
	ErrQueryMissing  = errors.New("some rows have a qid and this one has none; give all rows one")
	ErrQueryMixed    = errors.New("some rows have no qid and this one has; give all rows one")
	ErrNoQueries     = errors.New("no row has a qid; write qid:<id> after each label, or the number of rows of each query, one a line, to the .query file")
	ErrFeature       = errors.New("not a feature; write <number>:<value>")
	ErrFeatureNumber = fmt.Errorf("the feature number is not a whole number from 1 to %d", maxFeature)
	ErrFeatureOrder  = errors.New("feature numbers must ascend within a line; sort them and remove repeated ones")
	ErrValue         = errors.New("the value is not a number")
	ErrValueFinite   = errors.New("the value is infinite, or beyond the range of float64; clip it")
	ErrValueNaN      = errors.New("the value is NaN (missing); leave the feature out, which makes it 0, or write a number that stands for missing")
	ErrCount         = errors.New("not a number of rows; each line has one whole number, 0 or more")
	ErrCountSum      = errors.New("the numbers of rows in the queries do not add up to the rows of the data")
	ErrWeight        = errors.New("not a weight; each line has one finite number, 0 or more")
	ErrWeightCount   = errors.New("there must be as many weights as rows")
	ErrChanged       = errors.New("the file has changed while it was read; read it again when it is complete")
)

// Error is what is wrong with a file, and where.
type Error struct {
	Path   string // as given to Open, or of the companion file
	Line   int    // from 1; 0 where the error is about the whole file
	Column int    // of the token's first byte, from 1, counted in bytes; 0 where there is no token
	Token  string // as in the file, cut if it is long
	Detail string // what else helps, perhaps empty
	Err    error  // one of the errors above
}

// Error gives "path:line:column: "token": what is wrong (detail)".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	b.WriteString(": ")
	if e.Token != "" {
		fmt.Fprintf(&b, "%q: ", e.Token)
	}
	b.WriteString(e.Err.Error())
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	return b.String()
}

// Unwrap returns what is wrong, for errors.Is.
func (e *Error) Unwrap() error { return e.Err }

// maxToken is the length to which tokens are cut in errors.
const maxToken = 60

// shorten cuts a token that would fill the screen.
func shorten(token []byte) string {
	if len(token) > maxToken {
		return string(token[:maxToken]) + "…"
	}
	return string(token)
}
