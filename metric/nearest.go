package metric

// nearest returns the name that the fewest edits make of text, the first of
// equals.
func nearest(text string, names []string) string {
	best, fewest := "", -1
	for _, name := range names {
		if edits := distance(text, name); fewest < 0 || edits < fewest {
			best, fewest = name, edits
		}
	}
	return best
}

// distance is Levenshtein's: the least number of bytes inserted, removed or
// replaced that turns a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // row[j]: distance of the part of a read so far from b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
