package plot

import "fmt"

// Bar is a named length.
type Bar struct {
	Name  string
	Value float64 // at least 0, unless bars are signed
	Note  string  // a short text beside a signed bar, such as the value of the feature
}

// Bars is a chart of horizontal bars.
type Bars struct {
	ID, Title, Description string
	XLabel                 string
	Color                  int                  // used unless bars are signed
	Bars                   []Bar                // from top to bottom; at least one
	Format                 func(float64) string // of values
	Signed                 bool                 // bars extend to both sides of zero
}

const (
	barLeft  = 190.0
	barPitch = 22.0
)

// Draw draws the chart.
func (v *Bars) Draw() string {
	x := v.axis()
	bottom := 8 + float64(barPitch*float64(len(v.Bars)))
	return document(v.ID, v.Title, v.Description, figureWidth, bottom+38, func(c *canvas) {
		for i, b := range v.Bars {
			y := 8 + float64(barPitch*float64(i))
			c.text(barLeft-8, y+13, ends, 13, clipped(b.Name, 24))
			v.draw(c, &b, x, y)
		}
		c.line(x.at(0), 4, x.at(0), bottom, textColor, "")
		c.text((x.from+x.to)/2, bottom+26, middle, 13, v.XLabel)
	})
}

// axis returns the axis of the values, with room for their texts and, beside signed bars, for the notes.
func (v *Bars) axis() axis {
	x := axis{from: barLeft, to: figureWidth - 90}
	if v.Signed {
		x.from, x.to = barLeft+60, figureWidth-150
	}
	for _, b := range v.Bars {
		x.low, x.high = min(x.low, b.Value), max(x.high, b.Value)
	}
	if x.low == x.high {
		x.high = 1
	}
	x.step = x.high - x.low
	return x
}

// draw draws a bar, its value and its note.
func (v *Bars) draw(c *canvas, b *Bar, x axis, y float64) {
	color, from, to := seriesColor(v.Color), x.at(0), x.at(b.Value)
	at, anchor := to+6, begins
	switch {
	case b.Value < 0:
		color, from, to = loseColor, to, from
		at, anchor = from-6, ends
	case v.Signed:
		color = winColor
	}
	c.rect(from, y, max(to-from, 0.5), barPitch-6, color, "")
	c.text(at, y+13, anchor, 12, v.Format(b.Value))
	if b.Note != "" {
		c.text(figureWidth-4, y+13, ends, 12, clipped(b.Note, 19))
	}
}

// Counted returns a histogram: bars for equal parts of the range from 0 to limit, which is above 0, with the
// number of values in each part. Values outside the range count in the nearest part; none may be NaN. number
// is the format of the two bounds in a bar's name.
func Counted(values []float64, limit float64, parts int, number string) []Bar {
	bars := make([]Bar, parts)
	for i := range bars {
		low, high := limit*float64(i)/float64(parts), limit*float64(i+1)/float64(parts)
		bars[i].Name = fmt.Sprintf(number+" to "+number, low, high)
	}
	for _, v := range values {
		bars[max(0, min(parts-1, int(v/limit*float64(parts))))].Value++
	}
	return bars
}

// Count formats a number of things.
func Count(n float64) string { return fmt.Sprintf("%.0f", n) }

// Four formats a value with four significant digits, and Change formats one with its sign.
func Four(v float64) string   { return fmt.Sprintf("%.4g", v) }
func Change(v float64) string { return fmt.Sprintf("%+.4g", v) }

// Percent formats a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
