package booster

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
)

// lambdas are the derivatives of an objective at the scores of a forest, in the queries of a bag.
type lambdas struct {
	forest
	params       *Params
	objective    objective.Objective
	positions    positionBias
	gradients    objective.Gradients // by row
	extremes     []extremes          // of the gradients, by batch of queries
	firstLargest float64             // largest lambda of the first iteration
	queries      [][]int             // query numbers in batches, in the order in which workers process these
	canceled     func() bool         // reports whether the run was; nil: it was not
	chosen       []bool              // by query: whether it is in the bag; nil if all are
	partial      bool                // rows does not contain all rows
	rows         rowSet              // in the bag
	before       int                 // trees of the model that training continues from; not in trees
}

// newLambdas prepares the objective and its memory. The caller closes the pool.
func newLambdas(p *Params, train Data, obj objective.Objective) (lambdas, error) {
	if err := obj.Prepare(train.Meta); err != nil {
		return lambdas{}, err
	}
	rows, pool := train.Meta.NumRows(), par.New(p.NumThreads)
	queries := queryBatches(train.Meta, obj, pool.Workers())
	return lambdas{
		forest: forest{train: train, pool: pool}, params: p, objective: obj,
		gradients: objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)},
		extremes:  make([]extremes, len(queries)), queries: queries, rows: allRows(rows),
	}, nil
}

// checkGrowth returns a [gradientError] if training diverges, that is if lambdas have grown by a factor of
// 1e9 since the first iteration. Lambdas of ranking losses are bounded, but lambdas of squared errors grow
// with the errors.
func (l *lambdas) checkGrowth(iteration int, largest extremes) error {
	const mostGrowth = 1e9
	if iteration == 0 {
		heaviest := []float64{0}
		if weights := l.train.Meta.Weights; len(weights) > 0 { // the heaviest row may come with a later bag
			heaviest[0] = slices.Max(weights)
		}
		l.train.Meta.Part.Group().MaxFloats(heaviest)
		l.firstLargest = max(1, largest.gradient, heaviest[0])
	}
	if largest.bad >= 0 || !(largest.gradient > mostGrowth*l.firstLargest) {
		return nil
	}
	for row := range l.rows.each() {
		if lambda := l.gradients.Lambda[row]; math.Abs(lambda) == largest.gradient {
			return l.explain(&gradientError{row: int(row), lambda: lambda, hessian: l.gradients.Hessian[row]},
				iteration)
		}
	}
	return nil
}

// explain completes a [gradientError].
func (l *lambdas) explain(err error, iteration int) error {
	var bad *gradientError
	if errors.As(err, &bad) {
		bad.place, bad.iteration, bad.objective = l.train.Meta.Place(bad.row), iteration+1, l.objective.Name()
		bad.score = l.scores[bad.row]
	}
	return err
}

// drawBag chooses the rows of a draw.
func (l *lambdas) drawBag(draw int) {
	firstRow, firstQuery := l.train.Meta.Part.First()
	l.chosen = bag(l.params, firstQuery, len(l.train.Meta.Queries), draw)
	switch l.partial = l.params.hasBags(); {
	case l.chosen != nil:
		l.rows.setList(bagRows(l.rows.list[:0], l.train.Meta, l.chosen))
	case l.partial:
		l.rows.setList(rowBag(l.rows.list[:0], l.params, firstRow, l.train.Meta.NumRows(), draw))
	}
}

// errCanceled is the error of a tree that was not grown because the run was canceled.
var errCanceled = errors.New("canceled")

// computeGradients asks the objective for the gradients of the queries in the bag, and returns their
// extremes. Rows of other queries keep their old gradients, which are not used. If the run is canceled
// meanwhile, the error is errCanceled, on all peers.
func (l *lambdas) computeGradients(iteration int) (extremes, error) {
	seed := seedOr(l.params.ObjectiveSeed, l.params.Seed)
	round := objective.Round{Scores: l.positions.scored(l.scores), Iteration: l.before + iteration + 1,
		Seed: seed, Canceled: l.canceled}
	whole, all := l.objective.(objective.Whole)
	if all {
		if err := whole.All(l.gradients, round); err != nil {
			return extremes{}, err
		}
	}
	l.pool.Run(len(l.queries), func(_, batch int) {
		if !l.isCanceled() {
			l.extremes[batch] = l.batchGradients(l.queries[batch], round, all)
		}
	})
	largest := extremes{bad: -1}
	for _, e := range l.extremes {
		largest = largest.and(e)
	}
	if l.train.Meta.Part.Group().Any(l.isCanceled()) {
		return extremes{}, errCanceled
	}
	return largest.ofAll(l.train.Meta.Part), nil
}

// isCanceled reports whether the run was canceled.
func (l *lambdas) isCanceled() bool { return l.canceled != nil && l.canceled() }

// several is an objective that computes the gradients of several queries faster than one by one, and returns
// what [exact.Largest] returns for them. dst and the scores are by row. It is not asked for those of idle
// queries, which are 0 in each round.
type several interface {
	Idle(query int) bool
	GradientsOf(dst objective.Gradients, queries []int, round objective.Round) (gradient, hessian uint64)
}

// batchGradients asks the objective for the gradients of the queries of a batch that are in the bag, unless
// they are known, and returns their extremes.
func (l *lambdas) batchGradients(queries []int, round objective.Round, known bool) extremes {
	if l.chosen != nil {
		queries = slices.DeleteFunc(slices.Clone(queries), func(n int) bool { return !l.chosen[n] })
	}
	if s, ok := l.objective.(several); ok && !known {
		if l.positions.values != nil {
			for _, n := range queries {
				l.positions.add(l.scores, l.train.Meta.Queries[n])
			}
		}
		if e, ok := extremesIn(s.GradientsOf(l.gradients, queries, round)); ok {
			return e
		}
		known = true // which row is bad is found below
	}
	all := extremes{bad: -1}
	for _, n := range queries {
		all = all.and(l.queryGradients(n, round, known))
	}
	return all
}

// queryGradients asks the objective for the gradients of a query, unless they are known, and returns their
// extremes.
func (l *lambdas) queryGradients(number int, round objective.Round, known bool) extremes {
	query := l.train.Meta.Queries[number]
	end := query.First + query.Len
	dst := objective.Gradients{
		Lambda: l.gradients.Lambda[query.First:end], Hessian: l.gradients.Hessian[query.First:end]}
	if !known {
		l.positions.add(l.scores, query)
		q := objective.QueryOf(l.train.Meta, number)
		q.Scores, q.Iteration, q.Seed = round.Scores[query.First:end], round.Iteration, round.Seed
		q.Canceled = round.Canceled
		l.objective.Gradients(dst, q)
	}
	return extremesOf(dst, query.First)
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
