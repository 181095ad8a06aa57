package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/widened"
	modelio "github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// RankerSpec describes a ranker to compare, as an entry of the user's list.
type RankerSpec struct {
	Name     string // distinct
	Kind     string
	Settings []param.Setting
}

// benchRanker is one of the rankers to compare.
type benchRanker struct {
	Name, Kind string
	set        []string // parameters that were given, "name=value"
	learner    rankerLearner
}

// The kinds of boosted trees. The other kinds are the losses of package nnbaseline.
const (
	KindLambdaMART = "lambdamart"
	KindAuto       = "lambdamart-auto" // parameters that are not set are chosen by [ApplyPreset]
)

// Kinds returns the kinds of rankers.
func Kinds() []string { return append([]string{KindLambdaMART, KindAuto}, nnbaseline.Rankers()...) }

// newLearner returns a learner of one of [Kinds], with the defaults of training, but with enough trees or
// epochs for early stopping to end it.
func newLearner(kind string) rankerLearner {
	if kind == KindLambdaMART || kind == KindAuto {
		t := &treeLearner{params: booster.DefaultParams(), auto: kind == KindAuto}
		t.params.NumIterations, t.params.Patience = 1000, 50
		return t
	}
	n := &networkLearner{nnbaseline.DefaultParams()}
	n.params.Ranker, n.params.Epochs, n.params.Patience = kind, 100, 10
	return n
}

// decidedParams maps each parameter that an experiment sets itself to an explanation.
var decidedParams = map[string]string{
	"seed":                       "seeds=n trains with the seeds 1 to n",
	"num_threads":                "it is the same for all rankers: give it beside them",
	"metric":                     "it is the same for all rankers: give it beside them",
	"eval_at":                    "it is the same for all rankers: give it beside them",
	"label_gain":                 "it is the same for all rankers: give it beside them",
	"metric_convention":          "it is the same for all rankers: give it beside them",
	"stop_metric":                "metric= decides",
	"stop_set":                   "the validation queries decide",
	"metric_freq":                "every iteration is judged on the validation queries",
	"is_provide_training_metric": "training queries are not judged",
}

// newRankers returns the rankers described by a list. [BenchOptions] documents which settings they get.
func newRankers(entries []RankerSpec, general, override []param.Setting) ([]benchRanker, error) {
	if len(entries) == 0 {
		return nil, fmt.Errorf("rankers= names none; there are %s", strings.Join(Kinds(), ", "))
	}
	var rankers []benchRanker
	for _, e := range entries {
		if slices.ContainsFunc(rankers, func(r benchRanker) bool { return r.Name == e.Name }) {
			return nil, fmt.Errorf("ranker %s comes twice", e.Name)
		}
		r, err := newRanker(e, general, override)
		if err != nil {
			return nil, err
		}
		rankers = append(rankers, r)
	}
	for _, s := range append(slices.Clone(general), override...) {
		has := func(r benchRanker) bool { return r.learner.table().Find(s.Name) != nil }
		if !slices.ContainsFunc(rankers, has) {
			return nil, fmt.Errorf("%v: none of the rankers has this parameter", s)
		}
	}
	return rankers, nil
}

// newRanker returns a ranker, whose own settings replace the general ones.
func newRanker(e RankerSpec, general, override []param.Setting) (benchRanker, error) {
	r := benchRanker{Name: e.Name, Kind: e.Kind}
	if !slices.Contains(Kinds(), e.Kind) {
		return r, fmt.Errorf("ranker %q: unknown; there are %s", e.Kind, strings.Join(Kinds(), ", "))
	}
	r.learner = newLearner(e.Kind)
	table := r.learner.table()
	known := func(list []param.Setting) []param.Setting {
		foreign := func(s param.Setting) bool { return table.Find(s.Name) == nil }
		return slices.DeleteFunc(slices.Clone(list), foreign)
	}
	layers := [][]param.Setting{known(general), e.Settings, known(override)} // later ones replace earlier ones
	for _, s := range slices.Concat(layers...) {
		if s.Name == "preset" && table.Find(s.Name) == nil {
			return r, fmt.Errorf("%v: %w: the ranker %s chooses its parameters as preset=auto does", s,
				param.ErrUnknown, KindAuto)
		}
		if p := table.Find(s.Name); p != nil && decidedParams[p.Name] != "" {
			return r, fmt.Errorf("%v: the experiment decides this: %s", s, decidedParams[p.Name])
		}
	}
	effective, err := table.Apply(layers...)
	if err != nil {
		return r, err
	}
	trees, ok := r.learner.(*treeLearner)
	for _, s := range effective {
		r.set = append(r.set, s.Name+"="+s.Value)
		if ok {
			trees.given = append(trees.given, s.Name)
		}
	}
	return r, r.learner.validate()
}

// rankerLearner trains models of one kind with one set of parameters, which training does not change.
type rankerLearner interface {
	// table returns the parameters, bound to the learner.
	table() param.Table

	// validate returns all errors of the parameters.
	validate() error

	// prepare reads the data of a fold, and returns the function that trains on it. When ctx is canceled, that
	// stops after the current tree or step and returns the model so far.
	prepare(ctx context.Context, f *splitData, t runTerms) (func() (*fittedRanker, error), error)
}

// runTerms are what an experiment determines for a run of a ranker, whose course it records.
type runTerms struct {
	*experiment
	run *rankerRun
}

// setOn sets the parameters that the experiment determines. Only the metric that chooses the iteration is
// evaluated, on the validation queries after every round.
func (t runTerms) setOn(p *training.Params) {
	p.Seed, p.NumThreads = uint64(t.run.Seed), t.options.Threads
	p.Metric, p.StopMetric, p.MetricConvention = nil, t.metrics[0].Name(), t.options.Convention
	p.MetricFreq, p.StopSet, p.IsTrainingMetric = 1, "", false
}

// observing returns the options of a run of at most this many rounds.
func (t runTerms) observing(rounds int) training.Options {
	return training.Options{
		Round: func(r training.Round) {
			t.run.TrainSeconds += r.Seconds
			if r.Model == 0 {
				t.judged(r.Number, r.Evaluations)
			}
			t.progress(Progress{Round: r, Done: r.Number, Of: rounds})
		},
		Step: func(round, done, of int) {
			t.progress(Progress{Done: round - 1, Of: rounds, Steps: [2]int{done, of}})
		},
	}
}

// judged records the metrics after an iteration, or of an ensemble, which are not in any round.
func (t runTerms) judged(iteration int, e []training.Evaluation) {
	t.run.Curve = append(t.run.Curve, runPoint{iteration, metric.Value(e[0].Result.Mean)})
}

// fittedRanker is a trained model.
type fittedRanker struct {
	score func(dst, rows []float64) error // scores a query; rows have the features of the data, row-major
	write func(w io.Writer) error         // writes the model in its storage format

	iterations int    // number of iterations that were done
	kept       int    // iteration, from 1: the best on the validation queries
	stopped    string // why training ended
	warning    string // about the run; may be empty
	remark     string // about the course of the run, reported once; may be empty
}

// treeLearner trains boosted trees.
type treeLearner struct {
	params booster.Params
	auto   bool     // parameters that are not set are chosen by the size of the data
	given  []string // names of the parameters that are set
}

func (t *treeLearner) table() param.Table { return t.params.Table() }

// errNoPairs explains why rankers cannot be compared by pairs of documents.
var errNoPairs = errors.New("bench reads no pairs of documents; name another one")

func (t *treeLearner) validate() error {
	for _, name := range append([]string{t.params.Objective}, t.params.ModelObjectives...) {
		if objective.ReadsPairs(name) {
			return fmt.Errorf("objective=%s: %w", name, errNoPairs)
		}
	}
	return t.params.Validate(nil)
}

func (t *treeLearner) prepare(ctx context.Context, f *splitData, with runTerms) (
	func() (*fittedRanker, error), error) {
	p := t.params
	with.setOn(&p.Params)
	p.LabelGain = with.options.Gain
	binned, err := f.bin(ctx, &p)
	return func() (*fittedRanker, error) { return t.train(ctx, p, binned.sets, with) }, err
}

// train trains with the parameters p on a fold.
func (t *treeLearner) train(ctx context.Context, p booster.Params, data []booster.Data,
	with runTerms) (*fittedRanker, error) {
	if t.auto {
		if _, err := ApplyPreset(PresetAuto, &p, data[0].Meta, true, t.given...); err != nil {
			return nil, err
		}
	}
	o := booster.Options{Options: with.observing(p.NumIterations)}
	result, err := booster.Train(ctx, p, data[0], data[1:], o)
	if err != nil {
		return nil, err
	}
	if len(result.Model.Trees) == 0 {
		return nil, fmt.Errorf("no tree was grown: %s", result.Stopped)
	}
	best, kept := result.Model, result.Kept
	if result.Members == nil {
		best, kept = best.Part(0, result.Best), result.Best
	} else {
		with.judged(kept, result.Evaluations)
	}
	score, err := scorerOf(best)
	if err != nil {
		return nil, err
	}
	return &fittedRanker{score: score, write: func(w io.Writer) error { return modelio.Write(w, best) },
		iterations: result.Rounds, kept: kept, stopped: string(result.Stopped),
		remark: p.ActiveRemark(data[0].Meta.AllRows(), len(data[0].Meta.Queries))}, nil
}

// scorerOf returns a function that scores a query by a model.
func scorerOf(m *tree.Ensemble) (func(dst, rows []float64) error, error) {
	compiled, err := tree.Compile(m)
	if err != nil {
		return nil, err
	}
	features := widened.FeaturesOf(compiled)
	return func(dst, rows []float64) error { return compiled.Score(dst, features.Rows(rows, len(dst))) }, nil
}

// networkLearner is a neural ranker.
type networkLearner struct{ params nnbaseline.Params }

// table returns all parameters except the loss, which is the kind of the ranker.
func (n *networkLearner) table() param.Table {
	return slices.DeleteFunc(n.params.Table(), func(p param.Parameter) bool { return p.Name == "ranker" })
}

func (n *networkLearner) validate() error { return n.params.Validate() }

func (n *networkLearner) prepare(ctx context.Context, f *splitData, with runTerms) (
	func() (*fittedRanker, error), error) {
	p := n.params
	with.setOn(&p.Params)
	p.LabelGain = with.options.Gain
	if p.Patience == 0 {
		p.Patience = p.Epochs // training never stops early, but the model still keeps the best epoch
	}
	data, err := f.read(ctx)
	return func() (*fittedRanker, error) { return trainNetwork(ctx, p, data, with) }, err
}

// trainNetwork trains a network on a fold.
func trainNetwork(ctx context.Context, p nnbaseline.Params, data []nnbaseline.Data,
	with runTerms) (*fittedRanker, error) {
	result, err := nnbaseline.Train(ctx, p, data[0], data[1:], with.observing(p.Epochs))
	if err != nil {
		return nil, err
	}
	if result.Best == 0 {
		return nil, fmt.Errorf("not even one epoch was done (%s)", result.Stopped)
	}
	m := &fittedRanker{score: result.Model.Score, write: result.Model.Write, iterations: result.Rounds,
		kept: result.Best, stopped: string(result.Stopped)}
	if result.Explosion != nil {
		m.warning = result.Explosion.Error()
	}
	return m, nil
}
