package grow

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
)

// Totals are the sums over all rows of each leaf, at full resolution, even if the tree was grown on some
// of the rows.
type Totals struct {
	Scales
	Sums []binsum.Sum // by leaf
	Rows []int64      // by leaf
}

// apart is the number of sums, or of numbers of rows, that fill a cache line at least. Memory of this size
// lies behind the totals of each worker, because CPUs slow each other down where they write to the same line.
const apart = 8

// TotalsOfWorkers returns memory for the totals of each worker.
func TotalsOfWorkers(leaves int, pool *par.Pool) []Totals {
	workers := make([]Totals, pool.Workers())
	for w := range workers {
		workers[w] = Totals{
			Sums: make([]binsum.Sum, leaves, leaves+apart), Rows: make([]int64, leaves, leaves+apart)}
	}
	return workers
}

// SumTotals returns the sum of the totals of all workers, in the memory of the first one.
func SumTotals(workers []Totals) Totals {
	for _, part := range workers[1:] {
		workers[0].add(part)
	}
	return workers[0]
}

// add adds other totals to t.
func (t *Totals) add(other Totals) {
	for leaf := range t.Sums {
		t.Sums[leaf] = t.Sums[leaf].Add(other.Sums[leaf])
		t.Rows[leaf] += other.Rows[leaf]
	}
}

// AddUp replaces the totals by their sums over all peers.
func (t *Totals) AddUp(part *dataset.Part) {
	g := part.Group()
	if g.Size() == 1 {
		return
	}
	words := make([]int64, 0, 3*len(t.Sums))
	for leaf, s := range t.Sums {
		words = append(words, s.Gradient, s.Hessian, t.Rows[leaf])
	}
	g.Sum(words)
	for leaf := range t.Sums {
		w := words[3*leaf:]
		t.Sums[leaf], t.Rows[leaf] = binsum.Sum{Gradient: w[0], Hessian: w[1]}, w[2]
	}
}

// Float returns a sum's gradient and Hessian as numbers.
func (t *Totals) Float(sum binsum.Sum) (gradient, hessian float64) {
	return t.Gradient.Float(sum.Gradient), t.Hessian.Float(sum.Hessian)
}

// Without returns the totals of the rows of t that are not in part.
func (t *Totals) Without(part *Totals) Totals {
	rest := Totals{t.Scales, make([]binsum.Sum, len(t.Sums)), make([]int64, len(t.Sums))}
	for leaf := range t.Sums {
		rest.Sums[leaf], rest.Rows[leaf] = t.Sums[leaf].Sub(part.Sums[leaf]), t.Rows[leaf]-part.Rows[leaf]
	}
	return rest
}

// AllRows returns the number of rows of all leaves.
func (t *Totals) AllRows() (rows int64) {
	for _, n := range t.Rows {
		rows += n
	}
	return rows
}
