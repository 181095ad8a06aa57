// Package report renders results: a [Document] of findings, tables and charts becomes text for the terminal,
// TSV, JSON, or one HTML page that needs no network and no scripts.
package report

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/param"
)

// Grid is a table.
type Grid struct {
	Caption string
	Head    []string
	Rows    [][]string
	Text    bool   // cells are text, aligned to the left
	Marks   []Mark // of rows; may be empty
	// Folded, if not empty, is a text behind which the table is hidden until a reader opens it. Tables of
	// figures are always hidden.
	Folded string
}

// Mark is how a row is emphasized.
type Mark struct {
	Swatch bool // has a dot in the color of a series before its name
	Color  int  // of the series
	Best   bool // the row has another background
	Strong int  // index of an emphasized cell; 0: none

	Shades []float64 // colors of the cells' backgrounds: -1 and 1 are the strongest ones, 0 is none; may be nil
}

// Shade returns the style of a cell's background.
func (m Mark) Shade(cell int) template.CSS {
	if cell >= len(m.Shades) {
		return ""
	}
	shade, color := m.Shades[cell], "win"
	if shade < 0 {
		color = "lose"
	}
	return template.CSS(fmt.Sprintf("background:color-mix(in srgb, var(--%s) %.0f%%, transparent)", color,
		55*math.Abs(shade)))
}

// Mark returns the mark of a row.
func (g Grid) Mark(row int) Mark {
	if row < len(g.Marks) {
		return g.Marks[row]
	}
	return Mark{}
}

// inList is where objectives such as lambdarank@click:0.5,binary@cart:0.5 may continue on another line.
var inList = regexp.MustCompile("([,@])([a-z])")

// Breaks returns a text that has opportunities to break lines.
func (Grid) Breaks(text string) template.HTML {
	return template.HTML(inList.ReplaceAllString(template.HTMLEscapeString(text), "$1<wbr>$2"))
}

// Label names the table for screen readers.
func (g Grid) Label() string {
	if g.Caption != "" {
		return "Table: " + g.Caption
	}
	return "Table: " + strings.Join(g.Head, ", ")
}

// Section is a part of the page with figures, and tables behind them.
type Section struct {
	ID, Title, Text string
	Figures         []Figure
	Tables          []Grid
}

// Parameters returns the section with names and values of parameters.
func Parameters(text string, settings []param.Setting) Section {
	g := Grid{Caption: "Parameters", Head: []string{"parameter", "value"}, Text: true}
	for _, s := range settings {
		g.Rows = append(g.Rows, []string{s.Name, s.Value})
	}
	s := Section{ID: "settings", Title: "Parameters", Text: text}
	if len(g.Rows) > 0 {
		s.Tables = []Grid{g}
	}
	return s
}

// Figure is a chart with its numbers, which are hidden until a reader opens them.
type Figure struct {
	Chart   Chart
	Caption string
	Table   Grid
}

// Chart draws itself as SVG, in which texts are escaped.
type Chart interface{ Draw() string }

// SVG returns the chart for the page.
func (f Figure) SVG() template.HTML { return template.HTML(f.Chart.Draw()) }

// Label names the figure for screen readers.
func (f Figure) Label() string { return "Figure: " + f.Caption }

//go:embed document.html
var documentText string

// Document is a report that consists of sections.
type Document struct {
	Title, Finding string
	Basis          string // what Finding is based on; may be empty
	Warnings       []string
	Tables         []*Table       // findings in all renderings; Sections show them on the page
	Facts          map[string]any // in JSON only, beside the sentences and tables
	Sections       []Section      // those without figures and tables are left out
	Notes          []string       // how the results were found
	Files          []stream.File  // written by Save in addition to those of the findings
	Program        string         // the last line
	Style          string         // of the tables in Text
}

// Text writes the findings for a terminal, or for a text in the document's style: the tables, then the
// sentences.
func (d *Document) Text(w io.Writer) error {
	var parts []string
	for _, t := range d.Tables {
		if t.For.has(Terminal) {
			parts = append(parts, t.text(d.Style))
		}
	}
	sentences := ""
	if d.Finding != "" {
		sentences = d.Finding + "\n"
	}
	if d.Basis != "" {
		sentences += "(" + d.Basis + ")\n"
	}
	if d.Style == StyleLaTeX {
		sentences = comment(sentences)
	}
	if sentences != "" {
		parts = append(parts, sentences)
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

// JSON writes the findings as one JSON object: the sentences, the facts, and a list of records for each
// table.
func (d *Document) JSON(w io.Writer) error {
	object := map[string]any{}
	if d.Finding != "" {
		object["finding"], object["basis"] = d.Finding, d.Basis
		object["warnings"] = append([]string{}, d.Warnings...)
	}
	for name, fact := range d.Facts {
		object[name] = number(fact)
	}
	for _, t := range d.Tables {
		switch {
		case !t.For.has(JSON):
		case t.Name == "":
			maps.Copy(object, t.records()[0])
		default:
			object[cmp.Or(t.Key, t.Name)] = t.records()
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}

// Leads returns the lines of Finding, which are paragraphs of the page.
func (d *Document) Leads() []string { return strings.Split(d.Finding, "\n") }

// Warn adds a warning. An empty text is none.
func (d *Document) Warn(text string) {
	if text != "" {
		d.Warnings = append(d.Warnings, text)
	}
}

// Remarks returns Warnings.
func (d *Document) Remarks() []string { return d.Warnings }

// MadeBy sets the program that the page names.
func (d *Document) MadeBy(program string) { d.Program = "Made by " + program + "." }

// Save writes Files into a folder, and the findings for programs: a file for each table, and result.json. It
// returns the paths of all files.
func (d *Document) Save(folder string) (paths []string, err error) {
	files := slices.Clone(d.Files)
	for _, t := range d.Tables {
		if t.For.has(TSV) {
			files = append(files, stream.File{Name: t.Name + ".tsv", Write: t.TSV})
		}
	}
	files = append(files, stream.File{Name: "result.json", Write: d.JSON})
	return stream.WriteFolder(folder, files...)
}

// Write writes the page.
func (d *Document) Write(w io.Writer) error {
	t, err := template.New("document").Parse(documentText)
	if err != nil {
		return err
	}
	shown := *d
	shown.Sections = slices.DeleteFunc(slices.Clone(d.Sections), func(s Section) bool {
		return len(s.Figures)+len(s.Tables) == 0
	})
	return t.Execute(w, &shown)
}
