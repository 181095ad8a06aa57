package wording

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
