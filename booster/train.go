package booster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// An ensemble of K models, each trained as if it were the only one: model k, from 0, has the seed Seed + k
// and the objective k mod the number of ModelObjectives. Scores of different objectives have different
// scales, and the objective with the largest scores would dominate a plain mean. Therefore models are scaled
// by their spread, which is the standard deviation of their scores within queries,
//
//	spread² = Σ_queries Σ_documents (score - mean score of the query)² / number of rows
//
// on the training data: the leaf values of model k are multiplied by spread_0 / (K·spread_k). The ensemble
// is the sum of all trees, with the scale of the first model.

// Train steps a run ([New]) to its end, and calls o.Round after each iteration. If ctx is canceled, training
// ends after the current one, and the model so far is returned with the reason [training.Canceled] and no
// error.
//
// If a round fails, the result is that of the rounds before, or nil if there are none. If training panics, or
// a function of o does, the error wraps a [*training.PanicError].
//
// If p.NumModels is above 1, the result is an ensemble of this many models. Members has the results of the
// single runs, Rounds and Kept are their sums, and Evaluations has the metrics of the ensemble. It is an
// error if two models would be the same, or if the scores of models have no common scale. With at most
// 200,000 rows, several models are trained at once, and the functions of o are called for one model after the
// other. If ctx is canceled, the ensemble has the complete models or, if there are none, the first one as
// far as it was trained.
func Train(ctx context.Context, p Params, train Data, valid []Data, o Options) (_ *Result, err error) {
	defer o.use(&err)()
	o.Guard = nil
	if p.NumModels > 1 {
		return trainEnsemble(ctx, p, train, valid, o)
	}
	seen := o.Round
	o.Round = nil
	t, err := New(p, train, valid, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.ended(rounds.Loop(ctx, t.Rounds(), t.Step, seen))
}

// trainEnsemble is like [Train], for more than one model.
func trainEnsemble(ctx context.Context, p Params, train Data, valid []Data, o Options) (*Result, error) {
	if err := p.Validate(o.Objective, o.Metrics...); err != nil {
		return nil, err
	}
	if err := checkPeers(train, o.Objective, o.Metrics); err != nil {
		return nil, err
	}
	if err := checkEnsemble(&p, train, o); err != nil {
		return nil, err
	}
	resumed, err := resumesParts(o.Checkpoints, train.Meta)
	if err != nil {
		return nil, err
	}
	all, failed := trainMembers(ctx, p.members(train, valid, o, resumed), &p, train, o)
	if failed != nil && all.Stopped == training.Finished {
		return nil, failed
	}
	if err := combine(all); err != nil {
		return nil, err
	}
	if failed != nil && train.Meta.Part.Group().Size() > 1 {
		return all, failed // peers may be anywhere: the model does not say how it was made
	}
	if all.Model.Parameters, err = p.provenance(train, valid, o.Objective, 0, all); err != nil {
		return nil, err
	}
	if failed != nil {
		return all, failed
	}
	if err = evaluateEnsemble(all, &p, train, valid, o); err != nil {
		all.Stopped = rounds.ReasonOf(err)
	}
	return all, err
}

// trainMembers trains the models one after the other, or several at once, and returns their results.
func trainMembers(ctx context.Context, members []*member, p *Params, train Data, o Options) (all *Result,
	err error) {
	all = &Result{Stopped: training.Finished}
	add := func(m *member) (more bool) {
		if more, err = addMember(all, m, train, p.NumThreads); err != nil {
			err = fmt.Errorf("model %d of %d: %w", m.number, p.NumModels, err)
		}
		return more && err == nil
	}
	if atOnce, threads := p.modelsAtOnce(train, o); atOnce > 1 {
		trainAtOnce(ctx, members, atOnce, threads, add)
	} else {
		trainInTurn(ctx, members, add)
	}
	return all, err
}

// addMember adds the result of the next model, and reports whether others may follow. The ensemble of a
// canceled run has the models that were complete or, if none was, the first one as far as it was trained. The
// spread of the model's scores is computed here, where all peers have the model: if a later one fails, they
// no longer do the same.
func addMember(all *Result, m *member, train Data, workers int) (more bool, err error) {
	if m.err != nil {
		rescueMembers(all, m)
		return false, m.err
	}
	if m.result.Stopped == training.Canceled {
		all.Stopped = training.Canceled
		if len(all.Members) > 0 {
			return false, nil
		}
	}
	added := appendMember(all, m)
	if added.Kept == 0 { // canceled before its first tree
		return false, nil
	}
	if added.Spread, err = spreadOf(added.Model, train, workers); err == nil && added.Spread == 0 {
		err = fmt.Errorf("objective=%s gives all documents of each query the same score, so that it has no scale "+
			"to average by; leave the objective out, or add features that differ within queries", added.Objective)
	}
	return all.Stopped != training.Canceled, err
}

// appendMember appends the result of a model.
func appendMember(all *Result, m *member) *training.Member[*tree.Ensemble] {
	name := m.params.Objective
	if m.options.Objective != nil {
		name = m.options.Objective.Name()
	}
	all.Members = append(all.Members, training.Member[*tree.Ensemble]{Result: *m.result, Objective: name,
		Seed: m.params.Seed})
	return &all.Members[len(all.Members)-1]
}

// rescueMembers makes an ensemble of the models that were complete before one failed or, if none was, of the
// rounds of this one.
func rescueMembers(all *Result, m *member) {
	if len(all.Members) == 0 && m.result != nil {
		appendMember(all, m)
	}
	if len(all.Members) > 0 {
		all.Stopped = rounds.ReasonOf(m.err)
	}
}

// checkEnsemble returns an error if the models would not be different, or could not be added up.
func checkEnsemble(p *Params, train Data, o Options) error {
	obj := o.Objective
	switch {
	case obj != nil && len(p.ModelObjectives) > 0:
		return fmt.Errorf("model_objectives=%s and an objective of your own: leave model_objectives out",
			strings.Join(p.ModelObjectives, ","))
	case o.Before != nil:
		return fmt.Errorf("num_models=%d trains anew: it does not go on from a model (input_model); leave "+
			"one of them out", p.NumModels)
	case train.Meta.InitialScores != nil:
		return fmt.Errorf("num_models=%d scales the trees of each model, which initial scores do not allow; "+
			"leave one of them out", p.NumModels)
	}
	if obj != nil {
		return nil
	}
	return p.checkDifferent(train)
}

// checkDifferent returns an error if two models would be the same.
func (p *Params) checkDifferent(train Data) error {
	first := map[string]int{} // model with this objective
	for k := range p.NumModels {
		member := p.Member(k)
		if same, found := first[member.Objective]; found && !member.drawsAtRandom(train) {
			return fmt.Errorf("num_models=%d: model %d would be the same as model %d, because nothing is drawn "+
				"at random; set feature_fraction=0.8, or bagging_fraction=0.8 with bagging_freq=1, or name more "+
				"model_objectives", p.NumModels, k+1, same+1)
		}
		first[member.Objective] = k
	}
	return nil
}

// drawsAtRandom reports whether another seed gives another model.
func (p *Params) drawsAtRandom(train Data) bool {
	return p.FeatureFraction < 1 || p.FeatureFractionByNode < 1 || p.ExtraTrees || p.hasBags() ||
		p.Boosting == DART || p.fixedShare() < 1 || p.newControl(train) != nil ||
		objective.IsRandom(p.Objective, &p.AllParams)
}

// resumesParts reports whether there are checkpoints of single models to continue from. It is an error if
// they are required but missing.
func resumesParts(c *training.Checkpoints, m *dataset.Meta) (bool, error) {
	if c == nil || c.Resume == training.Anew {
		return false, nil
	}
	g := m.Part.Group()
	found := g.Any(g.Rank() == 0 && len(c.Files()) > 0)
	if c.Resume == training.Required && !found {
		return false, fmt.Errorf("%s: %w", c.Path, training.ErrNoCheckpoint)
	}
	return found, nil
}

// combine sets the model of an ensemble, its rounds and the scales of its members.
func combine(all *Result) error {
	var scaled []*tree.Ensemble
	for k := range all.Members {
		m := &all.Members[k]
		all.Rounds, all.Kept = all.Rounds+m.Rounds, all.Kept+m.Kept
		if m.Kept == 0 { // canceled before its first tree
			all.Model = m.Model
			return nil
		}
		m.Factor = 1
		if len(all.Members) > 1 {
			m.Factor = all.Members[0].Spread / float64(float64(len(all.Members))*m.Spread)
		}
		part, err := m.Model.Scaled(m.Factor)
		if err != nil {
			return fmt.Errorf("model %d: %w", k+1, err)
		}
		scaled = append(scaled, part)
	}
	var err error
	all.Model, err = tree.Join(scaled...)
	return err
}

// spreadOf returns the standard deviation of a model's scores within the queries of its training data, by
// which an ensemble scales the model.
func spreadOf(m *tree.Ensemble, train Data, workers int) (float64, error) {
	scores := make([]float64, train.Meta.NumRows())
	if err := Scores(scores, m, train.Values, workers); err != nil {
		return 0, err
	}
	return spread(scores, train.Meta), nil
}

// spread returns the standard deviation of scores within queries. The first score of each query is subtracted
// from the others, so rounding gives equal scores no spread. The sum is passed from peer to peer, in the
// order of the data.
func spread(scores []float64, meta *dataset.Meta) float64 {
	sum := []float64{0}
	meta.Part.Group().Chain(sum, func() {
		for _, q := range meta.Queries {
			part, mean := scores[q.First:q.First+q.Len], 0.0
			for _, s := range part {
				mean += s - part[0]
			}
			mean /= float64(q.Len)
			for _, s := range part {
				more := s - part[0] - mean
				sum[0] += float64(more * more)
			}
		}
	})
	return math.Sqrt(sum[0] / float64(meta.AllRows()))
}

// evaluateEnsemble sets the metrics of an ensemble.
func evaluateEnsemble(all *Result, p *Params, train Data, valid []Data, o Options) (err error) {
	defer rounds.Catch(all.Rounds, &err)
	metrics, err := p.Metrics(p.LabelGain, o.Metrics...)
	if err != nil || len(all.Model.Trees) == 0 {
		return err
	}
	e, err := rounds.NewEvaluator(&p.Params, 1, train, valid, metrics)
	if err != nil {
		return err
	}
	var scores [][]float64
	add := func(m *histogram.Matrix, meta *dataset.Meta) {
		s := make([]float64, m.NumRows())
		err = errors.Join(err, Scores(s, all.Model, m, p.NumThreads))
		for row, initial := range meta.InitialScores {
			s[row] += initial
		}
		scores = append(scores, s)
	}
	if p.IsTrainingMetric {
		add(train.Values, train.Meta)
	}
	for _, v := range valid {
		add(v.Values, v.Meta)
	}
	if err != nil {
		return err
	}
	all.Evaluations, err = e.Evaluate(scores)
	return err
}
