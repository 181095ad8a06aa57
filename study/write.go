package study

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/io/stream"
)

// Table writes the result for people: a line for each fold, and the mean.
func (r *CVResult) Table(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "fold\tqueries\trows\t%s\town best\tits value\titerations\tseconds\t\n", r.Metric)
	for _, f := range r.Folds {
		fmt.Fprintf(out, "%s\t%d\t%d\t%.4f\t%d\t%.4f\t%d\t%.3g\t\n", f.Name, f.Queries, f.Rows, f.Value, f.OwnBest, f.OwnBestValue, f.Rounds, f.Seconds)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nbest iteration: %d of %d (%s)\n%s %.4f, %g %% interval %.4f to %.4f over queries, standard deviation %.4f over folds\n(%s)\n",
		r.Best, len(r.Curve), r.Stopped, r.Metric, r.Mean, 100*r.Level, r.Interval.Low, r.Interval.High, r.FoldSD, r.Rules)
	return err
}

// ScoresFile is the name of the file of out-of-fold scores: a line for each row, as predict writes them.
const ScoresFile = "scores.txt"

// Write writes the result into a folder: scores.txt, the out-of-fold score of each row; queries.tsv, the
// fold and the metrics of each query; curve.tsv, the metric after each iteration; and result.json, all
// but the scores, for programs. m describes the data. It returns the paths.
func (r *CVResult) Write(folder string, m *dataset.Meta, folds Folds) ([]string, error) {
	return stream.WriteFolder(folder,
		stream.File{Name: ScoresFile, Write: r.writeScores},
		stream.File{Name: "queries.tsv", Write: func(w io.Writer) error { return r.writeQueries(w, m, folds) }},
		stream.File{Name: "curve.tsv", Write: r.writeCurve},
		stream.File{Name: "result.json", Write: r.JSON},
	)
}

func (r *CVResult) writeScores(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, score := range r.Scores {
		out.WriteString(digits.Exact(score))
		out.WriteByte('\n')
	}
	return out.Flush()
}

func (r *CVResult) writeQueries(w io.Writer, m *dataset.Meta, folds Folds) error {
	head, lines := []string{"query", "fold", "rows"}, make([][]string, len(m.Queries))
	for number, q := range m.Queries {
		lines[number] = []string{q.ID, folds.Names[folds.Of[number]], strconv.Itoa(q.Len)}
	}
	for _, j := range r.Judged {
		head = append(head, j.Metric)
		for number, value := range j.PerQuery {
			lines[number] = append(lines[number], digits.Exact(value))
		}
	}
	return report.WriteTSV(w, head, slices.Values(lines))
}

func (r *CVResult) writeCurve(w io.Writer) error {
	head, lines := []string{"iteration", r.Metric}, make([][]string, len(r.Curve))
	for _, f := range r.Folds {
		head = append(head, "fold_"+f.Name)
	}
	for i, p := range r.Curve {
		lines[i] = []string{strconv.Itoa(p.Round), digits.Exact(p.Mean)}
		for _, value := range p.Parts {
			lines[i] = append(lines[i], digits.Exact(value))
		}
	}
	return report.WriteTSV(w, head, slices.Values(lines))
}

// jsonResult is a CVResult in JSON. Its field names do not change.
type jsonResult struct {
	Metric        string             `json:"metric"`
	Rules         string             `json:"rules"`
	BestIteration int                `json:"best_iteration"`
	Mean          float64            `json:"mean"`
	Low           float64            `json:"interval_low"`
	High          float64            `json:"interval_high"`
	Level         float64            `json:"interval_level"`
	FoldSD        float64            `json:"fold_sd"`
	Iterations    int                `json:"iterations"`
	Stopped       string             `json:"stopped"`
	Metrics       map[string]float64 `json:"metrics"`
	Folds         []jsonFold         `json:"folds"`
	Curve         jsonCurve          `json:"curve"`
	Parameters    map[string]string  `json:"parameters"`
	Warnings      []string           `json:"warnings"`
}

type jsonFold struct {
	Name         string  `json:"name"`
	Rows         int     `json:"rows"`
	Queries      int     `json:"queries"`
	Judged       int     `json:"queries_judged"`
	Value        float64 `json:"value"`
	OwnBest      int     `json:"own_best_iteration"`
	OwnBestValue float64 `json:"own_best_value"`
	Iterations   int     `json:"iterations"`
	Seconds      float64 `json:"seconds"`
	Trees        int     `json:"trees"`
}

// jsonCurve has a list for each column, as a frame is made of.
type jsonCurve struct {
	Iteration []int       `json:"iteration"`
	Mean      []float64   `json:"mean"`
	Folds     [][]float64 `json:"folds"` // by fold, then iteration
}

// JSON writes all but the scores and models as one JSON object.
func (r *CVResult) JSON(w io.Writer) error {
	j := jsonResult{Metric: r.Metric, Rules: r.Rules, BestIteration: r.Best, Mean: r.Mean, Low: r.Interval.Low, High: r.Interval.High, Level: r.Level, FoldSD: r.FoldSD,
		Iterations: len(r.Curve), Stopped: string(r.Stopped), Metrics: map[string]float64{}, Parameters: map[string]string{}, Warnings: append([]string{}, r.Warnings...)}
	for _, m := range r.Judged {
		if !math.IsNaN(m.Mean) {
			j.Metrics[m.Metric] = m.Mean
		}
	}
	j.Curve.Folds = make([][]float64, len(r.Folds))
	for i, f := range r.Folds {
		j.Folds = append(j.Folds, jsonFold{f.Name, f.Rows, f.Queries, f.Judged, f.Value, f.OwnBest, f.OwnBestValue, f.Rounds, f.Seconds, len(f.Model.Trees)})
		for _, p := range r.Curve {
			j.Curve.Folds[i] = append(j.Curve.Folds[i], p.Parts[i])
		}
	}
	for _, p := range r.Curve {
		j.Curve.Iteration, j.Curve.Mean = append(j.Curve.Iteration, p.Round), append(j.Curve.Mean, p.Mean)
	}
	for _, s := range r.Parameters {
		j.Parameters[s.Name] = s.Value
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(j)
}
