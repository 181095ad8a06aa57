package booster

import (
	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/objective"
)

// trainer is the state of a training run between iterations.
type trainer struct {
	lambdas
	active   activation
	bins     *binsum.Rows // of all rows, with planes once trees grow on all
	gathered *binsum.Rows // of the active rows, if these are not all rows
	// number of the next draw of queries, features and rounding; more than len(trees) after draws without a
	// split
	draw        int
	own         bool  // the objective is the caller's
	constant    error // why the model is a constant; nil if it is not
	contracted  bool  // the latest tree lost all splits to KeepMinimum
	dart        *dart // nil unless boosting is dart
	clock       clock
	judge       judge
	control     *control     // chooses the share of active rows; nil if it is given
	multipliers *multipliers // of constraints; nil if there are none
}

// newTrainer returns the trainer of a run, with its objective prepared and its buffers allocated. The caller
// closes its pool.
func newTrainer(p *Params, train Data, valid []Data, o Options) (_ *trainer, err error) {
	obj, own := o.Objective, o.Objective != nil
	if !own {
		if obj, err = p.newObjective(); err != nil {
			return nil, err
		}
	}
	growth, err := p.growthOn(train)
	if err != nil {
		return nil, err
	}
	l, err := newLambdas(p, train, obj)
	if err != nil {
		return nil, err
	}
	t := &trainer{lambdas: l, own: own, bins: binsum.Of(train.Values), control: p.newControl(train),
		multipliers: newMultipliers(p, train.Name)}
	t.positions = newPositionBias(p, train.Meta, own)
	if o.Before != nil {
		t.before, t.draw = len(o.Before.Trees), len(o.Before.Trees)
	}
	t.grower = grow.New(growth, train.Values, t.bins, train.Meta.Part, t.pool)
	t.begin(valid, initialScore(obj, train.Meta))
	t.active.part = train.Meta.Part
	t.active.firstRow, _ = train.Meta.Part.First()
	if p.Boosting == DART {
		t.dart = &dart{}
	}
	return t, nil
}

// initialScore returns the score of all rows before the first tree, if the objective has one; otherwise 0.
func initialScore(obj objective.Objective, train *dataset.Meta) float64 {
	o, ok := obj.(objective.Initial)
	if !ok || train.InitialScores != nil {
		return 0
	}
	return o.InitialScore(train)
}

// observe makes the trainer add its times to p, unless p is nil.
func (t *trainer) observe(p *Profile) {
	t.clock = newClock(p, t.pool.Workers())
	t.grower.Watch = t.clock.Watch
}

// beginTree draws what a tree grows on: the rows of a bag, and of these the active ones, whose bins it
// returns. rate is the factor on the values of the tree.
func (t *trainer) beginTree() (bins *binsum.Rows, rate float64, err error) {
	rate, err = t.dart.drop(&t.forest, t.params, t.draw, t.params.rateOf(len(t.trees)))
	if err != nil {
		return nil, 0, err
	}
	t.drawBag(t.draw)
	largest, err := t.findGradients()
	if err == nil {
		bins, err = t.activate(t.draw, largest)
	}
	if err != nil {
		t.dart.undo(&t.forest)
	}
	return bins, rate, err
}

// keepTree appends the tree that was grown, with values of its leaves from all rows, and adds these to the
// scores. It reports whether the tree has any split; a tree without one is not kept.
func (t *trainer) keepTree(rate float64) bool {
	g, eta := t.grower, t.params.rateOf(len(t.trees))
	if len(g.Nodes) == 0 {
		return false
	}
	t.leafOf = g.LeavesOf(t.train.Values)
	totals := refit(g.NumLeaves(), t.leafOf, &t.rows, t.gradients, t.active.fine, t.pool)
	totals.AddUp(t.train.Meta.Part)
	number := g.KeepMinimum(&totals, grow.FittedRows{LeafOf: t.leafOf, Lambda: t.gradients.Lambda,
		Hessian: t.gradients.Hessian, InBag: t.rows.has})
	if t.contracted = len(g.Nodes) == 0; t.contracted {
		return false
	}
	t.seeRound(&totals, number, eta)
	fitted := g.Finish(&totals, rate)
	t.addToTraining(fitted.LeafValue, number)
	t.clock.lap(PhaseRefit)
	t.addToValidation(t.validated, fitted.LeafValue)
	t.clock.lap(PhaseValidation)
	t.append(fitted)
	t.positions.step(eta)
	t.draw++
	t.dart.settle(&t.forest, t.params, rate, eta)
	return true
}

// shareOfRound returns the share of the rows that the next tree grows on, and decides
// whether the tree is judged.
func (t *trainer) shareOfRound() float64 {
	t.judge.on = false
	if t.control == nil {
		return t.params.fixedShare()
	}
	level, judges := t.control.next()
	share := shareOf(level)
	if t.judge.on = judges; judges && share < 1 {
		share /= 1 - judging
	}
	return share
}

// seeRound lets the grown tree be judged, if it is this round, and the control know.
func (t *trainer) seeRound(totals *grow.Totals, number []int32, eta float64) {
	if t.control == nil {
		return
	}
	level, judges := t.control.next()
	if len(t.control.levels) == 0 {
		w := t.workOf(totals)
		t.control.work = w.load()
		t.control.highest = min(t.control.highest, w.highest(t.control.lowest))
	}
	round := verdict{level: level}
	if judges {
		round.honest, round.fitted = t.judge.gains(&t.lambdas, totals, number, t.active.fine, eta)
	}
	t.control.see(round)
}

// redraw advances to the next draw that may differ from the last one, and reports whether there is one.
func (t *trainer) redraw() bool {
	p := t.params
	switch {
	case t.active.Sparse || t.judge.on || p.FeatureFraction < 1 || t.dart != nil ||
		t.grower.Settings.Draws():
		t.draw++
	case t.partial:
		t.draw += p.BaggingFreq - t.draw%p.BaggingFreq
	default:
		return false
	}
	return true
}

// findGradients computes the gradients of a draw and returns their extremes.
func (t *trainer) findGradients() (extremes, error) {
	largest, err := t.computeGradients(len(t.trees))
	if err != nil {
		return largest, err
	}
	t.positions.collect(&t.rows, t.gradients)
	t.clock.lap(PhaseLambdas)
	return largest, t.checkGrowth(len(t.trees), largest)
}

// spreadShare is the least share of active rows that stay where they are. A copy of their bins would take
// more time than the gaps between them, on long rows above all. Only speed depends on it.
const spreadShare = 0.1

// activate chooses the rows that the tree grows on, and returns their bins, copied into consecutive memory
// if they are few. largest are the extremes of all gradients.
func (t *trainer) activate(draw int, largest extremes) (bins *binsum.Rows, err error) {
	key := random.New(t.params.Seed, random.RoundGradient, draw)
	total := t.train.Meta.Part.Group().SumOf(t.rows.size)
	fraction := t.shareOfRound()
	if err := t.active.activate(&t.rows, total, t.gradients, largest, fraction, key, t.pool); err != nil {
		return nil, t.explain(err, len(t.trees))
	}
	if t.judge.on {
		t.judge.draw(random.New(t.params.Seed, random.Judge, draw), t.train.Meta, &t.rows)
		t.active.leaveOut(t.judge.rows.list, judging)
	}
	t.clock.lap(PhaseRound)
	if all := t.train.Values.NumRows(); float64(len(t.active.Packed)) >= spreadShare*float64(all) {
		if len(t.active.Packed) < all {
			t.active.SpreadOver(all)
		}
		t.bins.Transpose(t.pool)
		bins = t.bins
	} else {
		t.gathered = t.bins.Gather(t.gathered, t.active.Rows, t.pool)
		bins = t.gathered
	}
	t.clock.lap(PhaseGather)
	return bins, nil
}
