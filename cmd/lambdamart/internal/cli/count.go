package cli

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// FeatureCount is the number of features as people count them: without columns of a table that are query ids
// or are ignored, and without column 0 of LETOR text that numbers features from 1.
type FeatureCount struct {
	N int

	numbered    bool // features have numbers in the file, from first to last
	first, last int
}

func (c FeatureCount) String() string {
	if !c.numbered {
		return fmt.Sprintf("%d features", c.N)
	}
	return fmt.Sprintf("%d features, numbered %d to %d", c.N, c.first, c.last)
}

// CountFeatures counts the features of a set.
func CountFeatures(set *data.Set) FeatureCount {
	m := set.Meta
	c := FeatureCount{N: m.NumFeatures() - len(set.NotFeatures)}
	if !m.Numbered || m.NumFeatures() == 0 {
		return c
	}
	// Numbers of features that are computed from a query (Context) are not in the file.
	c.numbered, c.last = m.Context == nil, m.NumFeatures()-1
	switch {
	case m.Numbering == dataset.FromOne:
		c.first, c.last = 1, c.last+1
	case m.Numbering == dataset.Unnumbered && (set.Bins == nil || set.Bins.Mapper.Features[0].Constant()):
		c.first, c.N = 1, c.N-1
	}
	return c
}
