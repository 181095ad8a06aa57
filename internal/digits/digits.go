// Package digits writes numbers for people.
package digits

import (
	"fmt"
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
