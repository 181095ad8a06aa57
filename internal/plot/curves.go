package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Curves are small charts side by side, one for the series of each name. They have a common y axis, but each
// has its own x axis, since iterations of different rankers cannot be compared.
type Curves struct {
	ID, Title, Description string
	XLabel, YLabel         string
	Series                 []Series
}

const (
	panelsAcross  = 3
	smallWidth    = figureWidth / panelsAcross
	smallHeight   = 210.0
	smallLeft     = 58.0
	smallTop      = 34.0
	smallBelow    = 46.0
	mostOfCurve   = 160 // points; lines with more are thinned
	smallRightGap = 14.0
)

// Draw draws the charts.
func (v *Curves) Draw() string {
	panels := v.panels()
	rows := (len(panels) + panelsAcross - 1) / panelsAcross
	_, y := ranges(v.Series)
	return document(v.ID, v.Title, v.Description, figureWidth, smallHeight*float64(rows), func(c *canvas) {
		for i, panel := range panels {
			left, top := smallWidth*float64(i%panelsAcross), smallHeight*float64(i/panelsAcross)
			v.draw(c, panel, left, top, y)
		}
	})
}

// panels returns the series of each chart: those of one name that have points.
func (v *Curves) panels() (panels [][]Series) {
	for _, s := range v.Series {
		if len(s.Points) == 0 {
			continue
		}
		at := slices.IndexFunc(panels, func(p []Series) bool { return p[0].Name == s.Name })
		if at < 0 {
			at, panels = len(panels), append(panels, nil)
		}
		panels[at] = append(panels[at], s)
	}
	return panels
}

// draw draws a chart.
func (v *Curves) draw(c *canvas, panel []Series, left, top float64, values axis) {
	first := &panel[0]
	f := frameOf(panel, left+smallLeft, top+smallTop, left+smallWidth-smallRightGap, top+smallHeight-smallBelow)
	f.y = linear(values.low, values.high, f.y.from, f.y.to)
	for _, v := range f.y.ticks() {
		c.line(f.x.from, f.y.at(v), f.x.to, f.y.at(v), faintColor, "")
		c.text(f.x.from-6, f.y.at(v)+4, ends, 11, f.y.label(v))
	}
	xLabel, low, high := cmp.Or(first.XLabel, v.XLabel), f.x.low, f.x.high
	if first.XLabel != "" {
		low, high = first.Ends[0], first.Ends[1]
	}
	c.text(f.x.from-4, f.y.from+15, begins, 11, short(roundTo(low, 4)))
	c.text(f.x.to+4, f.y.from+15, ends, 11, short(roundTo(high, 4)))
	c.line(f.x.from, f.y.from, f.x.to, f.y.from, textColor, "")
	c.text((f.x.from+f.x.to)/2, f.y.from+31, middle, 11, xLabel)
	c.mark(left+smallLeft+4, top+16, first.Color, first.Name)
	c.text(left+smallLeft+14, top+20, begins, 13, clipped(first.Name, 24))
	c.text(left+smallLeft-6, top+20, ends, 11, v.YLabel)
	for _, s := range panel {
		if s.Dots {
			f.drawDots(c, &s)
		} else {
			c.path(f.line(thinned(s.Points)), seriesColor(s.Color), "1.3", ` stroke-opacity="0.75"`)
		}
	}
	for _, s := range panel {
		at := slices.IndexFunc(s.Points, func(p Point) bool { return p.X == s.Marked })
		if at >= 0 && s.Marked > 0 {
			p := s.Points[at]
			c.mark(f.x.at(p.X), f.y.at(p.Y), s.Color, fmt.Sprintf("%s, %s: %.4f", xLabel, short(p.X), p.Y))
		}
	}
}

// drawDots draws the points of a series as dots.
func (f *frame) drawDots(c *canvas, s *Series) {
	var dots strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&dots, "M%.1f %.1fh0", f.x.at(p.X), f.y.at(p.Y))
	}
	c.path(dots.String(), seriesColor(s.Color), "2.6", ` stroke-linecap="round" stroke-opacity="0.6"`)
}

// thinned returns about mostOfCurve points of a line, its ends among them.
func thinned(line []Point) []Point {
	if len(line) <= mostOfCurve {
		return line
	}
	few := make([]Point, mostOfCurve)
	for i := range few {
		few[i] = line[i*(len(line)-1)/(mostOfCurve-1)]
	}
	return few
}
