package booster

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/histogram"
)

// Interaction constraints are sets of features: all features on a path from the root to a leaf must belong to
// one set, so each leaf depends on the features of one set. As in LightGBM, a feature that is in no set is
// not used.

// parseInteractions returns the sets of a text such as "[0,1,2],[2,3]" or "[bm25,age],[17]". A pair of
// brackets around all sets is allowed, as in XGBoost.
func parseInteractions(text string) ([][]string, error) {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "[[") && strings.HasSuffix(rest, "]]") {
		rest = rest[1 : len(rest)-1]
	}
	var sets [][]string
	for rest != "" {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 {
			return nil, fmt.Errorf("%q: want sets of features in brackets, with commas between: [0,1],[1,2]", text)
		}
		var set []string
		for name := range strings.SplitSeq(rest[1:end], ",") {
			if name = strings.Trim(strings.TrimSpace(name), `"'`); name == "" || name[0] == '[' {
				return nil, fmt.Errorf("%q: want the names or numbers of features", rest[:end+1])
			}
			set = append(set, name)
		}
		sets = append(sets, set)
		rest = strings.TrimSpace(rest[end+1:])
		if after, more := strings.CutPrefix(rest, ","); more {
			if rest = strings.TrimSpace(after); rest == "" {
				return nil, fmt.Errorf("%q ends with a comma", text)
			}
		} else if rest != "" {
			return nil, fmt.Errorf("%q: want a comma between sets", text)
		}
	}
	return sets, nil
}

// newInteractions returns the sets as marks by column; nil if there are none.
func newInteractions(text string, data *dataset.Meta, matrix *histogram.Matrix) ([][]bool, error) {
	sets, err := parseInteractions(text)
	if err != nil {
		return nil, fmt.Errorf("interaction_constraints: %w", err)
	}
	var marked [][]bool
	for _, set := range sets {
		marks := make([]bool, len(matrix.Columns))
		for _, name := range set {
			f, err := byfeature.Find(name, data.Features)
			if err != nil {
				return nil, fmt.Errorf("interaction_constraints: %w", err)
			}
			if column := matrix.ColumnOf[int32(f)]; column >= 0 {
				marks[column] = true
			}
		}
		marked = append(marked, marks)
	}
	return marked, nil
}
