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
	workers := workerTotals(sets*leaves, pool)
	pool.Blocks(rows.size, blockOf(rows.size), func(worker, from, to int) {
		t := &workers[worker]
		if rows.all {
			t.addBlock(leafOf[from:to], g.Lambda[from:to], g.Hessian[from:to], fine)
			return
		}
		for _, row := range rows.list[from:to] {
			at := sets * leafOf[row]
			t.sums[at].Gradient += fine.gradient.Round(g.Lambda[row])
			t.sums[at].Hessian += fine.hessian.Round(g.Hessian[row])
			t.rows[at]++
		}
	})
	return sumOf(workers).fold(fine)
}

// sets is the number of totals that each leaf has while rows are added: neighboring rows are often in the same
// leaf, and each would wait for the row before. Only speed depends on it.
const sets = 4

// addBlock adds neighboring rows to sets of their leaves.
func (t *leafTotals) addBlock(leafOf []int32, lambda, hessian []float64, fine scales) {
	sums, counts, gradientScale, hessianScale := t.sums, t.rows[:len(t.sums)], fine.gradient, fine.hessian
	lambda, hessian = lambda[:len(leafOf)], hessian[:len(leafOf)]
	for i, leaf := range leafOf {
		at := sets*int(leaf) + i%sets
		sum := &sums[at]
		sum.Gradient += gradientScale.Round(lambda[i])
		sum.Hessian += hessianScale.Round(hessian[i])
		counts[at]++
	}
}

// fold returns the totals of leaves that have sets of them.
func (t leafTotals) fold(fine scales) leafTotals {
	leaves := len(t.sums) / sets
	all := leafTotals{fine, make([]binsum.Sum, leaves), make([]int64, leaves)}
	for at, sum := range t.sums {
		all.sums[at/sets] = all.sums[at/sets].Add(sum)
		all.rows[at/sets] += t.rows[at]
	}
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
