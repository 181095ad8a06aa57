package booster

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

// trainer is the state of a training run between iterations.
type trainer struct {
	params    *Params
	objective objective.Objective
	train     Data
	valid     []Data
	pool      *par.Pool

	grower       *grow.Grower
	active       activation
	bins         *binsum.Rows // of all rows, with planes once trees grow on all
	gathered     *binsum.Rows // of the active rows, if these are not all rows
	positions    positionBias
	gradients    objective.Gradients // by row
	extremes     []extremes          // of the gradients, by batch of queries
	firstLargest float64             // largest lambda of the first iteration
	// score of all rows before the first tree, in addition to initial scores of the data; part of the first
	// tree
	initial     float64
	lowered     []float64   // leaf values of the first tree without initial; nil if initial is 0
	scores      []float64   // of the training rows
	validated   [][]float64 // scores of each validation set
	queries     [][]int     // query numbers in batches, in the order in which workers process these
	canceled    func() bool // reports whether the run was; nil: it was not
	chosen      []bool      // by query: whether it is in the bag; nil if all are
	partial     bool        // rows does not contain all rows
	rows        rowSet      // in the bag
	leafOf      []int32     // by row: its leaf in the latest tree
	validLeafOf []int32     // leafOf for one validation set
	trees       []tree.Tree
	before      int // trees of the model that training continues from; not in trees
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

// newTrainer prepares the objective and the memory of a training run. The caller closes the trainer.
func newTrainer(p *Params, train Data, valid []Data, obj objective.Objective) (*trainer, error) {
	if err := obj.Prepare(train.Meta); err != nil {
		return nil, err
	}
	growth, err := p.growthOn(train)
	if err != nil {
		return nil, err
	}
	rows := train.Meta.NumRows()
	t := &trainer{
		params: p, objective: obj, train: train, valid: valid,
		pool:      par.New(p.NumThreads),
		bins:      binsum.Of(train.Values),
		gradients: objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)},
		rows:      allRows(rows),
	}
	t.initial = initialScore(obj, train.Meta)
	t.scores = initialScores(train.Meta, t.initial)
	t.queries = queryBatches(train.Meta, obj, t.pool.Workers())
	t.extremes = make([]extremes, len(t.queries))
	t.grower = grow.New(growth, train.Values, t.bins, train.Meta.Part, t.pool)
	t.active.part = train.Meta.Part
	t.active.firstRow, _ = train.Meta.Part.First()
	t.control = p.newControl(train)
	t.multipliers = newMultipliers(p)
	for _, v := range valid {
		t.validated = append(t.validated, initialScores(v.Meta, t.initial))
	}
	if p.Boosting == DART {
		t.dart = &dart{}
	}
	return t, nil
}

// initialScores returns the scores of rows before the first tree: the initial scores of the data, if it has
// any, plus initial.
func initialScores(data *dataset.Meta, initial float64) []float64 {
	scores := make([]float64, data.NumRows())
	copy(scores, data.InitialScores)
	for row := range scores {
		scores[row] += initial
	}
	return scores
}

// queryBatches returns the numbers of queries that are not idle in batches, in the order in which workers
// process these: long queries first, so no worker starts one when the others are done, and then all others in
// the order of the data. A batch has several short queries, because CPUs slow each other down where they
// access neighboring memory. It begins with queries of few documents, by their number, since objectives may
// process queries of about the same length together.
func queryBatches(data *dataset.Meta, obj objective.Objective, workers int) (batches [][]int) {
	var order []int
	several, ok := obj.(several)
	for n := range data.Queries {
		if !ok || !several.Idle(n) {
			order = append(order, n)
		}
	}
	long := data.NumRows() / (64 * workers)
	length := func(n int) int { return max(long, data.Queries[n].Len) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	for len(order) > 0 {
		size := 0
		for rows := 0; size < len(order) && (size == 0 || rows < long); size++ {
			rows += data.Queries[order[size]].Len
		}
		batches, order = append(batches, order[:size]), order[size:]
	}
	const few = 64 // only speed depends on it
	for _, batch := range batches {
		slices.SortStableFunc(batch, func(a, b int) int {
			return min(data.Queries[a].Len, few) - min(data.Queries[b].Len, few)
		})
	}
	return batches
}

// observe makes the trainer add its times to p, unless p is nil.
func (t *trainer) observe(p *Profile) {
	t.clock = newClock(p, t.pool.Workers())
	t.grower.Watch = t.clock.Watch
}

// step trains one tree, and reports whether it has any split. A tree without one is not kept.
func (t *trainer) step() (grown bool, err error) {
	eta := t.params.rateOf(len(t.trees))
	if t.dart == nil {
		return t.addTree(eta, eta)
	}
	rate, err := t.dart.drop(t, eta)
	if err != nil {
		return false, err
	}
	if grown, err = t.addTree(rate, eta); grown {
		t.dart.settle(t, rate, eta)
	} else {
		t.dart.undo(t)
	}
	return grown, err
}

// addTree is like step, given rate, the factor on the values of the tree, and eta, its learning rate.
func (t *trainer) addTree(rate, eta float64) (grown bool, err error) {
	t.drawBag(t.draw)
	largest, err := t.findGradients()
	if err != nil {
		return false, err
	}
	bins, err := t.activate(t.draw, largest)
	if err != nil {
		return false, err
	}
	g := t.grower
	g.Grow(&t.active.Active, bins, chooseColumns(t.params, t.train.Values.Columns, t.draw), t.draw)
	if len(g.Nodes) == 0 {
		return false, nil
	}
	t.leafOf = g.LeavesOf(t.train.Values)
	totals := refit(g.NumLeaves(), t.leafOf, &t.rows, t.gradients, t.active.fine, t.pool)
	totals.AddUp(t.train.Meta.Part)
	number := g.KeepMinimum(&totals, grow.FittedRows{LeafOf: t.leafOf, Lambda: t.gradients.Lambda,
		Hessian: t.gradients.Hessian, InBag: t.rows.has})
	if t.contracted = len(g.Nodes) == 0; t.contracted {
		return false, nil
	}
	t.seeRound(&totals, number, eta)
	fitted := g.Finish(&totals, rate)
	values := make([]float64, len(number)) // by old number
	for old, leaf := range number {
		if leaf >= 0 {
			values[old] = fitted.LeafValue[leaf]
		}
	}
	addValues(t.pool, t.scores, t.leafOf, values)
	t.clock.lap(PhaseRefit)
	t.addToValidation(t.validated, fitted.LeafValue)
	t.clock.lap(PhaseValidation)
	if len(t.trees) == 0 && t.initial != 0 {
		t.lowered = slices.Clone(fitted.LeafValue)
		raise(&fitted, t.initial)
	}
	t.trees = append(t.trees, fitted)
	t.positions.step(eta)
	t.draw++
	return true, nil
}

// addToValidation adds the values of the leaves of the grower's tree to the scores of all validation sets.
func (t *trainer) addToValidation(scores [][]float64, values []float64) {
	for i, v := range t.valid {
		t.validLeafOf = reuse.Slice(t.validLeafOf, len(scores[i]))
		t.grower.FindLeaves(t.validLeafOf, v.Values)
		addValues(t.pool, scores[i], t.validLeafOf, values)
	}
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

// activate chooses the rows that the tree grows on, and returns their bins, copied into consecutive memory
// unless they are all rows. largest are the extremes of all gradients.
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
	if len(t.active.Packed) == t.train.Values.NumRows() {
		t.bins.Transpose(t.pool)
		bins = t.bins
	} else {
		t.gathered = t.bins.Gather(t.gathered, t.active.Rows, t.pool)
		bins = t.gathered
	}
	t.clock.lap(PhaseGather)
	return bins, nil
}

// checkGrowth returns a [GradientError] if training diverges, that is if lambdas have grown by a factor of
// 1e9 since the first iteration. Lambdas of ranking losses are bounded, but lambdas of squared errors grow
// with the errors.
func (t *trainer) checkGrowth(iteration int, largest extremes) error {
	const mostGrowth = 1e9
	if iteration == 0 {
		heaviest := []float64{0}
		if weights := t.train.Meta.Weights; len(weights) > 0 { // the heaviest row may come with a later bag
			heaviest[0] = slices.Max(weights)
		}
		t.train.Meta.Part.Group().MaxFloats(heaviest)
		t.firstLargest = max(1, largest.gradient, heaviest[0])
	}
	if largest.bad >= 0 || !(largest.gradient > mostGrowth*t.firstLargest) {
		return nil
	}
	for row := range t.rows.each() {
		if lambda := t.gradients.Lambda[row]; math.Abs(lambda) == largest.gradient {
			return t.explain(&GradientError{Row: int(row), Lambda: lambda, Hessian: t.gradients.Hessian[row]},
				iteration)
		}
	}
	return nil
}

// explain completes a [GradientError].
func (t *trainer) explain(err error, iteration int) error {
	var bad *GradientError
	if errors.As(err, &bad) {
		queries := t.train.Meta.Queries
		after := sort.Search(len(queries), func(n int) bool { return queries[n].First > bad.Row })
		bad.Query, bad.Iteration, bad.Objective = queries[after-1].ID, iteration+1, t.objective.Name()
		bad.Score = t.scores[bad.Row]
	}
	return err
}

// drawBag chooses the rows of a draw.
func (t *trainer) drawBag(draw int) {
	firstRow, firstQuery := t.train.Meta.Part.First()
	t.chosen = bag(t.params, firstQuery, len(t.train.Meta.Queries), draw)
	switch t.partial = t.params.hasBags(); {
	case t.chosen != nil:
		t.rows.setList(bagRows(t.rows.list[:0], t.train.Meta, t.chosen))
	case t.partial:
		t.rows.setList(rowBag(t.rows.list[:0], t.params, firstRow, t.train.Meta.NumRows(), draw))
	}
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

// errCanceled is the error of a tree that was not grown because the run was canceled.
var errCanceled = errors.New("canceled")

// computeGradients asks the objective for the gradients of the queries in the bag, and returns their
// extremes. Rows of other queries keep their old gradients, which are not used. If the run is canceled
// meanwhile, the error is errCanceled, on all peers.
func (t *trainer) computeGradients(iteration int) (extremes, error) {
	seed := seedOr(t.params.ObjectiveSeed, t.params.Seed)
	round := objective.Round{Scores: t.positions.scored(t.scores), Iteration: t.before + iteration + 1,
		Seed: seed, Canceled: t.canceled}
	whole, all := t.objective.(objective.Whole)
	if all {
		if err := whole.All(t.gradients, round); err != nil {
			return extremes{}, err
		}
	}
	t.pool.Run(len(t.queries), func(_, batch int) {
		if !t.isCanceled() {
			t.extremes[batch] = t.batchGradients(t.queries[batch], round, all)
		}
	})
	largest := extremes{bad: -1}
	for _, e := range t.extremes {
		largest = largest.and(e)
	}
	if t.train.Meta.Part.Group().Any(t.isCanceled()) {
		return extremes{}, errCanceled
	}
	return largest.ofAll(t.train.Meta.Part), nil
}

// isCanceled reports whether the run was canceled.
func (t *trainer) isCanceled() bool { return t.canceled != nil && t.canceled() }

// several is an objective that computes the gradients of several queries faster than one by one, and returns
// what [exact.Largest] returns for them. dst and the scores are by row. It is not asked for those of idle
// queries, which are 0 in each round.
type several interface {
	Idle(query int) bool
	GradientsOf(dst objective.Gradients, queries []int, round objective.Round) (gradient, hessian uint64)
}

// batchGradients asks the objective for the gradients of the queries of a batch that are in the bag, unless
// they are known, and returns their extremes.
func (t *trainer) batchGradients(queries []int, round objective.Round, known bool) extremes {
	if t.chosen != nil {
		queries = slices.DeleteFunc(slices.Clone(queries), func(n int) bool { return !t.chosen[n] })
	}
	if s, ok := t.objective.(several); ok && !known {
		if t.positions.values != nil {
			for _, n := range queries {
				t.positions.add(t.scores, t.train.Meta.Queries[n])
			}
		}
		if e, ok := extremesIn(s.GradientsOf(t.gradients, queries, round)); ok {
			return e
		}
		known = true // which row is bad is found below
	}
	all := extremes{bad: -1}
	for _, n := range queries {
		all = all.and(t.queryGradients(n, round, known))
	}
	return all
}

// queryGradients asks the objective for the gradients of a query, unless they are known, and returns their
// extremes.
func (t *trainer) queryGradients(number int, round objective.Round, known bool) extremes {
	query := t.train.Meta.Queries[number]
	end := query.First + query.Len
	dst := objective.Gradients{
		Lambda: t.gradients.Lambda[query.First:end], Hessian: t.gradients.Hessian[query.First:end]}
	if !known {
		t.positions.add(t.scores, query)
		q := objective.QueryOf(t.train.Meta, number)
		q.Scores, q.Iteration, q.Seed = round.Scores[query.First:end], round.Iteration, round.Seed
		q.Canceled = round.Canceled
		t.objective.Gradients(dst, q)
	}
	return extremesOf(dst, query.First)
}

// raise adds a constant to all values of a tree. As in LightGBM, the shrinkage becomes 1, because the values
// are no longer multiples of the learning rate.
func raise(t *tree.Tree, by float64) {
	for i := range t.LeafValue {
		t.LeafValue[i] += by
	}
	for i := range t.InternalValue {
		t.InternalValue[i] += by
	}
	t.Shrinkage = 1
}
