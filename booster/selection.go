package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
)

// selection finds the key of a given place in ascending order, without sorting.
type selection struct {
	keys   []uint64
	counts [][]int // by worker and digit
}

// smallest returns the key of place count, from 1, in ascending order, of the keys of all ranks. It finds its
// digits of 16 bits one after the other, by counting the keys that begin with those found.
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
		pool.Blocks(len(s.keys), rowBlock, func(worker, from, to int) {
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

// allCounts returns the counts of all workers of all ranks, by digit.
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
