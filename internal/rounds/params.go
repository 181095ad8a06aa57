package rounds

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Headings under which help and documentation list the parameters. Learners add
// parameters of their own to these groups.
const (
	GroupTraining   = "Training"
	GroupEvaluation = "Evaluation"
	GroupStopping   = "Early stopping"
)

// Words are the terms that the help of a learner's parameters uses.
type Words struct {
	Rounds string // such as "iterations"
	Draws  string // what is drawn at random, such as "order of queries, dropout"
	Best   string // effect of early stopping on the model, such as "keeps the best one's trees"

	// KeepsRounds means that the learner can return the model of any earlier round, so that any metric can
	// decide about it. The table includes first_metric_only only then.
	KeepsRounds bool
}

// Table returns the parameters, bound to the fields of p, with their names on the command line and in
// configuration files, aliases, bounds and help. Names and aliases are those of LightGBM 4.7 where it has the
// parameter. Each parameter is in one of the groups of this package; learners
// select them with [param.Table.In].
func Table(p *training.Params, w Words) param.Table {
	table := param.Table{
		{Name: "seed", Aliases: []string{"random_seed", "random_state"}, Group: GroupTraining,
			Help:  "Decides all random draws: " + w.Draws + ".",
			Value: bind.Uint64(&p.Seed)},
		{Name: "num_threads", Aliases: []string{"num_thread", "nthread", "nthreads", "n_jobs"},
			Group: GroupTraining, SameModel: true,
			Help:  "0 is one for each processor. The model does not depend on it.",
			Value: bind.Int(&p.NumThreads, bind.AtLeast(0))},

		{Name: "metric", Aliases: []string{"metrics", "metric_types"}, Group: GroupEvaluation,
			Help:  "Metrics to print, with a cut-off (ndcg@10) or at each of eval_at (ndcg).",
			Value: metricNames{bind.Texts(&p.Metric)}},
		{Name: "eval_at", Aliases: []string{"ndcg_eval_at", "ndcg_at", "map_eval_at", "map_at"},
			Group: GroupEvaluation,
			Help: "Cut-offs of metrics; 0 takes all ranks. Without it, ndcg, dcg, p, recall, success and judged " +
				"are taken at 1 to " +
				"5, the other metrics with all ranks.",
			Value: bind.Ints(&p.EvalAt, bind.AtLeast(0))},
		{Name: "metric_convention", Group: GroupEvaluation,
			Help:  "Whose definition of the metrics: default is LightGBM's with ties averaged.",
			Value: bind.Choice(&p.MetricConvention, conventionNames()...)},
		{Name: "metric_freq", Aliases: []string{"output_freq"}, Group: GroupEvaluation,
			Help: capitalized(w.Rounds) + " between evaluations. Early stopping evaluates each, and this " +
				"is how often it prints them.",
			Value: bind.Int(&p.MetricFreq, bind.AtLeast(1))},
		{Name: "is_provide_training_metric", Aliases: []string{"is_training_metric", "training_metric",
			"train_metric"}, Group: GroupEvaluation,
			Help:  "Evaluate the training data too.",
			Value: bind.Bool(&p.IsTrainingMetric)},

		{Name: "patience", Aliases: []string{"early_stopping_round", "early_stopping_rounds", "early_stopping",
			"n_iter_no_change"}, Group: GroupStopping,
			Help: "Training ends when the stop metric has not risen for this many " + w.Rounds + "; the model " +
				w.Best + ". 0 turns early stopping off.",
			Value: bind.Int(&p.Patience, bind.AtLeast(0))},
		{Name: "stop_metric", Group: GroupStopping,
			Help:  "The one metric that decides, such as ndcg@10. Empty is the first of metric at its last cut-off.",
			Value: bind.Text(&p.StopMetric)},
		{Name: "stop_set", Group: GroupStopping,
			Help:  "The one validation set that decides, such as valid_2. Empty is valid_1.",
			Value: bind.Text(&p.StopSet)},
		{Name: "min_delta", Aliases: []string{"early_stopping_min_delta"}, Group: GroupStopping,
			Help:  "A rise of the stop metric by no more than this does not count.",
			Value: bind.Float(&p.MinDelta, bind.AtLeast(0))},
	}
	if w.KeepsRounds {
		table = append(append(table, firstMetricOnly(p)), constraintRows(p)...)
	}
	return table
}

func capitalized(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// conventionNames returns the names of the presets of metric conventions.
func conventionNames() []string {
	var names []string
	for _, c := range metric.Presets() {
		names = append(names, c.Name)
	}
	return names
}

// metricNames is a [param.Value] for a list of metrics. Aliases of a metric become its name, and words such
// as "None", by which LightGBM means no metric, are dropped.
type metricNames struct{ param.Value }

func (v metricNames) Set(text string) error {
	given := strings.Split(text, ",")
	for i, word := range given {
		if name, ok := metric.Canonical(word); ok {
			given[i] = name
		}
	}
	return v.Value.Set(strings.Join(given, ","))
}

// Metrics returns the metrics to evaluate: each name of Metric, at each cut-off of EvalAt unless the name
// includes a cut-off; the stop metric, if it is not among them; and the caller's own metrics
// ([training.Options]). No metric occurs twice.
func Metrics(p *training.Params, labelGain metric.Gain, own ...metric.Metric) ([]metric.Metric, error) {
	convention, err := metric.ConventionByName(p.MetricConvention, labelGain)
	if err != nil {
		return nil, err
	}
	specs := specs(p)
	if stop := stopRule(p, own); stop != "" && (!hasName(own, stop) || ofDocuments(own, stop) != nil) {
		specs = append(specs, stop)
	}
	constraints, err := Constraints(p)
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
func specs(p *training.Params) []string {
	var specs []string
	for _, name := range p.Metric {
		specs = append(specs, metric.AtCutoffs(name, p.EvalAt)...)
	}
	return specs
}

// StopRule returns the name of the metric that early stopping watches, as its method Name returns it:
// StopMetric, or else the first of Metric at the last of its cut-offs, which is "ndcg@5" by default. It is
// empty if there is neither.
func StopRule(p *training.Params) string { return stopRule(p, nil) }

// stopRule is like StopRule, if StopMetric may name one of the caller's own metrics.
func stopRule(p *training.Params, own []metric.Metric) string {
	rule := p.StopMetric
	if hasName(own, rule) {
		return rule
	}
	if last := lastCutoffs(p); rule == "" && len(last) > 0 {
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

// Check returns everything that is wrong with a learner's parameters: the faults of its table, which
// includes p's, and names that no metric has. The caller's own metrics ([training.Options]) may be named,
// too. It returns nil if there are no faults.
func Check(p *training.Params, table param.Table, labelGain metric.Gain, own ...metric.Metric) error {
	errs := []error{table.Check()}
	// an invalid convention is reported as a fault of the table
	if _, err := metric.ConventionByName(p.MetricConvention, labelGain); err == nil {
		_, err = Metrics(p, labelGain, own...)
		errs = append(errs, err)
	}
	if p.Patience > 0 && stopRule(p, own) == "" {
		errs = append(errs, errNothingWatched)
	}
	if p.AnyMetricStops && p.Patience > 0 && (p.StopMetric != "" || p.StopSet != "") {
		errs = append(errs, errOneDecides)
	}
	return errors.Join(errs...)
}

// EvalAtCaution returns a remark if no metric takes the cut-offs of EvalAt, as ndcg@10, which has its own,
// and "" otherwise.
func EvalAtCaution(p *training.Params) string {
	takes := func(name string) bool { return len(metric.AtCutoffs(name, []int{1, 2})) > 1 }
	if len(p.EvalAt) == 0 || len(p.Metric) == 0 || slices.ContainsFunc(p.Metric, takes) {
		return ""
	}
	return fmt.Sprintf("eval_at has no effect on metric=%s", strings.Join(p.Metric, ","))
}

// errNothingWatched is the error for early stopping without a metric that decides.
var errNothingWatched = errors.New("early stopping needs a metric to watch: name one in stop_metric, or " +
	"give patience=0")

// CutoffCaution returns a remark if training stops early by a metric that looks at
// more ranks than a loss trains whose pairs are limited to those of the first ranks by the given parameter,
// and "" otherwise.
func CutoffCaution(p *training.Params, parameter string, ranks int) string {
	name := StopRule(p)
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
