package binsum

import "slices"

// Part is some neighboring bytes of a row, from First to End-1, whose columns are summed together. Groups of
// sparse columns have bytes behind those of a row here.
type Part struct{ First, End int }

// halfGroup is the number of bytes of half a group. A part has one to three halves: with two, it takes one
// load for eight additions; three leave no half alone, whose additions would often wait for those of the row
// before, in the same bins. A part of sparse columns has any number of groups.
const halfGroup = groupSize / 2

// group returns the group of the part's first byte.
func (p Part) group() int { return p.First / groupSize }

// size returns the number of bytes.
func (p Part) size() int { return p.End - p.First }

// Divide divides columns among workers, so that each sums about as many bytes of a row as the others, or has
// about as much work if some columns are sparse, and returns the parts of each worker, which ascend. They
// have all columns of their bytes, but leave out halves of groups that have none of the columns. partOf has,
// for each of the columns, the number of its part among the parts of all workers.
func (x *Rows) Divide(columns []int32, workers int) (shares [][]Part, partOf []int) {
	sizes := x.halves(columns)
	works, total := x.worksOf(columns, sizes)
	owners := ownersOf(works, total, workers)
	numbers, next, owner := make([]int, len(sizes)), -1, -1
	for at, size := range sizes {
		if size == 0 {
			continue
		}
		if owners[at] > owner {
			shares, owner = append(shares, nil), owners[at]
		}
		share := &shares[len(shares)-1]
		more := at+1 < len(sizes) && sizes[at+1] == 1 && owners[at+1] == owner
		if !x.extend(*share, at, size, more) {
			*share = append(*share, Part{at * halfGroup, (at + size) * halfGroup})
			next++
		}
		numbers[at] = next
	}
	for _, c := range columns {
		at, _ := x.half(c)
		partOf = append(partOf, numbers[at])
	}
	return shares, partOf
}

// ownersOf returns the worker of each half: the one in whose share of the total the middle of the work lies.
// Workers get whole groups, whose loads do not cross cache lines, unless there are so few that some would get
// much less than others.
func ownersOf(works []int, total, workers int) []int {
	owners, before, step := make([]int, len(works)), 0, 2
	if len(works) < 4*workers {
		step = 1
	}
	for at := 0; at < len(works); at += step {
		work := 0
		for _, w := range works[at : at+step] {
			work += w
		}
		for i := range step {
			owners[at+i] = (2*before + work) * workers / max(1, 2*total)
		}
		before += work
	}
	return owners
}

// extend adds half of a group, or a group of sparse columns, to the last part, unless it is not next to it. A
// half that more halves follow does not become the third of a part. size is the number
// of halves for which it stands.
func (x *Rows) extend(parts []Part, at, size int, more bool) bool {
	if len(parts) == 0 || parts[len(parts)-1].End != at*halfGroup {
		return false
	}
	last := &parts[len(parts)-1]
	switch {
	case x.isSparse(at / 2):
		if !x.isSparse(last.group()) {
			return false
		}
	case size != 1 || last.size() > groupSize || last.size() == groupSize && more:
		return false
	}
	last.End += size * halfGroup
	return true
}

// halves returns, by half of a group, for how many halves it stands, 0 if it has none of the columns.
func (x *Rows) halves(columns []int32) (sizes []int) {
	sizes = make([]int, 2*x.NumGroups())
	for _, c := range columns {
		at, size := x.half(c)
		sizes[at] = size
	}
	return sizes
}

// Times relative to that of adding a byte of a row, in a tree.
const (
	workOfPlace = 8  // adding and counting a value of a sparse column
	workOfBin   = 30 // clearing, subtracting and searching a bin
)

// worksOf returns the work of each half, and its sum. Without sparse columns it is the number of bytes. The
// rows of each place must be known.
func (x *Rows) worksOf(columns []int32, sizes []int) (works []int, total int) {
	works = slices.Clone(sizes)
	if x.isTransposed() {
		for at, size := range sizes {
			if works[at] = size * halfGroup * x.rows; x.isSparse(at / 2) {
				works[at] = 0
			}
		}
		for _, c := range columns {
			at, _ := x.half(c)
			works[at] += workOfBin * int(x.begin[c+1]-x.begin[c])
			if x.fields[c].Sparse {
				works[at] += workOfPlace * len(x.sparse.rowsAt(x.begin[c], x.begin[c+1]))
			}
		}
	}
	for _, work := range works {
		total += work
	}
	return works, total
}

// half returns in which half of a group a column is, counting the halves of all groups. Groups of wide and of
// sparse columns are not divided: their first half stands for both.
func (x *Rows) half(column int32) (number, size int) {
	group := x.Group(column)
	if x.isSparse(group) || x.isWide(group) {
		return 2 * group, 2
	}
	return int(x.fields[column].At) / halfGroup, 1
}
