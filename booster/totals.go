package booster

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
)

// leafTotals are the sums over all rows of each leaf, at full resolution, even if the tree was grown on some
// of the rows.
type leafTotals struct {
	scales
	sums []binsum.Sum // by leaf
	rows []int64      // by leaf
}

// apart is the number of sums, or of numbers of rows, that fill a cache line at least. Memory of this size
// lies behind the totals of each worker, because CPUs slow each other down where they write to the same line.
const apart = 8

// workerTotals returns memory for the totals of each worker.
func workerTotals(leaves int, pool *par.Pool) []leafTotals {
	workers := make([]leafTotals, pool.Workers())
	for w := range workers {
		workers[w] = leafTotals{
			sums: make([]binsum.Sum, leaves, leaves+apart), rows: make([]int64, leaves, leaves+apart)}
	}
	return workers
}

// sumOf returns the sum of the totals of all workers, in the memory of the first one.
func sumOf(workers []leafTotals) leafTotals {
	for _, part := range workers[1:] {
		workers[0].add(part)
	}
	return workers[0]
}

// add adds other totals to t.
func (t *leafTotals) add(other leafTotals) {
	for leaf := range t.sums {
		t.sums[leaf] = t.sums[leaf].Add(other.sums[leaf])
		t.rows[leaf] += other.rows[leaf]
	}
}

// addUp replaces the totals by their sums over all peers.
func (t *leafTotals) addUp(part *dataset.Part) {
	g := part.Group()
	if g.Size() == 1 {
		return
	}
	words := make([]int64, 0, 3*len(t.sums))
	for leaf, s := range t.sums {
		words = append(words, s.Gradient, s.Hessian, t.rows[leaf])
	}
	g.Sum(words)
	for leaf := range t.sums {
		w := words[3*leaf:]
		t.sums[leaf], t.rows[leaf] = binsum.Sum{Gradient: w[0], Hessian: w[1]}, w[2]
	}
}

// float returns a sum's gradient and Hessian as numbers.
func (t *leafTotals) float(sum binsum.Sum) (gradient, hessian float64) {
	return t.gradient.Float(sum.Gradient), t.hessian.Float(sum.Hessian)
}

// minus returns the totals of the rows of t that are not in part.
func (t *leafTotals) minus(part *leafTotals) leafTotals {
	rest := leafTotals{t.scales, make([]binsum.Sum, len(t.sums)), make([]int64, len(t.sums))}
	for leaf := range t.sums {
		rest.sums[leaf], rest.rows[leaf] = t.sums[leaf].Sub(part.sums[leaf]), t.rows[leaf]-part.rows[leaf]
	}
	return rest
}

// allRows returns the number of rows of all leaves.
func (t *leafTotals) allRows() (rows int64) {
	for _, n := range t.rows {
		rows += n
	}
	return rows
}
