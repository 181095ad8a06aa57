package plot

import "fmt"

// Signed is a chart of horizontal bars to both sides of zero, such as what lifts a score and what lowers it.
type Signed struct {
	ID, Title, Description string
	XLabel                 string
	Bars                   []SignedBar // from top to bottom; at least one
}

// SignedBar is a named length of either sign.
type SignedBar struct {
	Name  string
	Note  string // a short text beside the bar, such as the value of the feature
	Value float64
}

// Draw draws the chart.
func (v *Signed) Draw(ink Ink) string {
	low, high := 0.0, 0.0
	for _, b := range v.Bars {
		low, high = min(low, b.Value), max(high, b.Value)
	}
	if low == high {
		high = 1
	}
	x := axis{low: low, high: high, from: barLeft + 60, to: figureWidth - 150, step: high - low}
	height := float64(barPitch*float64(len(v.Bars))) + 46
	return document(ink, v.ID, v.Title, v.Description, figureWidth, height, func(c *canvas) {
		for i, b := range v.Bars {
			y := 8 + float64(barPitch*float64(i))
			colour, from, to := ink.Win, x.at(0), x.at(b.Value)
			c.text(barLeft-8, y+13, ends, 13, clipped(b.Name, 24))
			if b.Value < 0 {
				colour, from, to = ink.Lose, to, from
				c.text(from-6, y+13, ends, 12, fmt.Sprintf("%+.4g", b.Value))
			} else {
				c.text(to+6, y+13, begins, 12, fmt.Sprintf("%+.4g", b.Value))
			}
			c.rect(from, y, max(to-from, 0.5), barPitch-6, colour, "")
			c.text(figureWidth-4, y+13, ends, 12, clipped(b.Note, 19))
		}
		bottom := 8 + float64(barPitch*float64(len(v.Bars)))
		c.line(x.at(0), 4, x.at(0), bottom, ink.Text, "")
		c.text((x.from+x.to)/2, bottom+26, middle, 13, v.XLabel)
	})
}
