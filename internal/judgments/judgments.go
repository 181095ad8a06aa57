// Package judgments makes training data from the logs of a search engine.
//
//	featurelog   reads features of documents from responses of the engine
//	[Read]       reads grades of documents from qrels or CSV
//	clicks       estimates grades of documents, and the bias of positions, from a log of clicks
//	[Join]       joins features and grades to training data
package judgments

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/trec"
)

// The errors of files. They are returned with a place.
var (
	// ErrColumns means that a table lacks a column.
	ErrColumns = errors.New("the first line does not name the columns")
	// ErrGrade means that a grade is not a number.
	ErrGrade = errors.New("not a grade; it is a finite number")
	// ErrTwice means that a document is judged twice in a query.
	ErrTwice = errors.New("the document is judged a second time in the query")
	// ErrEmpty means that a query or a document has no id.
	ErrEmpty = errors.New("an id is empty")
)

// Names of the columns of a table of judgments, in any case. The first name that the table has is used.
var (
	QueryColumns    = []string{"qid", "query_id", "srch_id", "query"}
	DocumentColumns = []string{"docid", "doc_id", "_id", "document", "doc", "id"}
	GradeColumns    = []string{"grade", "label", "rating", "relevance", "judgment"}
)

// Read reads judgments: TREC qrels, or CSV or TSV whose first line names the columns. path is for errors.
func Read(r io.Reader, path string) (*trec.Qrels, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	separator := separatorOf(in)
	if separator == 0 {
		return trec.ReadQrels(in, path)
	}
	t, err := NewTable(in, path, separator)
	if err != nil {
		return nil, err
	}
	query, document, grade := t.Column(QueryColumns), t.Column(DocumentColumns), t.Column(GradeColumns)
	if err := t.Err(); err != nil {
		return nil, err
	}
	q := &trec.Qrels{Judged: map[string]map[string]float64{}}
	for t.Next() {
		v, err := strconv.ParseFloat(t.Cell(grade), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, t.Fail(fmt.Errorf("%.40q: %w", t.Cell(grade), ErrGrade))
		}
		if err := add(q, t.Cell(query), t.Cell(document), v); err != nil {
			return nil, t.Fail(err)
		}
	}
	return q, t.Err()
}

// add adds a judgment.
func add(q *trec.Qrels, query, document string, grade float64) error {
	if query == "" || document == "" {
		return ErrEmpty
	}
	of := q.Judged[query]
	if of == nil {
		of = map[string]float64{}
		q.Judged[query] = of
		q.Queries = append(q.Queries, query)
	}
	if _, twice := of[document]; twice {
		return fmt.Errorf("query %.40q, document %.40q: %w", query, document, ErrTwice)
	}
	of[document] = grade
	return nil
}

// separatorOf returns the separator of a table, or 0 for qrels: lines of four words, none of which is a known
// column name.
func separatorOf(in *bufio.Reader) rune {
	start, _ := in.Peek(in.Size())
	line, _, _ := strings.Cut(strings.TrimLeft(string(start), "\ufeff \t\r\n"), "\n")
	if strings.Contains(line, ",") {
		return ','
	}
	known := slices.Concat(QueryColumns, DocumentColumns, GradeColumns)
	for _, word := range strings.Split(line, "\t") {
		if slices.Contains(known, strings.ToLower(strings.TrimSpace(word))) {
			return '\t'
		}
	}
	return 0
}

// Table reads a text table whose first line names the columns. After an error it has no more rows.
type Table struct {
	path  string
	csv   *csv.Reader
	names []string
	row   []string
	err   error
}

// NewTable reads the first line of a table.
func NewTable(r io.Reader, path string, separator rune) (*Table, error) {
	t := &Table{path: path, csv: csv.NewReader(r)}
	t.csv.Comma, t.csv.ReuseRecord, t.csv.TrimLeadingSpace = separator, true, separator == ','
	first, err := t.csv.Read()
	if err != nil {
		return nil, t.place(err)
	}
	for _, name := range first {
		t.names = append(t.names, strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))))
	}
	return t, nil
}

// SeparatorOf returns the separator of a table by its name.
func SeparatorOf(path string) rune {
	for _, ending := range []string{".gz", ".zst"} {
		path = strings.TrimSuffix(path, ending)
	}
	if strings.HasSuffix(path, ".tsv") {
		return '\t'
	}
	return ','
}

// Column returns the number of the first of these columns that the table has. If it has none, that becomes
// the error of the table.
func (t *Table) Column(names []string) int {
	if i := t.Optional(names); i >= 0 {
		return i
	}
	if t.err == nil {
		t.err = fmt.Errorf("%s:1: %w: there is none of %s among %s", t.path, ErrColumns,
			strings.Join(names, ", "), strings.Join(t.names, ", "))
	}
	return 0
}

// Optional is like Column, for a column that may be absent, for which it returns -1.
func (t *Table) Optional(names []string) int {
	for _, name := range names {
		if i := slices.Index(t.names, name); i >= 0 {
			return i
		}
	}
	return -1
}

// Next goes to the next row, and reports whether there is one.
func (t *Table) Next() bool {
	if t.err != nil {
		return false
	}
	row, err := t.csv.Read()
	if err == io.EOF {
		return false
	}
	if t.row, t.err = row, t.place(err); t.err != nil {
		return false
	}
	return true
}

// Cell returns a cell of the row, without blanks around it.
func (t *Table) Cell(column int) string { return strings.TrimSpace(t.row[column]) }

// Fail returns err with the place of the row.
func (t *Table) Fail(err error) error {
	line, _ := t.csv.FieldPos(0)
	return fmt.Errorf("%s:%d: %w", t.path, line, err)
}

// Err returns the error of the table; nil if all rows have been read.
func (t *Table) Err() error { return t.err }

// place adds the name of the file to an error of package csv.
func (t *Table) place(err error) error {
	var parse *csv.ParseError
	switch {
	case err == nil:
		return nil
	case err == io.EOF:
		return fmt.Errorf("%s: it is empty", t.path)
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d: %w", t.path, parse.Line, parse.Err)
	}
	return fmt.Errorf("%s: %w", t.path, err)
}
