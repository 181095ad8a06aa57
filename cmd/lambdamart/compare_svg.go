package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/io/stream"
)

// The picture: a panel for each pair, in which queries stand side by side, from
// the one where B loses most to the one where it wins most. The height of a bar
// is the difference; a dashed line is the mean, in a band that is its interval.
const (
	svgWidth    = 860.0
	panelHeight = 320.0
	marginLeft  = 70.0
	marginRight = 20.0
	marginTop   = 64.0
	marginBelow = 40.0

	plotWidth  = svgWidth - marginLeft - marginRight
	plotHeight = panelHeight - marginTop - marginBelow

	mostBars = 800 // beyond it, a bar is the mean of neighbouring queries
)

// Colours that those who see red and green alike can tell apart (M. Okabe and K.
// Ito, Color Universal Design, 2008).
const (
	winColour  = "#0072b2"
	loseColour = "#d55e00"
	textColour = "#333333"
)

func (c *comparison) writeSVG(path string) error {
	return stream.WriteFile(path, func(w io.Writer) error {
		var b strings.Builder
		height := panelHeight * float64(len(c.pairs))
		fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13" fill="%s">`+"\n",
			svgWidth, height, svgWidth, height, textColour)
		fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
		for i := range c.pairs {
			fmt.Fprintf(&b, `<g transform="translate(0 %g)">`+"\n", panelHeight*float64(i))
			c.drawPair(&b, &c.pairs[i])
			b.WriteString("</g>\n")
		}
		b.WriteString("</svg>\n")
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// scale places differences in a panel: limit is at its upper edge and -limit at
// its lower one.
type scale struct{ limit float64 }

func (s scale) y(difference float64) float64 {
	return marginTop + plotHeight/2*(1-difference/s.limit)
}

func (c *comparison) drawPair(b *strings.Builder, p *pair) {
	differences := make([]float64, len(c.queries))
	for q := range differences {
		differences[q] = c.values[p.b][q] - c.values[p.a][q]
	}
	slices.Sort(differences)
	s := scale{niceLimit(max(-differences[0], differences[len(differences)-1]))}
	c.drawTitle(b, p)
	drawBand(b, s, p)
	drawBars(b, s, bars(differences))
	drawAxis(b, s, len(differences))
	fmt.Fprintf(b, `<line x1="%g" x2="%g" y1="%.2f" y2="%.2f" stroke="%s" stroke-dasharray="6 4"/>`+"\n",
		marginLeft, svgWidth-marginRight, s.y(p.Difference), s.y(p.Difference), textColour)
}

func (c *comparison) drawTitle(b *strings.Builder, p *pair) {
	name, _, _ := strings.Cut(c.metric, " ")
	text := func(y float64, size int, text string) {
		fmt.Fprintf(b, `<text x="%g" y="%g" font-size="%d">%s</text>`+"\n", marginLeft, y, size, escaped(text))
	}
	text(26, 15, fmt.Sprintf("%s: %s minus %s", name, shortened(c.systems[p.b].system), shortened(c.systems[p.a].system)))
	text(46, 12, fmt.Sprintf("mean %+.4f, %g %% interval [%+.4f, %+.4f], randomization p = %s; wins %s, ties %s, loses %s",
		p.Difference, 100*c.tests.Level, p.Interval.Low, p.Interval.High, probability(p.corrected[1]), thousands(p.Wins), thousands(p.Equal), thousands(p.Loses)))
}

// shortened is the end of a long name, where file names differ.
func shortened(name string) string {
	const most = 45
	if runes := []rune(name); len(runes) > most {
		return "…" + string(runes[len(runes)-most:])
	}
	return name
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}

func drawBand(b *strings.Builder, s scale, p *pair) {
	top, bottom := s.y(p.Interval.High), s.y(p.Interval.Low)
	fmt.Fprintf(b, `<rect x="%g" y="%.2f" width="%g" height="%.2f" fill="#dddddd"/>`+"\n", marginLeft, top, plotWidth, max(bottom-top, 0.5))
}

// bars returns the differences, or means of neighbours if there are too many.
func bars(differences []float64) []float64 {
	n := len(differences)
	if n <= mostBars {
		return differences
	}
	means := make([]float64, mostBars)
	for i := range means {
		means[i] = mean(differences[i*n/mostBars : (i+1)*n/mostBars])
	}
	return means
}

func drawBars(b *strings.Builder, s scale, heights []float64) {
	step := plotWidth / float64(len(heights))
	gap := 0.0
	if step > 4 {
		gap = 1
	}
	for i, h := range heights {
		colour := winColour
		if h < 0 {
			colour = loseColour
		}
		if y := min(s.y(h), s.y(0)); h != 0 {
			fmt.Fprintf(b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s" shape-rendering="crispEdges"/>`+"\n",
				marginLeft+float64(i)*step, y, step-gap, math.Abs(s.y(h)-s.y(0)), colour)
		}
	}
}

func drawAxis(b *strings.Builder, s scale, queries int) {
	fmt.Fprintf(b, `<line x1="%g" x2="%g" y1="%.2f" y2="%.2f" stroke="%s"/>`+"\n", marginLeft, svgWidth-marginRight, s.y(0), s.y(0), textColour)
	fmt.Fprintf(b, `<line x1="%g" x2="%g" y1="%g" y2="%g" stroke="%s"/>`+"\n", marginLeft, marginLeft, marginTop, marginTop+plotHeight, textColour)
	for _, tick := range []float64{-1, -0.5, 0, 0.5, 1} {
		v := tick * s.limit
		label := "0"
		if v != 0 {
			label = fmt.Sprintf("%+.3g", v)
		}
		fmt.Fprintf(b, `<line x1="%g" x2="%g" y1="%.2f" y2="%.2f" stroke="%s"/><text x="%g" y="%.2f" text-anchor="end">%s</text>`+"\n",
			marginLeft-5, marginLeft, s.y(v), s.y(v), textColour, marginLeft-9, s.y(v)+4.5, label)
	}
	caption := thousands(queries) + " queries, by difference"
	if queries > mostBars {
		caption += fmt.Sprintf("; a bar is the mean of about %d", (queries+mostBars/2)/mostBars)
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", marginLeft+plotWidth/2, panelHeight-14, caption)
}

// niceLimit is the smallest of 1, 2, 4, 6, 8 times a power of ten that is not
// below x.
func niceLimit(x float64) float64 {
	if x <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 2, 4, 6, 8} {
		if step*unit >= x {
			return step * unit
		}
	}
	return 10 * unit
}
