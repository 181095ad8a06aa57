package training

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// Params are the parameters of rounds, which those of trees and of networks embed. Names and meanings are
// LightGBM's where it has the parameter.
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
	StopMetric string  // one metric at one cut-off; empty: the first of Metric at the last of its cut-offs
	StopSet    string  // name of a validation set; empty: the first one
	MinDelta   float64 // a smaller rise does not count

	// AnyMetricStops ends training as soon as any metric, at its last cut-off, has not risen on any
	// validation set (LightGBM's first_metric_only=false); the model has the state of that metric's best
	// round. StopMetric and StopSet must be empty then. For trees only.
	AnyMetricStops bool

	// For trees only: metrics that must reach a value ("ndcg@10@click>=0.42") on a set, and its name; empty:
	// the first validation set. The model has the state of the best round: of two, the one that falls short by
	// less, and else the one with the larger StopMetric.
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
