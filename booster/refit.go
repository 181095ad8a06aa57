package booster

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
)

// leafTotals are the sums over all rows of each leaf, at full resolution, even if the tree was grown on some
// of the rows.
type leafTotals struct {
	scales
	sums []binsum.Sum // by leaf
	rows []int64      // by leaf
}

// refit sums the gradients of the given rows by their leaves, on the fine scales of their activation.
// leafOf holds the leaf of each row of the data.
func refit(leaves int, leafOf []int32, rows *rowSet, g objective.Gradients, fine scales,
	pool *par.Pool) leafTotals {
	workers := workerTotals(leaves, pool)
	pool.Blocks(rows.size, blockOf(rows.size), func(worker, from, to int) {
		sums, counts := workers[worker].sums, workers[worker].rows[:leaves]
		sums = sums[:leaves]
		gradient, hessian := fine.gradient, fine.hessian
		first, offsets := rows.block(from, to)
		for _, offset := range offsets {
			row := first + offset
			leaf := leafOf[row]
			sum := &sums[leaf]
			sum.Gradient += gradient.Round(g.Lambda[row])
			sum.Hessian += hessian.Round(g.Hessian[row])
			counts[leaf]++
		}
	})
	all := sumOf(workers)
	all.scales = fine
	return all
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
