package dataset

import (
	"fmt"
	"sort"
)

// Places finds the places of rows in the file that they were read from, for messages.
type Places interface {
	// Place returns the path and the line or row of a row, and the name of the column of labels in a table;
	// nil if they cannot be found, as for what was read from a pipe. It may read the file again.
	Place(row int) *Error
}

// locate returns the place of a row in its file, nil if it is not known.
func (m *Meta) locate(row int) *Error {
	switch {
	case m.Whole != nil:
		n := m.queryOf(row)
		return m.Whole.locate(m.Whole.Queries[m.Selected[n]].First + row - m.Queries[n].First)
	case m.Where != nil:
		return m.Where.Place(row)
	}
	return nil
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
		place.Field = m.chosen
	}
	place.Token, place.Err = fmt.Sprint(m.Labels[row]), why
	place.Detail = "query " + m.Queries[m.queryOf(row)].ID
	return place
}
