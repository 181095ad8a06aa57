// Package wording has parts of messages and reports: numbers as people read them, and the known name that
// an unknown one was probably meant to be.
package wording

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Thousands returns n with commas between groups of three digits: 1,234,567.
func Thousands[T int | int64](n T) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Exact formats a number in the fewest digits from which it can be read back. NaN is "".
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Four formats a number with four decimals, as metrics are shown.
func Four(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// Probability formats a probability with four decimals, or as a power of ten if they would be zeros. NaN, for
// a test that was not done, is a dash.
func Probability(p float64) string {
	if math.IsNaN(p) {
		return "–"
	}
	if p > 0 && p < 0.0001 {
		return fmt.Sprintf("%.1e", p)
	}
	return Four(p)
}
