// Package page has the parts that reports in HTML have in common: their style, tables, and sections with
// figures. A report is one file that needs no network and no scripts.
package page

import (
	_ "embed"
	"html/template"
	"io"
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

// Parse returns the template of a report. Its text may use the templates "style", which belongs into the
// head; "sections", of a list of [Section]; and "table", of a [Grid].
func Parse(name, text string) (*template.Template, error) {
	t, err := template.New(name).Parse(parts)
	if err != nil {
		return nil, err
	}
	return t.Parse(text)
}
