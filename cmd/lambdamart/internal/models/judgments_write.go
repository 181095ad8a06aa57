package models

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/judgments"
	"github.com/lambdamart/lambdamart/internal/judgments/clicks"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/trec"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
)

// fromClicks estimates grades from clicks, and writes the bias of positions.
func (p *judgmentsParams) fromClicks(ctx context.Context, messages *cli.Console) (*trec.Qrels, error) {
	log, err := stream.Read(p.Clicks, func(r io.Reader, name string) (*clicks.Log, error) {
		return clicks.Read(r, name, judgments.SeparatorOf(name))
	})
	if err != nil {
		return nil, err
	}
	var r *clicks.Result
	if p.ClickModel == coec {
		r = log.COEC(p.Prior)
	} else if r, err = log.PositionBased(ctx, p.Prior); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Clicks, err)
	}
	last := r.Positions[len(r.Positions)-1]
	messages.Note(fmt.Sprintf("%s documents in queries, %d positions; position %d is looked at %.3g times as "+
		"often as the most looked at",
		wording.Thousands(len(r.Documents)), len(r.Positions), last.Position, last.Value))
	q := r.Judgments(p.Levels, float64(p.Fewest))
	if len(q.Queries) == 0 {
		return nil, fmt.Errorf("%s: no document was shown %d times (min_impressions)", p.Clicks, p.Fewest)
	}
	if p.BiasFile == "" {
		return q, nil
	}
	return q, cli.SaveFile(p.BiasFile, func(w io.Writer) error { return p.writeBias(w, r) }, messages)
}

// writeBias writes the bias of positions: a picture, or CSV.
func (p *judgmentsParams) writeBias(w io.Writer, r *clicks.Result) error {
	if strings.EqualFold(filepath.Ext(p.BiasFile), ".svg") {
		_, err := io.WriteString(w, p.picture(r))
		return err
	}
	table := csv.NewWriter(w)
	table.Write([]string{"position", "bias", "clicks", "impressions"})
	for _, b := range r.Positions {
		table.Write([]string{strconv.Itoa(b.Position), wording.Exact(b.Value), wording.Exact(b.Clicks),
			wording.Exact(b.Impressions)})
	}
	table.Flush()
	return table.Error()
}

// picture draws the bias beside the click-through rate, which also depends on relevance.
func (p *judgmentsParams) picture(r *clicks.Result) string {
	bias, rate := plot.Series{Name: "bias, by " + p.ClickModel, Color: 0},
		plot.Series{Name: "click-through rate", Color: 1}
	most := 0.0
	for _, b := range r.Positions {
		most = max(most, b.Clicks/b.Impressions)
	}
	for _, b := range r.Positions {
		ctr := b.Clicks / b.Impressions / most
		bias.Points = append(bias.Points, plot.Point{X: float64(b.Position), Y: b.Value, Low: b.Value,
			High: b.Value})
		rate.Points = append(rate.Points, plot.Point{X: float64(b.Position), Y: ctr, Low: ctr, High: ctr})
	}
	chart := plot.Lines{
		ID: "bias", Title: "Position bias", XLabel: "position", YLabel: "relative to the largest",
		Description: "How often each position is looked at, and its click-through rate, relative to the largest " +
			"of each.",
		Series: []plot.Series{bias},
	}
	if p.ClickModel != coec { // for coec both are the same
		chart.Series = append(chart.Series, rate)
	}
	return chart.Draw(plot.Print())
}

// writeJudgments writes judgments as a table, or as qrels unless format is a table.
func writeJudgments(w io.Writer, q *trec.Qrels, format string) error {
	if format == data.LETOR {
		b, err := trec.AppendQrels(nil, q)
		if err != nil {
			return fmt.Errorf("%w; write the judgments as CSV, to a file whose name ends in .csv", err)
		}
		_, err = w.Write(b)
		return err
	}
	table := csv.NewWriter(w)
	if format == data.TSV {
		table.Comma = '\t'
	}
	table.Write([]string{"qid", "docid", "grade"})
	for _, query := range q.Queries {
		for _, document := range slices.Sorted(maps.Keys(q.Judged[query])) {
			table.Write([]string{query, document, wording.Exact(q.Judged[query][document])})
		}
	}
	table.Flush()
	return table.Error()
}

// writeNames writes the names of features next to the names that a model trained on LETOR text has.
func writeNames(w io.Writer, names []string) error {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "Column_%d\t%s\n", i+1, name)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
