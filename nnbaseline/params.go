package nnbaseline

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// The losses that a network can be trained with (Params.Ranker).
const (
	RankNet    = "ranknet"
	ListNet    = "listnet"
	ListNetKL  = "listnet-kl"
	LambdaRank = "lambdarank-mlp"
	ListMLE    = "listmle"
	MSE        = "mse"
)

// Rankers returns the values of Params.Ranker.
func Rankers() []string { return []string{RankNet, ListNet, ListNetKL, LambdaRank, ListMLE, MSE} }

// The kinds of normalization of a layer's sums before ReLU (Params.Normalization).
const (
	NoNormalization = "none"
	BatchNorm       = "batch"
	LayerNorm       = "layer"
)

// The optimizers, which convert gradients to steps (Params.Optimizer).
const (
	Adam  = "adam"
	AdamW = "adamw"
)

// The schedules, by which the learning rate changes (Params.Schedule).
const (
	Constant = "constant"
	Cosine   = "cosine"
	Step     = "step"
	Plateau  = "plateau"
)

// The ways of handling values that are NaN (Params.NaN).
const (
	RefuseNaN  = "error"
	MeanForNaN = "mean"
)

// Params are the parameters of a training run. Begin with [DefaultParams]: a zero field never means the
// default. Parameters that trees have too keep their names and meanings.
type Params struct {
	// Threads, seed, metrics and early stopping. A round is an epoch here.
	training.Params

	Ranker       string  // the loss: see [Rankers]
	Epochs       int     // passes over the training data; early stopping may keep an earlier one's weights
	BatchQueries int     // queries of a step
	LearningRate float64 // of the first step; Schedule changes it

	// Network.
	// units of each hidden layer, the one next to the features first; empty: a linear model
	HiddenLayers  []int
	Dropout       float64 // share of the hidden units that are left out for each row in training
	Normalization string  // none, batch or layer
	NaN           string  // error, or mean: a NaN counts as the feature's mean over the training rows

	// Steps.
	Optimizer      string  // adam or adamw
	WeightDecay    float64 // times the weight: adam adds it to the gradient, adamw subtracts it from the weight
	GradientClip   float64 // largest norm of a gradient, the Euclidean norm over all weights; 0: any
	Schedule       string  // constant, cosine, step or plateau
	ScheduleFactor float64 // for step and plateau: factor on the learning rate
	// step: epochs between two reductions; plateau: epochs without a rise of the stop metric before a reduction
	ScheduleEpochs int

	// Loss.
	Pairs                     int         // for ranknet: pairs drawn for each query of a step; 0: all of them
	Sigmoid                   float64     // for ranknet and lambdarank-mlp: steepness of the pair loss
	LambdarankTruncationLevel int         // for lambdarank-mlp: pairs must reach into this many first ranks
	LabelGain                 metric.Gain // for lambdarank-mlp and the metrics: worth of a relevance grade
}

// DefaultParams returns the defaults: ListNet on the preset 512-256-128. Parameters that trees have
// too have the same defaults, except for the learning rate.
func DefaultParams() Params {
	return Params{
		Params: training.DefaultParams(),

		Ranker:       ListNet,
		Epochs:       20,
		BatchQueries: 1,
		LearningRate: 1e-3,

		HiddenLayers:  []int{512, 256, 128},
		Dropout:       0.2,
		Normalization: NoNormalization,
		NaN:           RefuseNaN,

		Optimizer:      Adam,
		Schedule:       Constant,
		ScheduleFactor: 0.5,
		ScheduleEpochs: 5,

		Sigmoid:                   1,
		LambdarankTruncationLevel: 30,
		LabelGain:                 metric.Exp2(),
	}
}

// preset is a network that has a name.
type preset struct {
	Name         string
	HiddenLayers []int
	Dropout      float64
}

// presets returns the networks of the notebooks that the package began with. Each ends in one output unit.
func presets() []preset {
	return []preset{
		{"32-16", []int{32, 16}, 0.5},
		{"512-256-128", []int{512, 256, 128}, 0.2},
		{"128-64-32", []int{128, 64, 32}, 0.2},
		{"10", []int{10}, 0},
	}
}

// Validate returns everything that is wrong with p, each fault with the parameter's name, its value
// and what is allowed, or nil. It knows the metrics of package metric only; Train also accepts the
// names of [training.Options].Metrics in StopMetric.
func (p *Params) Validate() error {
	if p.AnyMetricStops {
		return errOneDecides
	}
	if p.Constraint != nil || p.ConstraintSet != "" {
		return errNoConstraint
	}
	return rounds.Check(&p.Params, p.Table(), p.LabelGain)
}

// errOneDecides is the error for a rule of early stopping that networks do not support: they keep the weights
// of the best epoch by one metric only.
var errOneDecides = errors.New("AnyMetricStops is for trees only: networks stop by one metric on one set; " +
	"name them in StopMetric and StopSet")

// errNoConstraint is the error for constraints, since networks train on one objective, of which no weight
// could rise.
var errNoConstraint = errors.New("constraints are for trees only: leave Constraint and ConstraintSet empty")

// Cautions returns remarks on parameters that are allowed but may not do what the user expects.
func (p *Params) Cautions() (remarks []string) {
	if p.Ranker == LambdaRank {
		remark := rounds.CutoffCaution(&p.Params, "lambdarank_truncation_level", p.LambdarankTruncationLevel)
		if remark != "" {
			remarks = append(remarks, remark)
		}
	}
	usual, withRanker, withSchedule := DefaultParams(), "with ranker="+p.Ranker, "with schedule="+p.Schedule
	isLinear, keepsRate := len(p.HiddenLayers) == 0, p.Schedule == Constant || p.Schedule == Cosine
	weighsPairs := p.Ranker == RankNet || p.Ranker == LambdaRank
	for _, c := range []struct {
		isIdle bool
		name   string
		value  any
		why    string
	}{
		{p.Pairs > 0 && p.Ranker != RankNet, "ranknet_pairs", p.Pairs, withRanker + "; only ranknet draws pairs"},
		{p.Dropout > 0 && isLinear, "dropout", p.Dropout, "without hidden layers"},
		{p.Normalization != NoNormalization && isLinear, "normalization", p.Normalization, "without hidden layers"},
		{p.ScheduleFactor != usual.ScheduleFactor && keepsRate, "schedule_factor", p.ScheduleFactor, withSchedule},
		{p.ScheduleEpochs != usual.ScheduleEpochs && keepsRate, "schedule_epochs", p.ScheduleEpochs, withSchedule},
		{p.Optimizer == AdamW && p.WeightDecay == 0, "optimizer", AdamW, "while weight_decay=0"},
		{p.Sigmoid != usual.Sigmoid && !weighsPairs, "sigmoid", p.Sigmoid, withRanker},
	} {
		if c.isIdle {
			remarks = append(remarks, fmt.Sprintf("%s=%v has no effect %s", c.name, c.value, c.why))
		}
	}
	return remarks
}

// record returns, as text by name, the parameters that models depend on.
func (p *Params) record() map[string]string {
	texts := map[string]string{}
	for _, entry := range p.Table() {
		if !entry.SameModel {
			texts[entry.Name] = entry.Value.String()
		}
	}
	return texts
}

// PairsRemark returns a warning if the pairs of an epoch on this training data take long,
// and an empty text otherwise.
func (p *Params) PairsRemark(m *dataset.Meta) string {
	switch {
	case p.Ranker == RankNet && p.Pairs == 0:
		return pairwise.LoadOf(m, func(labels []float64) float64 {
			return pairwise.Truncated(len(labels), len(labels)) / 2
		}).Remark("an epoch", "set ranknet_pairs=1000, which draws pairs")
	case p.Ranker == LambdaRank:
		return pairwise.LoadOf(m, func(labels []float64) float64 {
			return pairwise.Truncated(len(labels), p.LambdarankTruncationLevel)
		}).Remark("an epoch", fmt.Sprintf("lower lambdarank_truncation_level, which is %d",
			p.LambdarankTruncationLevel))
	}
	return ""
}
