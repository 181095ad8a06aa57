package plot

import "fmt"

// Bar is a named length.
type Bar struct {
	Name  string
	Value float64 // at least 0
}

// Bars is a chart of horizontal bars.
type Bars struct {
	ID, Title, Description string
	XLabel                 string
	Colour                 int
	Bars                   []Bar // from top to bottom; at least one
	Format                 func(float64) string
}

const (
	barLeft  = 190.0
	barPitch = 22.0
)

// Draw draws the chart.
func (v *Bars) Draw(ink Ink) string {
	longest := 0.0
	for _, b := range v.Bars {
		longest = max(longest, b.Value)
	}
	if longest == 0 {
		longest = 1
	}
	height := float64(barPitch*float64(len(v.Bars))) + 46
	x := axis{high: longest, from: barLeft, to: figureWidth - 90, step: longest}
	return document(ink, v.ID, v.Title, v.Description, figureWidth, height, func(c *canvas) {
		for i, b := range v.Bars {
			y := 8 + float64(barPitch*float64(i))
			c.text(barLeft-8, y+13, ends, 13, clipped(b.Name, 24))
			c.rect(barLeft, y, max(x.at(b.Value)-barLeft, 0.5), barPitch-6, ink.series(v.Colour), "")
			c.text(x.at(b.Value)+6, y+13, begins, 12, v.Format(b.Value))
		}
		bottom := 8 + float64(barPitch*float64(len(v.Bars)))
		c.line(barLeft, 4, barLeft, bottom, ink.Text, "")
		c.text((x.from+x.to)/2, bottom+26, middle, 13, v.XLabel)
	})
}

// Counted returns bars of equal parts of the range from 0 to limit, above 0: how many of the values are in
// each. Values beyond the range count in the part at that end; none is NaN. number is the format of both ends
// of a part in the name of its bar.
func Counted(values []float64, limit float64, parts int, number string) []Bar {
	bars := make([]Bar, parts)
	for i := range bars {
		bars[i].Name = fmt.Sprintf(number+" to "+number, limit*float64(i)/float64(parts), limit*float64(i+1)/float64(parts))
	}
	for _, v := range values {
		bars[max(0, min(parts-1, int(v/limit*float64(parts))))].Value++
	}
	return bars
}

// differenceParts is the number of bars of a histogram of differences on each side of zero.
const differenceParts = 8

// CountedDifferences counts differences: losses from the largest one, ties, and wins.
func CountedDifferences(differences []float64) []Bar {
	const side = differenceParts
	most := 0.0
	for _, d := range differences {
		most = max(most, d, -d)
	}
	step := NiceLimit(most) / side
	bars := make([]Bar, 2*side+1)
	for i := range side {
		low, high := float64(float64(i)*step), float64(float64(i+1)*step)
		bars[side-1-i].Name = fmt.Sprintf("-%.4g to %s", high, negative(low))
		bars[side+1+i].Name = fmt.Sprintf("%.4g to %.4g", low, high)
	}
	bars[side].Name = "0 (ties)"
	for _, d := range differences {
		switch at := min(side-1, int(max(d, -d)/step)); {
		case d < 0:
			bars[side-1-at].Value++
		case d > 0:
			bars[side+1+at].Value++
		default:
			bars[side].Value++
		}
	}
	return bars
}

// negative writes the number below zero that is as large as v.
func negative(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("-%.4g", v)
}

// Count formats a value that counts something.
func Count(n float64) string { return fmt.Sprintf("%.0f", n) }

// Percent formats a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
