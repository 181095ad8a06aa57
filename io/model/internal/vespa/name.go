package vespa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// checkNames refuses names that would not reach Vespa's expression as the names of features.
func checkNames(features []tree.Feature) error {
	for i, f := range features {
		if !isFeature(f.Name) {
			return fmt.Errorf("vespa: feature %d: %w: %q: Vespa needs the name of a rank feature, as bm25(title) or "+
				"query(age); features=FILE renames", i, ErrName, document.Clip(f.Name))
		}
	}
	return nil
}

// functions are words that a ranking expression does not read as the name of a feature.
var functions = strings.Fields(`
	if in true false foreach tensor map map_subspaces filter_subspaces reduce join merge rename concat
	unpack_bits cell_cast expand matmul softmax xw_plus_b argmax argmin diag range random avg count
	median max min prod sum l1_normalize l2_normalize euclidean_distance cosine_similarity top cos sin
	tan cosh sinh tanh acos asin atan atan2 exp log log10 log2 sqrt ceil fabs abs floor isNan relu
	sigmoid elu erf pow ldexp fmod bit hamming mod f`)

// isFeature reports whether name is the name of a rank feature: an identifier that is not a word of the
// language, optionally followed by arguments in parentheses, and then by outputs after dots.
func isFeature(name string) bool {
	word, rest := cutWord(name)
	if word == "" || word[0] >= '0' && word[0] <= '9' || slices.Contains(functions, word) {
		return false
	}
	if strings.HasPrefix(rest, "(") {
		inner, after, closed := strings.Cut(rest[1:], ")")
		if !closed || !areArguments(inner) {
			return false
		}
		rest = after
	}
	for rest != "" {
		if rest[0] != '.' {
			return false
		}
		if word, rest = cutWord(rest[1:]); word == "" {
			return false
		}
	}
	return true
}

// areArguments reports whether text is a list of words with commas in between. A word may have
// dots inside, as numbers have.
func areArguments(text string) bool {
	for argument := range strings.SplitSeq(text, ",") {
		words := strings.FieldsFunc(argument, func(r rune) bool { return r == '.' })
		if len(words) == 0 || len(words) != strings.Count(argument, ".")+1 {
			return false
		}
		for _, w := range words {
			if _, rest := cutWord(w); rest != "" || slices.Contains(functions[:4], w) {
				return false
			}
		}
	}
	return true
}

// cutWord splits text after its first letters, digits and underscores.
func cutWord(text string) (word, rest string) {
	n := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if n < 0 {
		return text, ""
	}
	return text[:n], text[n:]
}
