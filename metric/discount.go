package metric

import "github.com/lambdamart/lambdamart/internal/exact"

// Discount is how much of its gain a document keeps at a rank.
type Discount uint8

const (
	Log2       Discount = iota // 1/log2(rank+2): the usual one
	Microsoft                  // 1 at ranks 0 and 1, then 1/log2(rank+1): Järvelin and Kekäläinen's with base 2, and eval-score-mslr.pl's
	Reciprocal                 // 1/(rank+1): CatBoost's denominator=Position
)

// At returns the discount of a rank, which counts from 0.
func (d Discount) At(rank int) float64 {
	switch d {
	case Reciprocal:
		return 1 / float64(rank+1)
	case Microsoft:
		return 1 / exact.Log2(float64(max(2, rank+1)))
	}
	return 1 / exact.Log2(float64(rank+2))
}

// String is "log2", "microsoft" or "reciprocal".
func (d Discount) String() string {
	return [...]string{Log2: "log2", Microsoft: "microsoft", Reciprocal: "reciprocal"}[d]
}

// tabulated is the largest number of discounts that a metric keeps.
const tabulated = 1024

// discounts is a discount with its first values at hand.
type discounts struct {
	kind  Discount
	table []float64
}

// newDiscounts tabulates what a cut-off needs.
func newDiscounts(kind Discount, cutoff int) discounts {
	d := discounts{kind: kind, table: make([]float64, min(cutoff, tabulated))}
	for rank := range d.table {
		d.table[rank] = kind.At(rank)
	}
	return d
}

func (d *discounts) at(rank int) float64 {
	if rank < len(d.table) {
		return d.table[rank]
	}
	return d.kind.At(rank)
}
