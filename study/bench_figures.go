package study

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// secondsSection shows quality over training time.
func (s *BenchResult) secondsSection(results *report.Table) section {
	chart := plot.Lines{ID: "seconds-figure", Title: s.Metric + " and seconds to train",
		XLabel: "seconds to train a model (logarithmic)", YLabel: "test " + s.Metric, LogX: true, PointsOnly: true}
	var facts []string
	for _, r := range s.Rankers {
		if !finite(r.Mean) || r.TrainSeconds <= 0 {
			continue
		}
		chart.Series = append(chart.Series, plot.Series{Name: r.Ranker, Color: r.Place,
			Points: []plot.Point{{X: r.TrainSeconds, Y: r.Mean, Low: r.Interval.Low, High: r.Interval.High}}})
		facts = append(facts, fmt.Sprintf("%s: %.4f in %.3g seconds", r.Ranker, r.Mean, r.TrainSeconds))
	}
	part := section{ID: "seconds", Title: s.Metric + " and training time",
		Text: "Up is better, left is cheaper. A bar is the interval of the mean over test queries."}
	if len(chart.Series) == 0 {
		return part
	}
	chart.Description = strings.Join(facts, "; ")
	part.Figures = []figure{{Chart: &chart, Caption: "Means over all training runs of the variants that " +
		"validation chose.", Table: results.Grid("")}}
	return part
}

// cutoffSection shows nDCG by cut-off.
func (s *BenchResult) cutoffSection() section {
	chart := plot.Lines{ID: "cutoff-figure", Title: "nDCG by cut-off", XLabel: "cut-off",
		YLabel: "test nDCG", Categories: true}
	table := grid{Head: []string{"ranker"}}
	for _, name := range s.Metrics {
		if _, ok := cutoffOf(name); ok {
			table.Head = append(table.Head, name)
		}
	}
	for _, r := range s.Rankers {
		series, line := plot.Series{Name: r.Ranker, Color: r.Place}, []string{r.Ranker}
		for i, mean := range r.Means {
			if k, ok := cutoffOf(s.Metrics[i]); ok && finite(mean) {
				series.Points = append(series.Points, plot.Point{X: k, Y: mean})
				line = append(line, wording.Four(mean))
			}
		}
		slices.SortFunc(series.Points, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
		if len(series.Points) > 1 {
			chart.Series = append(chart.Series, series)
			table.Rows = append(table.Rows, line)
		}
	}
	part := section{ID: "cutoffs", Title: "nDCG by cut-off", Text: "How good the first documents of a " +
		"ranking are, for more and more of them."}
	if len(chart.Series) == 0 {
		return part
	}
	chart.Description = fmt.Sprintf("A line for each of %d rankers; all values are in the table below.",
		len(chart.Series))
	part.Figures = []figure{{Chart: &chart, Caption: "Means over test queries and seeds. Cut-offs are at " +
		"equal distances.", Table: table}}
	return part
}

// cutoffOf returns the cut-off in the name of an nDCG metric.
func cutoffOf(name string) (k float64, ok bool) {
	text, found := strings.CutPrefix(name, "ndcg@")
	if !found {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return float64(n), err == nil
}

// curvesSection shows the validation metric by iteration.
func (s *BenchResult) curvesSection() section {
	chart := plot.Curves{ID: "curves-figure", Title: "Learning curves", XLabel: "iteration", YLabel: s.Metric}
	table := grid{Head: []string{"ranker", "runs", "iterations done", "iterations kept",
		"validation " + s.Metric + " of those", "seconds an iteration"}}
	for _, r := range s.Rankers {
		panel := plot.Panel{Name: r.Ranker, Color: r.Place}
		done, best, seconds := 0.0, 0.0, 0.0
		for i, curve := range r.curves {
			panel.Lines = append(panel.Lines, places(curve))
			last := curve[len(curve)-1]
			done, seconds, best = done+float64(last.Iteration), seconds+last.Seconds, best+float64(r.bests[i].Value)
		}
		panel.Marks = places(r.bests)
		n := float64(len(r.curves))
		chart.Panels = append(chart.Panels, panel)
		table.Rows = append(table.Rows, []string{r.Ranker, fmt.Sprint(len(r.curves)),
			fmt.Sprintf("%.0f", done/n), fmt.Sprintf("%.0f", r.Kept), wording.Four(best / n), fmt.Sprintf("%.3g",
				seconds/done)})
	}
	chart.Description = "A panel for each ranker, a line for each training run, and a mark where its " +
		"validation metric was best."
	return section{ID: "curves", Title: "Learning curves",
		Text: s.Metric + " on the validation queries, iteration by iteration: a tree for LambdaMART, an epoch " +
			"for a network.",
		Figures: []figure{{Chart: &chart,
			Caption: "A line is a training run; a mark is the iteration that its model keeps. All panels have the " +
				"same vertical axis, each its own horizontal one.", Table: table}}}
}

// places returns the finite points of a curve.
func places(curve []runPoint) (points []plot.Point) {
	for _, p := range curve {
		if finite(float64(p.Value)) {
			points = append(points, plot.Point{X: float64(p.Iteration), Y: float64(p.Value)})
		}
	}
	return points
}

// differencesSection shows each ranker's difference from the best, query by query.
func (s *BenchResult) differencesSection() section {
	part := section{ID: "differences", Title: "Query by query",
		Text: "How many test queries have which difference; then all of them side by side, from the one where a " +
			"ranker loses most against the best to the one where it wins most. The dashed line is the mean, the " +
			"band its interval."}
	best := &s.Rankers[0]
	for i := 1; i < len(s.Rankers); i++ {
		r := &s.Rankers[i]
		a := r.Against
		pair := report.Compared{Queries: s.shown(), Comparison: a.Comparison, Metric: s.Metric,
			A: best.Ranker, B: r.Ranker, ValuesA: best.values, ValuesB: r.values,
			Level: s.Level, P: wording.Probability(a.Holm.Randomization), Listed: listedQueries}
		part.Figures = append(part.Figures, pair.Figures(fmt.Sprintf("differences-%d", i), r.Place)...)
	}
	return part
}

// listedQueries is the number of queries in each list.
const listedQueries = 10

// shown returns the information that lists show for a query.
func (s *BenchResult) shown() report.Queries {
	return report.Queries{Head: []string{"query", "split"}, Cells: func(q int) []string {
		return []string{s.queries[q].ID, s.queries[q].Fold}
	}}
}

// queriesSection shows the distribution of the query values of each ranker, and the worst queries of the best
// ranker.
func (s *BenchResult) queriesSection() section {
	part := section{ID: "queries", Title: "Queries", Text: "How many test queries have which value, means " +
		"over seeds; behind each figure, the queries with the smallest values."}
	for i := range s.Rankers {
		r := &s.Rankers[i]
		queries := report.PerQuery{Queries: s.shown(), Metric: s.Metric, Values: r.values}
		figures := queries.Both(fmt.Sprintf("queries-%d", i), r.Ranker+": ", listedQueries)
		part.Figures = append(part.Figures, figures)
	}
	return part
}

// mostImportant is the number of features that are drawn.
const mostImportant = 20

// importanceSection shows which features trees split on.
func (s *BenchResult) importanceSection() section {
	part := section{ID: "importance", Title: "Features that trees use",
		Text: "The share of the gain of all splits that a feature's splits bring, as the mean over training " +
			"runs. Features that say the same share what they gain."}
	for i, r := range s.Rankers {
		if len(r.importance) == 0 {
			continue
		}
		chart := plot.Bars{ID: fmt.Sprintf("importance-%d", i), Title: "Features of " + r.Ranker,
			XLabel: "share of the gain", Color: r.Place, Format: plot.Percent}
		table := report.NewTable("", "feature", "", "share of the gain", "")
		table.Columns[1].Show = report.Number(plot.Percent)
		for _, f := range r.importance {
			table.Add(f.Feature, f.Share)
		}
		chart.Description = fmt.Sprintf("The most important is %s with %s.", r.importance[0].Feature,
			plot.Percent(r.importance[0].Share))
		caption := r.Ranker + "."
		if rest := len(r.importance) - mostImportant; rest > 0 {
			caption = fmt.Sprintf("%s: the first %d of %d features.", r.Ranker, mostImportant, len(r.importance))
		}
		figures := table.Ranked(chart, 1, mostImportant, nil, caption)
		figures[0].Table.Caption = fmt.Sprintf("All %d features that are used.", len(r.importance))
		part.Figures = append(part.Figures, figures...)
	}
	return part
}
