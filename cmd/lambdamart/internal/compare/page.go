package compare

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/page"
	"github.com/lambdamart/lambdamart/internal/plot"
)

// writeHTML writes the comparison as one page, with up to so many differing queries for each pair.
func (c report) writeHTML(w io.Writer, differing int) error {
	name, _, _ := strings.Cut(c.Metric, " ")
	p := page.Document{Title: "Which ranking is better? " + name, Finding: c.finding(), Basis: fmt.Sprintf("%s queries that all %d systems have. %s.", digits.Thousands(len(c.Queries)), len(c.Systems), c.Metric),
		Sections: []page.Section{c.systemsSection(), c.pairsSection(), c.differencesSection(), c.queriesSection(differing)}, Program: "Made by " + version.Identity() + "."}
	if c.Missing > 0 {
		p.Warnings = []string{digits.Thousands(c.Missing) + " queries are not in all systems: they are left out."}
	}
	return p.Write(w)
}

// certain is the probability below which a difference is called more than chance.
const certain = 0.05

// finding states the result in a sentence.
func (c report) finding() string {
	const rule = "by the randomization test"
	if len(c.Pairs) > 1 {
		sure := 0
		for _, p := range c.Pairs {
			if p.Holm.Randomization < certain {
				sure++
			}
		}
		return fmt.Sprintf("%d of %d pairs differ by more than chance explains, %s: p is below %g after Holm's correction.", sure, len(c.Pairs), rule, certain)
	}
	p := &c.Pairs[0]
	verdict := "That is more than chance explains"
	if !(p.Randomization.P < certain) {
		verdict = "Chance explains that"
	}
	return fmt.Sprintf("%s minus %s: %+.4f, %g %% interval %+.4f to %+.4f. %s, %s: p = %s.", c.Systems[p.B], c.Systems[p.A], p.Difference, 100*c.Tests.Level, p.Interval.Low, p.Interval.High,
		verdict, rule, probability(p.Randomization.P))
}

func (c report) systemsSection() page.Section {
	table := page.Grid{Caption: "Means over the queries", Head: []string{"system", "mean", "file or column"}}
	for s, name := range c.Systems {
		table.Rows = append(table.Rows, []string{letter(s), fmt.Sprintf("%.4f", c.Mean(s)), name})
	}
	return page.Section{ID: "systems", Title: "Systems", Text: "The rankings that are compared.", Tables: []page.Grid{table}}
}

func (c report) pairsSection() page.Section {
	table := page.Grid{Caption: "Differences and tests", Head: []string{"pair", "difference", fmt.Sprintf("%g %% interval", 100*c.Tests.Level), "wins", "ties", "losses", "Cohen's d"}}
	for _, test := range testsOf(&c.Pairs[0]) {
		table.Head = append(table.Head, "p, "+test.name)
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		line := []string{c.pairName(p), fmt.Sprintf("%+.4f", p.Difference), fmt.Sprintf("%+.4f to %+.4f", p.Interval.Low, p.Interval.High),
			digits.Thousands(p.Wins), digits.Thousands(p.Equal), digits.Thousands(p.Loses), fmt.Sprintf("%+.3f", p.Effect)}
		for _, test := range testsOf(p) {
			line = append(line, probability(test.corrected))
		}
		table.Rows = append(table.Rows, line)
	}
	return page.Section{ID: "pairs", Title: "Differences",
		Text:   "p is the probability of such a difference if both systems were the same, in two-sided tests; with several pairs, after Holm's correction for their number.",
		Tables: []page.Grid{table}}
}

func (c report) pairName(p *evaluate.Pair) string { return letter(p.B) + " - " + letter(p.A) }

// differencesSection has a histogram and a picture of all queries for each pair.
func (c report) differencesSection() page.Section {
	s := page.Section{ID: "queries", Title: "Query by query", Text: "How many queries have which difference; then all of them side by side, with the mean (dashed) and its interval (band)."}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		panel := c.panel(p)
		histogram := plot.Bars{ID: fmt.Sprint("histogram-", i), Title: "Queries by difference, " + c.pairName(p), XLabel: "queries", Colour: i % page.Colours, Format: plot.Count,
			Description: fmt.Sprintf("Bars of the number of queries by difference: %d wins, %d ties and %d losses.", p.Wins, p.Equal, p.Loses), Bars: differenceBars(panel.Values)}
		table := page.Grid{Head: []string{"difference", "queries"}}
		for _, b := range histogram.Bars {
			table.Rows = append(table.Rows, []string{b.Name, plot.Count(b.Value)})
		}
		s.Figures = append(s.Figures,
			page.Figure{SVG: template.HTML(histogram.Draw(plot.Page())), Caption: c.pairName(p) + ": queries by difference.", Table: table},
			page.Figure{SVG: template.HTML(plot.DrawDifferences(plot.Page(), fmt.Sprint("differences-", i), []plot.Differences{panel})),
				Caption: fmt.Sprintf("%s: each query's difference. Blue: %s is better; orange: %s is better.", c.pairName(p), letter(p.B), letter(p.A))})
	}
	return s
}

// side is the number of bars of a histogram on each side of zero.
const side = 8

// differenceBars counts differences: losses from the largest one, ties, and wins.
func differenceBars(differences []float64) []plot.Bar {
	most := 0.0
	for _, d := range differences {
		most = max(most, d, -d)
	}
	step := plot.NiceLimit(most) / side
	bars := make([]plot.Bar, 2*side+1)
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

// queriesSection lists the queries that differ most.
func (c report) queriesSection(differing int) page.Section {
	s := page.Section{ID: "differing", Title: "Queries that differ most", Text: "The largest differences of each pair, in either direction; differing= says how many are listed."}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		table := page.Grid{Caption: c.pairName(p) + ": the queries that differ most", Head: []string{"query", letter(p.A), letter(p.B), "difference"}}
		for _, q := range c.Differing(p, differing) {
			a, b := c.Values[p.A][q], c.Values[p.B][q]
			table.Rows = append(table.Rows, []string{c.Queries[q], fmt.Sprintf("%.4f", a), fmt.Sprintf("%.4f", b), fmt.Sprintf("%+.4f", b-a)})
		}
		if len(table.Rows) > 0 {
			s.Tables = append(s.Tables, table)
		}
	}
	return s
}
