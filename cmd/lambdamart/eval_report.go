package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// addIntervals adds the bootstrap interval of each mean that all queries enter
// with the same weight.
func (j *judgment) addIntervals(tests significance.Options, messages *console) {
	j.intervals = make([]significance.Interval, len(j.results))
	for i, r := range j.results {
		values := counting(r.PerQuery)
		if len(values) == 0 || r.Weighted {
			j.intervals[i] = significance.Interval{Low: math.NaN(), High: math.NaN()}
			messages.emit(noteEvent{Message: r.Metric + " under " + r.Convention.Name + " has no interval: there are no queries, or they have weights"})
			continue
		}
		j.intervals[i] = significance.Bootstrap(values, tests)
	}
}

// counting returns the values of the queries that count.
func counting(perQuery []float64) []float64 {
	var values []float64
	for _, v := range perQuery {
		if !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return values
}

// write prints a line for each metric of one convention, and a table of several.
func (j *judgment) write(w io.Writer, conventions int) error {
	var b strings.Builder
	if conventions == 1 {
		for i, r := range j.results {
			name, rest, _ := strings.Cut(r.String(), " (")
			fmt.Fprintf(&b, "%s%s (%s\n", name, j.interval(i), rest)
		}
	} else {
		j.writeTable(&b, conventions)
	}
	b.WriteString(j.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// interval is the interval of a result as text, with a blank before it.
func (j *judgment) interval(i int) string {
	if j.intervals == nil || math.IsNaN(j.intervals[i].Low) {
		return ""
	}
	return fmt.Sprintf(" [%.4f, %.4f]", j.intervals[i].Low, j.intervals[i].High)
}

// writeTable writes a line for each convention and a column for each metric.
func (j *judgment) writeTable(b *strings.Builder, conventions int) {
	metrics := len(j.results) / conventions
	width := make([]int, metrics)
	for i, r := range j.results {
		width[i%metrics] = max(width[i%metrics], len(r.Metric), len(j.cell(i)))
	}
	for m := range metrics {
		fmt.Fprintf(b, "%-*s  ", width[m], j.results[m].Metric)
	}
	b.WriteString("convention\n")
	for i, r := range j.results {
		fmt.Fprintf(b, "%-*s  ", width[i%metrics], j.cell(i))
		if i%metrics == metrics-1 {
			b.WriteString(r.Convention.String())
			if r.LeftOut > 0 {
				fmt.Fprintf(b, " (%s)", thousands(r.LeftOut))
			}
			b.WriteString("\n")
		}
	}
}

func (j *judgment) cell(i int) string { return fmt.Sprintf("%.4f%s", j.results[i].Mean, j.interval(i)) }

// summary counts queries. Which are empty, and which ties matter, is told for the
// first metric.
func (j *judgment) summary() string {
	r := j.results[0]
	share := ""
	if r.Tied > 0 {
		share = fmt.Sprintf(" (%.1f %%)", 100*float64(r.Tied)/float64(r.Queries))
	}
	return fmt.Sprintf("%s documents in %s queries: %s without a relevant document, %s with one document, %s%s decided by ties",
		thousands(j.odd.Rows), thousands(r.Queries), thousands(r.Empty), thousands(r.Single), thousands(r.Tied), share)
}

// resultJSON is one figure.
type resultJSON struct {
	Metric     string     `json:"metric"`
	Convention string     `json:"convention"`
	Rules      string     `json:"rules"`
	Mean       number     `json:"mean"`
	Interval   *[2]number `json:"interval,omitempty"`
	Queries    int        `json:"queries"`
	Empty      int        `json:"empty_queries"`
	Single     int        `json:"single_document_queries"`
	Tied       int        `json:"tied_queries"`
	LeftOut    int        `json:"queries_left_out"`
	Weighted   bool       `json:"weighted"`
}

func (j *judgment) resultJSON(i int) resultJSON {
	r := j.results[i]
	out := resultJSON{Metric: r.Metric, Convention: r.Convention.Name, Rules: r.Rules, Mean: number(r.Mean), Queries: r.Queries,
		Empty: r.Empty, Single: r.Single, Tied: r.Tied, LeftOut: r.LeftOut, Weighted: r.Weighted}
	if j.intervals != nil {
		out.Interval = &[2]number{number(j.intervals[i].Low), number(j.intervals[i].High)}
	}
	return out
}

func (j *judgment) writeJSON(w io.Writer) error {
	out := struct {
		System  string       `json:"system"`
		Results []resultJSON `json:"results"`
		Counts  oddities     `json:"counts"`
	}{System: j.system, Counts: j.odd}
	for i := range j.results {
		out.Results = append(out.Results, j.resultJSON(i))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// column is the name of a result in the CSV file of all queries.
func column(r *metric.Result) string { return r.Metric + ":" + r.Convention.Name }
