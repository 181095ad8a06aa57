package dataset

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Errors of ranking data in any file format. Their texts say what to do. A package that reads one format has
// further errors, which are specific to it. All of them are wrapped in an [*Error], which has the place.
var (
	ErrEmpty        = errors.New("there are no rows")
	ErrQueryReturns = errors.New("the rows of a query are not consecutive; sort the file by query id")
	ErrFeatureFar   = errors.New("the largest feature number is far beyond what the file holds, and all " +
		"numbers up to it take memory; number the features from 1 on")
	ErrFeatureName = errors.New("the data has columns that have no name; name all features, or none")
	ErrNoQueries   = errors.New("no row has a qid; write qid:<id> after each label, or the number of rows " +
		"of each query, one a line, to the .query file")
	ErrQueryMissing = errors.New("some rows have a qid and this one has none; give all rows one")
	ErrQueryMixed   = errors.New("some rows have no qid and this one has; give all rows one")
	ErrLabelFinite  = errors.New("the label is not finite")
	ErrValue        = errors.New("the value is not a number")
	ErrValueFinite  = errors.New("the value is infinite, or beyond the range of float64; clip it")
	ErrCount        = errors.New("not a number of rows; each line has one whole number, 0 or more")
	ErrCountSum     = errors.New("the numbers of rows in the queries do not add up to the rows of the data")
	ErrWeight       = errors.New("not a weight; each line has one finite number, 0 or more")
	ErrWeightCount  = errors.New("there must be as many weights as rows, or as queries")
	ErrWeightSum    = errors.New("the weights of all rows add up to more than a float64 can hold; divide all " +
		"of them by a common factor")
	ErrFurtherLabel = errors.New("not a label; each line has one finite number")
	ErrFurtherCount = errors.New("there must be as many labels as rows")
	ErrInitial      = errors.New("not a score; each line has one finite number")
	ErrInitialCount = errors.New("there must be as many initial scores as rows")
	ErrPosition     = errors.New("not a position; each line has one word without blanks")
	ErrPositions    = errors.New("there are more than 65,536 different positions; a position is a place on " +
		"a page, such as 1 to 50, and each must come often enough to learn its bias")
	ErrPositionCount = errors.New("there must be as many positions as rows")
	ErrQuoteOpen     = errors.New("a double quote of this row is not closed within 64 MiB; close it, or " +
		"leave the quotes out")
	ErrLineLong = errors.New("the line does not end within 128 MiB; this is not ranking data, or it is " +
		"damaged")
	ErrChanged = errors.New("the file has changed while it was read; read it again when it is complete")
)

// Error is an error in ranking data, with its place.
type Error struct {
	Path   string // of the file, or of its companion
	Line   int    // of text, from 1; 0 if the error is about the whole file
	Column int    // of the token's first byte, from 1, counted in bytes; 0 if there is no token
	Row    int64  // of a file without lines, from 1; 0 if there is none
	Field  string // name of the column of a table; empty if there is none
	Token  string // as in the file, shortened if it is long
	Detail string // further information; may be empty
	Err    error  // one of the errors above, or of the package that reads the format
}

// Error gives `path:line:column: column "name": "token": what is wrong (detail)`.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	if e.Row > 0 {
		fmt.Fprintf(&b, ": row %d", e.Row)
	}
	b.WriteString(": ")
	if e.Field != "" {
		fmt.Fprintf(&b, "column %q: ", clip(e.Field))
	}
	if e.Token != "" {
		fmt.Fprintf(&b, "%q: ", e.Token)
	}
	b.WriteString(e.Err.Error())
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	return b.String()
}

// clip shortens a name for a message.
func clip(name string) string {
	const most = 100 // bytes
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

// Unwrap returns what is wrong, for errors.Is.
func (e *Error) Unwrap() error { return e.Err }

// locate returns the place of a row in its file, nil if it is not known.
func (m *Meta) locate(row int) *Error {
	read, row := m.asRead(row)
	if read.Where == nil {
		return nil
	}
	return read.Where(row)
}

// asRead returns the data from which queries were selected, and the number of a row in it, of all peers.
func (m *Meta) asRead(row int) (*Meta, int) {
	for ; m.Whole != nil; m = m.Whole {
		n := m.queryOf(row)
		row += m.Whole.Queries[m.Selected[n]].First - m.Queries[n].First
	}
	first, _ := m.Part.First()
	return m, first + row
}

// queryOf returns the number of the query of a row.
func (m *Meta) queryOf(row int) int {
	return sort.Search(len(m.Queries), func(n int) bool { return m.Queries[n].First > row }) - 1
}

// Place names a row in a message: "data.csv:21 (query q7)", or "row 19 (query q7)" if the data was not read
// from a file.
func (m *Meta) Place(row int) string {
	where := fmt.Sprintf("row %d", row)
	switch place := m.locate(row); {
	case place == nil:
	case place.Line > 0:
		where = fmt.Sprintf("%s:%d", place.Path, place.Line)
	default:
		where = fmt.Sprintf("%s: row %d", place.Path, place.Row)
	}
	return fmt.Sprintf("%s (query %s)", where, m.Queries[m.queryOf(row)].ID)
}

// LabelError returns the error about a label that was read and cannot be used: an [*Error] if its place in a
// file is known. why says what to do.
func (m *Meta) LabelError(row int, why error) error {
	place := m.locate(row)
	if place == nil {
		return fmt.Errorf("label %v of %s: %w", m.Labels[row], m.Place(row), why)
	}
	if m.chosen != "" {
		m.locateChosen(place, row)
	}
	place.Token, place.Err = fmt.Sprint(m.Labels[row]), why
	place.Detail = "query " + m.Queries[m.queryOf(row)].ID
	return place
}

// locateChosen changes the place of a row's first label to that of the chosen one.
func (m *Meta) locateChosen(place *Error, row int) {
	place.Field, place.Column = m.chosen, 0
	for _, l := range m.More {
		if l.Name == m.chosen && l.File != "" { // has blank lines, perhaps, which are no rows
			_, row = m.asRead(row)
			*place = Error{Path: l.File, Row: int64(row) + 1}
		}
	}
}
