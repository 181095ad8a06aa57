package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// Peers send each other a split as integers:
//
//	0  column, bin and flags
//	1  gain
//	2  sum of the gradients on the left, 3 that of the Hessians
//	4  value of the left side, 5 that of the right one
//	6… if there are categorical columns, a bit for each bin: its rows go right
const splitWords = 6

// The flags.
const (
	missingGoesRight = 1 << iota
	rowsCounted
	hasSides
	sidesSorted
)

// splitSize returns the number of integers that encode a split.
func (g *grower) splitSize() int { return splitWords + g.parts.sideWords }

// wordsOfSides returns the number of integers that encode the sides of any split by categories; 0 if there
// are no categorical columns.
func (g *grower) wordsOfSides() int {
	most := 0
	for c, is := range g.categorical {
		if is {
			most = max(most, g.matrix.Bins(int32(c)).NumBins())
		}
	}
	return (most + 63) / 64
}

// appendSplit appends the integers that encode a split.
func (g *grower) appendSplit(words []int64, s *split) []int64 {
	flags, bits := int64(0), make([]int64, g.parts.sideWords)
	set := func(flag int64, yes bool) {
		if yes {
			flags |= flag
		}
	}
	set(missingGoesRight, s.missingRight)
	set(rowsCounted, s.counted)
	if set(hasSides, s.sides != nil); s.sides != nil {
		set(sidesSorted, s.sides.sorted)
		for bin, right := range s.sides.right {
			bits[bin/64] |= int64(right) << (bin % 64)
		}
	}
	words = append(words, int64(s.column)<<32|int64(s.bin)<<8|flags, int64(math.Float64bits(s.gain)),
		s.left.Gradient, s.left.Hessian,
		int64(math.Float64bits(s.values[0])), int64(math.Float64bits(s.values[1])))
	return append(words, bits...)
}

// bestOfPeers returns the best split of all peers for each leaf or level. mine are the best splits of this
// peer, the zero split where it has none.
func (g *grower) bestOfPeers(mine []split) []split {
	size, group := g.splitSize(), g.part.Group()
	var words []int64
	for i := range mine {
		words = g.appendSplit(words, &mine[i])
	}
	all, best := make([]int64, len(words)*group.Size()), make([]split, len(mine))
	group.AllGather(all, words)
	for peer := range group.Size() {
		for i := range best {
			if s := g.splitOf(all[peer*len(words)+i*size:][:size]); s.better(best[i]) {
				best[i] = s
			}
		}
	}
	return best
}

// splitOf returns the split that the integers encode.
func (g *grower) splitOf(words []int64) split {
	flags := words[0]
	s := split{
		column: int32(words[0] >> 32), bin: uint16(words[0] >> 8), missingRight: flags&missingGoesRight != 0,
		counted: flags&rowsCounted != 0,
		gain:    math.Float64frombits(uint64(words[1])), left: binsum.Sum{Gradient: words[2], Hessian: words[3]},
		values: [2]float64{math.Float64frombits(uint64(words[4])), math.Float64frombits(uint64(words[5]))},
	}
	if flags&hasSides != 0 {
		s.sides = allRight(g.matrix.Bins(s.column).NumBins())
		s.sides.sorted = flags&sidesSorted != 0
		for bin := range s.sides.right {
			s.sides.right[bin] = uint8(words[splitWords+bin/64] >> (bin % 64) & 1)
		}
	}
	return s
}
