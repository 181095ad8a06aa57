package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// The figure of differences has a bar for each query, ordered from B's largest loss to its largest win. The
// height of a bar is the difference. A dashed line is the mean, and a band behind the
// bars its confidence interval.
const (
	figureWidth = 860.0
	panelHeight = 320.0
	marginLeft  = 70.0
	marginRight = 20.0
	marginTop   = 64.0
	marginBelow = 52.0

	MostBars = 800 // with more queries, a bar is the mean of adjacent ones
)

// Differences are the differences of two systems, one per query.
type Differences struct {
	ID, Title, Subtitle string
	Values              []float64 // one per query, in any order; at least one
	Mean                float64
	Low, High           float64 // confidence interval of the mean
}

// Draw implements the chart of a page.
func (d *Differences) Draw() string {
	return document(d.ID, d.Title, d.Title+": "+d.Subtitle, figureWidth, panelHeight, d.draw)
}

func (d *Differences) draw(c *canvas) {
	sorted := slices.Sorted(slices.Values(d.Values))
	limit := NiceLimit(max(-sorted[0], sorted[len(sorted)-1]))
	f := frame{between(0, float64(len(sorted)), marginLeft, figureWidth-marginRight),
		axis{low: -limit, high: limit, from: panelHeight - marginBelow, to: marginTop, step: limit / 2}}
	c.text(marginLeft, 26, begins, 15, d.Title)
	c.text(marginLeft, 46, begins, 12, d.Subtitle)
	caption := wording.Count(len(sorted), "query") + ", by difference"
	if len(sorted) > MostBars {
		caption += fmt.Sprintf("; a bar is the mean of about %d", (len(sorted)+MostBars/2)/MostBars)
	}
	f.draw(c, caption, "")
	c.rect(f.x.from, f.y.at(d.High), f.x.to-f.x.from, max(f.y.at(d.Low)-f.y.at(d.High), 0.5), bandColor, "")
	f.drawBars(c, bars(sorted))
	c.line(f.x.from, f.y.at(0), f.x.to, f.y.at(0), textColor, "")
	c.line(f.x.from, f.y.at(d.Mean), f.x.to, f.y.at(d.Mean), textColor, ` stroke-dasharray="6 4"`)
}

// bars returns the differences, or means of adjacent ones if there are too many.
func bars(differences []float64) []float64 {
	n := len(differences)
	if n <= MostBars {
		return differences
	}
	means := make([]float64, MostBars)
	for i := range means {
		part := differences[i*n/MostBars : (i+1)*n/MostBars]
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		means[i] = sum / float64(len(part))
	}
	return means
}

// drawBars draws bars of these heights side by side.
func (f *frame) drawBars(c *canvas, heights []float64) {
	step, gap := (f.x.to-f.x.from)/float64(len(heights)), 0.0
	if step > 4 {
		gap = 1
	}
	for i, h := range heights {
		color := winColor
		if h < 0 {
			color = loseColor
		}
		if top := min(f.y.at(h), f.y.at(0)); h != 0 {
			left, height := f.x.from+float64(float64(i)*step), math.Abs(f.y.at(h)-f.y.at(0))
			c.rect(left, top, step-gap, height, color, ` shape-rendering="crispEdges"`)
		}
	}
}
