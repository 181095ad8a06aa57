package plot

import (
	"fmt"
	"math"
	"strings"
)

// Swarm is a chart with a line of dots for each feature. A dot is a document, placed by the feature's
// contribution to its score, and darker the larger the value of the feature is. Dots
// at the same place are stacked.
type Swarm struct {
	ID, Title, Description string
	XLabel                 string
	Lines                  []SwarmLine // from top to bottom; at least one
}

// SwarmLine is the dots of a feature.
type SwarmLine struct {
	Name   string
	Shares []float64 // finite
	Ranks  []float64 // of the values among all documents, from 0 to 1; negative if missing
}

const (
	swarmPitch   = 44.0
	swarmClasses = 4
)

// Draw draws the chart.
func (v *Swarm) Draw() string {
	low, high := 0.0, 0.0
	for _, line := range v.Lines {
		for _, share := range line.Shares {
			low, high = min(low, share), max(high, share)
		}
	}
	x := linear(low, high, barLeft, figureWidth-marginRight)
	height := float64(swarmPitch*float64(len(v.Lines))) + 60
	return document(v.ID, v.Title, v.Description, figureWidth, height, func(c *canvas) {
		bottom := float64(swarmPitch*float64(len(v.Lines))) + 8
		for _, tick := range x.ticks() {
			c.line(x.at(tick), 8, x.at(tick), bottom, faintColor, "")
			c.text(x.at(tick), bottom+18, middle, 12, x.label(tick))
		}
		c.line(x.at(0), 8, x.at(0), bottom, textColor, "")
		for i := range v.Lines {
			y := float64(swarmPitch*(float64(i)+0.5)) + 8
			c.text(barLeft-10, y+5, ends, 13, clipped(v.Lines[i].Name, 24))
			v.Lines[i].draw(c, x, y)
		}
		c.text((x.from+x.to)/2, bottom+44, middle, 13, v.XLabel)
	})
}

// draw draws the dots of a line, with one path for the dots of each shade.
func (l *SwarmLine) draw(c *canvas, x axis, y float64) {
	const dot = 3.0
	var paths [swarmClasses + 1]strings.Builder
	taken := map[int]int{} // number of dots in each pixel column
	for i, share := range l.Shares {
		column := int(math.Round(x.at(share) / dot))
		n := taken[column]
		taken[column]++
		up := float64(float64((n+1)/2) * dot)
		if n%2 == 1 {
			up = -up
		}
		up = max(-swarmPitch/2+3, min(swarmPitch/2-3, up))
		class := 0
		if l.Ranks[i] >= 0 {
			class = 1 + min(swarmClasses-1, int(l.Ranks[i]*swarmClasses))
		}
		fmt.Fprintf(&paths[class], "M%.1f %.1fh0", x.at(share), y+up)
	}
	strokes := [...]string{faintColor, loseColor, loseColor, winColor, winColor}
	opacity := [...]string{"1", "0.95", "0.5", "0.5", "0.95"}
	for class := range paths {
		if paths[class].Len() > 0 {
			fmt.Fprintf(c, `<path d="%s" fill="none" stroke="%s" stroke-opacity="%s" stroke-width="%g" `+
				`stroke-linecap="round"/>`+"\n", &paths[class], strokes[class], opacity[class], dot)
		}
	}
}
