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

// Count returns a number and the noun of what is counted, given in the singular: "1 query", "1,234 queries".
func Count[T int | int64](n T, noun string) string {
	return Thousands(n) + " " + Agree(n, noun, plural(noun))
}

// Agree returns the one of two words that agrees with a number, such as "is" or "are".
func Agree[T int | int64](n T, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// plural returns the plural of a noun, or of words of which the last one is a noun.
func plural(noun string) string {
	switch stem, leaf := strings.CutSuffix(noun, "leaf"); {
	case leaf:
		return stem + "leaves"
	case strings.HasSuffix(noun, "ry"): // query, entry, category
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}

// List joins names with commas, and counts those beyond the first few.
func List(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), Thousands(more))
	}
	return strings.Join(names, ", ")
}

// Exact formats a number in the fewest digits from which it can be read back. NaN is "".
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Brief formats a number in at most six digits, as people read it. NaN is "".
func Brief(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.6g", v)
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

// Nearest returns the name that takes the fewest edits to make from text, the first of several such,
// and "" if there are no names.
func Nearest(text string, names []string) string {
	best, fewest := "", -1
	for _, name := range names {
		if edits := Distance(text, name); fewest < 0 || edits < fewest {
			best, fewest = name, edits
		}
	}
	return best
}

// Distance returns the least number of edits that turn a into b: insertions, deletions and
// replacements of one byte and swaps of two neighbors, where no byte is edited twice. This is the
// optimal string alignment distance.
//
// It keeps three rows of the usual table: when byte i of a is considered, before[j] is the distance
// of a[:i-2] and b[:j], above[j] the one for a[:i-1], and row[j] the one for a[:i].
func Distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := above[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// Term is a name, with aliases that mean the same.
type Term struct {
	Name    string
	Aliases []string
}

// Similar returns the name or alias that is most like the given one, or "" if none is like it: more
// than a third of the letters would have to change. A name is preferred to an alias even if it
// takes one more change. A name that has the given one as its first or last word, or is the first word of it,
// takes one change.
func Similar(name string, terms []Term) string {
	best, least := "", math.MaxInt
	consider := func(candidate string, handicap int) {
		if d := changes(name, candidate); d <= max(1, len(name)/3) && d+handicap < least {
			best, least = candidate, d+handicap
		}
	}
	for _, t := range terms {
		consider(t.Name, 0)
		for _, alias := range t.Aliases {
			consider(alias, 1)
		}
	}
	return best
}

// changes returns the number of letters to change, or 1 if only words are missing before or after the name,
// or are too many after it.
func changes(name, candidate string) int {
	if strings.HasPrefix(candidate, name+"_") || strings.HasSuffix(candidate, "_"+name) ||
		strings.HasPrefix(name, candidate+"_") {
		return 1
	}
	return Distance(name, candidate)
}
