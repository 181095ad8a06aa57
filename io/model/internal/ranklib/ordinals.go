package ranklib

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/tree"
)

// maxOrdinal limits the number of columns that a name can ask for.
const maxOrdinal = 1 << 20

// ByName returns e with every used feature moved to the column given by its name, which must be the ordinal
// of the feature in the feature set of an engine, because the engine knows features only by ordinal. The
// names must be distinct. e is not changed.
func ByName(e *tree.Ensemble) (*tree.Ensemble, error) {
	column := make([]int32, len(e.Features))
	most := 0
	for _, i := range e.UsedFeatures() {
		ordinal, err := strconv.Atoi(e.Features[i].Name)
		if err != nil || ordinal < 1 || ordinal > maxOrdinal {
			return nil, fmt.Errorf("%q: RankLib's features are numbers, 1 to %d, in the order of the feature set",
				e.Features[i].Name, maxOrdinal)
		}
		column[i], most = int32(ordinal), max(most, ordinal)
	}
	moved := *e
	moved.Features, moved.Trees = make([]tree.Feature, most+1), slices.Clone(e.Trees)
	for i := range moved.Features {
		moved.Features[i].Name = strconv.Itoa(i)
	}
	for i := range moved.Trees {
		t := &moved.Trees[i]
		t.Feature = slices.Clone(t.Feature)
		for node, f := range t.Feature {
			t.Feature[node] = column[f]
		}
	}
	return &moved, nil
}
