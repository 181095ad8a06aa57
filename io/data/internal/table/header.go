package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// heading is the beginning of a text.
type heading struct {
	cells []string // of the first line that is not blank; nil if there is none
	skip  int64    // bytes before that line
	lines int      // lines before it
	end   int64    // place after that line and its line end
	after int      // lines before end
}

// longestHeading bounds the bytes of the first line. A million columns have names of some letters.
const longestHeading = 1 << 24

// readHeading reads the first line that is not blank.
func readHeading(in *stream.Input, comma byte) (*heading, error) {
	for size := 1 << 16; ; size = min(8*size, longestHeading) {
		head, err := in.Head(size)
		if err != nil {
			return nil, err
		}
		h, whole := parseHeading(head, len(head) < size, comma)
		if whole {
			return h, h.check(in.Name())
		}
		if size == longestHeading {
			return nil, &dataset.Error{Path: in.Name(), Line: 1,
				Err: fmt.Errorf("the first line is longer than %d MiB", longestHeading>>20)}
		}
	}
}

// parseHeading finds the first line that is not blank in the beginning of a text. ended reports that head is
// the whole text. It returns false if the line does not end within head.
func parseHeading(head []byte, ended bool, comma byte) (h *heading, whole bool) {
	mark, lines := 0, linesOf(comma)
	if bytes.HasPrefix(head, []byte(stream.Mark)) {
		mark = len(stream.Mark)
	}
	begin := mark + lines.RowAt(head[mark:], 0)
	if begin == len(head) {
		return &heading{skip: int64(mark)}, ended
	}
	end, whole := lines.NextEnd(head, begin), true
	if end < 0 {
		end, whole = len(head), ended
	}
	return &heading{cells: splitRecord(head[begin:end], comma), skip: int64(begin),
		lines: bytes.Count(head[:begin], []byte{'\n'}), end: int64(min(end+1, len(head))),
		after: bytes.Count(head[:end], []byte{'\n'}) + 1}, whole
}

// check refuses a line that looks like another kind of file.
func (h *heading) check(path string) error {
	for _, cell := range h.cells {
		if i := bytes.IndexByte([]byte(cell), 0); i >= 0 {
			return &dataset.Error{Path: path, Line: h.lines + 1, Err: ErrNotText}
		}
	}
	if len(h.cells) > 0 && strings.HasPrefix(h.cells[0], stream.Mark) {
		return &dataset.Error{Path: path, Line: h.lines + 1, Column: 1, Token: stream.Mark, Err: stream.ErrMark}
	}
	return nil
}

// splitRecord returns the cells of a line, without their quotes and blanks around them.
func splitRecord(line []byte, comma byte) []string {
	var cells []string
	inside, begin := false, 0
	add := func(end int) {
		cell := bytes.Trim(line[begin:end], " \t\r\n")
		if n := len(cell); n >= 2 && cell[0] == '"' && cell[n-1] == '"' {
			cell = bytes.ReplaceAll(cell[1:n-1], []byte(`""`), []byte(`"`))
		}
		cells = append(cells, string(cell))
		begin = end + 1
	}
	for i, c := range line {
		switch {
		case c == '"':
			inside = !inside
		case c == comma && !inside:
			add(i)
		}
	}
	add(len(line))
	return cells
}

// names reports whether the first line names the columns.
func (o *Options) names(h *heading) bool {
	switch o.Header {
	case WithHeader, "+", "1":
		return true
	case WithoutHeader, "-", "0":
		return false
	}
	for _, choice := range append([]string{o.Label, o.Query, o.Weight, o.Place}, o.ignored()...) {
		if choice != "" && choice != NoColumn && !isNumber(choice) {
			return true
		}
	}
	if len(o.More) > 0 {
		return true
	}
	label := 0
	if o.Label != "" {
		_, _ = fmt.Sscan(o.Label, &label)
	}
	// An empty cell is that of a missing label, or of the index in a header that pandas wrote.
	return label >= len(h.cells) || !isValue(h.cells[label]) || h.cells[label] == "" &&
		slices.ContainsFunc(h.cells, func(cell string) bool { return !isValue(cell) })
}

// isValue reports whether a cell is a number or a missing value.
func isValue(cell string) bool {
	_, err := parse([]byte(cell))
	return err == nil || isMissingValue([]byte(cell))
}

// inputOf reads the names of the columns (nil if there are none) and the number of
// columns (0 if there are no rows). first means that no part before it has rows.
func (o *Options) inputOf(in *stream.Input, comma byte, first bool) (input rows.Input, names []string, n int,
	err error) {
	h, err := readHeading(in, comma)
	if err != nil {
		return rows.Input{}, nil, 0, err
	}
	if first && len(h.cells) == 1 && strings.ContainsAny(h.cells[0], "\t, ") {
		return rows.Input{}, nil, 0, &dataset.Error{Path: in.Name(), Line: h.lines + 1, Token: h.cells[0],
			Err: ErrOneCell}
	}
	if h.cells == nil || !o.names(h) {
		return rows.Input{In: in, Skip: h.skip, Lines: h.lines}, nil, len(h.cells), nil
	}
	for i := range h.cells {
		h.cells[i] = Name(h.cells[i])
	}
	return rows.Input{In: in, Skip: h.end, Lines: h.after}, h.cells, len(h.cells), unique(in.Name(), h.cells)
}

// sameColumns returns an error if the columns of a part differ from those of the first part.
func sameColumns(path string, first []string, firstN int, names []string, n int) error {
	if n == firstN && slices.Equal(first, names) {
		return nil
	}
	return &dataset.Error{Path: path, Err: ErrOtherHeader,
		Detail: fmt.Sprintf("%s: %s; the first part has %d: %s",
			wording.Count(n, "column"), wording.List(names, mostListed), firstN, wording.List(first, mostListed))}
}

// queryNames are the names that columns of query ids usually have, in any case.
var queryNames = []string{"qid", "query_id", "query", "srch_id"}

// guessQuery finds the column of query ids by its name if none was chosen, because query ids as a feature
// would ruin the model. If a companion .query exists, it has the queries, and the column is ignored. The
// caller's choice, a column of the model, and a column that cannot hold ids are left alone.
func (o *Options) guessQuery(f *finder, hasCompanion bool, holdsIDs func(column int) bool) {
	var found []int
	for column, name := range f.names {
		if isQueryName(name) && f.role[column] >= 0 &&
			!uses(o.Model, f.features, f.role[column]) && holdsIDs(column) {
			found = append(found, column)
		}
	}
	switch {
	case f.err != nil || len(found) == 0:
	case len(found) > 1:
		f.err = &dataset.Error{Path: f.path, Err: ErrManyQueries, Detail: fmt.Sprintf("%s and %s",
			f.names[found[0]], f.names[found[1]])}
	case hasCompanion:
		f.role[found[0]] = ignoredColumn
		f.Remarks = append(f.Remarks, fmt.Sprintf("column %q is taken as query ids because of its name, and "+
			"is not a feature; the queries are those of the .query file (group_column=%s makes the column a "+
			"feature)", f.names[found[0]], NoColumn))
	default:
		f.role[found[0]] = queryColumn
		f.Remarks = append(f.Remarks, fmt.Sprintf("column %q is taken as query ids because of its name, and "+
			"is not a feature (group_column= chooses another column)", f.names[found[0]]))
	}
	f.GuessedQuery = len(f.Remarks) > 0
}

func isQueryName(name string) bool { return isUsual(name, queryNames) }

// isLabelName reports whether a name is one that columns of labels usually have, in any case.
func isLabelName(name string) bool { return isUsual(name, labelNames) }

var labelNames = []string{"label", "relevance", "relevance_label", "rel", "grade", "judgment", "judgement",
	"target"}

func isUsual(name string, names []string) bool {
	return slices.ContainsFunc(names, func(usual string) bool { return strings.EqualFold(name, usual) })
}

// uses reports whether the scores of a model depend on a feature of a table, given the names of all: by name
// or, if the model has numbers for names and the table all of them, by number. A model that does not list
// these features has exactly those of its training data, for which the same guess was made by name.
func uses(m *dataset.Features, names []string, number int) bool {
	switch {
	case m == nil:
		return false
	case byfeature.ByOrder(m.Names, names):
		return len(names) == len(m.Names) && (m.Used == nil || slices.Contains(m.Used, number))
	}
	return slices.ContainsFunc(m.Used, func(f int) bool { return m.Names[f] == names[number] })
}
