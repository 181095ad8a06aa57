package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Table is a list of records. People see rounded values, and programs exact ones.
type Table struct {
	Name    string // of the file in TSV, without its ending; "": a row of facts ([Table.Fact])
	Key     string // of the list in JSON; "": Name
	Value   string // name of the column that is "value" in JSON, such as that of a metric; "": none
	For     View   // where the table is shown; 0: everywhere
	Columns []Column
	Rows    [][]any // cells are values as [Column] has them

	// For a terminal only. Shown lists the rows to show, in order; nil means all. The lines before and after
	// the table are shown unchanged. The table may have vertical bars as in Markdown, or show the cells of a
	// row below each other.
	Shown        []int
	Above, Below string
	Bars, Tall   bool
}

// View is a set of the four renderings of a document.
type View uint8

// The four renderings, and those for people and for programs.
const (
	Terminal View = 1 << iota
	Page
	TSV
	JSON

	People   = Terminal | Page
	Programs = TSV | JSON
)

// has reports whether the set, where 0 means all, includes one of these renderings.
func (v View) has(one View) bool { return v == 0 || v&one != 0 }

// Column is a column of a [Table]. Its cells are texts, lists of texts, ints, float64s, intervals, or nil.
// nil and NaN are empty for people and in files, and null in JSON. Any other cell is shown to people by its
// String method ([fmt.Stringer]) and marshaled to JSON; a cell that is a table becomes a list of records.
type Column struct {
	Name string           // for programs; it does not change
	Head string           // for people; "": Name, with blanks for underscores
	Show func(any) string // a cell for people, such as As("%.4f"); nil: as for programs, but 1,234 for 1234
	For  View             // where the column is shown; 0: everywhere
}

// As returns a [Column.Show] for numbers and the bounds of intervals, with a format of package fmt. none is
// the text for NaN.
func As(format string, none ...string) func(any) string {
	return func(v any) string {
		at, isInterval := v.(metric.Interval)
		number, _ := v.(float64)
		switch {
		case math.IsNaN(at.Low) || math.IsNaN(number):
			return strings.Join(none, "")
		case isInterval:
			return fmt.Sprintf(format+" to "+format, at.Low, at.High)
		}
		return fmt.Sprintf(format, v)
	}
}

// Number returns a [Column.Show] for float64s, NaN too.
func Number(show func(float64) string) func(any) string {
	return func(v any) string { return show(v.(float64)) }
}

// NewTable returns a table without rows. columns has pairs of a name and a format.
func NewTable(name string, columns ...string) *Table {
	t := &Table{Name: name}
	for i := 0; i < len(columns); i += 2 {
		c := Column{Name: columns[i]}
		if format := columns[i+1]; format != "" {
			c.Show = As(format)
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// Add adds a row, with a cell for each column. It panics if the number of cells differs, because they would
// be shown under the wrong heads.
func (t *Table) Add(row ...any) {
	if len(row) != len(t.Columns) {
		panic(fmt.Sprintf("report: %d cells for the %d columns of table %q", len(row), len(t.Columns), t.Name))
	}
	t.Rows = append(t.Rows, row)
}

// Fact adds a column with a value in the table's only row. In JSON it is beside the tables.
func (t *Table) Fact(name string, value any) {
	if t.Columns = append(t.Columns, Column{Name: name}); t.Rows == nil {
		t.Tall, t.Rows = true, make([][]any, 1)
	}
	t.Rows[0] = append(t.Rows[0], value)
}

// head returns the heading of the column for people.
func (c *Column) head() string { return cmp.Or(c.Head, strings.ReplaceAll(c.Name, "_", " ")) }

// shown returns a cell as people see it: a number has at most six digits unless the column says otherwise.
func (c *Column) shown(v any) string {
	if c.Show != nil && v != nil {
		return c.Show(v)
	}
	switch v := v.(type) {
	case int:
		return wording.Thousands(v)
	case float64:
		return wording.Brief(v)
	case []string:
		if more := len(v) - mostTexts; more > 0 {
			return fmt.Sprintf("%s and %s more", exact(v[:mostTexts]), wording.Thousands(more))
		}
	}
	return exact(v)
}

// mostTexts is the largest number of texts in a cell that people see.
const mostTexts = 8

// isText reports whether a column has texts, which a terminal aligns to the left.
func (t *Table) isText(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []any) bool {
		switch row[column].(type) {
		case string, []string:
			return true
		}
		return false
	})
}

// exact returns a value as programs read it.
func exact(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return wording.Exact(v)
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(v)
}

// line returns a text for each column of a view.
func (t *Table) line(view View, text func(c *Column, i int) string) (line []string) {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.For.has(view) {
			line = append(line, text(c, i))
		}
	}
	return line
}

// grid returns the cells of the table as a view shows them.
func (t *Table) grid(view View) Grid {
	g := Grid{Head: t.line(view, func(c *Column, _ int) string { return c.head() })}
	for _, row := range t.Rows {
		g.Rows = append(g.Rows, t.line(view, func(c *Column, i int) string { return c.shown(row[i]) }))
	}
	return g
}

// Grid returns the table for a page.
func (t *Table) Grid(caption string) Grid {
	g := t.grid(Page)
	g.Caption = caption
	return g
}

// Section returns the section of a page that shows the table, and the figures above it. Its id is the name of
// the table.
func (t *Table) Section(title, text, caption string, figures ...Figure) Section {
	return Section{ID: t.Name, Title: title, Text: text, Figures: figures, Tables: []Grid{t.Grid(caption)}}
}

// Pick returns a table of some of the rows, given by their numbers.
func (t *Table) Pick(rows []int) *Table {
	some := *t
	some.Rows, some.Shown = nil, nil
	for _, row := range rows {
		some.Add(t.Rows[row]...)
	}
	return &some
}

// left reports which columns a terminal aligns to the left.
func (t *Table) left() (left []bool) {
	t.line(Terminal, func(_ *Column, i int) string { left = append(left, t.isText(i)); return "" })
	return left
}

// tall returns a line for each cell, after the head of its column.
func tall(g Grid) string {
	rows := make([]string, len(g.Rows))
	for i, row := range g.Rows {
		lines := make([][]string, len(row))
		for k, cell := range row {
			lines[k] = []string{g.Head[k], cell}
		}
		rows[i] = aligned(lines, []bool{true, true}, false)
	}
	return strings.Join(rows, "\n")
}

// aligned returns lines with columns of equal widths, separated by two blanks or by bars.
func aligned(lines [][]string, left []bool, bars bool) string {
	widths := make([]int, len(left))
	for _, line := range lines {
		for i, cell := range line {
			if bars {
				cell = markup.Replace(cell)
				line[i] = cell
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for number, line := range lines {
		for i, cell := range line {
			blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if line[i] = blank + cell; left[i] {
				line[i] = cell + blank
			}
		}
		if !bars {
			b.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
			continue
		}
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if number == 0 {
			b.WriteString(rule(widths, left))
		}
	}
	return b.String()
}

// markup escapes what Markdown would take for the end of a cell, an emphasis, code, HTML, deleted text, or a
// link.
var markup = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "`", "\\`", "<", `\<`, "~", `\~`,
	"](", `]\(`)

// rule returns the line below the heading of a Markdown table.
func rule(widths []int, left []bool) string {
	line := "|"
	for i, width := range widths {
		dashes := strings.Repeat("-", width+1)
		if left[i] {
			line += ":" + dashes + "|"
		} else {
			line += dashes + ":|"
		}
	}
	return line + "\n"
}

// TSV writes the table for programs: a line of names, then a line for each row. Texts with tabs or line ends
// are quoted as in CSV.
func (t *Table) TSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Comma = '\t'
	if err := out.Write(t.line(TSV, func(c *Column, _ int) string { return c.Name })); err != nil {
		return err
	}
	for _, row := range t.Rows {
		if err := out.Write(t.line(TSV, func(_ *Column, i int) string { return exact(row[i]) })); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// records returns the rows for JSON.
func (t *Table) records() []map[string]any {
	all := make([]map[string]any, len(t.Rows))
	for at, row := range t.Rows {
		all[at] = map[string]any{}
		for i, c := range t.Columns {
			switch {
			case !c.For.has(JSON):
			case c.Name == t.Value:
				all[at]["value"] = number(row[i])
			default:
				all[at][c.Name] = number(row[i])
			}
		}
	}
	return all
}

// number returns a value for JSON, in which NaN is null.
func number(v any) any {
	switch v := v.(type) {
	case float64:
		return metric.Value(v)
	case metric.Interval:
		return [2]metric.Value{metric.Value(v.Low), metric.Value(v.High)}
	case *Table:
		return v.records()
	}
	return v
}

// Record is an object in JSON: alternating names and values, in their order. Values are as in a [Table].
type Record []any

// MarshalJSON implements [json.Marshaler].
func (r Record) MarshalJSON() ([]byte, error) {
	b := []byte("{")
	for i := 0; i < len(r); i += 2 {
		text, err := json.Marshal(number(r[i+1]))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(fmt.Appendf(b, "%q:", r[i]), text...)
	}
	return append(b, '}'), nil
}

// Ranked draws the second column of the first n rows as bars, named by the first one, with the table behind
// them. note, which may be nil, returns the note of a bar. Without rows there is no figure.
func (t *Table) Ranked(chart plot.Bars, n int, note func(row []any) string, caption string) []Figure {
	for _, row := range t.Rows[:min(n, len(t.Rows))] {
		bar := plot.Bar{Name: row[0].(string), Value: row[1].(float64)}
		if note != nil {
			bar.Note = note(row)
		}
		chart.Bars = append(chart.Bars, bar)
	}
	if len(chart.Bars) == 0 {
		return nil
	}
	return []Figure{{Chart: &chart, Caption: caption, Table: t.Grid("")}}
}
