package trec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// appendLine appends the fields that both formats begin with.
func appendLine(dst []byte, query, second, doc string) []byte {
	dst = append(append(dst, query...), ' ')
	dst = append(append(dst, second...), ' ')
	return append(dst, doc...)
}

// appendFloat appends x with the fewest digits that are read back as x.
func appendFloat(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }

// checkWords returns an error for a word that would not be read back as one field.
func checkWords(words []string) error {
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, blanks+"\n") {
			return fmt.Errorf("trec: %q: %w", word, ErrWord)
		}
	}
	return nil
}

// checkScore returns an error for a score that is not finite: a document that is not ranked is not written.
func checkScore(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("trec: score %v: %w", x, ErrWrittenScore)
	}
	return nil
}
