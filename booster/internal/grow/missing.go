package grow

import (
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// leftRows returns how many rows the split sends left, from the counts of its column.
func (s *split) leftRows(c *bincut.Column) int {
	left := 0
	for b, n := range c.Counts {
		if !s.goesRight(uint16(b), c.Missing) {
			left += int(n)
		}
	}
	return left
}

// goesRight reports whether the rows of a bin go right. missing is the bin of missing values of the
// split's column, or -1.
func (s *split) goesRight(bin uint16, missing int32) bool {
	if s.sides != nil {
		return s.sides.right[bin] != 0
	}
	if int32(bin) == missing {
		return s.missingRight
	}
	return bin > s.bin
}

// cut returns which bins of the split's column go left. Its exception is the bin of missing values if their
// rows do not go to the side that its number implies.
func (s *split) cut(matrix *histogram.Matrix) binsum.Cut {
	cut, missing := binsum.Cut{Last: s.bin, Exception: binsum.NoBin}, matrix.MissingBins[s.Column]
	switch {
	case s.sides != nil:
		cut.Right = s.sides.right
	case missing >= 0 && s.missingRight != (missing > int32(s.bin)):
		cut.Exception = missing
	}
	return cut
}

// decision returns the decision type of a model's node, which includes the side of missing values.
func (s *split) decision(matrix *histogram.Matrix) tree.Decision {
	d := tree.MissingNone
	switch matrix.Bins(s.Column).Missing {
	case histogram.MissingZero:
		d = tree.MissingZero
	case histogram.MissingNaN:
		d = tree.MissingNaN
	}
	if s.sides != nil {
		return d | tree.Categorical
	}
	if s.missingRight {
		return d
	}
	return d | tree.DefaultLeft
}
