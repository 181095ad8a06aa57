package param

import "math"

// nearest returns the name or alias that is most like the given one, or "" if
// none is like it: more than a third of the letters would have to change. A
// name may be one change further off than an alias and still be preferred.
func (t Table) nearest(name string) string {
	name = canonical(name)
	best, least := "", math.MaxInt
	consider := func(candidate string, handicap int) {
		if d := distance(name, candidate); d <= max(1, len(name)/3) && d+handicap < least {
			best, least = candidate, d+handicap
		}
	}
	for i := range t {
		consider(t[i].Name, 0)
		for _, alias := range t[i].Aliases {
			consider(alias, 1)
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b, no place touched twice (optimal string
// alignment distance).
func distance(a, b string) int {
	// Rows of the usual table: before[j] is the distance of a[:i-2] and b[:j],
	// above[j] that of a[:i-1], row[j] that of a[:i].
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
