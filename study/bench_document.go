package study

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// describe sets the document of the summary.
func (s *BenchResult) describe() {
	results, pairs := s.resultsTable(), s.pairsTable()
	s.Title, s.Finding, s.Basis = "Which ranker is best? "+s.Metric+" on "+s.Data, s.finding(), s.basis()
	s.Warnings, s.Notes, s.Tables = s.warnings(), s.notes(), []*report.Table{results, pairs}
	s.Facts = map[string]any{"data": s.Data, "metric": s.Metric, "rules": s.Rules, "interval_level": s.Level,
		"seeds": s.Seeds}
	s.Files = []stream.File{{Name: "queries.tsv", Write: s.queriesTable().TSV},
		{Name: "report.html", Write: s.Write}}
	s.Sections = []report.Section{s.resultsSection(results, pairs), s.curvesSection(), s.differencesSection(),
		{ID: "data", Title: "Data", Tables: []report.Grid{s.dataGrid()}},
		{ID: "settings", Title: "Settings", Tables: []report.Grid{s.settingsGrid()}}}
}

// resultsName is the name of the table of results.
const resultsName = "results"

// resultsTable returns a table with a row for each ranker, best first.
func (s *BenchResult) resultsTable() *report.Table {
	below := fmt.Sprintf("\np: randomization test against the best, which these queries have chosen: corrected "+
		"for %s of rankers (Holm).\nTimes are of a training run, without reading; µs/doc is on one thread, one "+
		"query at a time.\n", wording.Count(len(s.Pairs), "pair"))
	if remark := s.sample(&s.Rankers[0]).Remark(); remark != "" {
		below += remark + "\n"
	}
	const programs = report.Programs
	t := &report.Table{Name: resultsName, Value: s.Metric, Bars: true, Below: below, Columns: []report.Column{
		{Name: "ranker"}, {Name: "kind", For: programs}, {Name: s.Metric, Show: report.As("%.4f")},
		{Name: "low", For: programs}, {Name: "high", For: programs},
		{Name: s.intervalHead(), Show: report.As("%.4f"), For: report.People},
		{Name: "seed_sd", Show: report.As("%.4f", "–")},
		{Name: "difference", Head: "− best", Show: report.As("%+.4f", "best")},
		{Name: "p_randomization_corrected", Head: "p", Show: report.Number(wording.Probability)},
		{Name: "iterations_kept", Head: "kept", Show: report.As("%.0f")},
		{Name: "model_bytes", Head: "size", Show: report.Number(byteSize)}}}
	for _, name := range s.Metrics {
		t.Columns = append(t.Columns, report.Column{Name: "mean_" + name, For: programs})
	}
	t.Columns = append(t.Columns, report.Column{Name: "train_seconds", Head: "train s", Show: report.As("%.3g")},
		report.Column{Name: "score_micros_a_document", Head: "µs/doc", Show: report.As("%.3g")})
	for _, r := range s.Rankers {
		difference, p := math.NaN(), any(nil)
		if a := r.Against; a != nil {
			difference, p = a.Difference, a.Holm.Randomization
		}
		row := []any{r.Ranker, r.Kind, r.Mean, r.Interval.Low, r.Interval.High, r.Interval, r.SeedSD,
			difference, p, r.Kept, r.ModelBytes}
		for _, mean := range r.Means {
			row = append(row, mean)
		}
		t.Add(append(row, r.TrainSeconds, r.ScoreMicros)...)
	}
	return t
}

func (s *BenchResult) intervalHead() string { return fmt.Sprintf("%g %% interval", 100*s.Level) }

// byteSize formats a number of bytes with three digits.
func byteSize(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g MB", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.3g kB", n/1e3)
	}
	return fmt.Sprintf("%.0f B", n)
}

// pairsTable returns a table with a row for each pair of rankers. The difference is b - a.
func (s *BenchResult) pairsTable() *report.Table {
	const programs = report.Programs
	probability := report.Number(wording.Probability)
	t := &report.Table{Name: "pairs", For: programs | report.Page, Columns: []report.Column{
		{Name: "pair", For: report.Page},
		{Name: "a", For: programs}, {Name: "b", For: programs}, {Name: "queries", For: programs},
		{Name: "difference", Show: report.As("%+.4f")}, {Name: "low", For: programs}, {Name: "high", For: programs},
		{Name: s.intervalHead(), Show: report.As("%+.4f"), For: report.Page},
		{Name: "wins", Show: report.As("%d")}, {Name: "ties", Show: report.As("%d")},
		{Name: "losses", Show: report.As("%d")}, {Name: "effect", Show: report.As("%+.3f")},
		{Name: "p_t", For: programs}, {Name: "p_randomization", For: programs}, {Name: "p_wilcoxon", For: programs},
		{Name: "p_t_corrected", Head: "p, Student's t", Show: probability},
		{Name: "p_randomization_corrected", Head: "p, randomization", Show: probability},
		{Name: "p_wilcoxon_corrected", Head: "p, Wilcoxon", Show: probability}}}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		a, b := s.Rankers[p.A].Ranker, s.Rankers[p.B].Ranker
		t.Add(a+", "+b, a, b, p.Queries, p.Difference, p.Interval.Low, p.Interval.High, p.Interval,
			p.Wins, p.Equal, p.Loses, p.Effect, p.StudentT.P, p.Randomization.P, p.Wilcoxon.P,
			p.Holm.StudentT, p.Holm.Randomization, p.Holm.Wilcoxon)
	}
	return t
}

// queriesTable returns a table with a row for each test query, ranker and seed.
func (s *BenchResult) queriesTable() *report.Table {
	t := report.NewTable("queries", "fold", "", "query", "", "ranker", "", "seed", "")
	for _, m := range s.Metrics {
		t.Columns = append(t.Columns, report.Column{Name: m})
	}
	for _, r := range s.runs {
		for q, id := range r.Queries {
			row := []any{r.Fold, id, r.Ranker, r.Seed}
			for _, j := range r.Judged {
				row = append(row, j.Values[q])
			}
			t.Add(row...)
		}
	}
	return t
}

// resultsSection shows the tables of all rankers and of all pairs.
func (s *BenchResult) resultsSection(results, pairs *report.Table) report.Section {
	part := results.Section("Results", fmt.Sprintf("Best first. p is the probability of such a difference to "+
		"the best ranker if both were the same: randomization test, corrected for %s of rankers by Holm's method; "+
		"bold below %g.", wording.Count(len(s.Pairs), "pair"), metric.Alpha), "Rankers, best first")
	table := &part.Tables[0]
	for i := range s.Rankers {
		r := &s.Rankers[i]
		mark := report.Mark{Swatch: true, Color: r.Place % plot.Colors, Best: r.Against == nil}
		if r.Against != nil && r.Against.Holm.Randomization < metric.Alpha {
			mark.Strong = slices.Index(table.Head, "p")
		}
		table.Marks = append(table.Marks, mark)
	}
	if len(s.Pairs) > 0 {
		tests := pairs.Grid("All pairs: the second ranker minus the first; p after Holm's correction; the " +
			"effect is Cohen's d of paired values. There is no Wilcoxon test of queries with different weights.")
		tests.Folded = "All tests, wins and losses"
		part.Tables = append(part.Tables, tests)
	}
	return part
}

// finding states the result in one or two sentences.
func (s *BenchResult) finding() string {
	best := &s.Rankers[0]
	text := fmt.Sprintf("%s is best with a mean %s of %.4f.", best.Ranker, s.Metric, best.Mean)
	if len(s.Rankers) == 1 {
		return text
	}
	var worse, open []string
	for _, r := range s.Rankers[1:] {
		if r.Against.Holm.Randomization < metric.Alpha {
			worse = append(worse, r.Ranker)
		} else {
			open = append(open, r.Ranker)
		}
	}
	switch {
	case len(open) == 0:
		return text + " All others are significantly worse."
	case len(worse) == 0:
		return text + " No other is significantly worse on these test queries."
	}
	return text + fmt.Sprintf(" Significantly worse: %s. Not significantly different: %s.",
		strings.Join(worse, ", "), strings.Join(open, ", "))
}

func (s *BenchResult) basis() string {
	queries, documents := 0, 0
	for _, f := range s.Splits {
		queries, documents = queries+f.Queries, documents+f.Documents
	}
	return fmt.Sprintf("%s with %s in %s; %s of each ranker on each. %s: %s.",
		wording.Count(queries, "test query"),
		wording.Count(documents, "document"), wording.Count(len(s.Splits), "split"),
		wording.Count(s.Seeds, "training run"), s.Metric, s.Rules)
}

// warnings returns caveats that readers of the table should know.
func (s *BenchResult) warnings() (all []string) {
	for _, f := range s.Failed {
		all = append(all, fmt.Sprintf("Failed, so the ranker is left out: %v", f))
	}
	if remark := s.sample(&s.Rankers[0]).Remark(); remark != "" {
		all = append(all, "Test queries: "+remark+".")
	}
	for _, f := range s.Splits {
		if f.Leaked > 0 {
			all = append(all, fmt.Sprintf("%s: %s of %s %s the ids of training queries: if they are "+
				"the same queries, the results are too good.", f.Name, wording.Thousands(f.Leaked),
				wording.Count(f.Queries, "test query"), wording.Agree(f.Leaked, "has", "have")))
		}
	}
	for _, r := range s.runs {
		if r.Warning != "" {
			all = append(all, fmt.Sprintf("%s on %s, seed %d: %s.", r.Ranker, r.Fold, r.Seed, r.Warning))
		}
	}
	return all
}

func (s *BenchResult) dataGrid() report.Grid {
	g := report.Grid{Head: []string{"split", "test queries", "test documents"},
		Caption: "Below each ranker: its mean " + s.Metric + " on the split."}
	for _, r := range s.Rankers {
		g.Head = append(g.Head, r.Ranker)
	}
	g.Head = append(g.Head, "files")
	for i, f := range s.Splits {
		line := []string{f.Name, fmt.Sprint(f.Queries), fmt.Sprint(f.Documents)}
		for _, r := range s.Rankers {
			line = append(line, wording.Four(r.FoldMeans[i]))
		}
		files := []string{filepath.Base(f.Train), filepath.Base(f.Vali), filepath.Base(f.Test)}
		g.Rows = append(g.Rows, append(line, strings.Join(files, ", ")))
	}
	return g
}

func (s *BenchResult) settingsGrid() report.Grid {
	g := report.Grid{Head: []string{"ranker", "kind", "parameters that were given"}, Text: true}
	for _, r := range s.Rankers {
		g.Rows = append(g.Rows, []string{r.Ranker, r.Kind, cmp.Or(strings.Join(r.Set, ", "), "the defaults")})
	}
	return g
}

// notes explain how the figures were computed.
func (s *BenchResult) notes() []string {
	return []string{
		"Every ranker saw the same training queries. Validation queries chose the iteration that each model " +
			"keeps. Test queries chose nothing.",
		"A ranker's value for a test query is the mean over its seeds, so each query counts once, with its " +
			"weight if queries have weights. The queries of all splits together make the mean.",
		fmt.Sprintf("The %g %% interval shows how much the mean would vary with other queries of the same sort "+
			"(symmetric studentized bootstrap). The standard deviation over seeds shows how much with another "+
			"seed; it is 0 where a ranker draws nothing at random.", 100*s.Level),
		"All pairs of rankers are compared, query by query, by paired two-sided tests, and p is corrected for " +
			"all of them (Holm), since the same queries found which ranker is best.",
		"Seconds to train are for one training run, including validation but not reading the data. Microseconds " +
			"a document are on one thread, one query at a time, as a server does it, the data in memory. The size " +
			"is that of the model's file.",
		fmt.Sprintf("%s: %s.", s.Metric, s.Rules),
	}
}

// curvesSection shows the validation metric by iteration.
func (s *BenchResult) curvesSection() report.Section {
	chart := plot.Curves{ID: "curves-figure", Title: "Learning curves", XLabel: "iteration", YLabel: s.Metric,
		Description: "A panel for each ranker, a line for each training run, and a mark at the iteration that " +
			"its model keeps."}
	for _, r := range s.runs {
		place := slices.IndexFunc(s.Rankers, func(o RankerSummary) bool { return o.Ranker == r.Ranker })
		curve := plot.Series{Name: r.Ranker, Color: s.Rankers[place].Place % plot.Colors,
			Marked: float64(r.Kept)}
		for _, p := range r.Curve {
			curve.Add(float64(p.Iteration), float64(p.Value))
		}
		chart.Series = append(chart.Series, curve)
	}
	return report.Section{ID: "curves", Title: "Learning curves",
		Text: s.Metric + " on the validation queries, iteration by iteration: a tree for LambdaMART, an epoch " +
			"for a network.",
		Figures: []report.Figure{{Chart: &chart, Table: report.Summary(chart.Series),
			Caption: "A line is a training run; a mark is the iteration that its model keeps. All panels have the " +
				"same vertical axis, each its own horizontal one."}}}
}

// differencesSection shows each ranker's difference from the best, query by query.
func (s *BenchResult) differencesSection() report.Section {
	part := report.Section{ID: "differences", Title: "Query by query",
		Text: "All test queries side by side, from the one where a ranker loses most against the best to the " +
			"one where it wins most. The dashed line is the mean, the band its interval."}
	queries := report.Queries{Head: []string{"query", "split"},
		Cells: func(q int) []string { return s.queries[q] }}
	for i := range s.Rankers[1:] {
		best, r := &s.Rankers[0], &s.Rankers[i+1]
		pair := report.Compared{Queries: queries, Comparison: r.Against.Comparison, Metric: s.Metric,
			A: best.Ranker, B: r.Ranker, ValuesA: best.values, ValuesB: r.values, Level: s.Level,
			P: wording.Probability(r.Against.Holm.Randomization), Listed: 10}
		part.Figures = append(part.Figures, pair.Figure(fmt.Sprintf("differences-%d", i+1)))
	}
	return part
}
