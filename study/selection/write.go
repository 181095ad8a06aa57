package selection

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// state says what became of a step.
func (r *Result) state(s *Step) string {
	switch {
	case s == r.Chosen:
		return "chosen"
	case s.Err != nil:
		return "no tree"
	case s.Forced:
		return "worse, but fewer are wanted"
	case s.Accepted:
		return "accepted"
	}
	return "undone"
}

// tableFeatures is the number of features that Table shows.
const tableFeatures = 30

// Table writes the steps and the chosen features for people.
func (r *Result) Table(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "step\tfeatures\t%s\tinterval\titerations\tdifference\tp\t\tleft out\n", r.Metric)
	for _, s := range r.Steps {
		fmt.Fprintf(out, "%d\t%d\t%s\t%s\n", s.Number, len(s.Features), strings.Join(r.figures(s), "\t"), strings.Join([]string{r.state(s), listed(r.names(s.Removed))}, "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nchosen features, by %s:\n", r.By)
	rank := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(rank, "feature\tpermutation\tinterval\tshap\tinterval\tgain\n")
	ranked := r.ranked(r.Chosen)
	for _, i := range ranked[:min(tableFeatures, len(ranked))] {
		fmt.Fprintf(rank, "%s\t%s\n", r.Names[i.Feature], strings.Join(i.figures(), "\t"))
	}
	if more := len(ranked) - tableFeatures; more > 0 {
		fmt.Fprintf(rank, "and %d more\n", more)
	}
	if err := rank.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(r.Finding()+" "+r.TestFinding()))
	return err
}

// figures returns the value of a step, its interval, its iterations, and the difference from the best step
// before it with its probability.
func (r *Result) figures(s *Step) []string {
	switch {
	case s.Err != nil:
		return []string{"", "", "", "", ""}
	case s == r.All():
		return []string{digits.Four(s.Value), interval(s), strconv.Itoa(s.Best), "", ""}
	}
	return []string{digits.Four(s.Value), interval(s), strconv.Itoa(s.Best), fmt.Sprintf("%+.4f", s.Comparison.Difference), digits.Probability(s.Comparison.Randomization.P)}
}

// figures returns the measures for people, those with intervals before theirs.
func (i *Importance) figures() []string {
	return []string{digits.Four(i.Drop), digits.Four(i.DropLow) + " to " + digits.Four(i.DropHigh), fmt.Sprintf("%.4g", i.Size), fmt.Sprintf("%.4g to %.4g", i.SizeLow, i.SizeHigh), plot.Percent(i.Gain)}
}

func interval(s *Step) string {
	return digits.Four(s.Interval.Low) + " to " + digits.Four(s.Interval.High)
}

// ranked returns the importance of the features of a step, the most important first.
func (r *Result) ranked(s *Step) []Importance {
	list := slices.Clone(s.Importance)
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.by(r.By), a.by(r.By)) })
	return list
}

// Write writes the result into a folder: features.txt, the names of the chosen features, a line each;
// steps.tsv, a line for each step; features.tsv, a line for each feature; and result.json, for programs. It
// returns the paths.
func (r *Result) Write(folder string) ([]string, error) {
	return stream.WriteFolder(folder,
		stream.File{Name: "features.txt", Write: r.List},
		stream.File{Name: "steps.tsv", Write: r.writeSteps},
		stream.File{Name: "features.tsv", Write: r.writeFeatures},
		stream.File{Name: "result.json", Write: r.JSON},
	)
}

// List writes the names of the chosen features, a line each.
func (r *Result) List(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(r.Features(), "\n")+"\n")
	return err
}

func (r *Result) writeSteps(w io.Writer) error {
	var lines [][]string
	head := []string{"step", "from", "features", r.Metric, "low", "high", "best_iteration", "iterations", "against", "difference", "p", "state", "left_out"}
	for _, s := range r.Steps {
		line := []string{strconv.Itoa(s.Number), strconv.Itoa(s.From), strconv.Itoa(len(s.Features))}
		if s.Err == nil {
			line = append(line, digits.Exact(s.Value), digits.Exact(s.Interval.Low), digits.Exact(s.Interval.High), strconv.Itoa(s.Best), strconv.Itoa(s.Iterations))
		} else {
			line = append(line, "", "", "", "", "")
		}
		if s.Err == nil && s != r.All() {
			line = append(line, strconv.Itoa(s.Against), digits.Exact(s.Comparison.Difference), digits.Exact(s.Comparison.Randomization.P))
		} else {
			line = append(line, "", "", "")
		}
		lines = append(lines, append(line, r.state(s), strings.Join(r.names(s.Removed), " ")))
	}
	return report.WriteTSV(w, head, slices.Values(lines))
}

// fate is what became of a feature.
type fate struct {
	Name       string      `json:"name"`
	Chosen     bool        `json:"chosen"`
	Required   bool        `json:"required"`
	Constant   bool        `json:"constant"`
	Step       *int        `json:"left_out_by"` // the accepted step that left it out, whether before the chosen one or after; null: none
	Importance *Importance `json:"importance"`  // in the last accepted step that had it; null if it is constant
}

// fates returns what became of each feature.
func (r *Result) fates() []fate {
	fates := make([]fate, len(r.Names))
	for f, name := range r.Names {
		fates[f] = fate{Name: name, Chosen: r.Has(f), Required: slices.Contains(r.required, f), Constant: slices.Contains(r.Constant, f)}
	}
	for _, s := range r.Steps {
		if !s.Accepted {
			continue
		}
		for i := range s.Importance {
			fates[s.Importance[i].Feature].Importance = &s.Importance[i]
		}
		for _, f := range s.Removed {
			fates[f].Step = &s.Number
		}
	}
	return fates
}

func (r *Result) writeFeatures(w io.Writer) error {
	var lines [][]string
	head := []string{"feature", "chosen", "left_out_by", "permutation", "permutation_low", "permutation_high", "shap", "shap_low", "shap_high", "gain_share", "splits"}
	for _, f := range r.fates() {
		line := []string{f.Name, strconv.FormatBool(f.Chosen), "", "", "", "", "", "", "", "", ""}
		if f.Step != nil {
			line[2] = strconv.Itoa(*f.Step)
		}
		if i := f.Importance; i != nil {
			for at, v := range []float64{i.Drop, i.DropLow, i.DropHigh, i.Size, i.SizeLow, i.SizeHigh, i.Gain, i.Split} {
				line[3+at] = digits.Exact(v)
			}
		}
		lines = append(lines, line)
	}
	return report.WriteTSV(w, head, slices.Values(lines))
}

// jsonResult is a Result in JSON. Its field names do not change.
type jsonResult struct {
	Metric     string          `json:"metric"`
	Rules      string          `json:"rules"`
	By         string          `json:"select_by"`
	Queries    int             `json:"queries"`
	Features   []string        `json:"features"` // chosen
	Removed    []string        `json:"removed"`
	Best       int             `json:"best_iteration"` // of the chosen features
	Chosen     int             `json:"chosen_step"`
	Comparison jsonComparison  `json:"validation"` // of all features and the chosen ones
	Tested     *jsonComparison `json:"test"`       // null without test queries
	Steps      []jsonStep      `json:"steps"`
	All        []fate          `json:"all_features"`
	Warnings   []string        `json:"warnings"`
}

type jsonComparison struct {
	All        float64 `json:"all"`
	Chosen     float64 `json:"chosen"`
	Difference float64 `json:"difference"`
	Low        float64 `json:"difference_low"`
	High       float64 `json:"difference_high"`
	P          float64 `json:"p"`
	Queries    int     `json:"queries"`
}

type jsonStep struct {
	Number     int      `json:"step"`
	From       int      `json:"from"`
	Features   int      `json:"features"`
	Removed    []string `json:"removed"`
	Value      *float64 `json:"value"` // null if no tree could be grown
	Low        float64  `json:"low"`
	High       float64  `json:"high"`
	Best       int      `json:"best_iteration"`
	Iterations int      `json:"iterations"`
	Difference *float64 `json:"difference"` // null for the first step, and without a value
	P          *float64 `json:"p"`
	State      string   `json:"state"`
	Seconds    float64  `json:"seconds"`
}

// JSON writes the result as one JSON object.
func (r *Result) JSON(w io.Writer) error {
	j := jsonResult{Metric: r.Metric, Rules: r.Rules, By: r.By, Queries: r.Queries, Features: r.Features(), Removed: append([]string{}, r.Removed()...),
		Best: r.Chosen.Best, Chosen: r.Chosen.Number, Comparison: *inJSON(&r.Comparison), Tested: inJSON(r.Tested), All: r.fates(), Warnings: append([]string{}, r.Warnings...)}
	for _, s := range r.Steps {
		one := jsonStep{Number: s.Number, From: s.From, Features: len(s.Features), Removed: r.names(s.Removed), Best: s.Best, Iterations: s.Iterations, State: r.state(s), Seconds: s.Seconds}
		if s.Err == nil {
			one.Value, one.Low, one.High = &s.Value, s.Interval.Low, s.Interval.High
		}
		if s.Err == nil && s != r.All() {
			one.Difference, one.P = &s.Comparison.Difference, &s.Comparison.Randomization.P
		}
		j.Steps = append(j.Steps, one)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(j)
}

func inJSON(c *significance.Comparison) *jsonComparison {
	if c == nil {
		return nil
	}
	return &jsonComparison{c.MeanA, c.MeanB, c.Difference, c.Interval.Low, c.Interval.High, c.Randomization.P, c.Queries}
}
