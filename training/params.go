package training

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// Params are the parameters that all learners have; they embed it in their own.
// Names and meanings are LightGBM's where it has the parameter.
type Params struct {
	Seed       uint64 // decides all random draws
	NumThreads int    // 0: one for each processor. The model does not depend on it

	// Evaluation.
	Metric           []string // names, with a cut-off ("ndcg@10") or without, for each of EvalAt ("ndcg")
	EvalAt           []int    // cut-offs, 0 for all ranks; nil: see [metric.AtCutoffs]
	MetricConvention string   // preset of package metric ([metric.ConventionByName]), such as "lightgbm"
	MetricFreq       int      // rounds between evaluations, unless early stopping or a schedule needs each
	IsTrainingMetric bool     // evaluate the training data too

	// Early stopping: training ends when StopMetric on StopSet has not risen by more
	// than MinDelta above its best for Patience rounds. The model has the state of the
	// best round.
	Patience   int     // 0: never stop early
	StopMetric string  // one metric at one cut-off; empty: see [Params.StopRule]
	StopSet    string  // name of a validation set; empty: the first one
	MinDelta   float64 // a smaller rise does not count

	// AnyMetricStops ends training as soon as any metric, at its last cut-off, has not risen on any
	// validation set (LightGBM's first_metric_only=false); the model has the state of that metric's best
	// round. StopMetric and StopSet must be empty then. For trees only.
	AnyMetricStops bool

	// For trees only: metrics that must reach a value ([Constraint]) on a set, and its name; empty: the first
	// validation set. The model has the state of the best round: of two, the one that falls short by less, and
	// else the one with the larger StopMetric.
	Constraint    []string
	ConstraintSet string
}

// DefaultParams returns LightGBM's defaults.
func DefaultParams() Params {
	return Params{
		Metric:           []string{"ndcg"},
		MetricConvention: metric.Default().Name,
		MetricFreq:       1,
	}
}

// Judging are the parameters that decide what a ranking is worth to a metric.
type Judging struct {
	MetricConvention string      // as in [Params]
	LabelGain        metric.Gain // worth of a relevance grade, for the conventions that do not have their own
}

// JudgingOf returns the values that parameters state, and the defaults of what they do not state, which may
// be all: LightGBM has no parameter for the convention.
func JudgingOf(parameters []param.Setting) Judging {
	j := Judging{MetricConvention: metric.Default().Name, LabelGain: metric.Exp2()}
	name := provenance.Value(parameters, "metric_convention")
	if _, err := metric.ConventionByName(name, j.LabelGain); err == nil {
		j.MetricConvention = name
	}
	if gain := provenance.Value(parameters, "label_gain"); gain != "" {
		_ = metric.GainValue(&j.LabelGain).Set(gain) // does not change it for a value of another program
	}
	return j
}

// String returns the parameters as they are given.
func (j Judging) String() string {
	return fmt.Sprintf("metric_convention=%s label_gain=%v", j.MetricConvention, j.LabelGain)
}

// Convention returns the convention. The error is that of [metric.ConventionByName].
func (j Judging) Convention() (metric.Convention, error) {
	return metric.ConventionByName(j.MetricConvention, j.LabelGain)
}

// Metrics returns the metrics to evaluate: each name of Metric, at each cut-off of EvalAt unless the name
// includes a cut-off; the stop metric, if it is not among them; and the caller's own metrics ([Options]). No
// metric occurs twice.
func (p *Params) Metrics(labelGain metric.Gain, own ...metric.Metric) ([]metric.Metric, error) {
	convention, err := metric.ConventionByName(p.MetricConvention, labelGain)
	if err != nil {
		return nil, err
	}
	specs := p.specs()
	if stop := p.stopRule(own); stop != "" && (!hasName(own, stop) || ofDocuments(own, stop) != nil) {
		specs = append(specs, stop)
	}
	constraints, err := p.Constraints()
	if err != nil {
		return nil, err
	}
	for _, c := range constraints {
		specs = append(specs, c.Metric)
	}
	var metrics []metric.Metric
	for _, spec := range specs {
		m := ofDocuments(own, spec)
		if m == nil {
			if m, err = metric.Parse(spec, convention); err != nil {
				return nil, err
			}
		}
		if !hasName(metrics, m.Name()) {
			metrics = append(metrics, m)
		}
	}
	for _, m := range own {
		if metric.LessIsBetter(m) {
			continue // it is for specs that name it
		}
		if m == nil || m.Name() == "" || hasName(metrics, m.Name()) {
			return nil, ownMetricError(m)
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

// ofDocuments returns the metric of probabilities of documents that spec names, if metrics have it; otherwise
// nil.
func ofDocuments(metrics []metric.Metric, spec string) metric.Metric {
	for _, m := range metrics {
		if name, is := documentName(spec); is && metric.LessIsBetter(m) && m.Name() == name {
			return m
		}
	}
	return nil
}

// documentName returns the name of the metric of probabilities of documents that spec names, if it names one.
func documentName(spec string) (string, bool) {
	name, label, is := metric.OfDocuments(spec)
	if label != "" {
		name += "@" + label
	}
	return name, is
}

// hasName reports whether one of the metrics has the name.
func hasName(metrics []metric.Metric, name string) bool {
	return slices.ContainsFunc(metrics, func(m metric.Metric) bool { return m != nil && m.Name() == name })
}

// ownMetricError returns an error if one of the caller's own metrics cannot be used.
func ownMetricError(m metric.Metric) error {
	switch {
	case m == nil:
		return errors.New("a metric of Options.Metrics is nil")
	case m.Name() == "":
		return errors.New("a metric of Options.Metrics has no name; results are identified by names")
	}
	return fmt.Errorf("a metric of Options.Metrics has the name %q, which another metric has too; give it "+
		"another name, or leave the other one out", m.Name())
}

// specs returns the metrics that Metric and EvalAt name, each with its cut-off.
func (p *Params) specs() []string {
	var specs []string
	for _, name := range p.Metric {
		specs = append(specs, metric.AtCutoffs(name, p.EvalAt)...)
	}
	return specs
}

// StopRule returns the name of the metric that early stopping watches, as its method Name returns it:
// StopMetric, or else the first of Metric at the last of its cut-offs, which is "ndcg@5" by default. It is
// empty if there is neither.
func (p *Params) StopRule() string { return p.stopRule(nil) }

// stopRule is like StopRule, if StopMetric may name one of the caller's own metrics.
func (p *Params) stopRule(own []metric.Metric) string {
	rule := p.StopMetric
	if hasName(own, rule) {
		return rule
	}
	if last := p.lastCutoffs(); rule == "" && len(last) > 0 {
		rule = last[0]
	}
	if m, err := metric.Parse(rule, metric.Default()); err == nil {
		return m.Name()
	}
	if name, is := documentName(rule); is {
		return name
	}
	return rule
}

// Check returns everything that is wrong with a learner's parameters: the faults of its table, which includes
// p's, and names that no metric has. The caller's own metrics ([Options]) may be named, too. It returns nil
// if there are no faults.
func (p *Params) Check(table param.Table, labelGain metric.Gain, own ...metric.Metric) error {
	errs := []error{table.Check()}
	// an invalid convention is reported as a fault of the table
	if _, err := metric.ConventionByName(p.MetricConvention, labelGain); err == nil {
		_, err = p.Metrics(labelGain, own...)
		errs = append(errs, err)
	}
	if p.Patience > 0 && p.stopRule(own) == "" {
		errs = append(errs, errNothingWatched)
	}
	if p.AnyMetricStops && p.Patience > 0 && (p.StopMetric != "" || p.StopSet != "") {
		errs = append(errs, errOneDecides)
	}
	return errors.Join(errs...)
}

// errNothingWatched is the error for early stopping without a metric that decides.
var errNothingWatched = errors.New("early stopping needs a metric to watch: name one in stop_metric, or " +
	"give patience=0")

// CutoffCaution returns a remark if training stops early by a metric that looks at
// more ranks than a loss trains whose pairs are limited to those of the first ranks by the given parameter,
// and "" otherwise.
func (p *Params) CutoffCaution(parameter string, ranks int) string {
	name := p.StopRule()
	if p.Patience == 0 || cutoff(name) <= ranks {
		return ""
	}
	return fmt.Sprintf("training stops by %s, but %s=%d: ranks below that are not trained", name, parameter,
		ranks)
}

// cutoff returns the k of "ndcg@k", or 0 if there is none.
func cutoff(name string) int {
	_, after, _ := strings.Cut(name, "@")
	k, _, _ := strings.Cut(after, "@") // a label follows
	n, _ := strconv.Atoi(k)
	return n
}
