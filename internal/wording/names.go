package wording

import (
	"fmt"
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

// CheckLabelName returns an error for a name that metrics and objectives cannot contain.
func CheckLabelName(name string) error {
	if _, err := strconv.ParseFloat(name, 64); err == nil || name == "" ||
		strings.ContainsAny(name, "@,:*<>= \t\"") {
		return fmt.Errorf("%q cannot name a label: metrics and objectives contain the name, as in "+
			"ndcg@10@purchase; use a word that is not a number, without blanks and @ , : * < > = \"", name)
	}
	return nil
}
