package provenance

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/tree"
)

// CountFeatures returns the number of features of a model as people count them: without columns of a table
// that are query ids or are ignored, and without column 0 of LETOR text that numbers features from 1. A model
// does not tell whether it was trained on LETOR text: column 0 counts unless it has no name and was constant.
func CountFeatures(m *tree.Ensemble) int {
	n := len(m.Features) - len(Absent(m.Parameters))
	if n > 1 && m.Features[0].Name == dataset.ColumnNames(1)[0] && m.Features[0].Range == "none" &&
		NumberingOf(m.Parameters) == dataset.Unnumbered {
		n--
	}
	return n
}
