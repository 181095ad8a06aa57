package study

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// TuneResult is the result of a search, as text, TSV, JSON and a page.
type TuneResult struct {
	document

	Metric string // metric that decides, such as "ndcg@10"
	Rules  string // its convention in words

	Trials []*Trial // by number; the first is the base
	Models []*Trial // models whose mean is the final model; only the base if nothing is better
	Rounds int      // iterations of each of these models

	Queries    int               // validation queries, whether they count or not
	PerQuery   []float64         // value of each validation query for the final model
	Value      float64           // of the final model: the mean of PerQuery
	Comparison metric.Comparison // the base with the final model; meaningless if they are the same
	Tests      int               // number of models from which this one was chosen (package documentation)
	P          float64           // p-value of the difference, times Tests
	Beats      bool              // the final model is better by more than chance would explain

	Context *TuneContext // result of the test of query context; nil if there was none

	Budget string // the budget in words
	OutOf  string // "trials" or "seconds": the limit that ended the search

	space   searchSpace
	given   []param.Setting // TuneOptions.Config
	queries []string        // ids of the validation queries, in the order of PerQuery
}

// base returns the trial that the search began with.
func (r *TuneResult) base() *Trial { return r.Trials[0] }

// isBase reports whether nothing is better than the base.
func (r *TuneResult) isBase() bool { return len(r.Models) == 1 && r.Models[0] == r.base() }

// Params returns the parameters of the final model on all data, without early stopping.
func (r *TuneResult) Params() booster.Params {
	p := final(r.Models[0].params, r.Rounds)
	if len(r.Models) > 1 {
		p.NumModels, p.Objective = len(r.Models), r.base().params.Objective
		for _, t := range r.Models {
			p.ModelObjectives = append(p.ModelObjectives, t.params.Objective)
		}
	}
	return p
}

// result chooses the final model and compares it with the base.
func (s *search) result() (*TuneResult, error) {
	r := &TuneResult{Metric: s.metric.Name(), Rules: s.metric.Convention().String(), space: s.space,
		given:  s.o.Config,
		Trials: s.trials, Queries: len(s.trials[0].PerQuery), P: 1,
		queries: validationQueries(s.parts), Context: s.context}
	if s.kinds != nil && s.context == nil { // the budget ended before the test
		r.Context = &TuneContext{Kinds: s.kinds}
	}
	chosen := s.final()
	r.Models, r.Rounds, r.PerQuery, r.Value = chosen.models, chosen.rounds, chosen.perQuery, chosen.value()
	r.Budget, r.OutOf = s.budget()
	if !r.isBase() {
		if err := s.compare(r, chosen); err != nil {
			return nil, fmt.Errorf("comparing the final model with the defaults: %w", err)
		}
	}
	r.warn(s)
	r.describe()
	s.tellEnd(r)
	return r, s.failed()
}

// tellEnd reports what an earlier run did, and why query context is not used.
func (s *search) tellEnd(r *TuneResult) {
	n := 0
	for _, t := range r.Trials {
		if t.Kept {
			n++
		}
	}
	if n > 0 {
		text := fmt.Sprintf("%d of %d training runs (trials and defaults) were taken, in whole or in part, from %s",
			n, len(r.Trials), s.o.Keep.Folder)
		facts := report.Record{"trials", n, "of", len(r.Trials), "folder", s.o.Keep.Folder}
		s.tell(Event{Kind: "resumed", Level: 1, Text: text, Fields: facts})
	}
	if c := r.Context; c != nil && c.Decided && !c.Taken {
		s.tell(note(c.text()))
	}
}

// budget describes the budget, and returns which part of it ended the search.
func (s *search) budget() (words, outOf string) {
	var parts []string
	outOf = "trials"
	if s.o.Trials > 0 {
		parts = append(parts, fmt.Sprintf("%d trials", s.o.Trials))
	}
	if s.o.Time > 0 {
		parts = append(parts, fmt.Sprintf("%v seconds", s.o.Time.Seconds()))
		if s.o.Trials <= 0 || len(s.trials)-1 < s.o.Trials {
			outOf = "seconds"
		}
	}
	return strings.Join(parts, " and "), outOf
}

// failed returns an error if no trial could be trained.
func (s *search) failed() error {
	if len(s.trials) == 1 || slices.ContainsFunc(s.trials[1:], func(t *Trial) bool { return t.Err == nil }) {
		return nil
	}
	return errors.Join(errors.New("no trial could be trained; the first failed by this"), s.trials[1].Err)
}

// warn collects warnings for people.
func (r *TuneResult) warn(s *search) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case len(r.Trials) == 1:
		add("the budget was spent on the defaults: no trial was trained; allow more time")
	case r.isBase():
		add("nothing beats the defaults: the parameters found are the defaults")
	case !r.Beats:
		add("that %s beats the defaults is %s", r.found(), r.verdict())
	}
	if remark := s.single(s.trials[0]).remark(); remark != "" {
		r.Warnings = append(r.Warnings, remark)
	}
	if c := r.Context; c != nil && (c.Taken || !c.Decided) {
		r.Warnings = append(r.Warnings, c.text())
	}
	for _, t := range r.Models {
		if t.Best == t.params.NumIterations {
			add("the last iteration of %s, %d, is the best one: more may be better; raise num_iterations",
				t.name(), t.Best)
		}
		if t.Asked || t == r.base() {
			continue // the search did not find the values of this trial
		}
		for i := range r.space {
			if d := &r.space[i]; d.endsAt(t.Settings[i].Value) {
				add("the value of %s in %s lies at the end of its range (%s): a wider range may have better ones",
					d.Name, t.name(), d)
			}
		}
	}
	failed := 0
	for _, t := range r.Trials {
		if t.Err != nil {
			failed++
		}
	}
	if failed > 0 {
		add("%d of %d trials could not be trained; trials.tsv has the reasons", failed, len(r.Trials)-1)
	}
	if r.OutOf == "seconds" {
		add("the time was over after %d trials: on another machine, or with other load, there would be others; "+
			"max_trainings gives the same trials everywhere", len(r.Trials)-1)
	}
}

// endsAt reports whether a value is at an end of the range that is not an end of the allowed values too, as 1
// is for a share.
func (d *dimension) endsAt(value string) bool {
	u := d.place(value)
	natural := u > 0.5 && d.High == 1 && !d.Integer
	return d.Choices == nil && (u < 0.02 || u > 0.98) && !natural
}

// describe sets the document of the result.
func (r *TuneResult) describe() {
	trials := r.trialsTable()
	r.Title, r.Finding = "Which settings are best? "+r.Metric, r.finding()
	r.Basis = fmt.Sprintf("%d trials on %d validation queries. %s. The finding has values of models "+
		"after it; the table of trials has those averages, which differ. Budget: %s. %s: %s.",
		len(r.Trials)-1, r.Queries, smoothRule, r.Budget, r.Metric, r.Rules)
	r.Tables, r.Facts = []*report.Table{trials}, r.facts()
	r.Files = []stream.File{{Name: "train.conf", Write: r.config}, {Name: "report.html", Write: r.Write}}
	r.Sections = []report.Section{r.bestSection(), r.curvesSection(), r.queriesSection(), r.effectsSection(),
		{ID: "trials", Title: "Trials", Tables: []report.Grid{trials.Grid(fmt.Sprintf("In the order of their "+
			"numbers. A trial with fewer than %d steps was given up; its value is that of the data that it "+
			"had.", trialSteps))}}}
	r.Notes = []string{
		"Every trial is judged by the mean over the same validation queries, averaged over neighboring " +
			"iterations (from 7/8 to 9/8) and largest at its best iteration. Test queries had no part in the search.",
		"The largest of many values is mostly luck on few queries. Therefore a trial takes the place of one " +
			"that the search began with only if it is better by more than one standard error; and what was found " +
			"is compared with the defaults query by query (randomization test). Of what was fixed before the " +
			"search, p is multiplied by the number of models that were; of what the search found, by the number " +
			"of trials.",
		"In a bracket of nine trials, all are trained on a third of the folds, and the best third of them on all " +
			"folds. With a validation set, a third of the training queries takes the place of a third of the folds, and " +
			"on at most 30,000 rows all are trained on all of them.",
	}
}

// differing returns the names of the parameters in which trials differ.
func (r *TuneResult) differing() (names []string) {
	for _, d := range r.space {
		names = append(names, d.Name)
	}
	if r.Context != nil {
		names = append(names, "query_context")
	}
	return names
}

// values returns the values of some parameters of a trial.
func (t *Trial) values(names []string) (values []string) {
	p := t.params
	table := p.Table()
	for _, name := range names {
		values = append(values, table.Find(name).Value.String())
	}
	return values
}

// trialsTable returns a table with a row for each trial. A terminal shows the best ones.
func (r *TuneResult) trialsTable() *report.Table {
	const full, figures = report.Programs | report.Page, report.People | report.TSV
	names := r.differing()
	table := &report.Table{Name: "trials", Shown: r.bestTrials(), Columns: []report.Column{
		{Name: "name", Head: "trial", For: report.Terminal}, {Name: "trial", For: full},
		{Name: "bracket", For: full}, {Name: "from", For: full}, {Name: "steps", For: full},
		{Name: r.Metric, Show: report.As("%.4f"), For: figures}, {Name: "value", For: report.JSON},
		{Name: "best_iteration", Show: report.As("%d")}, {Name: "iterations", Show: report.As("%d"), For: full}}}
	for _, name := range names {
		table.Columns = append(table.Columns, report.Column{Name: name, Head: name, For: figures})
	}
	table.Columns = append(table.Columns, report.Column{Name: "parameters", For: report.JSON},
		report.Column{Name: "seconds", Show: report.As("%.3g"), For: full}, report.Column{Name: "error", For: full})
	for _, t := range r.Trials {
		row := []any{t.name(), t.Number, t.Bracket, t.Parent, t.Step, t.Value, t.Value, t.Best, len(t.Curve)}
		parameters, message := map[string]string{}, any(nil)
		for i, value := range t.values(names) {
			row, parameters[names[i]] = append(row, value), value
		}
		if t.Err != nil {
			message = t.Err.Error()
		}
		if t.Err != nil || t.Step == 0 {
			row[5], row[6] = nil, nil
		}
		table.Add(append(row, parameters, t.Seconds, message)...)
	}
	return table
}

// bestTrials returns the numbers of the best trials, including the defaults.
func (r *TuneResult) bestTrials() (numbers []int) {
	const most = 10
	trials := slices.DeleteFunc(slices.Clone(r.Trials), func(t *Trial) bool { return !t.finished() })
	slices.SortFunc(trials, betterTrial)
	for _, t := range trials[:min(most, len(trials))] {
		numbers = append(numbers, t.Number)
	}
	if !slices.Contains(numbers, 0) {
		numbers = append(numbers, 0)
	}
	return numbers
}

// facts returns the content of result.json besides the trials. Its names must not change.
func (r *TuneResult) facts() map[string]any {
	c, models, parameters := &r.Comparison, []int{}, map[string]string{}
	for _, t := range r.Models {
		models = append(models, t.Number)
	}
	for _, s := range r.settings() {
		parameters[s.Name] = s.Value
	}
	facts := map[string]any{"metric": r.Metric, "rules": r.Rules, "queries": r.Queries, "budget": r.Budget,
		"best_trial": slices.MinFunc(r.Models, betterTrial).Number, "models": models, "value": r.Value,
		"parameters": parameters, "difference_to_defaults": c.Difference,
		"difference_low": c.Interval.Low, "difference_high": c.Interval.High,
		"p": r.P, "p_correction": r.Tests, "beats_defaults": r.Beats}
	if c := r.Context; c != nil {
		facts["query_context"] = map[string]any{"decided": c.Decided, "difference": c.Difference,
			"standard_error": c.Error, "taken": c.Taken}
	}
	return facts
}

// config writes the parameters of the final model as a configuration file for train, after the settings of
// [TuneOptions].Config that they do not replace.
func (r *TuneResult) config(w io.Writer) error {
	found := r.settings()
	settings := slices.DeleteFunc(slices.Clone(r.given), func(s param.Setting) bool {
		isFound := slices.ContainsFunc(found, func(f param.Setting) bool { return f.Name == s.Name })
		return isFound || s.Name == "patience" || slices.Contains(r.differing(), s.Name) ||
			r.Context != nil && s.Name == "query_context_features"
	})
	text := fmt.Sprintf("# %s\n# Found by lambdamart tune with a budget of %s.\n", r.Finding, r.Budget)
	for _, s := range append(settings, found...) {
		text += fmt.Sprintf("%s = %s\n", s.Name, s.Value)
	}
	_, err := io.WriteString(w, text)
	return err
}

// settings returns the settings of the final model that the search found: the searched parameters, and all
// others that differ from those of the base.
func (r *TuneResult) settings() (found []param.Setting) {
	p, base := r.Params(), final(r.base().params, r.base().Best)
	table, usual := p.Table(), base.Table()
	var names []string
	for _, d := range r.space {
		if d.Name != "objective" || p.NumModels == 1 {
			names = append(names, d.Name)
		}
	}
	names = append(names, "num_iterations")
	for _, row := range table {
		if !slices.Contains(names, row.Name) && row.Value.String() != usual.Find(row.Name).Value.String() {
			names = append(names, row.Name)
		}
	}
	for _, name := range names {
		found = append(found, param.Setting{Name: name, Value: table.Find(name).Value.String()})
	}
	return found
}

// finding states the result in one or two sentences. Its values are those of the models after their best
// iterations, which are compared, and not the averages over neighboring iterations of the table of trials.
func (r *TuneResult) finding() string {
	value := r.Value
	if !r.isBase() {
		value = r.Comparison.MeanA
	}
	base := fmt.Sprintf("The defaults have %s %.4f after %d iterations", r.Metric, value, r.base().Best)
	if r.isBase() {
		return base + ", and nothing is clearly better."
	}
	return fmt.Sprintf("%s; %s has %.4f (%+.4f): %s.", base, r.found(), r.Value, r.Comparison.Difference,
		r.verdict())
}

// verdict states the result of the comparison with the defaults.
func (r *TuneResult) verdict() string {
	text := r.Comparison.Verdict(r.P)
	if r.Tests > 1 {
		text += fmt.Sprintf(" after correction for %d choices", r.Tests)
	}
	switch {
	case r.Beats:
		return text
	case r.Comparison.Difference > 0:
		return text + "; " + r.found() + " is the better choice"
	}
	return text + "; the defaults are as good a choice"
}

// found returns the name of the final model in sentences.
func (r *TuneResult) found() string {
	if len(r.Models) == 1 {
		return r.Models[0].name()
	}
	var numbers []string
	for _, t := range r.Models {
		numbers = append(numbers, strconv.Itoa(t.Number))
	}
	last := len(numbers) - 1
	return "the mean of the models of trials " + strings.Join(numbers[:last], ", ") + " and " + numbers[last]
}

// compared returns the defaults and the trials of the final model.
func (r *TuneResult) compared() []*Trial {
	if r.Models[0] == r.base() {
		return r.Models
	}
	return append([]*Trial{r.base()}, r.Models...)
}

// bestSection shows the settings of the trials of the final model next to the defaults.
func (r *TuneResult) bestSection() report.Section {
	g := report.Grid{Head: []string{"parameter"}, Text: true}
	iterations := []string{"num_iterations"}
	for _, t := range r.compared() {
		g.Head, iterations = append(g.Head, t.name()), append(iterations, strconv.Itoa(t.Best))
	}
	best := "the best of each trial"
	if len(r.Models) > 1 {
		best += fmt.Sprintf("; %d in the mean", r.Rounds)
	}
	g.Head, iterations = append(g.Head, "searched"), append(iterations, best)
	for _, d := range r.space {
		row := []string{d.Name}
		for _, t := range r.compared() {
			row = append(row, t.values([]string{d.Name})...)
		}
		g.Rows = append(g.Rows, append(row, d.String()[len(d.Name)+len(" = "):]))
	}
	if r.Context != nil {
		row := []string{"query_context"}
		for _, t := range r.compared() {
			row = append(row, t.values(row[:1])...)
		}
		g.Rows = append(g.Rows, append(row, r.Context.text()))
	}
	g.Rows = append(g.Rows, iterations)
	return report.Section{ID: "best", Title: "Best settings", Tables: []report.Grid{g}}
}

// queriesSection shows the validation queries for the final model, compared with the defaults.
func (r *TuneResult) queriesSection() report.Section {
	base, other := r.base(), (*report.Compared)(nil)
	if !r.isBase() {
		other = &report.Compared{Comparison: r.Comparison, A: base.name(), B: r.found(), ValuesA: base.PerQuery,
			P: wording.Probability(r.P)}
	}
	return validationSection(r.queries, r.Metric, "The validation queries by what was found, and how they "+
		"differ from those of the defaults.", r.found()+": ", r.PerQuery, other)
}

// curvesSection shows the learning curves of the defaults and of the trials of the final model.
func (r *TuneResult) curvesSection() report.Section {
	chart := plot.Lines{ID: "curves-figure", Title: r.Metric + " by iteration",
		XLabel: "iteration (logarithmic)", YLabel: "validation " + r.Metric, LogX: true, LinesOnly: true,
		Description: "Learning curves of the defaults and of the trials of the final model."}
	trials := r.compared()
	curves := make([]report.Curve, len(trials))
	for i, t := range trials {
		curves[i] = report.Curve{Name: t.name(), Color: i, Value: t.Curve}
		for round := range t.Curve {
			curves[i].Iteration = append(curves[i].Iteration, round+1)
		}
	}
	chart.Series = report.Overlaid(curves)
	return report.Section{ID: "curves", Title: "Learning curves",
		Text: "A trial stops when its curve has not risen for its patience.",
		Figures: []report.Figure{{Chart: &chart, Caption: "Means over validation queries after each iteration.",
			Table: report.Summary(curves)}}}
}

// name returns the name of a trial in figures.
func (t *Trial) name() string {
	if t.Number == 0 {
		return "the defaults"
	}
	return fmt.Sprintf("trial %d", t.Number)
}

// effectsSection plots the values of trials against each searched parameter.
func (r *TuneResult) effectsSection() report.Section {
	s := report.Section{ID: "effects", Title: "Effects of parameters",
		Text: "Each trial that was trained on all folds. A cloud without a slope says that the parameter matters " +
			"less than the others, or less than chance."}
	finished := slices.ContainsFunc(r.Trials[1:], (*Trial).finished)
	for i := range r.space {
		if !r.space[i].fixed() && finished {
			s.Figures = append(s.Figures, r.effect(i))
		}
	}
	return s
}

func (r *TuneResult) effect(dimension int) report.Figure {
	d := &r.space[dimension]
	chart := plot.Lines{ID: "effect-" + d.Name, Title: r.Metric + " by " + d.Name, XLabel: d.Name,
		YLabel: "validation " + r.Metric, PointsOnly: true, Height: 260,
		LogX: d.Log, Description: "A point for each trial."}
	if d.Log {
		chart.XLabel += " (logarithmic)"
	}
	var points []plot.Point
	for _, t := range r.Trials[1:] {
		if !t.finished() {
			continue
		}
		value := t.Settings[dimension].Value
		x := float64(slices.Index(d.Choices, value)) + 1
		if d.Choices == nil {
			x, _ = strconv.ParseFloat(value, 64)
		}
		points = append(points, plot.Point{X: x, Y: t.Value})
	}
	chart.Series = []plot.Series{{Name: "a trial", Points: points}}
	caption := d.String()
	for i, choice := range d.Choices {
		caption += fmt.Sprintf("; %d is %s", i+1, choice)
	}
	return report.Figure{Chart: &chart, Caption: caption}
}
