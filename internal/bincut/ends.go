package bincut

import (
	"cmp"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Only the ends of the order of a column's bins matter, because a set has at most Categories.Most bins. A
// column may have tens of thousands of bins, of which a leaf has few: most are left out by comparing integers,
// and of the others only those that may belong to an end are sorted.

// Order holds the ends of the order of a column's bins, and the memory for finding them.
type Order struct {
	ends     [2][]int32 // the first bins in their order, and the last ones, beginning with the very last
	sortable []int32
	ranked   []ranked
	kept     []ranked
}

// ranked is a bin with the key by which it is sorted, never NaN.
type ranked struct {
	key float64
	bin int32
}

func compareRanked(a, b ranked) int {
	switch {
	case a.key < b.key:
		return -1
	case a.key > b.key:
		return 1
	}
	return cmp.Compare(a.bin, b.bin)
}

// at returns bin i of the order, from its end if fromEnd.
func (o *Order) at(i int, fromEnd bool) int32 { return o.end(fromEnd)[i] }

// end returns the bins at the end of the order, beginning with the last one, or those at its beginning.
func (o *Order) end(fromEnd bool) []int32 {
	if fromEnd {
		return o.ends[1]
	}
	return o.ends[0]
}

// most returns the largest number of bins of a set from either end.
func (o *Order) most() int { return len(o.ends[0]) }

// order finds the ends of the order of the bins that can go left, by G/(H+smooth) and then by number. It
// does not depend on counts.
func (s *categorySearch) order() *Order {
	o, smooth := s.lf.Memory, s.lf.Rules.Smooth
	o.sortable = s.sortable(o.sortable)
	o.ranked = reuse.Slice(o.ranked, len(o.sortable))
	for i, bin := range o.sortable {
		sum := binsum.Unpack(s.c.Sums[bin])
		o.ranked[i] = ranked{float64(sum.Gradient) / (float64(sum.Hessian) + smooth), bin}
	}
	most := min(s.lf.Rules.Most, (len(o.ranked)+1)/2)
	o.keep(0, most)
	slices.Reverse(o.ranked)
	for i, r := range o.ranked {
		o.ranked[i] = ranked{-r.key, -r.bin}
	}
	o.keep(1, most)
	for i, bin := range o.ends[1] {
		o.ends[1][i] = -bin
	}
	return o
}

// keep makes an end of the first bins by key and number. Ranked bins with equal keys must ascend.
func (o *Order) keep(end, most int) {
	worst := math.NaN() // key of the last bin that is kept; NaN, which no key reaches, while there is room
	o.kept = o.kept[:0]
	for _, r := range o.ranked {
		if r.key >= worst {
			continue
		}
		if o.kept = append(o.kept, r); len(o.kept) == 2*most {
			slices.SortFunc(o.kept, compareRanked)
			o.kept = o.kept[:most]
			worst = o.kept[most-1].key
		}
	}
	slices.SortFunc(o.kept, compareRanked)
	o.ends[end] = o.ends[end][:0]
	for _, r := range o.kept[:most] {
		o.ends[end] = append(o.ends[end], r.bin)
	}
}

// sortable writes to dst the bins that can go left: those with a sum, and with enough rows by the estimate.
func (s *categorySearch) sortable(dst []int32) []int32 {
	dst = reuse.Slice(dst, len(s.c.Sums))
	least, n := s.leastHessian(), 0
	for b, sum := range s.c.Sums[1:] {
		dst[n] = int32(b + 1)
		if least > 0 {
			n += int(uint64(binsum.Unpack(sum).Hessian-least)>>63 ^ 1) // 1 if it has enough, without a branch
		} else if sum != 0 {
			n++
		}
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
