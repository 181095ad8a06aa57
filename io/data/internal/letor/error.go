package letor

import (
	"errors"
	"fmt"
)

// The errors of LETOR text, besides those of package dataset for data in any form. The texts say what to do.
// They are wrapped in a [*dataset.Error], which has the place.
var (
	ErrLabel = errors.New("the label is not a number; a line begins with the relevance grade, such as 0 " +
		"for bad and 3 for perfect")
	ErrQueryID       = errors.New("no usable query id; write qid: and an id without blanks and without '#'")
	ErrQueryPlace    = errors.New("the query id must follow the label")
	ErrFeature       = errors.New("not a feature; write <number>:<value>")
	ErrFeatureNumber = fmt.Errorf("the feature number is not a whole number from 0, or from 1 with "+
		"feature_base=1, to %d", maxFeature)
	ErrFeatureOrder = errors.New("feature numbers must ascend within a line; " +
		"sort them and remove repeated ones")
)
