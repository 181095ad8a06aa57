package study

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/param"
)

// describe sets the document of the result.
func (r *TuneResult) describe() {
	trials := r.trialsTable()
	r.Title, r.Finding = "Which settings are best? "+r.Metric, r.finding()
	r.Basis = fmt.Sprintf("%d trials on %d validation queries. %s. The finding has values of models "+
		"after it; the table of trials has those averages, which differ. Budget: %s. %s: %s.",
		len(r.Trials)-1, r.Queries, smoothRule, r.Budget, r.Metric, r.Rules)
	r.Tables, r.Facts = []*report.Table{trials}, r.facts()
	r.Files = []stream.File{{Name: "train.conf", Write: r.config}, {Name: "report.html", Write: r.Write}}
	r.Sections = []report.Section{r.bestSection(), r.progressSection(), r.curvesSection(),
		r.queriesSection(), r.effectsSection(),
		{ID: "trials", Title: "Trials", Tables: []report.Grid{trials.Grid(fmt.Sprintf("In the order of their "+
			"numbers. A trial with fewer than %d steps was given up; its value is that of the iterations that it "+
			"had.", trialSteps))}}}
	r.Notes = []string{
		"Every trial is judged by the mean over the same validation queries, averaged over neighboring " +
			"iterations (from 7/8 to 9/8) and largest at its best iteration. Test queries had no part in the search.",
		"The largest of many values is mostly luck on few queries. Therefore a trial takes the place of one " +
			"that the search began with only if it is better by more than one standard error; and what was found " +
			"is compared with the defaults query by query (randomization test). Of what was fixed before the " +
			"search, p is multiplied by the number of models that were; of what the search found, by the number " +
			"of trials.",
		"In a bracket of nine trials, all are trained for a third of the defaults' best length, the better " +
			"third for all of it, and the best one until it stops early. Lengths are sums of learning rates.",
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

// trialsTable has a row for each trial. A terminal shows the best ones.
func (r *TuneResult) trialsTable() *report.Table {
	const full = report.Programs | report.Page
	names := r.differing()
	table := &report.Table{Name: "trials", Shown: r.bestTrials(), Columns: []report.Column{
		{Name: "name", Head: "trial", For: report.Terminal}, {Name: "trial", For: full}, {Name: "bracket",
			For: full},
		{Name: "from", For: full}, {Name: "steps", For: full}, {Name: r.Metric, Key: "value", Format: "%.4f"},
		{Name: "best_iteration", Format: "%d"}, {Name: "iterations", Format: "%d", For: full}}}
	for _, name := range names {
		column := report.Column{Name: name, Head: name, For: report.People | report.TSV}
		table.Columns = append(table.Columns, column)
	}
	table.Columns = append(table.Columns, report.Column{Name: "parameters", For: report.JSON},
		report.Column{Name: "seconds", Format: "%.3g", For: full}, report.Column{Name: "error", For: full})
	for _, t := range r.Trials {
		row := []any{t.name(), t.Number, t.Bracket, t.Parent, t.Step, t.Value, t.Best, t.Rounds}
		parameters, message := map[string]string{}, any(nil)
		for i, value := range t.values(names) {
			row, parameters[names[i]] = append(row, value), value
		}
		if t.Err != nil {
			message = t.Err.Error()
		}
		if t.Err != nil || t.Rounds == 0 {
			row[5] = nil
		}
		table.Add(append(row, parameters, t.Seconds, message)...)
	}
	return table
}

// bestTrials returns the numbers of the best trials, including the defaults.
func (r *TuneResult) bestTrials() (numbers []int) {
	const most = 10
	unfinished := func(t *Trial) bool { return t.Step < trialSteps || t.Err != nil }
	trials := slices.DeleteFunc(slices.Clone(r.Trials), unfinished)
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
	p, base := r.Params(), r.base().parameters()
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
