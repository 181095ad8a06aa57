package experiment

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/io/stream"
)

// Table writes the results as a Markdown table with aligned columns, and below it a legend.
func (s *Summary) Table(w io.Writer) error {
	rows := [][]string{{"ranker", s.Metric, fmt.Sprintf("%g %% interval", 100*s.Level), "seed sd", "− best", "p", "train s", "µs/doc", "size", "kept"}}
	for i := range s.Rankers {
		rows = append(rows, s.Rankers[i].cells())
	}
	var b strings.Builder
	writeAligned(&b, rows)
	fmt.Fprintf(&b, "\n%s\n", s.legend())
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *RankerSummary) cells() []string {
	difference, p := "best", ""
	if r.Against != nil {
		difference, p = fmt.Sprintf("%+.4f", r.Against.Difference), digits.Probability(r.Against.Corrected.Randomization)
	}
	return []string{r.Ranker, fmt.Sprintf("%.4f", r.Mean), fmt.Sprintf("%.4f to %.4f", r.Interval.Low, r.Interval.High), sd(r.SeedSD), difference, p,
		fmt.Sprintf("%.3g", r.TrainSeconds), fmt.Sprintf("%.3g", r.ScoreMicros), size(r.ModelBytes), fmt.Sprintf("%.0f", r.Kept)}
}

// sd formats a standard deviation, which is NaN for one seed.
func sd(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.4f", v)
}

// size formats a number of bytes in three digits.
func size(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g MB", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.3g kB", n/1e3)
	}
	return fmt.Sprintf("%.0f B", n)
}

// legend explains the figures.
func (s *Summary) legend() string {
	queries := 0
	for _, f := range s.Folds {
		queries += f.Queries
	}
	remark := s.sample(&s.Rankers[0]).Remark()
	if remark != "" {
		remark = "\n" + remark
	}
	return fmt.Sprintf("%s (%s) over %d test queries of %s; each value is the mean over %s.\n"+
		"p: randomization test against the best, which these queries have chosen: corrected for all %s of rankers (Shaffer).\n"+
		"Times are of a training, without reading; µs/doc is on one thread, one query at a time.",
		s.Metric, s.Rules, queries, count(len(s.Folds), "split"), count(s.Seeds, "seed"),
		count(len(s.Pairs), "pair")) + remark
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeAligned writes a Markdown table whose first row is its head. The first column is aligned to the
// left, the others to the right.
func writeAligned(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	line := func(row []string) {
		for i, cell := range row {
			blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				fmt.Fprintf(b, "| %s%s ", cell, blank)
			} else {
				fmt.Fprintf(b, "| %s%s ", blank, cell)
			}
		}
		b.WriteString("|\n")
	}
	line(rows[0])
	for i, width := range widths {
		if i == 0 {
			b.WriteString("|:" + strings.Repeat("-", width+1))
		} else {
			b.WriteString("|" + strings.Repeat("-", width+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range rows[1:] {
		line(row)
	}
}

// resultsFile is the name of the table of results.
const resultsFile = "results.tsv"

// Write writes results.tsv, pairs.tsv, queries.tsv and report.html into a folder, and returns their paths.
// program is the name of the program in the report.
func (s *Summary) Write(folder, program string) ([]string, error) {
	return stream.WriteFolder(folder,
		stream.File{Name: resultsFile, Write: s.writeResults},
		stream.File{Name: "pairs.tsv", Write: s.writePairs},
		stream.File{Name: "queries.tsv", Write: s.writeQueries},
		stream.File{Name: "report.html", Write: func(w io.Writer) error { return s.Report(w, program) }},
	)
}

// writeResults writes a line for each ranker, with times in the last columns.
func (s *Summary) writeResults(w io.Writer) error {
	head := []string{"ranker", "kind", "variants", s.Metric, "low", "high", "seed_sd", "difference", "difference_low", "difference_high",
		"wins", "ties", "losses", "p_t_corrected", "p_randomization_corrected", "p_wilcoxon_corrected", "iterations_kept", "model_bytes"}
	for _, m := range s.metrics() {
		head = append(head, "mean_"+m)
	}
	head = append(head, "out_of_time", "train_seconds", "train_seconds_of_all", "score_micros_a_document")
	return report.WriteTSV(w, head, func(yield func([]string) bool) {
		for i := range s.Rankers {
			if !yield(s.Rankers[i].tsv()) {
				return
			}
		}
	})
}

// writePairs writes a line for each pair of rankers. The difference is b - a.
func (s *Summary) writePairs(w io.Writer) error {
	head := []string{"a", "b", "queries", "difference", "low", "high", "wins", "ties", "losses", "effect",
		"p_t", "p_randomization", "p_wilcoxon", "p_t_corrected", "p_randomization_corrected", "p_wilcoxon_corrected"}
	return report.WriteTSV(w, head, func(yield func([]string) bool) {
		for i := range s.Pairs {
			if !yield(s.Pairs[i].tsv()) {
				return
			}
		}
	})
}

func (p *Pair) tsv() []string {
	cells := []string{p.A, p.B, strconv.Itoa(p.Queries), digits.Exact(p.Difference), digits.Exact(p.Interval.Low), digits.Exact(p.Interval.High),
		strconv.Itoa(p.Wins), strconv.Itoa(p.Equal), strconv.Itoa(p.Loses), digits.Exact(p.Effect)}
	for _, test := range tests {
		cells = append(cells, digits.Exact(test.found(p)))
	}
	for _, test := range tests {
		cells = append(cells, digits.Exact(*test.corrected(p)))
	}
	return cells
}

// metrics returns the names of all metrics.
func (s *Summary) metrics() []string {
	var names []string
	if len(s.Rankers) > 0 {
		for _, m := range s.Rankers[0].Metrics {
			names = append(names, m.Metric)
		}
	}
	return names
}

func (r *RankerSummary) tsv() []string {
	cells := []string{r.Ranker, r.Kind, strings.Join(r.Chosen, ","), digits.Exact(r.Mean), digits.Exact(r.Interval.Low), digits.Exact(r.Interval.High), digits.Exact(r.SeedSD)}
	if a := r.Against; a != nil {
		cells = append(cells, digits.Exact(a.Difference), digits.Exact(a.Interval.Low), digits.Exact(a.Interval.High), strconv.Itoa(a.Wins), strconv.Itoa(a.Equal), strconv.Itoa(a.Loses))
		cells = append(cells, digits.Exact(a.Corrected.StudentT), digits.Exact(a.Corrected.Randomization), digits.Exact(a.Corrected.Wilcoxon))
	} else {
		cells = append(cells, make([]string, 9)...)
	}
	cells = append(cells, digits.Exact(r.Kept), digits.Exact(r.ModelBytes))
	for _, m := range r.Metrics {
		cells = append(cells, digits.Exact(m.Mean))
	}
	return append(cells, strconv.Itoa(r.OutOfTime), digits.Exact(r.TrainSeconds), digits.Exact(r.TotalSeconds), digits.Exact(r.ScoreMicros))
}

// writeQueries writes a line for each test query, ranker and seed. Ids with tabs or line ends are
// quoted as in CSV.
func (s *Summary) writeQueries(w io.Writer) error {
	head := append([]string{"fold", "query", "ranker", "variant", "seed"}, s.metrics()...)
	return report.WriteTSV(w, head, func(yield func([]string) bool) {
		for _, r := range s.Runs {
			for q, id := range r.Queries {
				line := []string{r.Fold, id, r.Ranker, r.Variant, strconv.Itoa(r.Seed)}
				for _, j := range r.Judged {
					line = append(line, digits.Exact(float64(j.Values[q])))
				}
				if !yield(line) {
					return
				}
			}
		}
	})
}
