// Package page has the parts that reports in HTML have in common: their style, tables, and sections with
// figures. A report is one file that needs no network and no scripts.
package page

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed parts.html
var parts string

// Colours is the number of colours of series that the style defines.
const Colours = 8

// Grid is a table.
type Grid struct {
	Caption string
	Head    []string
	Rows    [][]string
	Text    bool // cells are text, aligned to the left
}

// Label names the table for readers who cannot see it.
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

// Figure is a figure and, hidden until a reader asks for it, its numbers.
type Figure struct {
	SVG     template.HTML // made by package plot, which escapes
	Caption string
	Table   Grid
}

// Label names the figure for readers who cannot see it.
func (f Figure) Label() string { return "Figure: " + f.Caption }

//go:embed document.html
var documentText string

// Document is a report that consists of sections.
type Document struct {
	Title, Finding string
	Basis          string // what Finding rests on; may be empty
	Warnings       []string
	Sections       []Section // those without figures and tables are left out
	Program        string    // the last line
}

// Write writes the page.
func (d *Document) Write(w io.Writer) error {
	t, err := Parse("document", documentText)
	if err != nil {
		return err
	}
	shown := *d
	shown.Sections = nil
	for _, s := range d.Sections {
		if len(s.Figures)+len(s.Tables) > 0 {
			shown.Sections = append(shown.Sections, s)
		}
	}
	return t.Execute(w, &shown)
}

// Parse returns the template of a report. Its text may use these templates, in their order on a page:
//
//   - "top", of a value with the fields Title, Finding, Basis and Warnings as in [Document]: everything from the
//     first byte to the list of links to sections, whose items follow
//   - "sections", of a list of [Section]
//   - "table", of a [Grid]
//   - "scrolls", of a label: the attributes of a div whose content may be wider than a phone; the keyboard can
//     scroll it
//   - "method", of a list of notes: the section that says how the results were found
//   - "end", of nothing
func Parse(name, text string) (*template.Template, error) {
	t, err := template.New(name).Parse(parts)
	if err != nil {
		return nil, err
	}
	return t.Parse(text)
}
