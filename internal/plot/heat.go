package plot

import (
	"fmt"
	"math"
)

// Heat is a table of values as colored cells, each with its number.
type Heat struct {
	ID, Title, Description string
	XLabel, YLabel         string
	X, Y                   []float64
	Values                 [][]float64 // by X, then Y
}

// Draw draws the chart. There must be a value.
func (v *Heat) Draw(ink Ink) string {
	const left, top, below, pitch = 96.0, 14.0, 60.0, 30.0
	largest := 1e-300
	for _, line := range v.Values {
		for _, value := range line {
			largest = max(largest, math.Abs(value))
		}
	}
	width := (figureWidth - left - marginRight) / float64(len(v.X))
	height := top + float64(pitch*float64(len(v.Y))) + below
	return document(ink, v.ID, v.Title, v.Description, figureWidth, height, func(c *canvas) {
		for j := range v.Y {
			y := top + float64(pitch*float64(len(v.Y)-1-j))
			c.text(left-8, y+19, ends, 12, short3(v.Y[j]))
			for i := range v.X {
				x, value, color := left+float64(width*float64(i)), v.Values[i][j], ink.Win
				if value < 0 {
					color = ink.Lose
				}
				c.rect(x, y, width-1, pitch-1, color, fmt.Sprintf(` fill-opacity="%.2f"`, 0.55*math.Abs(value)/largest))
				c.text(x+float64(width/2), y+19, middle, 11, fmt.Sprintf("%+.2g", value))
			}
		}
		bottom := top + float64(pitch*float64(len(v.Y)))
		for i := range v.X {
			c.text(left+float64(width*(float64(i)+0.5)), bottom+18, middle, 12, short3(v.X[i]))
		}
		c.text((left+figureWidth)/2, bottom+44, middle, 13, clipped(v.XLabel, 60))
		c.textUp(18, top+float64(float64(pitch*float64(len(v.Y)))/2), clipped(v.YLabel, 24))
	})
}

// short3 returns a number in at most three digits.
func short3(v float64) string { return short(roundTo(v, 3)) }
