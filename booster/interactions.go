package booster

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/byfeature"
)

// Interaction constraints are sets of features: a path from the root to a leaf only has features that
// stand together in a set, so that every tree is a sum of functions of the features of one set. As in
// LightGBM, a feature that stands in no set is not used, and a path may use its own features again.

// parseInteractions returns the sets of a text such as "[0,1,2],[2,3]" or "[bm25,age],[17]". A pair of
// brackets around all sets is allowed, as XGBoost has it.
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
			if column := matrix.Column(int32(f)); column >= 0 {
				marks[column] = true
			}
		}
		marked = append(marked, marks)
	}
	return marked, nil
}

// meeting returns which columns may be split on below those that were used above, by column: the same ones, and
// those of each set that has all of them. It returns nil for all columns.
func (g *grower) meeting(above func() []int32) []bool {
	sets := g.steering.interactions
	if sets == nil {
		return nil
	}
	marks := make([]bool, len(g.matrix.Columns))
	path := above()
	for _, column := range path {
		marks[column] = true
	}
	for _, set := range sets {
		if hasAll(set, path) {
			for c, in := range set {
				marks[c] = marks[c] || in
			}
		}
	}
	return marks
}

func hasAll(set []bool, columns []int32) bool {
	for _, c := range columns {
		if !set[c] {
			return false
		}
	}
	return true
}
