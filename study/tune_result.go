package study

import (
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/rounds"
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
	FinalModel
	Value      float64           // of the final model: the mean of PerQuery
	Comparison metric.Comparison // the base with the final model; meaningless if they are the same
	Tests      int               // number of models from which this one was chosen (package documentation)
	P          float64           // p-value of the difference, times Tests
	Beats      bool              // the final model is better by more than chance would explain

	space  searchSpace
	given  []param.Setting // TuneOptions.Config
	params booster.Params  // of the final model
}

// base returns the trial that the search began with.
func (r *TuneResult) base() *Trial { return r.Trials[0] }

// isBase reports whether nothing is better than the base.
func (r *TuneResult) isBase() bool { return len(r.Models) == 1 && r.Models[0] == r.base() }

// Params returns the parameters of the final model on all data, without early stopping.
func (r *TuneResult) Params() booster.Params { return r.params }

// result chooses the final model and compares it with the base.
func (s *search) result() (*TuneResult, error) {
	if first := s.trials[1]; !slices.ContainsFunc(s.trials[1:], func(t *Trial) bool { return t.Err == nil }) {
		return nil, fmt.Errorf("no trial could be trained; the first failed by this: %w", first.Err)
	}
	chosen := s.final()
	r := &TuneResult{Metric: s.metric.Name(), Rules: metric.Rules(s.metric), Trials: s.trials,
		FinalModel: *chosen, Value: chosen.value(), P: 1, space: s.space, given: s.o.Config,
		params: chosen.onAll(s.params.Objective)}
	if !r.isBase() {
		if err := s.compare(r, chosen); err != nil {
			return nil, fmt.Errorf("comparing the final model with the defaults: %w", err)
		}
	}
	r.warn(metric.NewSample(r.base().PerQuery, s.weights).Remark())
	r.describe(validationQueries(s.parts))
	return r, nil
}

// warn collects warnings for people.
func (r *TuneResult) warn(remark string) {
	r.Warn(remark)
	for _, t := range r.Models {
		if t.Best == t.params.NumIterations {
			r.Warn(fmt.Sprintf("the last iteration of %s, %d, is the best one: more may be better; raise "+
				"num_iterations", t.name(), t.Best))
		}
	}
	failed := slices.DeleteFunc(slices.Clone(r.Trials), func(t *Trial) bool { return t.Err == nil })
	if len(failed) > 0 {
		r.Warn(fmt.Sprintf("%d of %s could not be trained; trials.tsv has the reasons", len(failed),
			wording.Count(len(r.Trials)-1, "trial")))
	}
}

// describe sets the document of the result. queries are the ids of the validation queries.
func (r *TuneResult) describe(queries []string) {
	trials := r.trialsTable()
	r.Title, r.Finding = "Which settings are best? "+r.Metric, r.finding()
	r.Basis = fmt.Sprintf("%s on %s. %s. The finding has values of models "+
		"after it; the table of trials has those averages, which differ. %s: %s.",
		wording.Count(len(r.Trials)-1, "trial"), wording.Count(len(r.PerQuery), "validation query"), smoothRule,
		r.Metric, r.Rules)
	r.Tables, r.Facts = []*report.Table{trials}, r.facts()
	r.Files = []stream.File{{Name: "train.conf", Write: r.config}, {Name: "report.html", Write: r.Write}}
	var compared *report.Compared
	if !r.isBase() {
		compared = &report.Compared{Comparison: r.Comparison, A: r.base().name(), B: r.found(),
			ValuesA: r.base().PerQuery, P: wording.Probability(r.P)}
	}
	judged := report.PerQuery{Queries: report.ByID(queries), Metric: r.Metric, Values: r.PerQuery}
	r.Sections = []report.Section{
		report.Parameters("The result, as train.conf has it.", r.settings()),
		trials.Section("Trials", "", fmt.Sprintf("In the order of their numbers. A trial with fewer than %d steps "+
			"was given up; its value is that of the data that it had.", trialSteps)),
		judged.Section("The validation queries by what was found, and how they "+
			"differ from those of the defaults.", r.found()+": ", 10, compared)}
}

// trialsTable returns a table with a row for each trial. A terminal shows the best ones.
func (r *TuneResult) trialsTable() *report.Table {
	const full = report.Programs | report.Page
	table := &report.Table{Name: "trials", Value: r.Metric, Shown: r.bestTrials(), Columns: []report.Column{
		{Name: "name", Head: "trial", For: report.Terminal}, {Name: "trial", For: full}, {Name: "steps", For: full},
		{Name: r.Metric, Show: report.As("%.4f")}, {Name: "best_iteration", Show: report.As("%d")},
		{Name: "iterations", Show: report.As("%d"), For: full}}}
	for _, d := range r.space {
		table.Columns = append(table.Columns, report.Column{Name: d.Name, Head: d.Name,
			For: report.People | report.TSV})
	}
	table.Columns = append(table.Columns, report.Column{Name: "parameters", For: report.JSON},
		report.Column{Name: "seconds", Show: report.As("%.3g"), For: full}, report.Column{Name: "error", For: full})
	for _, t := range r.Trials {
		row := []any{t.name(), t.Number, t.Step, t.Value, t.Best, len(t.Curve)}
		parameters, message, own := map[string]string{}, any(nil), t.params.Table()
		for _, d := range r.space {
			parameters[d.Name] = own.Find(d.Name).Value.String()
			row = append(row, parameters[d.Name])
		}
		if t.Err != nil {
			message, row[3] = t.Err.Error(), nil
		}
		table.Add(append(row, parameters, t.Seconds, message)...)
	}
	return table
}

// bestTrials returns the numbers of the best trials, including the defaults.
func (r *TuneResult) bestTrials() (numbers []int) {
	const most = 10
	for i, t := range bestOf(r.Trials, trialSteps) {
		if i < most || t == r.base() {
			numbers = append(numbers, t.Number)
		}
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
	return map[string]any{"metric": r.Metric, "rules": r.Rules, "queries": len(r.PerQuery),
		"best_trial": slices.MinFunc(r.Models, betterTrial).Number, "models": models, "value": r.Value,
		"parameters": parameters, "difference_to_defaults": c.Difference,
		"difference_low": c.Interval.Low, "difference_high": c.Interval.High,
		"p": r.P, "p_correction": r.Tests, "beats_defaults": r.Beats}
}

// config writes the parameters of the final model as a configuration file for train, after the settings of
// [TuneOptions].Config that they do not replace. Settings of judgment and of early stopping served the
// search; the final model has neither, and train would warn that they have no effect. Only the convention of
// the metrics stays: the model records it, and is judged by it later.
func (r *TuneResult) config(w io.Writer) error {
	found, table := r.settings(), r.params.Table()
	kept := slices.DeleteFunc(slices.Clone(r.given), func(s param.Setting) bool {
		row := table.Find(s.Name)
		ofSearch := row != nil && row.Name != "metric_convention" &&
			(row.Group == rounds.GroupEvaluation || row.Group == rounds.GroupStopping)
		return ofSearch || slices.ContainsFunc(found, func(f param.Setting) bool { return f.Name == s.Name })
	})
	text := fmt.Sprintf("# %s\n# Found by lambdamart tune with %s.\n", r.Finding,
		wording.Count(len(r.Trials)-1, "trial"))
	for _, s := range append(kept, found...) {
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
	base := fmt.Sprintf("The defaults have %s %.4f after %s", r.Metric, value,
		wording.Count(r.base().Best, "iteration"))
	if r.isBase() {
		return base + ", and nothing is clearly better."
	}
	verdict := r.Comparison.Verdict(r.P)
	if r.Tests > 1 {
		verdict += fmt.Sprintf(" after correction for %d choices", r.Tests)
	}
	switch {
	case r.Beats:
	case r.Comparison.Difference > 0:
		verdict += "; " + r.found() + " is the better choice"
	default:
		verdict += "; the defaults are as good a choice"
	}
	return fmt.Sprintf("%s; %s has %.4f (%+.4f): %s.", base, r.found(), r.Value, r.Comparison.Difference,
		verdict)
}

// found returns the name of the final model in sentences.
func (r *TuneResult) found() string {
	if len(r.Models) == 1 {
		return r.Models[0].name()
	}
	return fmt.Sprintf("the mean of the models of trials %d to %d", r.Models[0].Number, len(r.Models))
}

// name returns the name of a trial in figures.
func (t *Trial) name() string {
	if t.Number == 0 {
		return "the defaults"
	}
	return fmt.Sprintf("trial %d", t.Number)
}
