package judging

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// comparison is a comparison to report.
type comparison struct {
	*evaluate.Comparison                        // by the first metric
	all                  []*evaluate.Comparison // by each metric
	churn                *report.Table          // nil if there is none
	differing            int                    // number of queries to list for each pair
}

// document reports the comparison.
func (c comparison) document() *report.Document {
	systems, pairs, differences, queries := c.systems(), c.pairs(), c.differences(), c.queries()
	d := &report.Document{Title: "Which ranking is better? " + c.name(), Finding: c.finding(),
		Basis: c.basis(),
		Facts: map[string]any{"metric": c.Metric, "queries": len(c.Queries), "weighted": c.Weights != nil,
			"queries_left_out": c.LeftOut, "queries_not_in_all_systems": c.Missing, "level": c.Tests.Level},
		Tables: []*report.Table{systems, pairs},
		Sections: []report.Section{
			systems.Section("Systems", "The rankings that are compared.", "Means over the queries"),
			pairs.Section("Differences", "p is the probability of such a difference if both systems were the same, "+
				"in two-sided tests; with several pairs, after Holm's correction for their number, and before it "+
				"in parentheses.", "Differences and tests"),
			differences, queries}}
	if len(c.all) > 1 {
		all := c.byMetric()
		d.Tables = append(d.Tables, all)
		d.Sections = slices.Insert(d.Sections, 2, all.Section("All metrics",
			"The differences by every metric. Holm's correction is for all of them together.",
			"Differences by metric"))
	}
	if c.churn != nil {
		d.Tables = append(d.Tables, c.churn)
		d.Sections = slices.Insert(d.Sections, len(d.Sections)-2, c.churn.Section("Churn",
			"How many results change, for better or worse: means over the queries.", "Churn"))
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		t := c.compared(p).Table()
		t.For, t.Above = report.Terminal, pairName(*p)+": the queries that differ most\n"
		if len(t.Rows) > 0 {
			d.Tables = append(d.Tables, t)
		}
	}
	if remark := c.Pairs[0].Remark(); remark != "" {
		d.Warnings = append(d.Warnings, remark+".")
	}
	if c.Missing > 0 {
		d.Warnings = append(d.Warnings, c.missing()+".")
	}
	return d
}

// missing reports how many queries some systems lack.
func (c comparison) missing() string {
	return wording.Count(c.Missing, "query") + wording.Agree(c.Missing, " is not in all systems: it is left out",
		" are not in all systems: they are left out")
}

// name returns the name of the metric, without its convention.
func (c comparison) name() string {
	name, _, _ := strings.Cut(c.Metric, " ")
	return name
}

// letter names a system in a report: A, B, … Z, S27, ….
func letter(system int) string {
	if system < 26 {
		return string(rune('A' + system))
	}
	return fmt.Sprintf("S%d", system+1)
}

func pairName(p evaluate.Pair) string { return letter(p.B) + " - " + letter(p.A) }

// finding states the result in a sentence.
func (c comparison) finding() string {
	const rule = "by the randomization test"
	if len(c.Pairs) > 1 {
		sure := 0
		for _, p := range c.Pairs {
			if p.Holm.Randomization < metric.Alpha {
				sure++
			}
		}
		text := fmt.Sprintf("%d of %d pairs %s by more than chance explains, %s: p is below %g after "+
			"Holm's correction.", sure, len(c.Pairs), wording.Agree(sure, "differs", "differ"), rule, metric.Alpha)
		if sure < len(c.Pairs) {
			text += " The others are not proven to differ."
		}
		return text
	}
	p := &c.Pairs[0]
	return fmt.Sprintf("%s minus %s: %+.4f, %s, at the level %g %%, %s.", c.Systems[p.B], c.Systems[p.A],
		p.Difference, p.Verdict(p.Holm.Randomization), 100*c.Tests.Level, rule)
}

// basis describes the queries and the metric.
func (c comparison) basis() string {
	systems, leftOut := "both systems", ""
	if len(c.Systems) > 2 {
		systems = fmt.Sprintf("all %d systems", len(c.Systems))
	}
	if c.LeftOut > 0 {
		leftOut = fmt.Sprintf(", of which %s leaves out %s", c.name(), wording.Thousands(c.LeftOut))
	}
	return fmt.Sprintf("%s that %s have%s. %s.", wording.Count(len(c.Queries)+c.LeftOut, "query"), systems,
		leftOut, c.Metric)
}

// systems lists the systems and their means.
func (c comparison) systems() *report.Table {
	t := &report.Table{Name: "systems", Columns: []report.Column{
		{Name: "letter", Head: "system", For: report.People},
		{Name: "mean", Show: report.As("%.4f")},
		{Name: "system", Head: "file or column"}}}
	t.Above = fmt.Sprintf("%s over %s", c.Metric, wording.Count(len(c.Queries), "query"))
	if c.Weights != nil {
		t.Above += ", weighted"
	}
	t.Above += "\n"
	for s, name := range c.Systems {
		t.Add(letter(s), c.Means[s], name)
	}
	return t
}

// columnsOfPair are the columns that name a pair.
var columnsOfPair = []report.Column{{Name: "pair", For: report.People}, {Name: "a", For: report.Programs},
	{Name: "b", For: report.Programs}}

// columnsOfDifference are the columns of [comparison.difference]: interval is the heading of the intervals,
// and tests says who sees the tests besides the randomization test.
func columnsOfDifference(interval string, tests report.View) []report.Column {
	return []report.Column{
		{Name: "difference", Show: report.As("%+.4f")},
		{Name: "interval", Head: interval, Show: report.As("%+.4f")},
		{Name: "wins"}, {Name: "ties"}, {Name: "losses"},
		{Name: "effect", Head: "Cohen's d", Show: report.As("%+.3f")},
		{Name: "t", Head: "p, Student's t", For: tests},
		{Name: "randomization", Head: "p, randomization"},
		{Name: "wilcoxon", Head: "p, Wilcoxon", For: tests}}
}

// difference returns the cells of a pair.
func (c comparison) difference(p *evaluate.Pair) []any {
	return []any{p.Difference, p.Interval, p.Wins, p.Equal, p.Loses, p.Effect,
		c.test(p.StudentT, p.Holm.StudentT), c.test(p.Randomization, p.Holm.Randomization),
		c.test(p.Wilcoxon, p.Holm.Wilcoxon)}
}

// pairs lists the differences of all pairs, and the tests of these.
func (c comparison) pairs() *report.Table {
	interval := fmt.Sprintf("%g %% interval", 100*c.Tests.Level)
	t := &report.Table{Name: "pairs", Tall: true, Columns: slices.Concat(columnsOfPair,
		columnsOfDifference(interval, 0), []report.Column{{Name: "differing_queries", For: report.JSON}})}
	if n := c.tests(); n > 1 {
		corrected := "pairs"
		if len(c.all) > 1 {
			corrected = "differences"
		}
		t.Below = fmt.Sprintf("p is that after Holm's correction for %d %s, and before it in parentheses.\n", n,
			corrected)
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		t.Add(slices.Concat([]any{pairName(*p), c.Systems[p.A], c.Systems[p.B]}, c.difference(p),
			[]any{c.compared(p).Table()})...)
	}
	return t
}

// tests returns the number of pairs by all metrics, for which p is corrected.
func (c comparison) tests() int { return len(c.Pairs) * max(1, len(c.all)) }

// byMetric lists the differences of all pairs by all metrics.
func (c comparison) byMetric() *report.Table {
	t := &report.Table{Name: "metrics", Columns: slices.Concat([]report.Column{{Name: "metric"}}, columnsOfPair,
		[]report.Column{{Name: "mean_a", Show: report.As("%.4f")}, {Name: "mean_b", Show: report.As("%.4f")}},
		columnsOfDifference("", report.Programs))}
	for _, one := range c.all {
		of := comparison{Comparison: one, all: c.all}
		for i := range one.Pairs {
			p := &one.Pairs[i]
			t.Add(append([]any{of.name(), pairName(*p), c.Systems[p.A], c.Systems[p.B], p.MeanA, p.MeanB},
				c.difference(p)...)...)
		}
	}
	return t
}

// test is a test of a pair.
type test struct {
	Statistic metric.Value `json:"statistic"`
	P         metric.Value `json:"p"`
	Holm      metric.Value `json:"p_holm"` // after Holm's correction
	pairs     int          // the number for which it corrects
}

func (c comparison) test(t metric.Test, holm float64) test {
	return test{metric.Value(t.Statistic), metric.Value(t.P), metric.Value(holm), c.tests()}
}

func (t test) String() string {
	if t.pairs == 1 || math.IsNaN(float64(t.P)) {
		return probability(float64(t.P))
	}
	return fmt.Sprintf("%s (%s)", probability(float64(t.Holm)), probability(float64(t.P)))
}

// probability returns a probability with four decimals, or with three digits if it is below 0.0001.
func probability(p float64) string {
	if p > 0 && p < 0.0001 {
		return fmt.Sprintf("%.2e", p)
	}
	if math.IsNaN(p) {
		return "none: queries have weights, which ranks cannot take in"
	}
	return wording.Four(p)
}

// compared returns the data of a pair, query by query.
func (c comparison) compared(p *evaluate.Pair) *report.Compared {
	return &report.Compared{Queries: report.ByID(c.Queries), Comparison: p.Comparison, Metric: c.name(),
		A: letter(p.A), B: letter(p.B), ValuesA: c.Values[p.A], ValuesB: c.Values[p.B], Level: c.Tests.Level,
		P: probability(p.Holm.Randomization), Listed: c.differing}
}

// differences returns the section with a picture of all queries for each pair.
func (c comparison) differences() report.Section {
	s := report.Section{ID: "queries", Title: "Query by query",
		Text: "All queries side by side, with the mean (dashed) and its interval (band), and the queries that " +
			"differ most as a table (differing= says how many)."}
	for i := range c.Pairs {
		s.Figures = append(s.Figures, c.compared(&c.Pairs[i]).Figure(fmt.Sprint("pair-", i)))
	}
	return s
}

// queries draws a histogram of the query values of each system, and lists the worst queries.
func (c comparison) queries() report.Section {
	s := report.Section{ID: "values", Title: "Queries of each system",
		Text: "The distribution of query values, and the queries with the smallest."}
	for i := range c.Systems {
		queries := report.PerQuery{Queries: report.ByID(c.Queries), Metric: c.name(), Values: c.Values[i]}
		figure := queries.Histogram(fmt.Sprint("values-", i), letter(i)+": ")
		figure.Table = queries.Worst(10)
		figure.Table.Folded = figure.Table.Caption
		s.Figures = append(s.Figures, figure)
	}
	return s
}
