package explain

import (
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
)

// WriteHTML writes the report as one page that needs no network and no scripts. program is the name of the
// program in it.
func (r *Report) WriteHTML(w io.Writer, program string) error {
	p := report.Document{Warnings: r.Notes, Program: "Model " + r.Model + ", data " + r.Data + ". Made by " + program + "."}
	switch {
	case r.Pair != nil:
		p.Title, p.Finding = r.Pair.title()
		p.Sections = r.Pair.sections()
	case r.Query != nil:
		p.Title = "Query " + r.Query.ID + ": why this order"
		p.Finding = fmt.Sprintf("%d documents, %s %.4f.", len(r.Query.Documents), r.Query.Metric, float64(r.Query.Value))
		p.Basis = "Contributions are Shapley values, less their means over the query: they sum to the score less the mean score, so they say what lifts a document above the query's mean."
		p.Sections = r.Query.sections()
	default:
		p.Title, p.Finding = "What the model rests on", "There is nothing to show."
	}
	if r.Losses != nil {
		p.Finding = fmt.Sprintf("%d queries lose %.4f of %s on average.", r.Losses.Queries, r.Losses.Total, r.Metric)
		p.Sections = append(p.Sections, r.Sections()...)
	}
	return p.Write(w)
}

// Sections returns the sections of a page about all queries.
func (r *Report) Sections() []report.Section {
	return []report.Section{r.importanceSection(), r.dependenceSection(), r.interactionSection(), r.lossSection()}
}

// most is the number of bars of a figure.
const most = 20

func (p *Pair) title() (title, finding string) {
	word := "above"
	if p.Document.Rank > p.Against.Rank {
		word = "below"
	}
	return fmt.Sprintf("Query %s: why %s is %s %s", p.Query, p.Document.ID, word, p.Against.ID),
		fmt.Sprintf("Ranks %d and %d, grades %v and %v, scores %.6g and %.6g: a difference of %+.6g.", p.Document.Rank, p.Against.Rank, p.Document.Label, p.Against.Label,
			p.Document.Score, p.Against.Score, p.Difference)
}

// brief returns the value of a feature in few characters.
func brief(v Number) string {
	if math.IsNaN(float64(v)) {
		return "missing"
	}
	return fmt.Sprintf("%.3g", float64(v))
}

func (p *Pair) sections() []report.Section {
	shares := report.Section{ID: "shares", Title: "Features", Text: "Bars to the right speak for " + p.Document.ID + ", bars to the left for " + p.Against.ID + ". They sum to the difference of the scores."}
	if len(p.Shares) > 0 {
		shares.Figures = append(shares.Figures, p.figure("pair", p.Shares, "On the right: the values of the two documents."))
	}
	if len(p.Columns) > 0 {
		shares.Figures = append(shares.Figures, p.figure("columns", p.Columns, "The same by column of the model: features and their query context."))
	}
	changes := report.Section{ID: "changes", Title: "What would swap them", Text: "The nearest value of one feature, all others as they are, at which the order of the two is another one."}
	grid := report.Grid{Head: p.changeHead()}
	for _, c := range p.Changes[:min(most, len(p.Changes))] {
		grid.Rows = append(grid.Rows, p.changeCells(c))
	}
	if len(grid.Rows) == 0 {
		grid.Caption, grid.Rows = "No change of a single feature swaps them.", nil
	}
	changes.Tables = []report.Grid{grid}
	return []report.Section{shares, changes}
}

// figure draws what features or columns add to the difference of the scores.
func (p *Pair) figure(id string, shares []PairShare, caption string) report.Figure {
	chart := plot.Signed{ID: id, Title: "What each feature adds to the difference of the scores", XLabel: "share of the difference",
		Description: fmt.Sprintf("Bars of %d features, the largest share first.", len(shares))}
	table := report.Grid{Head: []string{"feature", "share", p.Document.ID, p.Against.ID}}
	rest := 0.0
	for i, s := range shares {
		table.Rows = append(table.Rows, []string{s.Feature, fmt.Sprintf("%+.6g", float64(s.Share)), value(s.Value), value(s.Against)})
		if i < most {
			chart.Bars = append(chart.Bars, plot.SignedBar{Name: s.Feature, Note: brief(s.Value) + " / " + brief(s.Against), Value: float64(s.Share)})
		} else {
			rest += float64(s.Share)
		}
	}
	if len(shares) > most {
		chart.Bars = append(chart.Bars, plot.SignedBar{Name: fmt.Sprintf("%d others", len(shares)-most), Value: rest})
	}
	return report.Figure{Chart: &chart, Caption: caption, Table: table}
}

func (q *Query) sections() []report.Section {
	order := report.Section{ID: "order", Title: "Order", Text: "The documents by rank, with the features that lift or lower each most."}
	grid := report.Grid{Head: []string{"rank", "document", "grade", "score", "features (value): share"}, Text: true}
	for _, d := range q.Documents {
		grid.Rows = append(grid.Rows, []string{fmt.Sprint(d.Rank), d.ID, fmt.Sprint(d.Label), fmt.Sprintf("%.6g", d.Score), listed(d.Shares)})
	}
	order.Tables = []report.Grid{grid}
	first := report.Section{ID: "first", Title: "The first documents", Text: "What lifts each above the mean of the query, and what lowers it."}
	for i, d := range q.Documents[:min(5, len(q.Documents))] {
		chart := plot.Signed{ID: fmt.Sprint("document-", i), Title: fmt.Sprintf("Rank %d: %s", d.Rank, d.ID), XLabel: fmt.Sprintf("rank %d: share of the score above the mean of the query", d.Rank),
			Description: "The features that lift or lower the document most: " + listed(d.Shares)}
		for _, s := range d.Shares[:min(lines, len(d.Shares))] {
			chart.Bars = append(chart.Bars, plot.SignedBar{Name: s.Feature, Note: value(s.Value), Value: float64(s.Share)})
		}
		if len(chart.Bars) > 0 {
			first.Figures = append(first.Figures, report.Figure{Chart: &chart, Caption: fmt.Sprintf("Rank %d: %s, grade %v. On the right: the values of the features.", d.Rank, d.ID, d.Label)})
		}
	}
	loss := report.Section{ID: "loss", Title: "What the order loses", Text: fmt.Sprintf("The order loses %.4f of %s. Each misplaced pair has a part of it, and so has each feature that puts the worse document above.", q.Loss.Total, q.Metric)}
	if len(q.Loss.Features) > 0 {
		loss.Figures = []report.Figure{blameFigure(q.Loss.Features, q.Metric)}
	}
	pairs := report.Grid{Head: []string{"above", "below, of a higher grade", "cost"}, Caption: "The most expensive pairs"}
	for _, p := range q.Loss.Pairs[:min(most, len(q.Loss.Pairs))] {
		pairs.Rows = append(pairs.Rows, []string{p.Above, p.Below, fmt.Sprintf("%.4f", p.Cost)})
	}
	if len(pairs.Rows) > 0 {
		loss.Tables = []report.Grid{pairs}
	}
	return []report.Section{order, first, loss}
}

// blameFigure draws what features cost.
func blameFigure(features []Blame, metric string) report.Figure {
	chart := plot.Bars{ID: "blame", Title: "What features cost", XLabel: "cost in " + metric, Colour: 1, Format: digits.Four,
		Description: "Bars of the features that put worse documents above better ones, the most expensive first."}
	table := report.Grid{Head: []string{"feature", "cost"}}
	for i, f := range features {
		if i < most {
			chart.Bars = append(chart.Bars, plot.Bar{Name: f.Feature, Value: f.Cost})
		}
		table.Rows = append(table.Rows, []string{f.Feature, fmt.Sprintf("%.5f", f.Cost)})
	}
	return report.Figure{Chart: &chart, Caption: "Features that put the worse document of a misplaced pair above, by their part of the loss.", Table: table}
}

func (r *Report) importanceSection() report.Section {
	s := report.Section{ID: "importance", Title: "Importance", Text: "What " + r.Metric + " loses if the values of a feature are exchanged among the documents of these queries, with its interval over queries."}
	table := report.Grid{Head: []string{"feature", "drop", "interval", "gain", "splits", "mean contribution"}}
	chart := plot.Signed{ID: "importance-drop", Title: "Drop of " + r.Metric, XLabel: "drop of " + r.Metric,
		Description: "Bars of the features, the one whose exchange costs most first."}
	for i, f := range r.Importance {
		table.Rows = append(table.Rows, []string{f.Feature, fmt.Sprintf("%+.5f", float64(f.Drop)), fmt.Sprintf("%+.5f to %+.5f", float64(f.Low), float64(f.High)),
			fmt.Sprintf("%.5g", f.Gain), fmt.Sprintf("%.0f", f.Split), fmt.Sprintf("%.4g", f.Mean)})
		if i < most {
			chart.Bars = append(chart.Bars, plot.SignedBar{Name: f.Feature, Note: fmt.Sprintf("± %.3g", float64(f.High-f.Low)/2), Value: float64(f.Drop)})
		}
	}
	if len(chart.Bars) > 0 {
		s.Figures = []report.Figure{{Chart: &chart, Caption: "On the right: half the width of the interval.", Table: table}}
	}
	return s
}

func (r *Report) dependenceSection() report.Section {
	s := report.Section{ID: "dependence", Title: "Dependence", Text: "The mean score of documents if each had the same value of a feature while the others of its query keep theirs, less their mean score. Values are quantiles of those of the documents."}
	chart := plot.Curves{ID: "dependences", Title: "Partial dependence", XLabel: "value", YLabel: "score",
		Description: "A small chart for each of the strongest features: the mean score by the value of the feature."}
	table := report.Grid{Head: []string{"feature", "value", "score"}}
	for i, d := range r.Dependences {
		if len(d.X) == 0 {
			continue
		}
		line := make([]plot.Point, len(d.X))
		for k := range d.X {
			line[k] = plot.Point{X: float64(d.X[k]), Y: float64(d.Score[k])}
			table.Rows = append(table.Rows, []string{d.Feature, value(d.X[k]), fmt.Sprintf("%+.4g", float64(d.Score[k]))})
		}
		chart.Panels = append(chart.Panels, plot.Panel{Name: d.Feature, Colour: i % report.Colours, Lines: [][]plot.Point{line}})
	}
	if len(chart.Panels) > 0 {
		s.Figures = []report.Figure{{Chart: &chart, Caption: "The features with the largest drops. All panels have the same scale of scores.", Table: table}}
	}
	return s
}

func (r *Report) interactionSection() report.Section {
	s := report.Section{ID: "interactions", Title: "Interactions", Text: "What pairs of features add to scores beyond what each adds alone: the mean size of their Shapley interaction values."}
	if len(r.Interactions) == 0 {
		return s
	}
	chart := plot.Bars{ID: "interaction-bars", Title: "Interactions", XLabel: "mean size", Colour: 2, Format: func(v float64) string { return fmt.Sprintf("%.4g", v) },
		Description: "Bars of pairs of features, the strongest first."}
	table := report.Grid{Head: []string{"features", "mean size"}}
	for _, i := range r.Interactions {
		name := i.Features[0] + ", " + i.Features[1]
		chart.Bars = append(chart.Bars, plot.Bar{Name: name, Value: i.Mean})
		table.Rows = append(table.Rows, []string{name, fmt.Sprintf("%.4g", i.Mean)})
	}
	s.Figures = []report.Figure{{Chart: &chart, Caption: "The strongest pairs.", Table: table}}
	for n, f := range r.Surfaces {
		if len(f.X) == 0 || len(f.Y) == 0 {
			continue
		}
		heat := plot.Heat{ID: fmt.Sprint("surface-", n), Title: f.Features[0] + " and " + f.Features[1], XLabel: f.Features[0], YLabel: f.Features[1], X: plain(f.X), Y: plain(f.Y),
			Description: "A table of mean scores by the values of both features."}
		for _, line := range f.Score {
			heat.Values = append(heat.Values, plain(line))
		}
		s.Figures = append(s.Figures, report.Figure{Chart: &heat, Caption: "Mean score with these values of both features, less the mean score."})
	}
	return s
}

func plain(numbers []Number) []float64 {
	values := make([]float64, len(numbers))
	for i, v := range numbers {
		values[i] = float64(v)
	}
	return values
}

func (r *Report) lossSection() report.Section {
	s := report.Section{ID: "losses", Title: "Losses", Text: "Which features put worse documents above better ones, and which queries lose most."}
	if len(r.Losses.Features) > 0 {
		s.Figures = []report.Figure{blameFigure(r.Losses.Features, r.Metric)}
	}
	grid := report.Grid{Head: []string{"query", "loss", "documents"}, Caption: "The queries that lose most"}
	for _, q := range r.Losses.Worst {
		grid.Rows = append(grid.Rows, []string{q.Query, fmt.Sprintf("%.4f", q.Loss), fmt.Sprint(q.Documents)})
	}
	s.Tables = []report.Grid{grid}
	return s
}
