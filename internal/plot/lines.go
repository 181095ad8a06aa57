package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Point is a value Y at X and, unless Low and High are equal, the interval of Y. If X is a value too, XLow
// and XHigh are its interval.
type Point struct{ X, Y, Low, High, XLow, XHigh float64 }

// Series is a named line, or a named set of points.
type Series struct {
	Name   string
	Color  int // index of its color, dash and mark; a ranker has the same one in all figures
	Points []Point

	// For [Curves] only. Marked is the X of a point with a mark, such as the best one; 0: none. Dots are many
	// points, drawn small, instead of a line. XLabel, if not empty, replaces that of all series, and Ends the
	// numbers at the ends of the x axis.
	Marked float64
	Dots   bool
	XLabel string
	Ends   [2]float64
}

// Add adds a point, unless y is not finite.
func (s *Series) Add(x, y float64) {
	if !math.IsNaN(y) && !math.IsInf(y, 0) {
		s.Points = append(s.Points, Point{X: x, Y: y})
	}
}

// Lines is a chart of series over a common axis.
type Lines struct {
	ID, Title, Description string
	XLabel, YLabel         string
	Series                 []Series
	LogX                   bool
	PointsOnly             bool // no lines
	LinesOnly              bool // no marks, except beside the names
	Height                 float64
}

const (
	lineLeft  = 76.0
	lineRight = 190.0 // includes room for the names
	lineTop   = 18.0
	lineBelow = 52.0
)

// Draw draws the chart. There must be a point.
func (l *Lines) Draw() string {
	height := cmp.Or(l.Height, 380)
	return document(l.ID, l.Title, l.Description, figureWidth, height, func(c *canvas) {
		f := frameOf(l.Series, lineLeft, lineTop, figureWidth-lineRight, height-lineBelow)
		if l.LogX {
			f.x = logarithmic(f.x.low, f.x.high, f.x.from, f.x.to)
		}
		f.draw(c, l.XLabel, l.YLabel)
		for i := range l.Series {
			f.drawSeries(c, &l.Series[i], !l.PointsOnly, !l.LinesOnly)
		}
		f.drawNames(c, l.Series)
	})
}

// frame is the area of a chart, spanned by two axes.
type frame struct{ x, y axis }

// frameOf returns a frame whose axes include all points.
func frameOf(series []Series, left, top, right, bottom float64) *frame {
	x, y := ranges(series)
	return &frame{between(x.low, x.high, left, right), linear(y.low, y.high, bottom, top)}
}

// ranges returns the ranges of X and Y over all points, including their intervals.
func ranges(series []Series) (x, y axis) {
	x = axis{low: math.Inf(1), high: math.Inf(-1)}
	y = x
	for _, s := range series {
		for _, p := range s.Points {
			x.low, x.high = min(x.low, p.X), max(x.high, p.X)
			y.low, y.high = min(y.low, p.Y), max(y.high, p.Y)
			if p.Low < p.High {
				y.low, y.high = min(y.low, p.Low), max(y.high, p.High)
			}
			if p.XLow < p.XHigh {
				x.low, x.high = min(x.low, p.XLow), max(x.high, p.XHigh)
			}
		}
	}
	return x, y
}

// draw draws the grid, the ticks and the labels of the axes.
func (f *frame) draw(c *canvas, xLabel, yLabel string) {
	bottom, left, right := f.y.from, f.x.from, f.x.to
	for _, v := range f.y.ticks() {
		c.line(left, f.y.at(v), right, f.y.at(v), faintColor, "")
		c.text(left-8, f.y.at(v)+4.5, ends, 12, f.y.label(v))
	}
	for _, v := range f.x.ticks() {
		c.line(f.x.at(v), bottom, f.x.at(v), bottom+5, textColor, "")
		c.text(f.x.at(v), bottom+19, middle, 12, short(v))
	}
	c.line(left, bottom, right, bottom, textColor, "")
	c.text((left+right)/2, bottom+41, middle, 13, xLabel)
	c.textUp(left-56, (f.y.from+f.y.to)/2, yLabel)
}

// dashes distinguish lines of the same or a similar color.
var dashes = []string{"", "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 4", "6 2 2 2 2 2"}

// drawSeries draws a series, unless it is empty.
func (f *frame) drawSeries(c *canvas, s *Series, joined, marked bool) {
	if len(s.Points) == 0 {
		return
	}
	color := seriesColor(s.Color)
	if joined {
		c.path(f.line(s.Points), color, "2", ` stroke-dasharray="`+dashes[s.Color%len(dashes)]+`"`)
	}
	if !marked {
		return
	}
	for _, p := range s.Points {
		x, y := f.x.at(p.X), f.y.at(p.Y)
		if p.Low < p.High {
			c.line(x, f.y.at(p.Low), x, f.y.at(p.High), color, ` stroke-width="1.5"`)
		}
		if p.XLow < p.XHigh {
			c.line(f.x.at(p.XLow), y, f.x.at(p.XHigh), y, color, ` stroke-width="1.5"`)
		}
		hint := fmt.Sprintf("%s: %s, %.4f", s.Name, short(roundTo(p.X, 3)), p.Y)
		c.mark(x, y, s.Color, hint)
	}
}

// line returns the path of a line through points.
func (f *frame) line(points []Point) string {
	var path strings.Builder
	for i, p := range points {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], f.x.at(p.X), f.y.at(p.Y))
	}
	return path.String()
}

// mark draws the mark of a series, with a text that appears when the pointer is over it.
func (c *canvas) mark(x, y float64, series int, hint string) {
	shapes := []string{
		"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
		"M-4 -4h8v8h-8z",
		"M0 -5L5 4H-5z",
		"M0 -5.5L5.5 0L0 5.5L-5.5 0z",
		"M0 5L5 -4H-5z",
		"M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",
	}
	fmt.Fprintf(c, `<path transform="translate(%.2f %.2f)" d="%s" fill="%s"><title>%s</title></path>`+"\n",
		x, y, shapes[series%len(shapes)], seriesColor(series), escape(hint))
}

// drawNames writes the name of each series beside its last point.
func (f *frame) drawNames(c *canvas, series []Series) {
	shown := slices.DeleteFunc(slices.Clone(series), func(s Series) bool { return len(s.Points) == 0 })
	last := func(s Series) Point { return s.Points[len(s.Points)-1] }
	height := func(s Series) float64 { return f.y.at(last(s).Y) }
	slices.SortStableFunc(shown, func(a, b Series) int { return cmp.Compare(height(a), height(b)) })
	want := make([]float64, len(shown))
	for i, s := range shown {
		want[i] = height(s)
	}
	const gap = 17
	x := f.x.to + 22
	for i, at := range spread(want, gap, f.y.to, f.y.from) {
		s, p := shown[i], last(shown[i])
		c.line(f.x.at(p.X)+7, f.y.at(p.Y), x-10, at, faintColor, "")
		c.mark(x, at, s.Color, s.Name)
		c.text(x+10, at+4.5, begins, 13, clipped(s.Name, 22))
	}
}
