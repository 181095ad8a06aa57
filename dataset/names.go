package dataset

import (
	"strconv"
	"strings"
)

// FeatureName returns a name in the form in which models store it: each blank, as in LightGBM, and each
// control character is replaced by "_".
func FeatureName(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, text)
}

// ColumnNames returns names for n features without names: "Column_0", "Column_1", …, as in
// LightGBM. They share the memory of one string.
func ColumnNames(n int) []string {
	var text strings.Builder
	ends := make([]int, n)
	for i := range n {
		text.WriteString("Column_")
		text.WriteString(strconv.Itoa(i))
		ends[i] = text.Len()
	}
	names := make([]string, n)
	all, begin := text.String(), 0
	for i, end := range ends {
		names[i] = all[begin:end]
		begin = end
	}
	return names
}
