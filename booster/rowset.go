package booster

import "iter"

// rowSet is a part of the rows of the data, or all of them, whose numbers take no memory.
type rowSet struct {
	size int
	list []int32 // the rows, ascending; memory for later if all are in the set
	all  bool
}

// allRows returns the set of the first rows, as many as that.
func allRows(size int) rowSet { return rowSet{size: size, all: true} }

// setAll makes s the set of that many rows.
func (s *rowSet) setAll(size int) { s.size, s.all = size, true }

// setList makes s the set of the rows in list, which may be in the memory of s.list.
func (s *rowSet) setList(list []int32) { *s = rowSet{size: len(list), list: list} }

// rowBlock is the number of rows of a set that a worker takes at a time.
const rowBlock = 1 << 13

// upToBlock are the numbers from 0 to rowBlock - 1.
var upToBlock = func() (numbers [rowBlock]int32) {
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}()

// block returns the rows from place from to place to-1 in the set, rowBlock at most. Their numbers are first
// plus one of offsets each.
func (s *rowSet) block(from, to int) (first int32, offsets []int32) {
	if s.all {
		return int32(from), upToBlock[:to-from]
	}
	return 0, s.list[from:to]
}

// each returns the rows, ascending.
func (s *rowSet) each() iter.Seq[int32] {
	return func(yield func(row int32) bool) {
		for from := 0; from < s.size; from += rowBlock {
			first, offsets := s.block(from, min(from+rowBlock, s.size))
			for _, offset := range offsets {
				if !yield(first + offset) {
					return
				}
			}
		}
	}
}
