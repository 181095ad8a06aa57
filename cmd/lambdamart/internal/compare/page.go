package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// writeHTML writes the comparison as one page, with up to this many differing queries for each pair.
func (c comparison) writeHTML(w io.Writer, differing int) error {
	name, _, _ := strings.Cut(c.Metric, " ")
	p := report.Document{Title: "Which ranking is better? " + name, Finding: c.finding(),
		Basis: fmt.Sprintf("%s queries that all %d systems have. %s.", digits.Thousands(len(c.Queries)),
			len(c.Systems), c.Metric),
		Sections: []report.Section{c.systemsSection(), c.pairsSection(), c.differencesSection(differing),
			c.queriesSection()}, Program: "Made by " + version.Identity() + "."}
	if remark := c.Pairs[0].Remark(); remark != "" {
		p.Warnings = append(p.Warnings, remark+".")
	}
	if c.Missing > 0 {
		missing := digits.Thousands(c.Missing) + " queries are not in all systems: they are left out."
		p.Warnings = append(p.Warnings, missing)
	}
	return p.Write(w)
}

// finding states the result in a sentence.
func (c comparison) finding() string {
	const rule = "by the randomization test"
	if len(c.Pairs) > 1 {
		sure := 0
		for _, p := range c.Pairs {
			if p.Holm.Randomization < significance.Alpha {
				sure++
			}
		}
		return fmt.Sprintf("%d of %d pairs differ by more than chance explains, %s: "+
			"p is below %g after Holm's correction. Of the others it is not proven.",
			sure, len(c.Pairs), rule, significance.Alpha)
	}
	p := &c.Pairs[0]
	return fmt.Sprintf("%s minus %s: %+.4f, %s, at the level %g %%, %s.", c.Systems[p.B], c.Systems[p.A],
		p.Difference, p.Verdict(p.Randomization.P), 100*c.Tests.Level, rule)
}

func (c comparison) systemsSection() report.Section {
	table := report.Grid{Caption: "Means over the queries", Head: []string{"system", "mean", "file or column"}}
	for s, name := range c.Systems {
		table.Rows = append(table.Rows, []string{letter(s), fmt.Sprintf("%.4f", c.Mean(s)), name})
	}
	return report.Section{ID: "systems", Title: "Systems", Text: "The rankings that are compared.",
		Tables: []report.Grid{table}}
}

func (c comparison) pairsSection() report.Section {
	table := report.Grid{Caption: "Differences and tests", Head: []string{"pair", "difference",
		fmt.Sprintf("%g %% interval", 100*c.Tests.Level), "wins", "ties", "losses", "Cohen's d"}}
	for _, test := range testsOf(&c.Pairs[0]) {
		table.Head = append(table.Head, "p, "+test.name)
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		line := []string{c.pairName(p), fmt.Sprintf("%+.4f", p.Difference),
			fmt.Sprintf("%+.4f to %+.4f", p.Interval.Low, p.Interval.High),
			digits.Thousands(p.Wins), digits.Thousands(p.Equal), digits.Thousands(p.Loses), fmt.Sprintf("%+.3f",
				p.Effect)}
		for _, test := range testsOf(p) {
			line = append(line, probability(test.corrected))
		}
		table.Rows = append(table.Rows, line)
	}
	return report.Section{ID: "pairs", Title: "Differences",
		Text: "p is the probability of such a difference if both systems were the same, in two-sided tests; " +
			"with several pairs, after Holm's correction for their number.",
		Tables: []report.Grid{table}}
}

func (c comparison) pairName(p *evaluate.Pair) string { return letter(p.B) + " - " + letter(p.A) }

// differencesSection has a histogram and a picture of all queries for each pair.
func (c comparison) differencesSection(differing int) report.Section {
	s := report.Section{ID: "queries", Title: "Query by query", Text: "How many queries have which " +
		"difference; then all of them side by side, with the mean (dashed) and its interval (band), and the " +
		"queries that differ most as a table (differing= says how many)."}
	for i := range c.Pairs {
		s.Figures = append(s.Figures, c.compared(&c.Pairs[i], letter, differing).Figures(fmt.Sprint("pair-", i),
			i)...)
	}
	return s
}

// compared returns the pair as a page shows it, with up to this many differing queries. name returns the name
// of a system.
func (c comparison) compared(p *evaluate.Pair, name func(system int) string, differing int) *report.Compared {
	metric, _, _ := strings.Cut(c.Metric, " ")
	return &report.Compared{Queries: report.ByID(c.Queries), Comparison: p.Comparison, Metric: metric,
		A: name(p.A), B: name(p.B), ValuesA: c.Values[p.A], ValuesB: c.Values[p.B],
		Level: c.Tests.Level, P: probability(p.Holm.Randomization), Listed: differing}
}

// worst is the number of queries that are listed for each system.
const worst = 10

// queriesSection draws how many queries have which value, and lists the worst, for each system.
func (c comparison) queriesSection() report.Section {
	s := report.Section{ID: "values", Title: "Queries of each system",
		Text: "How many queries have which value, and which have the smallest."}
	metric, _, _ := strings.Cut(c.Metric, " ")
	for i := range c.Systems {
		queries := report.PerQuery{Queries: report.ByID(c.Queries), Metric: metric, Values: c.Values[i]}
		s.Figures = append(s.Figures, queries.Both(fmt.Sprint("values-", i), letter(i)+": ", worst))
	}
	return s
}
