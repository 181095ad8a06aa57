package booster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// Params says how to train. Begin with [DefaultParams]: zero is a value in every
// field, never a request for the default. Names and meanings are LightGBM's
// where it has the parameter; docs/parameters.md lists them all.
type Params struct {
	Objective     string  // a built-in objective (package objective); not consulted where Train is given one
	NumIterations int     // trees to train; early stopping may keep fewer
	LearningRate  float64 // factor on each tree's leaf values
	Seed          uint64  // decides all random draws: rows for binning, bags of queries, features
	NumThreads    int     // 0: one for each processor. The model does not depend on it

	// Trees.
	NumLeaves           int     // most leaves of a tree
	MaxDepth            int     // most splits from the root to a leaf; no limit below 1
	MinDataInLeaf       int     // least rows of a leaf
	MinSumHessianInLeaf float64 // least sum of Hessians of a leaf
	LambdaL1            float64 // L1 penalty on leaf values
	LambdaL2            float64 // L2 penalty on leaf values
	MinGainToSplit      float64 // a split must gain more than this

	// Sampling.
	ActiveFraction  ActiveFraction // share of the rows that each tree grows on
	FeatureFraction float64        // share of the features that a tree may use
	BaggingFraction float64        // share of the queries that a bag holds; a query is in it whole or not at all
	BaggingFreq     int            // iterations that share a bag; 0: no bagging

	// Binning.
	MaxBin                int // most bins of a feature
	MinDataInBin          int // least sampled rows of a bin
	BinConstructSampleCnt int // rows from which bins are found

	// Missing values.
	UseMissing    bool // NaN is a missing value, for which each split has a side; otherwise it counts as 0
	ZeroAsMissing bool // zero is a missing value, and NaN counts as 0

	// Parameters of the built-in objectives: Sigmoid, LambdarankTruncationLevel, LabelGain and others.
	objective.AllParams

	// Evaluation.
	Metric           []string // names, with a cut-off ("ndcg@10") or to be taken at each of EvalAt ("ndcg")
	EvalAt           []int    // cut-offs
	MetricConvention string   // preset of package metric, such as "default" or "lightgbm"
	MetricFreq       int      // iterations between evaluations
	IsTrainingMetric bool     // evaluate the training data too

	// Early stopping: training ends when StopMetric on StopSet has not risen
	// by more than MinDelta above its best for Patience iterations. The model
	// keeps the trees up to the best iteration.
	Patience   int     // 0: never stop early
	StopMetric string  // one metric at one cut-off; empty: see [Params.StopRule]
	StopSet    string  // name of a validation set; empty: the first one
	MinDelta   float64 // a smaller rise does not count
}

// DefaultParams returns LightGBM's defaults for its lambdarank objective.
func DefaultParams() Params {
	return Params{
		Objective:     "lambdarank",
		NumIterations: 100,
		LearningRate:  0.1,

		NumLeaves:           31,
		MaxDepth:            -1,
		MinDataInLeaf:       20,
		MinSumHessianInLeaf: 1e-3,

		ActiveFraction:  AutoActive,
		FeatureFraction: 1,
		BaggingFraction: 1,

		MaxBin:                255,
		MinDataInBin:          3,
		BinConstructSampleCnt: 200000,
		UseMissing:            true,

		AllParams: objective.DefaultAllParams(),

		Metric:           []string{"ndcg"},
		EvalAt:           []int{1, 2, 3, 4, 5},
		MetricConvention: metric.Default().Name,
		MetricFreq:       1,
	}
}

// Validate returns everything that is wrong with p, each with name, value and
// what is allowed; nil if all is well.
func (p *Params) Validate() error { return p.validate(p.Table()) }

// validateRest is Validate where training is given an objective as a value: the parameters that name
// and describe a built-in one are not checked, because they are not used.
func (p *Params) validateRest() error {
	unused := objective.Table(&p.AllParams)
	return p.validate(slices.DeleteFunc(p.Table(), func(entry param.Parameter) bool {
		return entry.Name == "objective" || unused.Find(entry.Name) != nil
	}))
}

func (p *Params) validate(table param.Table) error {
	errs := []error{table.Check()}
	if _, err := p.Metrics(); err != nil && p.convention() == nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Cautions returns remarks on parameters that are allowed but do not do what
// their author may expect.
func (p *Params) Cautions() []string {
	var remarks []string
	if p.BaggingFraction < 1 && p.BaggingFreq == 0 {
		remarks = append(remarks, fmt.Sprintf("bagging_fraction=%v has no effect while bagging_freq=0; set bagging_freq=1", p.BaggingFraction))
	}
	if p.BaggingFraction == 1 && p.BaggingFreq > 0 {
		remarks = append(remarks, fmt.Sprintf("bagging_freq=%d has no effect while bagging_fraction=1", p.BaggingFreq))
	}
	if p.ZeroAsMissing && !p.UseMissing {
		remarks = append(remarks, "zero_as_missing=true has no effect while use_missing=false")
	}
	if name := p.StopRule(); p.Patience > 0 && cutoff(name) > p.LambdarankTruncationLevel {
		remarks = append(remarks, fmt.Sprintf("training stops by %s, but lambdarank_truncation_level=%d: ranks below that are not trained",
			name, p.LambdarankTruncationLevel))
	}
	return remarks
}

// cutoff returns the k of "ndcg@k", 0 where there is none.
func cutoff(name string) int {
	_, after, _ := strings.Cut(name, "@")
	k, _ := strconv.Atoi(after)
	return k
}

// Convention returns the convention of all metrics of training. The presets
// "default" and "lightgbm" take their gain from LabelGain, as LightGBM does;
// the others keep their own.
func (p *Params) Convention() (metric.Convention, error) {
	c, err := metric.ConventionByName(p.MetricConvention)
	if err != nil {
		return c, err
	}
	if c.Name == metric.Default().Name || c.Name == metric.LightGBM().Name {
		c = c.WithGain(p.LabelGain)
	}
	return c, nil
}

func (p *Params) convention() error {
	_, err := p.Convention()
	return err
}

// Metrics returns what is evaluated: each name of Metric, at each cut-off of
// EvalAt unless it brings its own, and the stop metric, if it is not among them.
// Every metric comes once.
func (p *Params) Metrics() ([]metric.Metric, error) {
	convention, err := p.Convention()
	if err != nil {
		return nil, err
	}
	names := p.metricNames()
	if stop := p.StopRule(); stop != "" {
		names = append(names, stop)
	}
	var metrics []metric.Metric
	var seen []string
	for _, name := range names {
		m, err := metric.Parse(name, convention)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(seen, m.Name()) {
			seen, metrics = append(seen, m.Name()), append(metrics, m)
		}
	}
	return metrics, nil
}

func (p *Params) metricNames() []string {
	var names []string
	for _, name := range p.Metric {
		names = append(names, metric.AtCutoffs(name, p.EvalAt)...)
	}
	return names
}

// StopRule returns the name of the metric that early stopping watches, as the
// metric itself has it: StopMetric, or else the first of Metric at the last of
// its cut-offs, so "ndcg@5" by default. It is empty if there is neither.
func (p *Params) StopRule() string {
	rule := p.stopRule()
	if m, err := metric.Parse(rule, metric.Default()); err == nil {
		return m.Name()
	}
	return rule
}

func (p *Params) stopRule() string {
	if p.StopMetric != "" || len(p.Metric) == 0 {
		return p.StopMetric
	}
	first := Params{Metric: p.Metric[:1], EvalAt: p.EvalAt}
	names := first.metricNames()
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// Set sets one parameter from text, under LightGBM's name or one of its
// aliases, as in a configuration: p.Set("num_leaves", "63"). It does not
// change p if it returns an error.
func (p *Params) Set(name, value string) error {
	changed := *p
	if _, err := changed.Table().Apply([]param.Setting{{Name: name, Value: value}}); err != nil {
		return err
	}
	*p = changed
	return nil
}
