package plot

import (
	"fmt"
	"strings"
)

// Curves are small charts side by side, one for each ranker. They have a common y axis, but each
// has its own x axis, since iterations of different rankers cannot be compared.
type Curves struct {
	ID, Title, Description string
	XLabel, YLabel         string
	Panels                 []Panel
}

// Panel is a chart of several lines of one kind.
type Panel struct {
	Name  string
	Color int
	Lines [][]Point
	Marks []Point // points to be marked, such as the best of each line
	Dots  []Point // many points, drawn small

	// XLabel, if not empty, replaces that of all panels, and Ends the numbers at the ends of the x axis.
	XLabel string
	Ends   [2]float64
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

// Draw draws the charts. There must be a point in each panel.
func (v *Curves) Draw() string {
	rows := (len(v.Panels) + panelsAcross - 1) / panelsAcross
	all := Lines{}
	for _, p := range v.Panels {
		all.Series = append(all.Series, p.series()...)
	}
	_, y := all.ranges()
	return document(v.ID, v.Title, v.Description, figureWidth, smallHeight*float64(rows), func(c *canvas) {
		for i := range v.Panels {
			left, top := smallWidth*float64(i%panelsAcross), smallHeight*float64(i/panelsAcross)
			v.Panels[i].draw(c, left, top, y, v.XLabel, v.YLabel)
		}
	})
}

// series returns the points of the panel.
func (p *Panel) series() []Series {
	all := []Series{{Points: p.Dots}}
	for _, line := range p.Lines {
		all = append(all, Series{Points: line})
	}
	return all
}

func (p *Panel) draw(c *canvas, left, top float64, values axis, xLabel, yLabel string) {
	lines := Lines{Series: p.series()}
	f := lines.frame(left+smallLeft, top+smallTop, left+smallWidth-smallRightGap, top+smallHeight-smallBelow)
	f.y = linear(values.low, values.high, f.y.from, f.y.to)
	for _, v := range f.y.ticks() {
		c.line(f.x.from, f.y.at(v), f.x.to, f.y.at(v), faintColor, "")
		c.text(f.x.from-6, f.y.at(v)+4, ends, 11, f.y.label(v))
	}
	low, high := f.x.low, f.x.high
	if p.XLabel != "" {
		xLabel, low, high = p.XLabel, p.Ends[0], p.Ends[1]
	}
	c.text(f.x.from-4, f.y.from+15, begins, 11, short(roundTo(low, 4)))
	c.text(f.x.to+4, f.y.from+15, ends, 11, short(roundTo(high, 4)))
	c.line(f.x.from, f.y.from, f.x.to, f.y.from, textColor, "")
	c.text((f.x.from+f.x.to)/2, f.y.from+31, middle, 11, xLabel)
	c.mark(left+smallLeft+4, top+16, p.Color, p.Name)
	c.text(left+smallLeft+14, top+20, begins, 13, clipped(p.Name, 24))
	c.text(left+smallLeft-6, top+20, ends, 11, yLabel)
	var dots strings.Builder
	for _, q := range p.Dots {
		fmt.Fprintf(&dots, "M%.1f %.1fh0", f.x.at(q.X), f.y.at(q.Y))
	}
	if dots.Len() > 0 {
		c.path(&dots, seriesColor(p.Color), "2.6", ` stroke-linecap="round" stroke-opacity="0.6"`)
	}
	for _, line := range p.Lines {
		var path strings.Builder
		for i, q := range thinned(line) {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], f.x.at(q.X), f.y.at(q.Y))
		}
		c.path(&path, seriesColor(p.Color), "1.3", ` stroke-opacity="0.75"`)
	}
	for _, q := range p.Marks {
		c.mark(f.x.at(q.X), f.y.at(q.Y), p.Color, fmt.Sprintf("%s, %s: %.4f", xLabel, short(q.X), q.Y))
	}
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
