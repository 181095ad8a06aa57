package pairwise

import (
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// DCG has the discounts of ranks and computes the DCG of best orders. It reuses its memory. The zero value is
// ready for use.
type DCG struct {
	discounts []float64 // by rank
	sorted    []float64 // gains, ascending
}

// Discounts returns 1/log2(2+rank) by rank, for at least n ranks. The slice must not be changed.
func (d *DCG) Discounts(n int) []float64 {
	for rank := len(d.discounts); rank < n; rank++ {
		d.discounts = append(d.discounts, metric.Log2.At(rank))
	}
	return d.discounts
}

// InverseIdeal returns 1/DCG of the best order of documents with these gains, counting the first truncation
// ranks. It is 0 if that DCG is not positive.
func (d *DCG) InverseIdeal(gains []float64, truncation int) float64 {
	n := len(gains)
	discounts := d.Discounts(n)
	d.sorted = append(d.sorted[:0], gains...)
	slices.Sort(d.sorted)
	best := 0.0
	for rank := range min(truncation, n) {
		best += float64(d.sorted[n-1-rank] * discounts[rank])
	}
	if best <= 0 {
		return 0
	}
	return 1 / best
}
