package histogram

import (
	"math"
	"slices"
)

// zeroBound is the largest magnitude that counts as zero: LightGBM's kZeroThreshold, 1e-35 as a float32.
const zeroBound = float64(float32(1e-35))

// distinct is a value of a sample, with the number of times it occurs.
type distinct struct {
	value float64
	count int
}

// upperBounds returns the upper bounds of a feature's bins: ascending, the last one +Inf, at most p.MaxBin of
// them; MaxBin may be 1 here. values are the sampled values that are not zero, ascending; zeros is the number
// of sampled zeros.
//
// The rule is LightGBM's (BinMapper::FindBin): negative values, zero and positive values are binned
// separately, and each side gets bins in proportion to its rows.
func (w *finder) upperBounds(values []float64, zeros int, p *BinParams) []float64 {
	n := 2 // zero is another one
	for i := 1; i < len(values); i++ {
		if orderedKey(values[i])-orderedKey(values[i-1]) > 1 {
			n++
		}
	}
	w.distinct = countDistinct(slices.Grow(w.distinct[:0], n), values, zeros)
	all := w.distinct
	negative, positive := signs(all)
	if len(negative) == 0 && len(positive) == 0 {
		return []float64{math.Inf(1)}
	}
	var bounds []float64
	if len(negative) > 0 && p.MaxBin > 1 {
		rows := total(negative)
		share := float64(rows) / float64(rows+total(positive))
		bins := max(1, int(share*float64(p.MaxBin-1)))
		bounds = greedyBounds(negative, bins, p.MinDataInBin)
		bounds[len(bounds)-1] = -zeroBound
	}
	if bins := p.MaxBin - 1 - len(bounds); len(positive) > 0 && bins > 0 {
		bounds = append(bounds, zeroBound)
		return append(bounds, greedyBounds(positive, bins, p.MinDataInBin)...)
	}
	return append(bounds, math.Inf(1))
}

// countDistinct appends the distinct values to all, each with its count. Two adjacent values count as equal
// if no float64 lies between them; the larger one stands for both.
func countDistinct(all []distinct, values []float64, zeros int) []distinct {
	for i, v := range values {
		if i > 0 && orderedKey(v)-orderedKey(values[i-1]) <= 1 {
			last := &all[len(all)-1]
			last.value = v
			last.count++
			continue
		}
		if v > 0 && zeros > 0 && (i == 0 || values[i-1] < 0) {
			all = append(all, distinct{0, zeros})
		}
		all = append(all, distinct{v, 1})
	}
	if zeros > 0 && (len(values) == 0 || values[len(values)-1] < 0) {
		all = append(all, distinct{0, zeros})
	}
	return all
}

// signs returns the values at or below -zeroBound, and the values above zeroBound.
func signs(all []distinct) (negative, positive []distinct) {
	n := 0
	for n < len(all) && all[n].value <= -zeroBound {
		n++
	}
	p := n
	for p < len(all) && all[p].value <= zeroBound {
		p++
	}
	return all[:n], all[p:]
}

func total(all []distinct) int {
	n := 0
	for _, d := range all {
		n += d.count
	}
	return n
}

// greedyBounds divides values of one sign into at most the given number of bins, and returns their
// upper bounds, the last one +Inf (LightGBM's GreedyFindBin).
func greedyBounds(all []distinct, bins, minDataInBin int) []float64 {
	if len(all) <= bins {
		return boundEach(all, minDataInBin)
	}
	if minDataInBin > 0 {
		bins = max(1, min(bins, total(all)/minDataInBin))
	}
	cuts := equalCuts(all, bins)
	bounds := make([]float64, 0, len(cuts)+1)
	for _, c := range cuts {
		bounds = appendBound(bounds, all[c].value, all[c+1].value)
	}
	return append(bounds, math.Inf(1))
}

// boundEach gives each value its own bin, except that a bin extends over further values until it has
// minDataInBin rows.
func boundEach(all []distinct, minDataInBin int) []float64 {
	var bounds []float64
	rows := 0
	for i := range len(all) - 1 {
		rows += all[i].count
		if rows < minDataInBin {
			continue
		}
		before := len(bounds)
		bounds = appendBound(bounds, all[i].value, all[i+1].value)
		if len(bounds) > before {
			rows = 0
		}
	}
	return append(bounds, math.Inf(1))
}

// equalCuts returns the index of the last value of each bin except the last bin, chosen so that all bins hold
// about the same number of rows. A value with at least an equal share of the rows is big: it ends its bin,
// and the other rows are divided among the other bins.
func equalCuts(all []distinct, bins int) []int {
	restRows, restBins := total(all), bins
	mean := float64(restRows) / float64(bins)
	big := make([]bool, len(all))
	for i, d := range all {
		if float64(d.count) >= mean {
			big[i] = true
			restBins--
			restRows -= d.count
		}
	}
	mean = float64(restRows) / float64(restBins)
	var cuts []int
	rows := 0
	for i := 0; i < len(all)-1 && len(cuts) < bins-1; i++ {
		if !big[i] {
			restRows -= all[i].count
		}
		rows += all[i].count
		full := big[i] || float64(rows) >= mean || big[i+1] && float64(rows) >= max(1, mean*0.5)
		if !full {
			continue
		}
		cuts = append(cuts, i)
		rows = 0
		if !big[i] {
			restBins--
			mean = float64(restRows) / float64(restBins)
		}
	}
	return cuts
}

// appendBound appends the float64 after the midpoint of two adjacent values, unless no float64 lies between
// it and the bound before.
func appendBound(bounds []float64, left, right float64) []float64 {
	middle := (left + right) / 2
	if math.IsInf(middle, 0) { // the sum overflows
		// The compiler multiplies by one half, and would fuse a product with the sum on some CPUs.
		middle = float64(left/2) + float64(right/2)
	}
	bound := math.Nextafter(middle, math.Inf(1))
	if n := len(bounds); n > 0 && bound <= math.Nextafter(bounds[n-1], math.Inf(1)) {
		return bounds
	}
	return append(bounds, bound)
}
