package booster

import (
	"iter"
	"slices"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/objective"
)

// rowSet is a set of rows of the data. The set of all rows takes no memory for their numbers.
type rowSet struct {
	size int
	list []int32 // the rows, ascending; if all is set, memory for a later list
	all  bool
}

// allRows returns the set of this many rows from the first one on.
func allRows(size int) rowSet { return rowSet{size: size, all: true} }

// setList makes s the set of the rows in list, which may share memory with s.list.
func (s *rowSet) setList(list []int32) { *s = rowSet{size: len(list), list: list} }

// upToBlock are the numbers from 0 to rowBlock - 1.
var upToBlock = func() (numbers [grow.RowBlock]int32) {
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}()

// block returns the rows at places from to to-1 of the set, at most rowBlock of them. The number of each row
// is first plus one of offsets.
func (s *rowSet) block(from, to int) (first int32, offsets []int32) {
	if s.all {
		return int32(from), upToBlock[:to-from]
	}
	return 0, s.list[from:to]
}

// each returns the rows, ascending.
func (s *rowSet) each() iter.Seq[int32] {
	return func(yield func(row int32) bool) {
		for from := 0; from < s.size; from += grow.RowBlock {
			first, offsets := s.block(from, min(from+grow.RowBlock, s.size))
			for _, offset := range offsets {
				if !yield(first + offset) {
					return
				}
			}
		}
	}
}

// has reports whether a row is in the set.
func (s *rowSet) has(row int32) bool {
	if s.all {
		return true
	}
	_, in := slices.BinarySearch(s.list, row)
	return in
}

// nonzero returns the number of rows whose gradient is not zero.
func (s *rowSet) nonzero(g objective.Gradients) (n int) {
	for row := range s.each() {
		if g.Lambda[row] != 0 || g.Hessian[row] != 0 {
			n++
		}
	}
	return n
}
