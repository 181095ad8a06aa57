package booster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/ranks"
)

// ErrRanks is wrapped by errors about what one process can do, and several ranks together cannot.
var ErrRanks = errors.New("several ranks cannot train with that")

// withRanks are the parameters that give the same model on any number of ranks
// (TestRanksDoNotChangeTheModel), besides those of objectives. Others must have their default values: whoever
// adds a parameter decides.
var withRanks = []string{
	"num_threads", "seed", "metric", "eval_at", "metric_freq", "is_provide_training_metric", "metric_convention",
	"patience", "min_delta", "stop_metric", "stop_set", "first_metric_only",
	"objective", "num_iterations", "learning_rate", "num_models", "model_objectives",
	"num_leaves", "max_depth", "min_data_in_leaf", "min_sum_hessian_in_leaf", "lambda_l1", "lambda_l2", "min_gain_to_split",
	"boosting", "drop_rate", "max_drop", "skip_drop", "xgboost_dart_mode", "uniform_drop", "data_sample_strategy", "top_rate", "other_rate",
	"max_delta_step", "feature_contri", "monotone_constraints", "monotone_penalty", "interaction_constraints",
	"active_fraction", "feature_fraction", "bagging_fraction", "bagging_freq", "bagging_by_query",
	"bagging_seed", "feature_fraction_seed", "drop_seed", "objective_seed", "data_random_seed",
	"max_bin", "min_data_in_bin", "bin_construct_sample_cnt", "is_enable_sparse", "use_missing", "zero_as_missing",
}

// checkRanks returns an error for what ranks cannot do together.
func (p *Params) checkRanks(train Data, obj objective.Objective, own []metric.Metric) error {
	g := train.Meta.Ranks()
	if g.Size() == 1 {
		return nil
	}
	defaults, ofObjective := DefaultParams(), objective.Table(&p.AllParams)
	before := defaults.Table()
	for _, row := range p.Table() {
		known := slices.Contains(withRanks, row.Name) || ofObjective.Find(row.Name) != nil
		if was := before.Find(row.Name); !known && was.Value.String() != row.Value.String() {
			return fmt.Errorf("%s=%v with %d ranks: %w; leave it out, or train in one process", row.Name, row.Value, g.Size(), ErrRanks)
		}
	}
	for _, m := range own {
		if _, whole := m.(metric.Whole); whole {
			return fmt.Errorf("metric %s, which judges all queries at once: %w; it must judge single queries", m.Name(), ErrRanks)
		}
	}
	if _, whole := obj.(objective.Whole); whole {
		return fmt.Errorf("objective %s, which computes the gradients of all queries at once: %w; it must be one of single queries", obj.Name(), ErrRanks)
	}
	if categoricalColumns(train.Values) != nil {
		return fmt.Errorf("categorical features, which the bins have, with %d ranks: %w; train in one process", g.Size(), ErrRanks)
	}
	if train.Meta.Positions != nil && obj == nil && p.LearnsPositions() {
		return fmt.Errorf("biases of positions, which the data has, are learned by one process only: %w; remove its .position file", ErrRanks)
	}
	return nil
}

// initialScore returns the score of all rows before the first tree that an objective has of its own.
func (t *trainer) initialScore() (float64, error) {
	o, ok := t.objective.(objective.Initial)
	if !ok || t.train.Meta.InitialScores != nil {
		return 0, nil
	}
	score := 0.0
	if t.train.Meta.NumRows() > 0 {
		score = o.InitialScore(t.train.Meta)
	}
	if t.ranks.Size() > 1 && ranks.Any(t.ranks, score != 0) {
		return 0, fmt.Errorf("boost_from_average=true, which is the mean of all labels: %w; set boost_from_average=false, or train in one process", ErrRanks)
	}
	return score, nil
}

// checkSame returns an error unless all ranks have the same parameters and bins.
func (t *trainer) checkSame() error {
	if t.ranks.Size() == 1 {
		return nil
	}
	var s fingerprint.Sum
	for i, f := range t.Facts() {
		s.Text(2*i, f.Name)
		s.Text(2*i+1, f.Value)
	}
	bins, _ := t.train.Values.Rows(0, 0).FingerprintPart(0, 1)
	s.Text(-1, bins)
	if !ranks.Same(t.ranks, []int64{int64(s[0]), int64(s[1]), int64(len(t.valid))}) {
		return fmt.Errorf("parameters or bins that differ from rank to rank: %w; start all with the same command line, configuration file and data", ErrRanks)
	}
	return nil
}
