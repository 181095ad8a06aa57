package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// comparison is a comparison as it is printed.
type comparison struct{ *evaluate.Comparison }

// test is a test of a pair.
type test struct {
	name string
	significance.Test
	corrected float64 // P after Holm's correction
}

func testsOf(p *evaluate.Pair) [3]test {
	return [3]test{
		{"Student's t", p.StudentT, p.Holm.StudentT},
		{"randomization", p.Randomization, p.Holm.Randomization},
		{"Wilcoxon", p.Wilcoxon, p.Holm.Wilcoxon},
	}
}

// write prints the results, with a list of up to this many differing queries for each pair.
func (c comparison) write(w io.Writer, differing int) error {
	var b strings.Builder
	weighted := ""
	if c.Weights != nil {
		weighted = ", weighted"
	}
	fmt.Fprintf(&b, "%s over %s queries%s\n", c.Metric, digits.Thousands(len(c.Queries)), weighted)
	for s, system := range c.Systems {
		fmt.Fprintf(&b, "  %s  %.4f  %s\n", letter(s), c.Mean(s), system)
	}
	for i := range c.Pairs {
		b.WriteString("\n")
		c.writePair(&b, &c.Pairs[i])
		c.writeDiffering(&b, &c.Pairs[i], differing)
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

func (c comparison) writePair(b *strings.Builder, p *evaluate.Pair) {
	fmt.Fprintf(b, "%s - %s  %+.4f, %g %% interval [%+.4f, %+.4f]\n", letter(p.B), letter(p.A), p.Difference,
		100*c.Tests.Level, p.Interval.Low, p.Interval.High)
	fmt.Fprintf(b, "  %s wins %s, ties %s, loses %s; effect (Cohen's d) %+.3f\n", letter(p.B), digits.Thousands(p.Wins), digits.Thousands(p.Equal), digits.Thousands(p.Loses), p.Effect)
	for _, test := range testsOf(p) {
		fmt.Fprintf(b, "  %-14s p = %s", test.name, probability(test.P))
		if len(c.Pairs) > 1 && !math.IsNaN(test.P) {
			fmt.Fprintf(b, ", after Holm's correction for %d pairs %s", len(c.Pairs), probability(test.corrected))
		}
		b.WriteString("\n")
	}
}

// probability returns a probability with four decimals, or with three digits if it is below 0.0001.
func probability(p float64) string {
	if p > 0 && p < 0.0001 {
		return fmt.Sprintf("%.2e", p)
	}
	if math.IsNaN(p) {
		return "none: queries have weights, which ranks cannot take in"
	}
	return fmt.Sprintf("%.4f", p)
}

func (c comparison) writeDiffering(b *strings.Builder, p *evaluate.Pair, n int) {
	different := c.Differing(p, n)
	if len(different) == 0 {
		return
	}
	width := len("query")
	for _, q := range different {
		width = max(width, len(c.Queries[q]))
	}
	fmt.Fprintf(b, "  %-*s  %8s  %8s  difference\n", width, "query", letter(p.A), letter(p.B))
	for _, q := range different {
		first, second := c.Values[p.A][q], c.Values[p.B][q]
		fmt.Fprintf(b, "  %-*s  %8.4f  %8.4f  %+.4f\n", width, c.Queries[q], first, second, second-first)
	}
}

type systemJSON struct {
	System string        `json:"system"`
	Mean   digits.Number `json:"mean"`
}

type testJSON struct {
	Statistic digits.Number `json:"statistic"`
	P         digits.Number `json:"p"`
	Holm      digits.Number `json:"p_holm"`
}

type pairJSON struct {
	A          string           `json:"a"`
	B          string           `json:"b"`
	Difference digits.Number    `json:"difference"`
	Interval   [2]digits.Number `json:"interval"`
	Wins       int              `json:"wins"`
	Ties       int              `json:"ties"`
	Losses     int              `json:"losses"`
	Effect     digits.Number    `json:"effect"`
	T          testJSON         `json:"t"`
	Random     testJSON         `json:"randomization"`
	Wilcoxon   testJSON         `json:"wilcoxon"`
	Differing  []queryJSON      `json:"differing_queries"`
}

type queryJSON struct {
	Query string        `json:"query"`
	A     digits.Number `json:"a"`
	B     digits.Number `json:"b"`
}

func (c comparison) writeJSON(w io.Writer, differing int) error {
	out := struct {
		Metric   string       `json:"metric"`
		Queries  int          `json:"queries"`
		Weighted bool         `json:"weighted"`
		Dropped  int          `json:"queries_not_in_all_systems"`
		Level    float64      `json:"level"`
		Systems  []systemJSON `json:"systems"`
		Pairs    []pairJSON   `json:"pairs"`
	}{Metric: c.Metric, Queries: len(c.Queries), Weighted: c.Weights != nil, Dropped: c.Missing,
		Level: c.Tests.Level}
	for s, system := range c.Systems {
		out.Systems = append(out.Systems, systemJSON{system, digits.Number(c.Mean(s))})
	}
	for i := range c.Pairs {
		out.Pairs = append(out.Pairs, c.pairJSON(&c.Pairs[i], differing))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func (c comparison) pairJSON(p *evaluate.Pair, differing int) pairJSON {
	var tests [3]testJSON
	for i, test := range testsOf(p) {
		tests[i] = testJSON{digits.Number(test.Statistic), digits.Number(test.P), digits.Number(test.corrected)}
	}
	out := pairJSON{A: c.Systems[p.A], B: c.Systems[p.B], Difference: digits.Number(p.Difference),
		Interval: [2]digits.Number{digits.Number(p.Interval.Low), digits.Number(p.Interval.High)}, Wins: p.Wins, Ties: p.Equal, Losses: p.Loses,
		Effect: digits.Number(p.Effect), T: tests[0], Random: tests[1], Wilcoxon: tests[2], Differing: []queryJSON{}}
	for _, q := range c.Differing(p, differing) {
		out.Differing = append(out.Differing, queryJSON{c.Queries[q], digits.Number(c.Values[p.A][q]), digits.Number(c.Values[p.B][q])})
	}
	return out
}
