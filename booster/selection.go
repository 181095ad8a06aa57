package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
)

// selection finds the n-th smallest of some keys, without sorting.
type selection struct {
	keys   []uint64
	counts [][]int // by worker and digit
}

// smallest returns the count-th smallest key, from 1, among the keys of all peers. It finds the key's 16-bit
// digits one after the other, by counting the keys that begin with the digits found so far.
func (s *selection) smallest(pool *par.Pool, part *dataset.Part, count int) uint64 {
	for len(s.counts) < pool.Workers() {
		s.counts = append(s.counts, make([]int, 1<<16))
	}
	found := uint64(0)
	for shift := 48; shift >= 0; shift -= 16 {
		for _, counts := range s.counts {
			clear(counts)
		}
		known := uint64(math.MaxUint64) << shift << 16 // the bits above this digit
		pool.Blocks(len(s.keys), grow.RowBlock, func(worker, from, to int) {
			counts := s.counts[worker]
			for _, key := range s.keys[from:to] {
				if key&known == found {
					counts[key>>shift&0xffff]++
				}
			}
		})
		all := s.allCounts(part)
		digit := 0
		for ; ; digit++ {
			n := int(all[digit])
			if n >= count {
				break
			}
			count -= n
		}
		found |= uint64(digit) << shift
	}
	return found
}

// allCounts returns the counts of all workers of all peers, by digit.
func (s *selection) allCounts(part *dataset.Part) []int64 {
	all := make([]int64, 1<<16)
	for _, counts := range s.counts {
		for digit, n := range counts {
			all[digit] += int64(n)
		}
	}
	part.Group().Sum(all)
	return all
}
