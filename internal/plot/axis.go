package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// axis maps values to pixels.
type axis struct {
	low, high float64 // values, low < high; both positive on a logarithmic axis
	from, to  float64 // pixels of low and high
	step      float64 // between ticks; 0 on a logarithmic axis
}

// at returns the pixel of a value.
func (a axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.step == 0 {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*(v-low)/(high-low)
}

// linear returns an axis that begins and ends at ticks and includes low and high. Values that differ by no
// more than rounding errors count as equal, because ticks between them would have the same labels.
func linear(low, high, from, to float64) axis {
	if !(high-low > max(1e-9*max(math.Abs(low), math.Abs(high)), 1e-300)) {
		low, high = low-0.5, high+0.5
	}
	step := niceStep((high - low) / 6)
	low, high = math.Floor(low/step)*step, math.Ceil(high/step)*step
	return axis{low: low, high: high, from: from, to: to, step: step}
}

// between returns an axis from low to high.
func between(low, high, from, to float64) axis {
	high = max(high, low+1e-9)
	return axis{low: low, high: high, from: from, to: to, step: niceStep((high - low) / 6)}
}

// logarithmic returns a logarithmic axis a little wider than low to high, which are positive.
func logarithmic(low, high, from, to float64) axis {
	margin := math.Pow(high/low, 0.06)
	margin = max(margin, 1.2)
	return axis{low: low / margin, high: high * margin, from: from, to: to}
}

// ticks returns up to nine round values.
func (a axis) ticks() []float64 {
	if a.step == 0 {
		return a.logTicks()
	}
	step := a.step
	var ticks []float64
	for i := math.Ceil(a.low/step - 1e-9); float64(i*step) <= a.high+float64(step*1e-9); i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}

// logTicks returns the powers of ten, and 2 and 5 times these if there are few.
func (a axis) logTicks() []float64 {
	factors := []float64{1}
	if decades := math.Log10(a.high / a.low); decades < 3 {
		factors = []float64{1, 2, 5}
	}
	var ticks []float64
	for power := math.Floor(math.Log10(a.low)); power <= math.Log10(a.high); power++ {
		for _, f := range factors {
			if v := f * math.Pow(10, power); v >= a.low && v <= a.high {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// niceStep returns the smallest of 1, 2, 5 times a power of ten that is not below x.
func niceStep(x float64) float64 { return nice(x, 1, 2, 5, 10) }

// NiceLimit returns the smallest of 1, 2, 4, 6, 8 times a power of ten that is not below x.
func NiceLimit(x float64) float64 {
	if x <= 0 {
		return 1
	}
	return nice(x, 1, 2, 4, 6, 8, 10)
}

// nice returns the first of these multiples of a power of ten that is not below x but for rounding errors.
func nice(x float64, multiples ...float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	at := slices.IndexFunc(multiples, func(m float64) bool { return m*unit >= x*(1-1e-9) })
	return float64(multiples[max(at, 0)] * unit)
}

// label returns the text of a tick. On a linear axis it has as many decimals as the step.
func (a axis) label(v float64) string {
	if a.step == 0 {
		return short(v)
	}
	decimals := max(0, int(-math.Floor(float64(math.Log10(a.step))+1e-9)))
	if text := strconv.FormatFloat(v, 'f', decimals, 64); strings.Trim(text, "-0.") != "" {
		return text
	}
	return strconv.FormatFloat(0, 'f', decimals, 64) // never "-0"
}

// short returns a number in as few digits as it needs, at most six.
func short(v float64) string { return strconv.FormatFloat(roundTo(v, 6), 'g', -1, 64) }

// roundTo rounds v to a number of significant digits. Zero has no sign.
func roundTo(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return rounded + 0
}

// spread moves labels apart. It returns places at least gap from each other, each near the wanted place, none
// above high and, if there is room, none below low. want ascends.
func spread(want []float64, gap, low, high float64) []float64 {
	at := make([]float64, len(want))
	for i, w := range want {
		at[i] = max(w, low)
		if i > 0 {
			at[i] = max(at[i], at[i-1]+gap)
		}
	}
	for i := len(at) - 1; i >= 0; i-- {
		limit := high
		if i < len(at)-1 {
			limit = at[i+1] - gap
		}
		at[i] = min(at[i], limit)
	}
	return at
}
