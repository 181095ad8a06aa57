package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// report is a judgment as it is printed.
type report struct {
	*evaluate.Judgment
	conventions int                     // whose metrics the results are, one convention after the other
	intervals   []significance.Interval // by result; nil if they were not asked for
}

// addIntervals adds the interval of each mean, and says what a person should know of it.
func (r *report) addIntervals(tests significance.Options, messages *cli.Console) {
	r.intervals = make([]significance.Interval, len(r.Results))
	told := ""
	for i := range r.Results {
		interval, remark, err := r.Interval(i, tests)
		if r.intervals[i] = interval; err != nil {
			messages.Note(err.Error())
		} else if remark != "" && remark != told {
			told = remark
			messages.Note(remark)
		}
	}
}

// write prints a line for each metric of one convention, and a table of several.
func (r *report) write(w io.Writer) error {
	var b strings.Builder
	if r.conventions == 1 {
		for i, result := range r.Results {
			name, rest, _ := strings.Cut(result.String(), " (")
			fmt.Fprintf(&b, "%s%s (%s\n", name, r.interval(i), rest)
		}
	} else {
		r.writeTable(&b)
	}
	b.WriteString(r.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// interval returns the interval of a result as text, after a space.
func (r *report) interval(i int) string {
	if r.intervals == nil || math.IsNaN(r.intervals[i].Low) {
		return ""
	}
	return fmt.Sprintf(" [%.4f, %.4f]", r.intervals[i].Low, r.intervals[i].High)
}

// writeTable writes a line for each convention and a column for each metric.
func (r *report) writeTable(b *strings.Builder) {
	metrics := len(r.Results) / r.conventions
	width := make([]int, metrics)
	for i, result := range r.Results {
		width[i%metrics] = max(width[i%metrics], len(result.Metric), len(r.cell(i)))
	}
	for m := range metrics {
		fmt.Fprintf(b, "%-*s  ", width[m], r.Results[m].Metric)
	}
	b.WriteString("convention\n")
	for i, result := range r.Results {
		fmt.Fprintf(b, "%-*s  ", width[i%metrics], r.cell(i))
		if i%metrics == metrics-1 {
			b.WriteString(result.Convention.String())
			if result.LeftOut > 0 {
				fmt.Fprintf(b, " (%s)", digits.Thousands(result.LeftOut))
			}
			b.WriteString("\n")
		}
	}
}

func (r *report) cell(i int) string {
	return fmt.Sprintf("%.4f%s", r.Results[i].Mean, r.interval(i))
}

// summary describes the queries. Which queries are empty, and in which ties matter, may differ from
// metric to metric; the counts are those of the first one.
func (r *report) summary() string {
	first := r.Results[0]
	share := ""
	if first.Tied > 0 {
		share = fmt.Sprintf(" (%.1f %%)", 100*float64(first.Tied)/float64(first.Queries))
	}
	return fmt.Sprintf("%s documents in %s queries: %s without a relevant document, %s with one document, %s%s decided by ties",
		digits.Thousands(r.Anomalies.Documents), digits.Thousands(first.Queries), digits.Thousands(first.Empty), digits.Thousands(first.Single), digits.Thousands(first.Tied), share)
}

// resultJSON is the result of one metric.
type resultJSON struct {
	Metric     string            `json:"metric"`
	Convention string            `json:"convention"`
	Rules      string            `json:"rules"`
	Mean       digits.Number     `json:"mean"`
	Interval   *[2]digits.Number `json:"interval,omitempty"`
	Queries    int               `json:"queries"`
	Empty      int               `json:"empty_queries"`
	Single     int               `json:"single_document_queries"`
	Tied       int               `json:"tied_queries"`
	LeftOut    int               `json:"queries_left_out"`
	Weighted   bool              `json:"weighted"`
}

func (r *report) resultJSON(i int) resultJSON {
	result := r.Results[i]
	out := resultJSON{Metric: result.Metric, Convention: result.Convention.Name, Rules: result.Rules, Mean: digits.Number(result.Mean), Queries: result.Queries,
		Empty: result.Empty, Single: result.Single, Tied: result.Tied, LeftOut: result.LeftOut, Weighted: result.Weighted}
	if r.intervals != nil {
		out.Interval = &[2]digits.Number{digits.Number(r.intervals[i].Low), digits.Number(r.intervals[i].High)}
	}
	return out
}

func (r *report) writeJSON(w io.Writer) error {
	out := struct {
		System  string             `json:"system"`
		Results []resultJSON       `json:"results"`
		Counts  evaluate.Anomalies `json:"counts"`
	}{System: r.System, Counts: r.Anomalies}
	for i := range r.Results {
		out.Results = append(out.Results, r.resultJSON(i))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}
