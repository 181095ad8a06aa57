package table

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// cells reads the rows of a text. Every worker has its own.
type cells struct {
	columns *columns
	comma   byte
	slot    []int // of each column in row.Value; -1 if it is not a feature
	alike   []int // of each column, as alike returns it
	special int   // number of columns up to the last one that Begin must read
	leading int   // number of columns before the first feature

	path   string
	text   []byte // whole lines, with rows.Padding bytes after them
	size   int    // of the lines
	quoted bool   // the text has quotes
	at     int    // place in text up to which it was read
	column int    // of the cell there
	line   int    // start of the row's line in text
	lines  int    // line ends within quotes in the row
	row    rows.Row
	values []float64 // memory for the values of rows
	used   int       // values of rows since Forget
	cell   []byte    // memory for the cell in quotes
	query  []byte    // memory for the query id
	place  []byte    // memory for the place
}

func newCells(c *columns, comma byte) *cells {
	p := &cells{columns: c, comma: comma}
	p.row.More = make([]float64, len(c.more))
	p.leading = len(c.role)
	for column, role := range c.role {
		switch {
		case role >= 0:
			p.leading = min(p.leading, column)
		case role != ignoredColumn:
			p.special = column + 1
		}
	}
	p.slot, p.row.Feature = c.slots()
	for column, d := range c.dictionaries {
		if d != nil {
			p.slot[column] = ofDictionary
		}
	}
	p.alike = alike(p.slot)
	p.row.Last, p.row.Weight = -1, 1
	return p
}

// alike returns for each column how many columns from it on have successive slots and a comma after them.
func alike(slots []int) []int {
	counts := make([]int, len(slots))
	for column := len(slots) - 2; column >= 0; column-- {
		switch slot := slots[column]; {
		case slot < 0:
		case slots[column+1] == slot+1:
			counts[column] = counts[column+1] + 1
		default:
			counts[column] = 1
		}
	}
	return counts
}

// isRow reports whether a line is not blank.
func isRow(text []byte, comma byte) bool {
	for _, c := range text {
		if !isBlank(c, comma) {
			return c != '\n'
		}
	}
	return false
}

// isBlank reports whether c may be around a cell.
func isBlank(c, comma byte) bool { return c == ' ' || c == '\r' || c == '\t' && comma != '\t' }

// Open starts with the rows of a block.
func (p *cells) Open(t *rows.Text) {
	p.path, p.text, p.size, p.at = t.Path, t.Bytes, t.Size, 0
	p.Forget()
	p.quoted = bytes.IndexByte(t.Bytes[:t.Size], '"') >= 0
	p.row.Line, p.row.Number, p.lines = t.FirstLine-1, t.FirstRow-1, 0
}

// Forget forgets the values of all rows so far.
func (p *cells) Forget() { p.used = 0 }

// Row returns the Row that the methods below fill.
func (p *cells) Row() *rows.Row { return &p.row }

// Next goes to the next row, and reports whether there is one.
func (p *cells) Next() bool {
	for p.at < p.size {
		p.row.Line += 1 + p.lines
		p.lines = 0
		if isRow(p.text[p.at:], p.comma) {
			p.line, p.column = p.at, 0
			p.row.Number++
			return true
		}
		p.at += bytes.IndexByte(p.text[p.at:], '\n') + 1
	}
	return false
}

// Begin reads label, query and weight of a row.
func (p *cells) Begin() error {
	if p.text[p.line] == stream.Mark[0] && bytes.HasPrefix(p.text[p.line:p.size], []byte(stream.Mark)) {
		return p.fail(stream.ErrMark, p.line, []byte(stream.Mark))
	}
	for p.column < p.special {
		role := p.columns.role[p.column]
		if role >= 0 || role == ignoredColumn {
			if err := p.passCell(); err != nil {
				return err
			}
			continue
		}
		begin := p.at
		cell, err := p.readCell()
		if err != nil {
			return err
		}
		if err := p.readSpecial(role, cell, begin); err != nil {
			return err
		}
		if err := p.separate(); err != nil {
			return err
		}
	}
	if p.leading < p.special { // there are features between them: Features begins at the first cell
		p.at, p.column, p.lines = p.line, 0, 0
	}
	return nil
}

// readSpecial converts the cell of a label, a query or a weight.
func (p *cells) readSpecial(role int, cell []byte, begin int) error {
	switch role {
	case queryColumn:
		if isMissing(string(cell)) {
			return p.fail(ErrQuery, begin, cell)
		}
		p.query = append(p.query[:0], cell...)
		p.row.Query, p.row.QueryColumn = p.query, begin-p.line+1
	case placeColumn:
		if isMissing(string(cell)) || !rows.IsPlace(cell) {
			return p.fail(ErrPlace, begin, cell)
		}
		p.place = append(p.place[:0], cell...)
		p.row.Place = p.place
	case docColumn:
		p.row.Doc = string(cell)
	default:
		if err := p.setNumber(role, cell); err != nil {
			return p.fail(err, begin, cell)
		}
	}
	return nil
}

// setNumber converts the cell of a label or a weight. Documents that were scored already may lack a label.
func (p *cells) setNumber(role int, cell []byte) error {
	v, err := parse(cell)
	isScored := role == labelColumn && p.columns.scores
	switch {
	case err == nil:
		return p.columns.setNumber(&p.row, role, v)
	case isScored && isMissingValue(cell):
		p.row.Label = dataset.Missing
		return nil
	case isScored:
		return dataset.ErrValue
	case role == labelColumn:
		return ErrLabel
	case role == weightColumn:
		return ErrWeight
	}
	return dataset.ErrLabelFinite
}

// fewCells is the number of cells that Go reads after one that plainCells has left to it, if that was the
// first one. If all cells of a table are in another form, calls of plainCells take little time.
const fewCells = 8

// Features reads the cells of features up to the end of the row. The usual forms of numbers are
// converted here, or in assembly if the CPU supports it; all other cells are left to anyCell.
func (p *cells) Features() error {
	p.makeRoom()
	text, i, slots, values, comma := p.text, p.at, p.slot, p.row.Value, p.comma
	next := 0 // column from which on assembly is tried
	for column := p.column; column < len(slots); column++ {
		slot := slots[column]
		if hasAssembly && column >= next && p.alike[column] > 0 {
			n, size := plainCells(&text[i], &values[slot], p.alike[column], comma)
			if i, column, next = i+size, column+n, column+1+n; n == 0 {
				next += fewCells
			}
			slot = slots[column]
		}
		if slot < 0 {
			p.at, p.column = i, column
			if err := p.otherCell(slot); err != nil {
				return err
			}
			i = p.at
			continue
		}
		if digit := text[i] - '0'; digit < 10 && text[i+1] == comma && column+1 < len(slots) { // many values
			values[slot] = float64(digit)
			i += 2
			continue
		}
		value, end, ok := rows.PlainNumber(text, i)
		if ok && text[end] == comma && column+1 < len(slots) {
			values[slot] = value
			i = end + 1
			continue
		}
		p.at, p.column = i, column
		if err := p.anyCell(slot); err != nil {
			return err
		}
		i = p.at
	}
	p.row.Last = len(p.columns.features) - 1
	p.at, p.column = i, len(slots)
	return nil
}

// makeRoom makes the row's values the next unused part of p.values.
func (p *cells) makeRoom() {
	n := len(p.row.Feature)
	if p.used+n > len(p.values) {
		p.values, p.used = make([]float64, max(2*len(p.values), n)), 0
	}
	p.row.Value = p.values[p.used:][:n:n]
	p.used += n
}

// ofDictionary is the slot of a column whose cells are texts of a dictionary.
const ofDictionary = -2

// otherCell reads a cell that is not a number, and the separator after it.
func (p *cells) otherCell(slot int) error {
	if slot != ofDictionary {
		return p.passCell()
	}
	begin, d := p.at, p.columns.dictionaries[p.column]
	cell, err := p.readCell()
	if err != nil {
		return err
	}
	if p.row.Value[d.slot], err = d.value(cell); err != nil {
		return p.fail(err, begin, cell)
	}
	return p.separate()
}

// anyCell reads the cell of a feature in any form, and the separator after it.
func (p *cells) anyCell(slot int) error {
	begin := p.at
	cell, err := p.readCell()
	if err != nil {
		return err
	}
	value, err := numberOf(cell)
	if err != nil {
		return p.notANumber(begin, cell)
	}
	if math.IsInf(value, 0) && !p.columns.infinite {
		return p.fail(dataset.ErrValueFinite, begin, cell)
	}
	p.row.Value[slot] = value
	return p.separate()
}

// isDate matches cells that begin with a date.
var isDate = regexp.MustCompile(`^"?[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// notANumber returns the error of a text in a column of numbers. It names all such columns of the row.
func (p *cells) notANumber(begin int, cell []byte) error {
	err := p.fail(dataset.ErrValue, begin, cell)
	var e *dataset.Error
	if !errors.As(err, &e) || e.Field == "" || p.columns.scores {
		return err
	}
	texts := []string{e.Field}
	for p.separate() == nil && p.column < len(p.slot) {
		cell, failed := p.readCell()
		if failed != nil {
			break
		}
		if _, failed = numberOf(cell); failed != nil && p.slot[p.column] >= 0 {
			texts = append(texts, p.columns.names[p.column])
		}
	}
	e.Detail = adviceOnTexts(texts)
	if isDate.Match(cell) {
		e.Detail = "write dates as numbers, such as days before the query; " + e.Detail
	}
	return err
}

// adviceOnTexts says what to do about features that have texts, and about others that can be no categories.
func adviceOnTexts(texts []string, others ...string) string {
	categories := ""
	if len(texts) > 0 {
		categories = "categorical_feature=name:" + namesOf(texts) + " makes texts categories, and "
	}
	return categories + "ignore_column=name:" + namesOf(append(texts, others...)) + " leaves columns out"
}

// namesOf returns the names of columns as parameters have them. Names beyond the first 50 are left out.
func namesOf(columns []string) string { return strings.Join(columns[:min(len(columns), 50)], ",") }

// numberOf returns the value of a cell of numbers, which may be missing.
func numberOf(cell []byte) (float64, error) {
	value, err := parse(cell)
	if err != nil && isMissingValue(cell) {
		return dataset.Missing, nil
	}
	return value, err
}

// parse converts a cell to a number: true is 1 and false is 0, in any case, as in Parquet.
func parse(cell []byte) (float64, error) {
	value, err := rows.ParseNumber(cell)
	switch {
	case err == nil:
	case bytes.EqualFold(cell, []byte("true")):
		return 1, nil
	case bytes.EqualFold(cell, []byte("false")):
		return 0, nil
	}
	return value, err
}

// Skip skips the rest of a row.
func (p *cells) Skip() error {
	if p.quoted {
		for p.column < len(p.slot) {
			if err := p.passCell(); err != nil {
				return err
			}
		}
		return nil
	}
	if p.column < len(p.slot) {
		p.at += bytes.IndexByte(p.text[p.at:], '\n') + 1
	}
	return nil
}

// passCell skips a cell and the separator after it.
func (p *cells) passCell() error {
	if _, err := p.readCell(); err != nil {
		return err
	}
	return p.separate()
}

// readCell returns the cell at p.at without the quotes and blanks around it, and moves p.at after
// it. The cell is valid until the next one is read.
func (p *cells) readCell() ([]byte, error) {
	text, begin := p.text, p.at
	for isBlank(text[begin], p.comma) {
		begin++
	}
	if text[begin] == '"' {
		return p.readQuoted(begin)
	}
	end := begin
	for text[end] != p.comma && text[end] != '\n' {
		if text[end] == '"' {
			p.at = begin
			return nil, p.fail(ErrQuote, end, text[end:end+1])
		}
		end++
	}
	p.at = end
	for end > begin && isBlank(text[end-1], p.comma) {
		end--
	}
	return text[begin:end], nil
}

// readQuoted returns the cell whose first quote is at begin. Two quotes within it stand for one.
func (p *cells) readQuoted(begin int) ([]byte, error) {
	p.cell = p.cell[:0]
	i := begin + 1
	for {
		quote := bytes.IndexByte(p.text[i:p.size], '"')
		if quote < 0 {
			return nil, p.fail(dataset.ErrQuoteOpen, begin, p.text[begin:begin+1])
		}
		p.cell = append(p.cell, p.text[i:i+quote]...)
		i += quote + 1
		if p.text[i] != '"' {
			break
		}
		p.cell = append(p.cell, '"')
		i++
	}
	p.lines += bytes.Count(p.text[begin:i], []byte{'\n'})
	for isBlank(p.text[i], p.comma) {
		i++
	}
	if p.text[i] != p.comma && p.text[i] != '\n' {
		return nil, p.fail(ErrQuote, i, p.text[i:i+1])
	}
	p.at = i
	return bytes.Trim(p.cell, " \t\r\n"), nil
}

// separate skips the separator after a cell: a comma, or the line end after the last cell.
func (p *cells) separate() error {
	last := p.column == len(p.slot)-1
	switch {
	case p.text[p.at] == p.comma && last:
		return p.failLength(ErrManyCells)
	case p.text[p.at] != p.comma && !last:
		return p.failLength(ErrFewCells)
	}
	p.at++
	p.column++
	return nil
}

// failLength returns the error of a row that has another number of cells than the first line.
func (p *cells) failLength(err error) error {
	line := p.text[p.line : p.line+max(0, bytes.IndexByte(p.text[p.line:], '\n'))]
	return &dataset.Error{Path: p.path, Line: p.row.Line, Err: err,
		Detail: fmt.Sprintf("%s for %s", wording.Count(len(splitRecord(line, p.comma)), "cell"),
			wording.Count(len(p.slot), "column"))}
}

// fail returns the error err about the cell that begins at begin.
func (p *cells) fail(err error, begin int, cell []byte) error {
	for isBlank(p.text[begin], p.comma) {
		begin++
	}
	before := p.text[p.line:begin]
	e := &dataset.Error{Path: p.path, Line: p.row.Line, Column: len(before) + 1, Token: rows.Shorten(cell),
		Err: err}
	if ends := bytes.Count(before, []byte{'\n'}); ends > 0 {
		e.Line += ends
		e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	}
	if p.columns.names != nil && p.column < len(p.columns.names) {
		e.Field = p.columns.names[p.column]
	}
	return e
}

// isMissingValue reports whether a cell stands for a missing value: it is empty, or one of
// LightGBM's words for it, "na", "nan" and "null" in any case.
func isMissingValue(cell []byte) bool {
	switch len(cell) {
	case 0:
		return true
	case 2, 3, 4:
		return bytes.EqualFold(cell, []byte("na")) || bytes.EqualFold(cell, []byte("nan")) ||
			bytes.EqualFold(cell, []byte("null"))
	}
	return false
}

// isMissing reports whether the cell of a query or a position is missing: empty, blank or "null" in any case.
func isMissing(cell string) bool {
	cell = strings.TrimSpace(cell)
	return cell == "" || strings.EqualFold(cell, "null")
}
