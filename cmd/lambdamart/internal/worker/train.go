package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/learner"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/modelpage"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/study/preset"
	"github.com/lambdamart/lambdamart/training"
)

// trainer is the work of a request "train".
type trainer struct {
	*server
	request  *request
	params   lambdamart.Params
	unwanted atomic.Bool // the parent process ends training after the current iteration

	checkpointing learner.Checkpoints
	checkpoints   *training.Checkpoints // nil if there are none

	initialModel string // file of the model that training continues from; empty: it starts from the beginning
	preset       string // of parameters of trees
	report       string // page to write; empty: none

	inputs []data.Input      // the sets, for the page
	judged modelpage.History // for the page
}

// newTrainer returns a trainer with the defaults of Python: data from which no tree can be grown is no
// exception, which programs expect of an estimator.
func newTrainer() *trainer {
	t := &trainer{params: lambdamart.DefaultParams(), checkpointing: learner.DefaultCheckpoints(), preset: preset.None}
	t.params.AllowConstant = true
	return t
}

func (s *server) train(ctx context.Context, q *request) (event, []byte, error) {
	if len(q.Sets) == 0 {
		return nil, nil, errors.New("there is no training data")
	}
	t := newTrainer()
	t.server, t.request = s, q
	if err := t.configure(); err != nil {
		return nil, nil, err
	}
	var err error
	if q.release, err = cli.Reserve(t.outputs()); err != nil {
		return nil, nil, err
	}
	inputs, release, err := open(t.request.Sets, t.params.NumThreads)
	if err != nil {
		return nil, nil, err
	}
	release = sync.OnceFunc(release)
	defer release()
	all, err := t.load(ctx, inputs)
	if err != nil {
		return nil, nil, cli.DataError(t.choice().Refused(err))
	}
	defer all.Close()
	if t.inputs = inputs; t.report == "" {
		release()
	}
	if err := t.applyPreset(all); err != nil {
		return nil, nil, err
	}
	learner.RemarkOnData(&t.params.Params, all.Training, t.ownObjective(), t)
	if err := learner.CheckMemory(&t.params.Params, all); err != nil {
		return nil, nil, err
	}
	options := []lambdamart.TreeOption{lambdamart.OnRound(func(r training.Round) { t.round(ctx, r) }), lambdamart.Until(t.unwanted.Load)}
	if t.checkpoints != nil {
		options = append(options, lambdamart.WithCheckpoints(t.checkpoints))
	}
	if q.Own != nil {
		p, unmap, err := t.newParent(ctx, metas(all))
		if err != nil {
			return nil, nil, err
		}
		defer unmap()
		options = append(options, p.options()...)
	}
	result, err := lambdamart.Train(ctx, t.params, all, options...)
	if err != nil {
		return nil, nil, err
	}
	t.writeReport(ctx, all, result)
	q.done = func() { learner.Remove(t.checkpoints, result.Stopped, t) }
	return t.result(result)
}

// configure sets the parameters and checks them before data is read.
func (t *trainer) configure() error {
	table := cli.WithLightGBM(slices.Concat(t.params.Table(), t.checkpointing.Table(), t.ownTable()))
	var settings []param.Setting
	for _, s := range t.request.Params {
		settings = append(settings, param.Setting{Name: s.Name, Value: s.Value})
	}
	effective, err := table.Apply(settings)
	if err != nil {
		return err
	}
	files := slices.ContainsFunc(t.request.Sets, func(d dataSet) bool { return d.DataFile != "" })
	var inert []string
	for _, s := range effective {
		if !files && t.params.Data.Layout.Table().Find(s.Name) != nil {
			return fmt.Errorf("%s=%s: how a file is read; the data is arrays", s.Name, s.Value)
		}
		if t.request.Checkpoint == "" && t.checkpointing.Table().Find(s.Name) != nil {
			return fmt.Errorf("%s=%s: a checkpoint needs a file; set checkpoint=PATH", s.Name, s.Value)
		}
		t.params.Data.Given = append(t.params.Data.Given, s.Name)
		if table.Find(s.Name).Inert {
			inert = append(inert, s.Name)
		}
	}
	if inert != nil {
		if err := t.message("note", "accepted without effect: "+strings.Join(inert, ", ")); err != nil {
			return err
		}
	}
	if err := t.begin(); err != nil {
		return err
	}
	t.choice().Before(&t.params.Params)
	return t.choice().Refused(t.check())
}

// ownTable returns the parameters of a training besides those of trees, data and checkpoints.
func (t *trainer) ownTable() param.Table {
	return param.Table{cli.InputModel(&t.initialModel), learner.PresetRow(&t.preset), cli.Report(&t.report)}
}

// applyPreset sets the parameters that the preset chooses for the data.
func (t *trainer) applyPreset(all *data.Loaded) error {
	c := t.choice()
	return c.Apply(&t.params.Params, all.Training.Meta, len(all.Validation) > 0, t.validate)
}

// choice is the preset at work. An objective of the caller's own stays.
func (t *trainer) choice() learner.Preset {
	given := t.params.Data.Given
	if t.ownObjective() {
		given = append(slices.Clone(given), "objective")
	}
	return learner.Preset{Name: t.preset, Given: given, Log: t}
}

// begin reads the model that training continues from, if there is one.
func (t *trainer) begin() error {
	if t.initialModel == "" {
		return nil
	}
	m, _, err := cli.ReadModel(t.initialModel, t)
	if err != nil {
		return err
	}
	t.params.InitialModel, err = learner.InitialModel(t.initialModel, m)
	return err
}

// check returns what is wrong with the parameters as a whole, and shows what is doubtful.
func (t *trainer) check() error {
	p := &t.params
	if err := t.validate(); err != nil {
		return err
	}
	if p.Patience > 0 && len(t.request.Sets) == 1 {
		return fmt.Errorf("patience=%d needs a validation set", p.Patience)
	}
	if err := t.checkReport(); err != nil {
		return err
	}
	for _, caution := range t.cautions() {
		if err := t.message("warning", caution); err != nil {
			return err
		}
	}
	if t.request.Checkpoint != "" {
		c := t.checkpointing.At(t.request.Checkpoint, "iterations", t)
		if learner.Needed(c, t) {
			t.checkpoints = c
		}
	}
	return nil
}

// validate returns what is wrong with parameters, among which there may be names of own metrics.
func (t *trainer) validate() error {
	var metrics []metric.Metric
	if t.request.Own != nil {
		metrics = (&parent{own: t.request.Own}).metrics()
	}
	return t.params.Check(t.params.Table(), t.params.LabelGain, metrics...)
}

// cautions returns what is doubtful about the parameters. An own objective uses none of those of
// built-in ones.
func (t *trainer) cautions() []string {
	if !t.ownObjective() {
		return t.params.Cautions()
	}
	p := t.params
	p.Objective = ""
	remarks := p.Cautions()
	for _, row := range objective.Table(&p.AllParams) {
		if slices.Contains(p.Data.Given, row.Name) && row.Name != "label_gain" {
			remarks = append(remarks, fmt.Sprintf("%s=%v has no effect with an objective of your own", row.Name, row.Value))
		}
	}
	return remarks
}

// ownObjective reports whether the parent process computes the objective.
func (t *trainer) ownObjective() bool { return t.request.Own != nil && t.request.Own.Objective != "" }

// Note implements [learner.Log].
func (t *trainer) Note(text string) { t.message("note", text) }

// Warn implements [learner.Log].
func (t *trainer) Warn(text string) { t.message("warning", text) }

// Emit implements [learner.Log].
func (t *trainer) Emit(e study.Event) {
	kind := "note"
	if _, ok := e.(learner.DefaultsEvent); ok {
		kind = e.Kind()
	}
	t.message(kind, e.String())
}

func (s *server) message(kind, text string) error {
	return s.emit(kind, event{"message": text}, nil)
}

// round emits an iteration and, if the parent wants to be asked, waits for its answer.
func (t *trainer) round(ctx context.Context, r training.Round) {
	if t.report != "" {
		t.judged.Add(r)
	}
	err := t.emit("iteration", event{"model": r.Model, "iteration": r.Number, "of": t.params.NumIterations, "leaves": r.Leaves, "restored": r.Restored, "evaluations": valuesOf(r.Evaluations)}, nil)
	if err != nil {
		t.unwanted.Store(true)
		return
	}
	if !t.request.Ask || r.Restored {
		return
	}
	if q, ok := t.receive(ctx); !ok || q.Op != "go" {
		t.unwanted.Store(true)
	}
}

// valuesOf returns set, metric and value of each evaluation.
func valuesOf(all []training.Evaluation) []any {
	list := []any{}
	for _, e := range all {
		list = append(list, []any{e.Set, e.Result.Metric, number64(e.Result.Mean)})
	}
	return list
}

// number64 returns a number as JSON holds it: what is not finite is null.
func number64(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// result returns the last event of a training, and the model.
func (t *trainer) result(r *booster.Result) (event, []byte, error) {
	if len(r.Model.Trees) == 0 {
		return nil, nil, errors.New("no tree was grown")
	}
	var text bytes.Buffer
	if err := lightgbm.Write(&text, r.Model); err != nil {
		return nil, nil, err
	}
	if r.Constant != nil {
		t.Warn("the model gives all documents the same score: " + r.Constant.Error())
	}
	e := event{"rounds": r.Rounds, "kept": r.Kept, "stopped": string(r.Stopped), "best": r.Best, "best_value": number64(r.BestValue), "watched": r.Watched}
	if r.Members != nil {
		e["ensemble"] = valuesOf(r.Evaluations)
	}
	if r.PositionBiases != nil {
		e["position_biases"] = biasesOf(r.PositionBiases)
	}
	if r.PositionRatios != nil {
		e["position_ratios"] = ratiosOf(r.PositionRatios)
	}
	return e, text.Bytes(), nil
}

// biasesOf returns the names of positions and their biases.
func biasesOf(all []training.PositionBias) (list []any) {
	for _, b := range all {
		list = append(list, []any{b.Position, number64(b.Bias)})
	}
	return list
}

// ratiosOf returns the names of positions, and a pair of ratios for each.
func ratiosOf(all []training.PositionRatio) (list []any) {
	for _, p := range all {
		list = append(list, []any{p.Position, []any{number64(p.Clicked), number64(p.Unclicked)}})
	}
	return list
}

// parameters lists the parameters of a training.
func (s *server) parameters(context.Context, *request) (event, []byte, error) {
	t := newTrainer()
	list := []any{}
	for _, row := range slices.Concat(t.params.Table(), t.checkpointing.Table(), t.ownTable()) {
		aliases := row.Aliases
		if aliases == nil {
			aliases = []string{}
		}
		list = append(list, event{"name": row.Name, "aliases": aliases, "group": row.Group, "default": row.Value.String(),
			"type": row.Value.Type(), "range": row.Value.Range(), "help": row.Help})
	}
	return event{"parameters": list}, nil, nil
}
