package booster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// ErrPeers is wrapped by errors about what one process can do, and several ranks together cannot.
var ErrPeers = errors.New("several ranks cannot train with that")

// withPeers are the parameters that give the same model on any number of ranks
// (TestRanksDoNotChangeTheModel), besides those of objectives. Others must have their default values: whoever
// adds a parameter decides.
var withPeers = []string{
	"num_threads", "seed", "metric", "eval_at", "metric_freq", "is_provide_training_metric", "metric_convention",
	"patience", "min_delta", "stop_metric", "stop_set", "first_metric_only",
	"objective", "num_iterations", "learning_rate", "learning_rates", "num_models", "model_objectives",
	"num_leaves", "max_depth", "min_data_in_leaf", "min_sum_hessian_in_leaf", "lambda_l1", "lambda_l2",
	"min_gain_to_split",
	"boosting", "drop_rate", "max_drop", "skip_drop", "xgboost_dart_mode", "uniform_drop",
	"data_sample_strategy", "top_rate", "other_rate",
	"max_delta_step", "path_smooth", "extra_trees", "feature_contri", "monotone_constraints",
	"monotone_constraints_method", "monotone_penalty",
	"interaction_constraints", "forcedsplits_filename", "grow_policy",
	"cegb_tradeoff", "cegb_penalty_split", "cegb_penalty_feature_coupled", "cegb_penalty_feature_lazy",
	"categorical_feature", "cat_smooth", "cat_l2", "max_cat_threshold", "max_cat_to_onehot",
	"min_data_per_group",
	"active_fraction", "feature_fraction", "feature_fraction_bynode", "bagging_fraction", "bagging_freq",
	"bagging_by_query",
	"bagging_seed", "feature_fraction_seed", "extra_seed", "drop_seed", "objective_seed", "data_random_seed",
	"query_context", "query_context_features",
	"max_bin", "max_bin_by_feature", "forcedbins_filename", "min_data_in_bin", "bin_construct_sample_cnt",
	"is_enable_sparse", "use_missing", "zero_as_missing",
}

// checkPeers returns an error for what ranks cannot do together.
func (p *Params) checkPeers(train Data, obj objective.Objective, own []metric.Metric) error {
	g := train.Meta.Peers()
	if g.Size() == 1 {
		return nil
	}
	defaults, ofObjective := DefaultParams(), objective.Table(&p.AllParams)
	before := defaults.Table()
	for _, row := range p.Table() {
		known := slices.Contains(withPeers, row.Name) || ofObjective.Find(row.Name) != nil
		if was := before.Find(row.Name); !known && was.Value.String() != row.Value.String() {
			return fmt.Errorf("%s=%v with %d ranks: %w; leave it out, or train in one process", row.Name, row.Value,
				g.Size(), ErrPeers)
		}
	}
	for _, m := range own {
		if _, whole := m.(metric.Whole); whole {
			return fmt.Errorf("metric %s, which judges all queries at once: %w; it must judge single queries",
				m.Name(), ErrPeers)
		}
	}
	if _, whole := obj.(objective.Whole); whole {
		return fmt.Errorf("objective %s, which computes the gradients of all queries at once: %w; it must be "+
			"one of single queries", obj.Name(), ErrPeers)
	}
	return nil
}

// initialScore returns the score of all rows before the first tree that an objective has of its own.
func (t *trainer) initialScore() float64 {
	o, ok := t.objective.(objective.Initial)
	if !ok || t.train.Meta.InitialScores != nil {
		return 0
	}
	return o.InitialScore(t.train.Meta)
}

// checkSame returns an error unless all ranks have the same parameters and bins.
func (t *trainer) checkSame() error {
	if t.train.Meta.Peers().Size() == 1 {
		return nil
	}
	var s fingerprint.Sum
	for i, f := range t.Facts() {
		s.Text(2*i, f.Name)
		s.Text(2*i+1, f.Value)
	}
	bins, _ := t.train.Values.Rows(0, 0).FingerprintPart(0, 1)
	s.Text(-1, bins)
	if !t.train.Meta.Peers().Same([]int64{int64(s[0]), int64(s[1]), int64(len(t.valid))}) {
		return fmt.Errorf("parameters or bins that differ from rank to rank: %w; start all with the same "+
			"command line, configuration file and data", ErrPeers)
	}
	return nil
}
