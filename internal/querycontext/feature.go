package querycontext

import (
	"math"
	"slices"
)

// Feature holds the values of one feature in one query, sorted once for all kinds of context. It may be
// reused for the next feature or query. The zero value has no documents.
type Feature struct {
	documents int
	sorted    []float64 // values that are not missing, ascending
	distinct  []float64 // sorted without repetitions; empty until ranks are computed
	ranks     []float64 // of distinct
}

// Set makes f the feature with the given values, one for each document: finite, or NaN where missing. They
// are not kept.
func (f *Feature) Set(values []float64) {
	f.documents, f.sorted, f.distinct = len(values), f.sorted[:0], f.distinct[:0]
	for _, x := range values {
		if !math.IsNaN(x) {
			f.sorted = append(f.sorted, x)
		}
	}
	slices.Sort(f.sorted)
}

// Place returns the function that computes the context of a value of the feature. The value must not be
// missing, except for Count, so the function must not be called if all values are. It is valid until the next
// Set. For an unknown kind, Place returns nil.
func (f *Feature) Place(k Kind) func(x float64) float64 {
	if k == Count {
		documents := float64(f.documents)
		return func(float64) float64 { return documents }
	}
	if len(f.sorted) == 0 {
		return zero
	}
	switch k {
	case Rank:
		return f.rank()
	case ZScore:
		return zscore(f.sorted)
	case Linear:
		return linear(f.sorted)
	case MaxRatio:
		return maxRatio(f.sorted)
	case GapToBest:
		best := f.sorted[len(f.sorted)-1]
		return func(x float64) float64 { return min(best-x, math.MaxFloat64) }
	}
	return nil
}

func zero(float64) float64 { return 0 }

// rank computes the rank of each distinct value once, and looks values up.
func (f *Feature) rank() func(x float64) float64 {
	f.distinct, f.ranks = f.distinct[:0], f.ranks[:0]
	n := len(f.sorted)
	for first := 0; first < n; {
		x, end := f.sorted[first], first+1
		for end < n && f.sorted[end] == x {
			end++
		}
		f.distinct = append(f.distinct, x)
		f.ranks = append(f.ranks, float64(first+end)/float64(2*n)) // below x: first; equal: end-first
		first = end
	}
	distinct, ranks := f.distinct, f.ranks
	return func(x float64) float64 {
		low, high := 0, len(distinct)-1
		for low < high {
			middle := int(uint(low+high) / 2)
			if distinct[middle] < x {
				low = middle + 1
			} else {
				high = middle
			}
		}
		return ranks[low]
	}
}

// zscore divides by the largest absolute value first, so that no square overflows float64. This does not
// change the result.
func zscore(sorted []float64) func(x float64) float64 {
	if sorted[0] == sorted[len(sorted)-1] {
		return zero
	}
	scale, n := largest(sorted), float64(len(sorted))
	var mean, variance float64
	for _, x := range sorted {
		mean += float64(x / scale)
	}
	mean /= n
	for _, x := range sorted {
		d := float64(x/scale) - mean
		variance += float64(d * d)
	}
	deviation := math.Sqrt(variance / n)
	if deviation == 0 {
		return zero // the values differ by less than the rounding error of the mean
	}
	return func(x float64) float64 { return (float64(x/scale) - mean) / deviation }
}

// linear halves the values if their range overflows float64.
func linear(sorted []float64) func(x float64) float64 {
	low, high := sorted[0], sorted[len(sorted)-1]
	if low == high {
		return zero
	}
	if math.IsInf(high-low, 1) {
		return func(x float64) float64 {
			return (float64(x/2) - float64(low/2)) / (float64(high/2) - float64(low/2))
		}
	}
	return func(x float64) float64 { return (x - low) / (high - low) }
}

func maxRatio(sorted []float64) func(x float64) float64 {
	scale := largest(sorted)
	if scale == 0 {
		return zero
	}
	return func(x float64) float64 { return float64(x/scale) + 0 } // not -0
}

// largest returns the largest absolute value.
func largest(sorted []float64) float64 {
	return max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1]))
}
