package booster

import (
	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
)

// refit sums the gradients of the given rows by their leaves, on the fine scales of their activation.
// leafOf holds the leaf of each row of the data.
func refit(leaves int, leafOf []int32, rows *rowSet, g objective.Gradients, fine grow.Scales,
	pool *par.Pool) grow.Totals {
	workers := grow.TotalsOfWorkers(sets*leaves, pool)
	pool.Blocks(rows.size, grow.BlockOf(rows.size), func(worker, from, to int) {
		t := &workers[worker]
		if rows.all {
			addBlock(t, leafOf[from:to], g.Lambda[from:to], g.Hessian[from:to], fine)
			return
		}
		for _, row := range rows.list[from:to] {
			at := sets * leafOf[row]
			t.Sums[at].Gradient += fine.Gradient.Round(g.Lambda[row])
			t.Sums[at].Hessian += fine.Hessian.Round(g.Hessian[row])
			t.Rows[at]++
		}
	})
	all := grow.SumTotals(workers)
	return fold(&all, fine)
}

// sets is the number of totals that each leaf has while rows are added: neighboring rows are often in the
// same leaf, and each would wait for the row before. Only speed depends on it.
const sets = 4

// addBlock adds neighboring rows to sets of their leaves.
func addBlock(t *grow.Totals, leafOf []int32, lambda, hessian []float64, fine grow.Scales) {
	sums, counts, gradientScale, hessianScale := t.Sums, t.Rows[:len(t.Sums)], fine.Gradient, fine.Hessian
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
func fold(t *grow.Totals, fine grow.Scales) grow.Totals {
	leaves := len(t.Sums) / sets
	all := grow.Totals{Scales: fine, Sums: make([]binsum.Sum, leaves), Rows: make([]int64, leaves)}
	for at, sum := range t.Sums {
		all.Sums[at/sets] = all.Sums[at/sets].Add(sum)
		all.Rows[at/sets] += t.Rows[at]
	}
	return all
}
