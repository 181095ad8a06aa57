// Package page has the parts that reports in HTML have in common: their style, tables, and sections with
// figures. A report is one file that needs no network and no scripts.
package page

import (
	_ "embed"
	"html/template"
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

// Section is a part of the page with figures.
type Section struct {
	ID, Title, Text string
	Figures         []Figure
}

// Figure is a figure and, hidden until a reader asks for it, its numbers.
type Figure struct {
	SVG     template.HTML // made by package plot, which escapes
	Caption string
	Table   Grid
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
