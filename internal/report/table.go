package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/internal/digits"
)

// Table is findings as records: people see them rounded, and programs as they are.
type Table struct {
	Name    string // of the list in JSON, and of the file in TSV without its ending
	Columns []Column
	Rows    [][]any // texts, ints and float64s, of which NaN is no value
}

// Column is a column of a [Table].
type Column struct {
	Name   string // for programs; it does not change. People see blanks for underscores
	Format string // of fmt, for people; "": as for programs
}

// NewTable returns a table without rows, with columns of pairs of names and formats.
func NewTable(name string, columns ...string) *Table {
	t := &Table{Name: name}
	for i := 0; i < len(columns); i += 2 {
		t.Columns = append(t.Columns, Column{columns[i], columns[i+1]})
	}
	return t
}

// Add adds a row.
func (t *Table) Add(row ...any) { t.Rows = append(t.Rows, row) }

// grid returns the table as people see it.
func (t *Table) grid() Grid {
	g := Grid{}
	for _, c := range t.Columns {
		g.Head = append(g.Head, strings.ReplaceAll(c.Name, "_", " "))
	}
	for _, row := range t.Rows {
		var cells []string
		for i, v := range row {
			cells = append(cells, t.Columns[i].shown(v))
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

func (c *Column) shown(v any) string {
	if f, isFloat := v.(float64); isFloat && math.IsNaN(f) || c.Format == "" {
		return exact(v)
	}
	return fmt.Sprintf(c.Format, v)
}

// exact returns a value as programs read it. NaN is empty.
func exact(v any) string {
	if f, isFloat := v.(float64); isFloat {
		return digits.Exact(f)
	}
	return fmt.Sprint(v)
}

// Grid returns the table for a page.
func (t *Table) Grid(caption string) Grid {
	g := t.grid()
	g.Caption = caption
	return g
}

// Text writes the table for a terminal.
func (t *Table) Text(w io.Writer) error {
	out, g := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight), t.grid()
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		for _, cell := range row {
			fmt.Fprintf(out, "%s\t", cell)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// TSV writes the table for programs ([WriteTSV]).
func (t *Table) TSV(w io.Writer) error {
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	return WriteTSV(w, head, func(yield func([]string) bool) {
		for _, row := range t.Rows {
			line := make([]string, len(row))
			for i, v := range row {
				line[i] = exact(v)
			}
			if !yield(line) {
				return
			}
		}
	})
}

// WriteTSV writes a line of names, and one for each record. Texts with tabs or line ends are quoted as in CSV.
func WriteTSV(w io.Writer, names []string, records iter.Seq[[]string]) error {
	out := csv.NewWriter(w)
	out.Comma = '\t'
	if err := out.Write(names); err != nil {
		return err
	}
	for record := range records {
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// records returns the table for JSON.
func (t *Table) records() []map[string]any {
	all := []map[string]any{}
	for _, row := range t.Rows {
		record := map[string]any{}
		for i, v := range row {
			if f, isFloat := v.(float64); isFloat {
				v = digits.Number(f)
			}
			record[t.Columns[i].Name] = v
		}
		all = append(all, record)
	}
	return all
}

// Text writes the findings for a terminal: the tables, and the sentence that they come to.
func (d *Document) Text(w io.Writer) error {
	for _, t := range d.Tables {
		if err := t.Text(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "%s\n(%s)\n", d.Finding, d.Basis)
	return err
}

// JSON writes the findings as one JSON object: a list of records for each table, and the sentences.
func (d *Document) JSON(w io.Writer) error {
	object := map[string]any{"finding": d.Finding, "basis": d.Basis, "warnings": append([]string{}, d.Warnings...)}
	for _, t := range d.Tables {
		object[t.Name] = t.records()
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}
