package booster

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/keyed"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

// trainer is the state of a training between iterations.
type trainer struct {
	params    *Params
	objective objective.Objective
	train     Data
	valid     []Data
	pool      *par.Pool

	grower      grower
	bins        *binsum.Rows        // of all rows, with planes once trees grow on all
	gathered    *binsum.Rows        // the active rows, where they are not all
	gradients   objective.Gradients // by row
	extremes    []extremes          // of the gradients, by query
	scores      []float64           // of the training rows
	validated   [][]float64         // scores of each validation set
	shared      []int               // query numbers, in the order in which workers take them
	chosen      []bool              // queries in the bag; nil if all
	rows        []int32             // in the bag, ascending
	validLeafOf []int32             // the same for the validation set at hand
	leafOf      []int32             // leaf of each row in the newest tree
	trees       []tree.Tree
	watch       *stopwatch // nil where nobody asks for a profile
}

func newTrainer(p *Params, train Data, valid []Data, obj objective.Objective) (*trainer, error) {
	if err := obj.Prepare(train.Meta); err != nil {
		return nil, err
	}
	rows := train.Meta.NumRows()
	t := &trainer{
		params: p, objective: obj, train: train, valid: valid,
		pool:      par.New(p.NumThreads),
		bins:      binsum.Of(train.Values),
		gradients: objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)},
		extremes:  make([]extremes, len(train.Meta.Queries)),
		scores:    initialScores(train.Meta),
		rows:      bagRows(make([]int32, 0, rows), train.Meta, nil),
		leafOf:    make([]int32, rows),
	}
	t.shared = queriesToShare(train.Meta, t.pool.Workers())
	t.grower = grower{
		rules: rules{
			lambdaL1: p.LambdaL1, lambdaL2: p.LambdaL2,
			minSumHessian: p.MinSumHessianInLeaf, minGain: p.MinGainToSplit, minData: p.MinDataInLeaf,
		},
		numLeaves: p.NumLeaves, maxDepth: p.MaxDepth,
		pool:   t.pool,
		matrix: train.Values,
		tiles:  make([][]binsum.Tile, t.pool.Workers()), touched: make([]touched, t.pool.Workers()),
	}
	for worker := range t.grower.tiles {
		t.grower.tiles[worker] = make([]binsum.Tile, t.bins.NumGroups())
	}
	for _, v := range valid {
		t.validated = append(t.validated, initialScores(v.Meta))
	}
	return t, nil
}

// initialScores returns the scores of rows before the first tree.
func initialScores(data *dataset.Meta) []float64 {
	scores := make([]float64, data.NumRows())
	copy(scores, data.InitialScores)
	return scores
}

// queriesToShare returns the query numbers in an order that suits workers: long queries
// first, for the sake of equal shares, and then all others as they are in memory.
func queriesToShare(data *dataset.Meta, workers int) []int {
	order := make([]int, len(data.Queries))
	for i := range order {
		order[i] = i
	}
	long := data.NumRows() / (64 * workers)
	length := func(n int) int { return max(long, data.Queries[n].Len) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	return order
}

// observe has p filled from now on, unless it is nil.
func (t *trainer) observe(p *Profile) {
	t.watch = newStopwatch(p, t.pool.Workers())
	t.grower.watch = t.watch
}

// close ends the trainer's goroutines.
func (t *trainer) close() { t.pool.Close() }

// step trains one tree, and tells whether it has any split. A tree without one
// is not kept.
func (t *trainer) step() (grown bool, err error) {
	iteration := len(t.trees)
	t.drawBag(iteration)
	largest := t.computeGradients(iteration)
	t.watch.lap(PhaseLambdas)
	if err := t.activate(iteration, largest); err != nil {
		return false, err
	}
	g := &t.grower
	g.setColumns(chooseColumns(t.params, t.train.Values.Columns, iteration))
	g.grow()
	if len(g.nodes) == 0 {
		return false, nil
	}
	if g.bins == t.bins {
		g.markLeaves(t.leafOf)
	} else {
		g.findLeaves(t.leafOf, t.train.Values)
	}
	totals := refit(len(g.leaves), t.leafOf, t.rows, t.gradients, g.active.fine, t.pool)
	fitted := g.finish(&totals, t.params.LearningRate)
	g.addValues(t.scores, t.leafOf, fitted.LeafValue)
	t.watch.lap(PhaseRefit)
	for i, v := range t.valid {
		t.validLeafOf = reuse.Slice(t.validLeafOf, len(t.validated[i]))
		g.findLeaves(t.validLeafOf, v.Values)
		g.addValues(t.validated[i], t.validLeafOf, fitted.LeafValue)
	}
	t.watch.lap(PhaseValidation)
	t.trees = append(t.trees, fitted)
	return true, nil
}

// activate chooses the rows that the tree grows on, and gathers their bins
// unless that is all rows. largest are the extremes of all gradients.
func (t *trainer) activate(iteration int, largest extremes) error {
	g := &t.grower
	key := keyed.New(t.params.Seed, keyed.RoundGradient, iteration)
	fraction := t.params.ActiveFraction.of(len(t.rows))
	if err := g.active.activate(t.rows, t.gradients, largest, fraction, key, t.pool); err != nil {
		return err
	}
	t.watch.lap(PhaseRound)
	if len(g.active.rows) == t.train.Values.NumRows() {
		t.bins.Transpose(t.pool)
		g.bins = t.bins
	} else {
		t.gathered = t.bins.Gather(t.gathered, g.active.rows, t.pool)
		g.bins = t.gathered
	}
	t.watch.lap(PhaseGather)
	return nil
}

// drawBag chooses the rows of the iteration.
func (t *trainer) drawBag(iteration int) {
	if t.chosen = bag(t.params, len(t.train.Meta.Queries), iteration); t.chosen != nil {
		t.rows = bagRows(t.rows[:0], t.train.Meta, t.chosen)
	}
}

// computeGradients asks the objective for the gradients of the bag's queries, and
// returns their extremes; the gradients of other queries are not looked at.
func (t *trainer) computeGradients(iteration int) extremes {
	t.pool.Run(len(t.shared), func(_, i int) {
		n := t.shared[i]
		if t.chosen != nil && !t.chosen[n] {
			t.extremes[n] = extremes{bad: -1}
			return
		}
		q := objective.QueryOf(t.train.Meta, n)
		end := q.First + len(q.Labels)
		q.Scores, q.Iteration, q.Seed = t.scores[q.First:end], iteration+1, t.params.Seed
		dst := objective.Gradients{Lambda: t.gradients.Lambda[q.First:end], Hessian: t.gradients.Hessian[q.First:end]}
		t.objective.Gradients(dst, q)
		t.extremes[n] = extremesOf(dst, q.First)
	})
	all := extremes{bad: -1}
	for _, e := range t.extremes {
		all = all.and(e)
	}
	return all
}
