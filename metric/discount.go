package metric

import (
	"sync"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// Discount is the factor, depending on the rank of a document, by which its gain is multiplied.
type Discount uint8

const (
	Log2 Discount = iota // 1/log2(rank+2): the usual one
	// 1 at ranks 0 and 1, then 1/log2(rank+1): Järvelin and Kekäläinen's discount with base 2, and that of
	// eval-score-mslr.pl
	Microsoft
	Reciprocal // 1/(rank+1): CatBoost's denominator=Position
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

// text returns "log2", "microsoft" or "reciprocal".
func (d Discount) text() string {
	return [...]string{Log2: "log2", Microsoft: "microsoft", Reciprocal: "reciprocal"}[d]
}

// tabulated is the largest number of ranks whose discounts are kept in a table.
const tabulated = 1 << 14

// discountTables returns the discounts of all these ranks, by kind. Each table is computed on first use.
var discountTables = [...]func() []float64{
	Log2:       sync.OnceValue(func() []float64 { return tabulate(Log2) }),
	Microsoft:  sync.OnceValue(func() []float64 { return tabulate(Microsoft) }),
	Reciprocal: sync.OnceValue(func() []float64 { return tabulate(Reciprocal) }),
}

func tabulate(kind Discount) []float64 {
	table := make([]float64, tabulated)
	for rank := range table {
		table[rank] = kind.At(rank)
	}
	return table
}

// discounts is a discount with a table of its first values.
type discounts struct {
	kind  Discount
	table []float64
}

func (d *discounts) at(rank int) float64 {
	if rank < len(d.table) {
		return d.table[rank]
	}
	return d.kind.At(rank)
}
