package booster

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
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

	grower    grower
	gradients objective.Gradients // by row
	scores    []float64           // of the training rows
	validated [][]float64         // scores of each validation set
	bySize    []int               // query numbers, the longest query first: work is shared out better
	chosen    []bool              // queries in the bag; nil if all
	inBag     []bool              // rows in the bag; nil if all
	trees     []tree.Tree
}

func newTrainer(p *Params, train Data, valid []Data, obj objective.Objective) (*trainer, error) {
	if err := obj.Prepare(train.Meta); err != nil {
		return nil, err
	}
	rows := train.Meta.NumRows()
	t := &trainer{
		params: p, objective: obj, train: train, valid: valid,
		pool:      par.New(p.NumThreads),
		gradients: objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)},
		scores:    make([]float64, rows),
		bySize:    queriesBySize(train.Meta),
	}
	t.grower = grower{
		limits: limits{
			lambdaL1: p.LambdaL1, lambdaL2: p.LambdaL2,
			minSumHessian: p.MinSumHessianInLeaf, minGain: p.MinGainToSplit, minData: p.MinDataInLeaf,
		},
		numLeaves: p.NumLeaves, maxDepth: p.MaxDepth,
		data: train.Bins, pool: t.pool,
		gradients: make([]histogram.Sum, rows),
		rows:      make([]int32, 0, rows),
		spare:     make([]int32, rows),
	}
	for _, v := range valid {
		t.validated = append(t.validated, make([]float64, v.Meta.NumRows()))
	}
	return t, nil
}

// queriesBySize returns the query numbers, the longest query first.
func queriesBySize(data *dataset.Meta) []int {
	order := make([]int, len(data.Queries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(data.Queries[b].Len, data.Queries[a].Len)
	})
	return order
}

// close ends the trainer's goroutines.
func (t *trainer) close() { t.pool.Close() }

// step trains one tree, and tells whether it has any split. A tree without one
// is not kept.
func (t *trainer) step() (grown bool, err error) {
	iteration := len(t.trees)
	t.drawBag(iteration)
	t.computeGradients()
	g := &t.grower
	if g.scales, g.largestHessian, err = round(g.gradients, t.gradients, t.pool); err != nil {
		return false, err
	}
	g.setColumns(chooseColumns(t.params, t.train.Bins.Columns, iteration))
	g.grow()
	if len(g.nodes) == 0 {
		return false, nil
	}
	fitted := g.finish(t.params.LearningRate)
	t.addScores(&fitted)
	t.trees = append(t.trees, fitted)
	return true, nil
}

// drawBag sets the grower's rows to those of the iteration's bag.
func (t *trainer) drawBag(iteration int) {
	t.chosen = bag(t.params, len(t.train.Meta.Queries), iteration)
	t.grower.rows = bagRows(t.grower.rows[:0], t.train.Meta, t.chosen)
	if t.chosen == nil {
		return
	}
	if t.inBag == nil {
		t.inBag = make([]bool, len(t.scores))
	}
	clear(t.inBag)
	for _, row := range t.grower.rows {
		t.inBag[row] = true
	}
}

// computeGradients asks the objective for the gradients of the bag's queries;
// those of the others are zero.
func (t *trainer) computeGradients() {
	t.pool.Run(len(t.bySize), func(_, i int) {
		n := t.bySize[i]
		q := t.train.Meta.Queries[n]
		dst := objective.Gradients{
			Lambda:  t.gradients.Lambda[q.First : q.First+q.Len],
			Hessian: t.gradients.Hessian[q.First : q.First+q.Len],
		}
		if t.chosen != nil && !t.chosen[n] {
			clear(dst.Lambda)
			clear(dst.Hessian)
			return
		}
		t.objective.Gradients(dst, objective.QueryOf(t.train.Meta, n), t.scores[q.First:q.First+q.Len])
	})
}

// addScores adds the new tree's values to all scores.
func (t *trainer) addScores(fitted *tree.Tree) {
	t.grower.addLeaves(t.scores, fitted)
	if t.inBag != nil {
		t.grower.addWalk(t.scores, t.train.Bins, fitted, t.inBag)
	}
	for i, v := range t.valid {
		t.grower.addWalk(t.validated[i], v.Bins, fitted, nil)
	}
}
