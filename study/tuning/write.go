package tuning

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/param"
)

// head returns the names of the columns of a table of trials.
func (r *Result) head() []string {
	head := []string{"trial", "bracket", "from", "steps", r.Metric, "best_iteration", "iterations"}
	return append(append(head, r.differing()...), "seconds", "error")
}

// differing returns the names of the parameters in which trials differ.
func (r *Result) differing() (names []string) {
	for _, d := range r.Space {
		names = append(names, d.Name)
	}
	if r.Context != nil {
		names = append(names, "query_context")
	}
	return names
}

// values returns the values that a trial has of some parameters.
func (t *Trial) values(names []string) (values []string) {
	p := t.params
	table := p.Table()
	for _, name := range names {
		values = append(values, table.Find(name).Value.String())
	}
	return values
}

// rows returns a row of a table for each trial.
func (r *Result) rows() (rows [][]string) {
	for _, t := range r.Trials {
		row := []string{strconv.Itoa(t.Number), strconv.Itoa(t.Bracket), strconv.Itoa(t.Parent), strconv.Itoa(t.Step),
			six(t.Value), strconv.Itoa(t.Best), strconv.Itoa(t.Rounds)}
		row = append(row, t.values(r.differing())...)
		message := ""
		if t.Err != nil {
			message = t.Err.Error()
		}
		rows = append(rows, append(row, fmt.Sprintf("%.3g", t.Seconds), message))
	}
	return rows
}

// six formats a number with six decimals. NaN is "".
func six(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 6, 64)
}

// tableTrials is the number of trials that Table shows.
const tableTrials = 10

// Table writes the best trials for people, the defaults among them, and what was found.
func (r *Result) Table(w io.Writer) error {
	trials := slices.DeleteFunc(slices.Clone(r.Trials), func(t *Trial) bool { return t.Step < Steps || t.Err != nil })
	slices.SortFunc(trials, better)
	trials = trials[:min(tableTrials, len(trials))]
	if !slices.Contains(trials, r.Base()) {
		trials = append(trials, r.Base())
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "trial\t%s\titerations\t", r.Metric)
	for _, name := range r.differing() {
		fmt.Fprintf(out, "%s\t", name)
	}
	fmt.Fprintln(out)
	for _, t := range trials {
		fmt.Fprintf(out, "%s\t%.4f\t%d\t", t.name(), t.Value, t.Best)
		for _, value := range t.values(r.differing()) {
			fmt.Fprintf(out, "%s\t", value)
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Finding())
	return err
}

// Config writes the parameters of the final model as a configuration file of train. given are the settings
// that the search was given, of which those of searched parameters are replaced.
func (r *Result) Config(w io.Writer, given []param.Setting) error {
	settings := slices.DeleteFunc(slices.Clone(given), func(s param.Setting) bool {
		return s.Name == "num_iterations" || s.Name == "patience" || slices.Contains(r.differing(), s.Name) || r.Context != nil && s.Name == "query_context_features"
	})
	settings = append(settings, r.settings()...)
	fmt.Fprintf(w, "# %s\n# Found by lambdamart tune with a budget of %s.\n", r.Finding(), r.Budget)
	for _, s := range settings {
		if _, err := fmt.Fprintf(w, "%s = %s\n", s.Name, s.Value); err != nil {
			return err
		}
	}
	return nil
}

// settings returns what the search found: the settings of the final model.
func (r *Result) settings() (found []param.Setting) {
	p := r.Params()
	names := []string{"num_models", "model_settings"}
	if p.NumModels == 1 {
		names = nil
		for _, d := range r.Space {
			names = append(names, d.Name)
		}
		names = append(names, "num_iterations")
	}
	if len(p.QueryContext) > 0 && r.Context != nil {
		names = append(names, "query_context")
	}
	table := p.Table()
	for _, name := range names {
		found = append(found, param.Setting{Name: name, Value: table.Find(name).Value.String()})
	}
	return found
}

// Write writes the result into a folder: trials.tsv, a line for each trial; train.conf, the best
// parameters (see Config); result.json, for programs; and report.html. It returns the paths.
func (r *Result) Write(folder, program string, given []param.Setting) ([]string, error) {
	return stream.WriteFolder(folder,
		stream.File{Name: "trials.tsv", Write: r.writeTrials},
		stream.File{Name: "train.conf", Write: func(w io.Writer) error { return r.Config(w, given) }},
		stream.File{Name: "result.json", Write: r.JSON},
		stream.File{Name: "report.html", Write: func(w io.Writer) error { return r.Report(w, program) }},
	)
}

func (r *Result) writeTrials(w io.Writer) error {
	return report.WriteTSV(w, r.head(), slices.Values(r.rows()))
}

// jsonResult is a Result in JSON. Its field names do not change.
type jsonResult struct {
	Metric  string  `json:"metric"`
	Rules   string  `json:"rules"`
	Queries int     `json:"queries"`
	Best    int     `json:"best_trial"` // that with the largest value of the following
	Models  []int   `json:"models"`     // numbers of the trials of which the final model is the mean
	Value   float64 `json:"value"`      // of that mean

	Parameters map[string]string `json:"parameters"` // of the final model, as far as the search found them

	Context *jsonContext `json:"query_context,omitempty"` // that had to earn its place

	Difference float64     `json:"difference_to_defaults"`
	Low        float64     `json:"difference_low"`
	High       float64     `json:"difference_high"`
	P          float64     `json:"p"`
	Tests      int         `json:"p_correction"` // what p was multiplied by
	Beats      bool        `json:"beats_defaults"`
	Budget     string      `json:"budget"`
	Trials     []jsonTrial `json:"trials"`
	Warnings   []string    `json:"warnings"`
}

type jsonContext struct {
	Decided    bool    `json:"decided"`
	Difference float64 `json:"difference"`
	Error      float64 `json:"standard_error"`
	Taken      bool    `json:"taken"`
}

type jsonTrial struct {
	Number     int               `json:"trial"`
	Bracket    int               `json:"bracket"`
	Steps      int               `json:"steps"`
	Value      *float64          `json:"value"` // null if it could not be trained
	Best       int               `json:"best_iteration"`
	Iterations int               `json:"iterations"`
	Seconds    float64           `json:"seconds"`
	Parameters map[string]string `json:"parameters"`
	Error      string            `json:"error,omitempty"`
}

// JSON writes the result as one JSON object.
func (r *Result) JSON(w io.Writer) error {
	c := r.Comparison
	j := jsonResult{Metric: r.Metric, Rules: r.Rules, Queries: r.Queries, Best: slices.MinFunc(r.Models, better).Number, Value: r.Value, Parameters: map[string]string{}, Difference: c.Difference, Low: c.Interval.Low, High: c.Interval.High,
		P: r.P, Tests: r.Tests, Beats: r.Beats, Budget: r.Budget, Warnings: append([]string{}, r.Warnings...)}
	for _, t := range r.Models {
		j.Models = append(j.Models, t.Number)
	}
	for _, s := range r.settings() {
		j.Parameters[s.Name] = s.Value
	}
	if c := r.Context; c != nil {
		j.Context = &jsonContext{c.Decided, c.Difference, c.Error, c.Taken}
	}
	for _, t := range r.Trials {
		one := jsonTrial{Number: t.Number, Bracket: t.Bracket, Steps: t.Step, Best: t.Best, Iterations: t.Rounds, Seconds: t.Seconds, Parameters: map[string]string{}}
		if t.Err == nil && t.Rounds > 0 && !math.IsNaN(t.Value) {
			one.Value = &t.Value
		}
		if t.Err != nil {
			one.Error = t.Err.Error()
		}
		names := r.differing()
		for i, value := range t.values(names) {
			one.Parameters[names[i]] = value
		}
		j.Trials = append(j.Trials, one)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(j)
}
