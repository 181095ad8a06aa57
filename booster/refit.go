package booster

import (
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
)

// refit sums the gradients of the given rows by their leaves, on the fine scales of their activation.
// leafOf holds the leaf of each row of the data.
func refit(leaves int, leafOf []int32, rows *rowSet, g objective.Gradients, fine scales,
	pool *par.Pool) leafTotals {
	workers := workerTotals(sets*leaves, pool)
	pool.Blocks(rows.size, blockOf(rows.size), func(worker, from, to int) {
		t := &workers[worker]
		if rows.all {
			addBlock(t, leafOf[from:to], g.Lambda[from:to], g.Hessian[from:to], fine)
			return
		}
		for _, row := range rows.list[from:to] {
			at := sets * leafOf[row]
			t.sums[at].Gradient += fine.gradient.Round(g.Lambda[row])
			t.sums[at].Hessian += fine.hessian.Round(g.Hessian[row])
			t.rows[at]++
		}
	})
	all := sumOf(workers)
	return fold(&all, fine)
}

// sets is the number of totals that each leaf has while rows are added: neighboring rows are often in the same
// leaf, and each would wait for the row before. Only speed depends on it.
const sets = 4

// addBlock adds neighboring rows to sets of their leaves.
func addBlock(t *leafTotals, leafOf []int32, lambda, hessian []float64, fine scales) {
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
func fold(t *leafTotals, fine scales) leafTotals {
	leaves := len(t.sums) / sets
	all := leafTotals{scales: fine, sums: make([]binsum.Sum, leaves), rows: make([]int64, leaves)}
	for at, sum := range t.sums {
		all.sums[at/sets] = all.sums[at/sets].Add(sum)
		all.rows[at/sets] += t.rows[at]
	}
	return all
}
