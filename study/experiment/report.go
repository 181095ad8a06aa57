package experiment

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// The parts of the page.
type (
	grid    = report.Grid
	section = report.Section
	figure  = report.Figure
)

// Report writes all results as one page of HTML that needs no network and no scripts. program is the
// name of the program in it.
func (s *Summary) Report(w io.Writer, program string) error {
	p := report.Document{
		Title:    "Which ranker is best? " + s.Metric + " on " + s.Data,
		Finding:  s.finding(),
		Basis:    s.basis(),
		Warnings: s.warnings(),
		Program:  s.Limits + " Made by " + program + ".",
		Notes:    s.notes(),
		Sections: []section{s.resultsSection(), s.secondsSection(), s.cutoffSection(), s.curvesSection(), s.queriesSection(), s.differencesSection(), s.importanceSection(),
			{ID: "data", Title: "Data", Tables: []grid{s.dataGrid()}}, {ID: "settings", Title: "Settings", Tables: []grid{s.settingsGrid()}}},
	}
	return p.Write(w)
}

// resultsSection is the table of all rankers.
func (s *Summary) resultsSection() section {
	table := grid{Caption: "Rankers, best first", Head: []string{"ranker", "mean " + s.Metric, fmt.Sprintf("%g %% interval", 100*s.Level), "sd over seeds", "minus best", "p", "training, s", "scoring, µs a\u00a0document", "model", "iterations kept"}}
	for i := range s.Rankers {
		r := &s.Rankers[i]
		table.Rows = append(table.Rows, r.cells())
		mark := report.Mark{Swatch: true, Colour: r.Place % report.Colours, Best: r.Against == nil}
		if r.Against != nil && r.Against.Corrected.Randomization < significance.Alpha {
			mark.Strong = slices.Index(table.Head, "p")
		}
		table.Marks = append(table.Marks, mark)
	}
	part := section{ID: "results", Title: "Results", Tables: []grid{table},
		Text: fmt.Sprintf("Best first. p is the chance of such a difference to the best ranker if both were the same: randomization test, corrected for all %s of rankers by Shaffer's method, since the same queries found the best; bold below %g.", count(len(s.Pairs), "pair"), significance.Alpha)}
	if tests := s.testsGrid(); len(tests.Rows) > 0 {
		part.Tables = append(part.Tables, tests)
	}
	return part
}

// finding states the result in a sentence or two.
func (s *Summary) finding() string {
	best := &s.Rankers[0]
	text := fmt.Sprintf("%s is best with a mean %s of %.4f.", best.Ranker, s.Metric, best.Mean)
	if len(s.Rankers) == 1 {
		return text
	}
	var worse, open []string
	for _, r := range s.Rankers[1:] {
		if r.Against.Corrected.Randomization < significance.Alpha {
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
	return text + fmt.Sprintf(" Worse by more than chance explains: %s. Not told apart from it: %s.", strings.Join(worse, ", "), strings.Join(open, ", "))
}

func (s *Summary) basis() string {
	queries, documents := 0, 0
	for _, f := range s.Folds {
		queries, documents = queries+f.Queries, documents+f.Documents
	}
	return fmt.Sprintf("%d test queries with %d documents in %s; %s of each ranker on each. %s: %s.",
		queries, documents, count(len(s.Folds), "split"), count(s.Seeds, "training"), s.Metric, s.Rules)
}

// warnings returns what a reader must know to judge the table.
func (s *Summary) warnings() (all []string) {
	for _, f := range s.Failed {
		all = append(all, fmt.Sprintf("Failed, so the ranker is left out: %s: %v", f.Name, f.Err))
	}
	if remark := s.sample(&s.Rankers[0]).Remark(); remark != "" {
		all = append(all, "Test queries: "+remark+".")
	}
	for _, f := range s.Folds {
		if f.Leaked > 0 {
			all = append(all, fmt.Sprintf("%s: %d of %d test queries have the ids of training queries: if they are the same queries, the results flatter.", f.Name, f.Leaked, f.Queries))
		}
	}
	for _, r := range s.Runs {
		if r.Warning != "" {
			all = append(all, fmt.Sprintf("%s on %s, seed %d: %s.", labelled(r.Ranker, r.Variant), r.Fold, r.Seed, r.Warning))
		}
	}
	var cut []string
	for _, r := range s.Rankers {
		if r.OutOfTime > 0 {
			cut = append(cut, fmt.Sprintf("%s (%d of %d)", r.Ranker, r.OutOfTime, len(r.Curves)))
		}
	}
	if cut != nil {
		all = append(all, "Trainings that the clock ended: "+strings.Join(cut, ", ")+". With more time, or on a faster machine, their models would be others.")
	}
	return all
}

func (s *Summary) testsGrid() grid {
	g := grid{
		Folded: "All tests, wins and losses",
		Caption: "All pairs: the second ranker minus the first; p after Shaffer's correction; the effect is Cohen's d of paired values. " +
			"There is no Wilcoxon test of queries with different weights.",
		Head: []string{"pair", "difference", fmt.Sprintf("%g %% interval", 100*s.Level), "wins", "ties", "losses", "effect", "p, Student's t", "p, randomization", "p, Wilcoxon"},
	}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		g.Rows = append(g.Rows, []string{p.A + ", " + p.B, fmt.Sprintf("%+.4f", p.Difference), fmt.Sprintf("%+.4f to %+.4f", p.Interval.Low, p.Interval.High),
			fmt.Sprint(p.Wins), fmt.Sprint(p.Equal), fmt.Sprint(p.Loses), fmt.Sprintf("%+.3f", p.Effect),
			digits.Probability(p.Corrected.StudentT), digits.Probability(p.Corrected.Randomization), digits.Probability(p.Corrected.Wilcoxon)})
	}
	return g
}

func (s *Summary) dataGrid() grid {
	g := grid{Head: []string{"split", "test queries", "test documents"}, Caption: "Below each ranker: its mean " + s.Metric + " on the split."}
	for _, r := range s.Rankers {
		g.Head = append(g.Head, r.Ranker)
	}
	g.Head = append(g.Head, "files")
	for i, f := range s.Folds {
		line := []string{f.Name, fmt.Sprint(f.Queries), fmt.Sprint(f.Documents)}
		for _, r := range s.Rankers {
			line = append(line, digits.Four(r.FoldMeans[i]))
		}
		g.Rows = append(g.Rows, append(line, strings.Join([]string{filepath.Base(f.Train), filepath.Base(f.Vali), filepath.Base(f.Test)}, ", ")))
	}
	return g
}

func (s *Summary) settingsGrid() grid {
	g := grid{Head: []string{"ranker", "kind", "parameters that were given (variant of the first split)", "variant chosen on each split", "seconds to train all"}, Text: true}
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
func (s *Summary) notes() []string {
	return []string{
		"Every ranker saw the same training queries. Validation queries chose the iteration that each model keeps and, where a ranker has variants, the variant on each split. Test queries chose nothing.",
		"A ranker's value for a test query is the mean over its seeds: seeds are averaged for each query before anything is tested, so each query counts once, with its weight if queries have weights. The queries of all splits together make the mean.",
		fmt.Sprintf("The %g %% interval shows how much the mean would vary with other queries of the same sort (symmetric studentized bootstrap). The standard deviation over seeds shows how much with another seed; it is 0 where a ranker draws nothing at random.", 100*s.Level),
		"All pairs of rankers are compared, query by query, by paired two-sided tests. p is raised so that the chance of any false alarm among all pairs stays at the level that it is compared with (Shaffer's procedure S1). Which ranker is best was itself found on these queries; since every pair is counted, p holds for the comparisons with it too.",
		"Seconds to train are those of one training, validation included, reading the data not. Microseconds a document are on one thread, one query at a time, as a server does it, the data in memory. The size is that of the model's file.",
		fmt.Sprintf("%s: %s.", s.Metric, s.Rules),
	}
}

// finite reports whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
