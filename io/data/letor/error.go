package letor

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/rows"
)

// What can be wrong with a file. The texts say what to do.
var (
	ErrEmpty         = rows.ErrEmpty
	ErrLabel         = errors.New("the label is not a number; a line begins with the relevance grade")
	ErrLabelFinite   = rows.ErrLabelFinite
	ErrQueryID       = errors.New("no usable query id; write qid: and an id without blanks and without '#'")
	ErrQueryPlace    = errors.New("the query id must follow the label")
	ErrQueryReturns  = rows.ErrQueryReturns
	ErrQueryMissing  = rows.ErrQueryMissing
	ErrQueryMixed    = rows.ErrQueryMixed
	ErrNoQueries     = errors.New("no row has a qid; write qid:<id> after each label, or the number of rows of each query, one a line, to the .query file")
	ErrFeature       = errors.New("not a feature; write <number>:<value>")
	ErrFeatureNumber = fmt.Errorf("the feature number is not a whole number from 1 to %d", maxFeature)
	ErrFeatureOrder  = errors.New("feature numbers must ascend within a line; sort them and remove repeated ones")
	ErrValue         = rows.ErrValue
	ErrValueFinite   = rows.ErrValueFinite
	ErrCount         = rows.ErrCount
	ErrCountSum      = rows.ErrCountSum
	ErrWeight        = rows.ErrWeight
	ErrWeightCount   = rows.ErrWeightCount
	ErrChanged       = rows.ErrChanged
)

// Error is what is wrong with a file, and where.
type Error = rows.Error
