package study

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// The parts of the page.
type (
	grid    = report.Grid
	section = report.Section
	figure  = report.Figure
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
	s.Sections = []section{s.resultsSection(results, pairs), s.secondsSection(results), s.cutoffSection(),
		s.curvesSection(), s.queriesSection(), s.differencesSection(), s.importanceSection(),
		{ID: "data", Title: "Data", Tables: []grid{s.dataGrid()}},
		{ID: "settings", Title: "Settings", Tables: []grid{s.settingsGrid()}}}
}

// resultsName is the name of the table of results.
const resultsName = "results"

// resultsTable has a row for each ranker, best first.
func (s *BenchResult) resultsTable() *report.Table {
	p := fmt.Sprintf("\np: randomization test against the best, which these queries have chosen: corrected "+
		"for %s of rankers "+
		"(Holm).\nTimes are of a training run, without reading; µs/doc is on one thread, one query at a "+
		"time.\n", allPairs(len(s.Pairs)))
	if remark := s.sample(&s.Rankers[0]).Remark(); remark != "" {
		p += remark + "\n"
	}
	var means []string
	for _, name := range s.Metrics {
		means = append(means, "mean_"+name)
	}
	only := func(names ...string) []report.Column { return report.Only(report.Programs, names...) }
	t := &report.Table{Name: resultsName, Bars: true, Below: p, Columns: slices.Concat(
		[]report.Column{{Name: "ranker"}}, only("kind", "variants"),
		[]report.Column{{Name: s.Metric, Show: report.As("%.4f"), For: report.People | report.TSV},
			{Name: "value", For: report.JSON}},
		only("low", "high"), []report.Column{{Name: s.intervalHead(), Show: report.As("%.4f"), For: report.People},
			{Name: "seed_sd", Show: report.Number(orElse("%.4f", "–"))},
			{Name: "difference", Head: "− best", Show: report.Number(orElse("%+.4f", "best"))}},
		only("difference_low", "difference_high", "wins", "ties", "losses", "p_t_corrected"),
		[]report.Column{{Name: "p_randomization_corrected", Head: "p", Show: report.Number(wording.Probability)}},
		only("p_wilcoxon_corrected"),
		[]report.Column{{Name: "iterations_kept", Head: "kept", Show: report.As("%.0f")},
			{Name: "model_bytes", Head: "size", Show: report.Number(byteSize)}}, only(append(means, "out_of_time")...),
		[]report.Column{{Name: "train_seconds", Head: "train s", Show: report.As("%.3g")}},
		only("train_seconds_of_all"),
		[]report.Column{{Name: "score_micros_a_document", Head: "µs/doc", Show: report.As("%.3g")}})}
	for i := range s.Rankers {
		t.Add(s.Rankers[i].row()...)
	}
	return t
}

func (r *RankerSummary) row() []any {
	row := []any{r.Ranker, r.Kind, strings.Join(r.Chosen, ","), r.Mean, r.Mean, r.Interval.Low, r.Interval.High,
		r.Interval, r.SeedSD}
	if a := r.Against; a != nil {
		row = append(row, a.Difference, a.Interval.Low, a.Interval.High, a.Wins, a.Equal, a.Loses,
			a.Holm.StudentT, a.Holm.Randomization, a.Holm.Wilcoxon)
	} else {
		row = append(append(row, math.NaN()), make([]any, 8)...)
	}
	row = append(row, r.Kept, r.ModelBytes)
	for _, mean := range r.Means {
		row = append(row, mean)
	}
	return append(row, r.OutOfTime, r.TrainSeconds, r.TotalSeconds, r.ScoreMicros)
}

func (s *BenchResult) intervalHead() string { return fmt.Sprintf("%g %% interval", 100*s.Level) }

// orElse returns a function that formats numbers for people, with the text none for NaN.
func orElse(format, none string) func(float64) string {
	return func(v float64) string {
		if math.IsNaN(v) {
			return none
		}
		return fmt.Sprintf(format, v)
	}
}

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

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// pairsTable has a row for each pair of rankers. The difference is b - a.
func (s *BenchResult) pairsTable() *report.Table {
	only := func(names ...string) []report.Column { return report.Only(report.Programs, names...) }
	t := &report.Table{Name: "pairs", For: report.Programs | report.Page, Columns: slices.Concat(
		report.Only(report.Page, "pair"), only("a", "b", "queries"),
		[]report.Column{{Name: "difference", Show: report.As("%+.4f")}}, only("low", "high"),
		[]report.Column{{Name: s.intervalHead(), Show: report.As("%+.4f"), For: report.Page},
			{Name: "wins", Show: report.As("%d")}, {Name: "ties", Show: report.As("%d")},
			{Name: "losses", Show: report.As("%d")}, {Name: "effect", Show: report.As("%+.3f")}},
		only("p_t", "p_randomization", "p_wilcoxon"),
		[]report.Column{{Name: "p_t_corrected", Head: "p, Student's t", Show: report.Number(wording.Probability)},
			{Name: "p_randomization_corrected", Head: "p, randomization", Show: report.Number(wording.Probability)},
			{Name: "p_wilcoxon_corrected", Head: "p, Wilcoxon", Show: report.Number(wording.Probability)}})}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		a, b := s.Rankers[p.A].Ranker, s.Rankers[p.B].Ranker
		t.Add(a+", "+b, a, b, p.Queries, p.Difference, p.Interval.Low, p.Interval.High, p.Interval,
			p.Wins, p.Equal, p.Loses, p.Effect, p.StudentT.P, p.Randomization.P, p.Wilcoxon.P,
			p.Holm.StudentT, p.Holm.Randomization, p.Holm.Wilcoxon)
	}
	return t
}

// queriesTable has a row for each test query, ranker and seed.
func (s *BenchResult) queriesTable() *report.Table {
	t := report.NewTable("queries", "fold", "", "query", "", "ranker", "", "variant", "", "seed", "")
	for _, m := range s.Metrics {
		t.Columns = append(t.Columns, report.Column{Name: m})
	}
	for _, r := range s.runs {
		for q, id := range r.Queries {
			row := []any{r.Fold, id, r.Ranker, r.Variant, r.Seed}
			for _, j := range r.Judged {
				row = append(row, j.Values[q])
			}
			t.Add(row...)
		}
	}
	return t
}

// resultsSection has the tables of all rankers and of all pairs.
func (s *BenchResult) resultsSection(results, pairs *report.Table) section {
	table := results.Grid("Rankers, best first")
	for i := range s.Rankers {
		r := &s.Rankers[i]
		mark := report.Mark{Swatch: true, Color: r.Place % report.Colors, Best: r.Against == nil}
		if r.Against != nil && r.Against.Holm.Randomization < metric.Alpha {
			mark.Strong = slices.Index(table.Head, "p")
		}
		table.Marks = append(table.Marks, mark)
	}
	part := section{ID: "results", Title: "Results", Tables: []grid{table},
		Text: fmt.Sprintf("Best first. p is the chance of such a difference to the best ranker if both were the "+
			"same: randomization test, corrected for %s of rankers by Holm's method, since the same queries "+
			"found the best; bold below %g.", allPairs(len(s.Pairs)), metric.Alpha)}
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
		return text + " All others are worse by more than chance explains."
	case len(worse) == 0:
		return text + " That any other is worse is not proven: these test queries do not tell them apart."
	}
	return text + fmt.Sprintf(" Worse by more than chance explains: %s. Not told apart from it: %s.",
		strings.Join(worse, ", "), strings.Join(open, ", "))
}

func (s *BenchResult) basis() string {
	queries, documents := 0, 0
	for _, f := range s.Splits {
		queries, documents = queries+f.Queries, documents+f.Documents
	}
	return fmt.Sprintf("%d test queries with %d documents in %s; %s of each ranker on each. %s: %s.",
		queries, documents, counted(len(s.Splits), "split"), counted(s.Seeds, "training run"), s.Metric, s.Rules)
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
			all = append(all, fmt.Sprintf("%s: %d of %d test queries have the ids of training queries: if they are "+
				"the same queries, the results are too good.", f.Name, f.Leaked, f.Queries))
		}
	}
	for _, r := range s.runs {
		if r.Warning != "" {
			all = append(all, fmt.Sprintf("%s on %s, seed %d: %s.", labeled(r.Ranker, r.Variant), r.Fold, r.Seed,
				r.Warning))
		}
	}
	var cut []string
	for _, r := range s.Rankers {
		if r.OutOfTime > 0 {
			cut = append(cut, fmt.Sprintf("%s (%d of %d)", r.Ranker, r.OutOfTime, len(r.curves)))
		}
	}
	if cut != nil {
		all = append(all, "Training runs that ran out of time: "+strings.Join(cut, ", ")+
			". With more time, or on a faster machine, their models would be others.")
	}
	return all
}

func (s *BenchResult) dataGrid() grid {
	g := grid{Head: []string{"split", "test queries", "test documents"},
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

func (s *BenchResult) settingsGrid() grid {
	g := grid{Head: []string{"ranker", "kind", "parameters that were given (variant of the first split)",
		"variant chosen on each split", "seconds to train all"}, Text: true}
	for _, r := range s.Rankers {
		set, chosen := strings.Join(r.Set, ", "), strings.Join(r.Chosen, ", ")
		if set == "" {
			set = "the defaults"
		}
		if r.Variants == 1 {
			chosen = "there is one"
		}
		g.Rows = append(g.Rows, []string{r.Ranker, r.Kind, set, chosen, fmt.Sprintf("%.3g", r.TotalSeconds)})
	}
	return g
}

// notes explain how the figures were computed.
func (s *BenchResult) notes() []string {
	return []string{
		"Every ranker saw the same training queries. Validation queries chose the iteration that each model " +
			"keeps and, where a ranker has variants, the variant on each split. Test queries chose nothing.",
		"A ranker's value for a test query is the mean over its seeds: seeds are averaged for each query before " +
			"anything is tested, so each query counts once, with its weight if queries have weights. The queries " +
			"of all splits together make the mean.",
		fmt.Sprintf("The %g %% interval shows how much the mean would vary with other queries of the same sort "+
			"(symmetric studentized bootstrap). The standard deviation over seeds shows how much with another "+
			"seed; it is 0 where a ranker draws nothing at random.", 100*s.Level),
		"All pairs of rankers are compared, query by query, by paired two-sided tests. p is raised so that the " +
			"chance of any false alarm among all pairs stays at the level that it is compared with (Holm's " +
			"method). Which ranker is best was itself found on these queries; since every pair is counted, " +
			"p holds for the comparisons with it too.",
		"Seconds to train are for one training run, including validation but not reading the data. Microseconds " +
			"a document are on one thread, one query at a time, as a server does it, the data in memory. The size " +
			"is that of the model's file.",
		fmt.Sprintf("%s: %s.", s.Metric, s.Rules),
	}
}

// finite reports whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// allPairs says of how many pairs all were tested.
func allPairs(n int) string {
	if n == 1 {
		return "the pair"
	}
	return "all " + counted(n, "pair")
}
