package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/metric/significance"
)

// write prints what was found; differing queries are listed for each pair.
func (c *comparison) write(w io.Writer, differing int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s queries\n", c.metric, thousands(len(c.queries)))
	for s, system := range c.systems {
		fmt.Fprintf(&b, "  %s  %.4f  %s\n", letter(s), mean(c.values[s]), system.system)
	}
	for i := range c.pairs {
		b.WriteString("\n")
		c.writePair(&b, &c.pairs[i])
		c.writeDiffering(&b, &c.pairs[i], differing)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// letter names a system in a report: A, B, … Z, S27, ….
func letter(system int) string {
	if system < 26 {
		return string(rune('A' + system))
	}
	return fmt.Sprintf("S%d", system+1)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func (c *comparison) writePair(b *strings.Builder, p *pair) {
	fmt.Fprintf(b, "%s - %s  %+.4f, %g %% interval [%+.4f, %+.4f]\n", letter(p.b), letter(p.a), p.Difference,
		100*c.tests.Level, p.Interval.Low, p.Interval.High)
	fmt.Fprintf(b, "  %s wins %s, ties %s, loses %s; effect (Cohen's d) %+.3f\n", letter(p.b), thousands(p.Wins), thousands(p.Equal), thousands(p.Loses), p.Effect)
	for test, name := range testNames {
		fmt.Fprintf(b, "  %-14s p = %s", name, probability(p.p(test)))
		if len(c.pairs) > 1 {
			fmt.Fprintf(b, ", after Holm's correction for %d pairs %s", len(c.pairs), probability(p.corrected[test]))
		}
		b.WriteString("\n")
	}
}

// probability writes a probability in three digits.
func probability(p float64) string {
	if p > 0 && p < 0.0001 {
		return fmt.Sprintf("%.2e", p)
	}
	return fmt.Sprintf("%.4f", p)
}

// differing returns up to n queries that differ, those that differ most first.
func (c *comparison) differing(p *pair, n int) []int {
	a, b := c.values[p.a], c.values[p.b]
	most := significance.MostDifferent(a, b, n)
	return slices.DeleteFunc(most, func(q int) bool { return a[q] == b[q] })
}

func (c *comparison) writeDiffering(b *strings.Builder, p *pair, n int) {
	different := c.differing(p, n)
	if len(different) == 0 {
		return
	}
	width := len("query")
	for _, q := range different {
		width = max(width, len(c.queries[q]))
	}
	fmt.Fprintf(b, "  %-*s  %8s  %8s  difference\n", width, "query", letter(p.a), letter(p.b))
	for _, q := range different {
		first, second := c.values[p.a][q], c.values[p.b][q]
		fmt.Fprintf(b, "  %-*s  %8.4f  %8.4f  %+.4f\n", width, c.queries[q], first, second, second-first)
	}
}

type systemJSON struct {
	System string `json:"system"`
	Mean   number `json:"mean"`
}

type testJSON struct {
	Statistic number `json:"statistic"`
	P         number `json:"p"`
	Holm      number `json:"p_holm"`
}

type pairJSON struct {
	A          string      `json:"a"`
	B          string      `json:"b"`
	Difference number      `json:"difference"`
	Interval   [2]number   `json:"interval"`
	Wins       int         `json:"wins"`
	Ties       int         `json:"ties"`
	Losses     int         `json:"losses"`
	Effect     number      `json:"effect"`
	T          testJSON    `json:"t"`
	Random     testJSON    `json:"randomization"`
	Wilcoxon   testJSON    `json:"wilcoxon"`
	Differing  []queryJSON `json:"differing_queries"`
}

type queryJSON struct {
	Query string `json:"query"`
	A     number `json:"a"`
	B     number `json:"b"`
}

func (c *comparison) writeJSON(w io.Writer, differing int) error {
	out := struct {
		Metric  string       `json:"metric"`
		Queries int          `json:"queries"`
		Dropped int          `json:"queries_not_in_all_systems"`
		Level   float64      `json:"level"`
		Systems []systemJSON `json:"systems"`
		Pairs   []pairJSON   `json:"pairs"`
	}{Metric: c.metric, Queries: len(c.queries), Dropped: c.dropped, Level: c.tests.Level}
	for s, system := range c.systems {
		out.Systems = append(out.Systems, systemJSON{system.system, number(mean(c.values[s]))})
	}
	for i := range c.pairs {
		out.Pairs = append(out.Pairs, c.pairJSON(&c.pairs[i], differing))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func (c *comparison) pairJSON(p *pair, differing int) pairJSON {
	var tests [3]testJSON
	for i := range tests {
		tests[i] = testJSON{number(p.test(i).Statistic), number(p.p(i)), number(p.corrected[i])}
	}
	out := pairJSON{A: c.systems[p.a].system, B: c.systems[p.b].system, Difference: number(p.Difference),
		Interval: [2]number{number(p.Interval.Low), number(p.Interval.High)}, Wins: p.Wins, Ties: p.Equal, Losses: p.Loses,
		Effect: number(p.Effect), T: tests[0], Random: tests[1], Wilcoxon: tests[2], Differing: []queryJSON{}}
	for _, q := range c.differing(p, differing) {
		out.Differing = append(out.Differing, queryJSON{c.queries[q], number(c.values[p.a][q]), number(c.values[p.b][q])})
	}
	return out
}
