package binned

import (
	"fmt"

	"github.com/lambdamart/lambdamart/histogram"
)

// difference describes how the bins of o differ from the bins of m, such as "feature 3 has 5 bins instead of
// 255". It returns "" if all are the same.
func difference(m, o *histogram.Mapper) string {
	if len(m.Features) != len(o.Features) {
		return fmt.Sprintf("%d features instead of %d", len(o.Features), len(m.Features))
	}
	for f := range m.Features {
		if d := featureDifference(&m.Features[f], &o.Features[f]); d != "" {
			return fmt.Sprintf("feature %d has %s", f, d)
		}
	}
	return ""
}

// featureDifference describes how o differs from f, or returns "".
func featureDifference(f, o *histogram.FeatureBins) string {
	if f.IsCategorical() != o.IsCategorical() {
		return "numbers instead of categories, or categories instead of numbers"
	}
	if f.Missing != o.Missing {
		return fmt.Sprintf("missing values of type %d instead of %d", o.Missing, f.Missing)
	}
	if f.NumBins() != o.NumBins() {
		return fmt.Sprintf("%d bins instead of %d", o.NumBins(), f.NumBins())
	}
	if d := categoryDifference(f, o); d != "" {
		return d
	}
	for b, u := range f.UpperBounds {
		if o.UpperBounds[b] != u {
			return fmt.Sprintf("bin %d up to %v instead of %v", b, o.UpperBounds[b], u)
		}
	}
	if f.Min != o.Min || f.Max != o.Max {
		return fmt.Sprintf("values from %v to %v instead of %v to %v", o.Min, o.Max, f.Min, f.Max)
	}
	if f.Sparse != o.Sparse {
		return "its bins stored densely instead of sparsely, or sparsely instead of densely (is_enable_sparse)"
	}
	return ""
}

// categoryDifference describes how the categories of o differ from the categories of f, or returns "".
func categoryDifference(f, o *histogram.FeatureBins) string {
	for b, c := range f.Categories {
		if o.Categories[b] != c {
			return fmt.Sprintf("category %d instead of %d in bin %d", o.Categories[b], c, b+1)
		}
	}
	return ""
}
