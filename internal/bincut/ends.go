package bincut

import (
	"cmp"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Only the ends of the order of a column's bins matter, because a set has at most Categories.Most bins. A
// column may have tens of thousands of bins, of which a leaf has few: most are left out by comparing
// integers, and of the others only those that may belong to an end are sorted.

// Ends are the ends of the order of a column's bins in a leaf. They do not depend on counts. The zero value
// has yet to be found, by the first search that needs it.
type Ends struct {
	bins  [2][]int32 // the first bins in their order, and the last ones, beginning with the very last
	found bool
}

// Forget makes the ends unknown, for the search of another leaf.
func (e *Ends) Forget() { e.found = false }

// Order is the memory for finding ends.
type Order struct {
	sortable []int32
	kept     [2][]ranked
}

// ranked is a bin with the key by which it is sorted, never NaN.
type ranked struct {
	key float64
	bin int32
}

// at returns bin i of the order, from its end if fromEnd.
func (e *Ends) at(i int, fromEnd bool) int32 { return e.end(fromEnd)[i] }

// end returns the bins at the end of the order, beginning with the last one, or those at its beginning.
func (e *Ends) end(fromEnd bool) []int32 {
	if fromEnd {
		return e.bins[1]
	}
	return e.bins[0]
}

// most returns the largest number of bins of a set from either end.
func (e *Ends) most() int { return len(e.bins[0]) }

// mostInserted is the largest number of bins of an end that are kept in their order by insertion.
const mostInserted = 64

// order returns the ends of the order of the bins that can go left, by G/(H+smooth) and then by number.
func (s *categorySearch) order() *Ends {
	o, e := s.lf.Memory, s.lf.Ends
	if e.found {
		return e
	}
	o.sortable = s.sortable(o.sortable)
	most := min(s.lf.Rules.Most, (len(o.sortable)+1)/2)
	if most <= mostInserted {
		s.insertAll(most)
	} else {
		s.sortAll()
	}
	for end, kept := range o.kept {
		e.bins[end] = e.bins[end][:0]
		for _, r := range kept[:most] {
			e.bins[end] = append(e.bins[end], r.bin)
		}
	}
	e.found = true
	return e
}

// key returns the number by which a bin is sorted.
func (s *categorySearch) key(bin int32) float64 {
	sum := binsum.Unpack(s.c.Sums[bin])
	return float64(sum.Gradient) / (float64(sum.Hessian) + s.lf.Rules.Smooth)
}

// sortAll sorts all bins that can go left, from both ends.
func (s *categorySearch) sortAll() {
	o := s.lf.Memory
	all := o.kept[0][:0]
	for _, bin := range o.sortable {
		all = append(all, ranked{s.key(bin), bin})
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.bin, b.bin))
	})
	o.kept[0], o.kept[1] = all, append(o.kept[1][:0], all...)
	slices.Reverse(o.kept[1])
}

// insertAll keeps the best bins for each end in their order: few bins come before the last one that is kept.
func (s *categorySearch) insertAll(most int) {
	o := s.lf.Memory
	first, last := o.kept[0][:0], o.kept[1][:0]
	highest, lowest := math.NaN(), math.NaN() // keys of the last bins that are kept; NaN while there is room
	for _, bin := range o.sortable {
		key := s.key(bin)
		if !(key >= highest) {
			if first = insert(first, ranked{key, bin}, most, false); len(first) == most {
				highest = first[most-1].key
			}
		}
		if !(key < lowest) {
			if last = insert(last, ranked{key, bin}, most, true); len(last) == most {
				lowest = last[most-1].key
			}
		}
	}
	o.kept[0], o.kept[1] = first, last
}

// insert inserts a bin, with a higher number than the others, into the first bins of the order, or into the
// last ones, which begin with the very last. If there are more than most, the one that is farthest from the
// end goes.
func insert(kept []ranked, r ranked, most int, last bool) []ranked {
	if len(kept) < most {
		kept = append(kept, r)
	}
	at := len(kept) - 1
	for ; at > 0 && (r.key < kept[at-1].key) != last; at-- {
		kept[at] = kept[at-1]
	}
	kept[at] = r
	return kept
}

// sortable writes to dst the bins that can go left: those with a sum, and with enough rows by the estimate.
func (s *categorySearch) sortable(dst []int32) []int32 {
	sums := s.c.Sums
	dst = reuse.Slice(dst, len(sums))
	least, n := s.leastHessian(), 0
	if least <= 0 {
		for b, sum := range sums[1:] {
			if sum != 0 {
				dst[n] = int32(b + 1)
				n++
			}
		}
		return dst[:n]
	}
	for b, sum := range sums[1:] {
		dst[n] = int32(b + 1)
		n += int(uint64(least-1-binsum.Unpack(sum).Hessian) >> 63) // 1 if it has enough, without a branch
	}
	return dst[:n]
}

// leastHessian returns the smallest Hessian of a bin that has enough rows by the estimate.
func (s *categorySearch) leastHessian() int64 {
	enough, tooFew := int64(1)<<32, int64(-1) // a packed Hessian is below the former
	for enough-tooFew > 1 {
		middle := (enough + tooFew) >> 1
		if s.estimate(float64(middle)) >= s.lf.Rules.SmoothRows {
			enough = middle
		} else {
			tooFew = middle
		}
	}
	return enough
}
