package explain

import (
	"math"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// addCrossings adds the values of the feature at which the query context of one of the documents crosses a
// threshold of the model.
//
// Between two adjacent [along.turns], each context of both documents is monotonic in the value (see the
// formulas of package querycontext), so bisection finds the one value where it crosses a threshold. A context
// that is computed with several roundings (zscore, and linear of the other document) may cross a threshold
// several times within its last digits; one of these crossings is found.
func (l *along) addCrossings(s *steps) {
	turns := l.turns()
	thresholds := make([][]float64, len(l.feature.columns))
	for i, column := range l.feature.columns {
		own := stepsOf(l.d.Model, column)
		thresholds[i], s.missing = own.thresholds, s.missing || own.missing
	}
	before := l.contexts(turns[0])
	for i, x := range turns[1:] {
		now := l.contexts(x)
		for k := range now {
			for _, t := range crossed(thresholds[k/2], before[k], now[k]) {
				s.thresholds = append(s.thresholds, l.crossing(turns[i], x, k, before[k] <= t, t))
			}
		}
		before = now
	}
	slices.Sort(s.thresholds)
	s.thresholds = slices.Compact(s.thresholds)
}

// contexts returns the contexts of both documents if the first one has the value x: column i of the first
// document is at 2i, and of the second one at 2i+1.
func (l *along) contexts(x float64) []float64 {
	l.set(x)
	all := make([]float64, 0, 2*len(l.feature.columns))
	for _, column := range l.feature.columns {
		all = append(all, l.rowA[column], l.rowB[column])
	}
	return all
}

// crossed returns the thresholds, which are ascending, that separate two values. It returns none if either
// value is missing.
func crossed(thresholds []float64, a, b float64) []float64 {
	low, high := min(a, b), max(a, b)
	if math.IsNaN(low) {
		return nil
	}
	return thresholds[sort.SearchFloat64s(thresholds, low):sort.SearchFloat64s(thresholds, high)]
}

// crossing returns the last value between from and to at which context k of [along.contexts] is on the same
// side of the threshold t as at from: at most t if below is true, and above it otherwise.
func (l *along) crossing(from, to float64, k int, below bool, t float64) float64 {
	low, high := ordinal(from), ordinal(to)
	for high-low > 1 {
		middle := low + (high-low)/2
		if (l.contexts(fromOrdinal(middle))[k] <= t) == below {
			low = middle
		} else {
			high = middle
		}
	}
	return fromOrdinal(low)
}

// ordinal returns the index of x in the order of all float64; 0 has the index 0.
func ordinal(x float64) uint64 {
	const zero = 1 << 63
	if bits := math.Float64bits(x); bits&zero == 0 {
		return zero + bits
	}
	return zero - math.Float64bits(-x)
}

// fromOrdinal returns the float64 with the given index.
func fromOrdinal(place uint64) float64 {
	const zero = 1 << 63
	if place >= zero {
		return math.Float64frombits(place - zero)
	}
	return -math.Float64frombits(zero - place)
}

// turns returns the values, ascending, at which a context of one of the two documents may change direction,
// with their adjacent values: the smallest and largest values of the other documents, their negatives
// (max_ratio divides by the largest magnitude), 0, the second document's value, and the extremum of its
// zscore. Elsewhere contexts may jump, as ranks do at the values of all documents, but in their direction.
func (l *along) turns() []float64 {
	values := []float64{0}
	if usual := l.usual(); len(usual) > 0 {
		low, high := usual[0], usual[len(usual)-1]
		values = append(values, low, high, -low, -high)
		if slices.Contains(l.feature.kinds, querycontext.ZScore) {
			values = append(values, zscorePeak(usual, l.unchanged))
		}
	}
	turns := []float64{-math.MaxFloat64, math.MaxFloat64}
	for _, x := range append(values, l.unchanged) {
		turns = append(turns, math.Nextafter(x, math.Inf(-1)), x+0, math.Nextafter(x, math.Inf(1)))
	}
	turns = slices.DeleteFunc(turns, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	slices.Sort(turns)
	return slices.Compact(turns)
}

// zscorePeak returns the value of one more document at which the zscore of b, which is one of values, has its
// only extremum.
//
// Let m be the mean of the values, v their variance, n their number, and let the document have the value m +
// u. The zscore of b is (b-m - u/(n+1)) / sqrt(v·n/(n+1) + u²·n/(n+1)²), whose
// derivative is zero at u = -v/(b-m).
func zscorePeak(values []float64, b float64) float64 {
	n, mean, variance := float64(len(values)), 0.0, 0.0
	for _, x := range values {
		mean += x / n
	}
	for _, x := range values {
		variance += float64((x-mean)*(x-mean)) / n
	}
	return mean - variance/(b-mean)
}
