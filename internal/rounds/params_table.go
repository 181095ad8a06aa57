package rounds

import (
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
