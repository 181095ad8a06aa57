// Package plot draws figures as SVG text.
//
// Figures can be read without seeing colors: series also differ in their marks and dashes, and every figure
// has a title and a description for screen readers.
//
// All texts are escaped here. Coordinates are in pixels at the figure's natural size; a page may scale it.
package plot

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Colors of figures. A page defines them in its style sheet, where they follow the reader's choice of light
// or dark: custom properties, of which there are also --series-0 to --series-7.
const (
	textColor  = "var(--text)"  // letters and axes
	faintColor = "var(--faint)" // grid lines
	winColor   = "var(--win)"   // bars of queries in which B is better
	loseColor  = "var(--lose)"  // bars of queries in which B is worse
	bandColor  = "var(--band)"  // an interval behind bars
)

// Colors is the number of colors of series, which are reused from the start if there are more series.
const Colors = 8

// seriesColor returns the color of the lines and points of a series.
func seriesColor(i int) string { return fmt.Sprintf("var(--series-%d)", i%Colors) }

// canvas collects the elements of a figure.
type canvas struct {
	strings.Builder
}

// document returns an SVG document with the elements that draw adds. id must be unique in a page.
func document(id, title, description string, width, height float64, draw func(c *canvas)) string {
	c := &canvas{}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="%[1]s-title `+
		`%[1]s-desc" width="%[2]g" height="%[3]g" viewBox="0 0 %[2]g %[3]g" font-family="sans-serif" `+
		`font-size="13" fill="%[4]s">`+"\n",
		escape(id), width, height, textColor)
	fmt.Fprintf(c, `<title id="%[1]s-title">%[2]s</title><desc id="%[1]s-desc">%[3]s</desc>`+"\n",
		escape(id), escape(title), escape(description))
	draw(c)
	c.WriteString("</svg>\n")
	return c.String()
}

func (c *canvas) line(x1, y1, x2, y2 float64, stroke, more string) {
	fmt.Fprintf(c, `<line x1="%.2f" y1="%.2f" x2="%.2f" y2="%.2f" stroke="%s"%s/>`+"\n",
		x1, y1, x2, y2, stroke, more)
}

func (c *canvas) rect(x, y, width, height float64, fill, more string) {
	fmt.Fprintf(c, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"%s/>`+"\n",
		x, y, width, height, fill, more)
}

// Alignments of a text relative to its point.
const (
	begins = ""
	middle = ` text-anchor="middle"`
	ends   = ` text-anchor="end"`
)

func (c *canvas) text(x, y float64, anchor string, size int, text string) {
	fmt.Fprintf(c, `<text x="%.2f" y="%.2f" font-size="%d"%s>%s</text>`+"\n", x, y, size, anchor, escape(text))
}

// textUp writes a text from bottom to top, centered at a point.
func (c *canvas) textUp(x, y float64, text string) {
	fmt.Fprintf(c, `<text transform="translate(%.2f %.2f) rotate(-90)" text-anchor="middle" `+
		`font-size="13">%s</text>`+"\n", x, y, escape(text))
}

// path draws a path without filling it.
func (c *canvas) path(d, stroke, width, more string) {
	fmt.Fprintf(c, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"%s/>`+"\n", d, stroke, width, more)
}

func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}

// Shortened cuts a long name to its last 45 characters, because file names differ at their ends.
func Shortened(name string) string {
	const most = 45
	if runes := []rune(name); len(runes) > most {
		return "…" + string(runes[len(runes)-most:])
	}
	return name
}

// clipped cuts a long name to its first characters.
func clipped(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
