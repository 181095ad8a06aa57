package pairwise

import "math"

// Swaps are the pairs of documents that LambdaRank learns from: those of different gains of which
// one is among the first ranks. Each weighs as much as DCG would change if the two swapped ranks.
// (Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, section 3.)
type Swaps struct {
	Ranking
	Gains      []float64 // by index
	Discounts  []float64 // by rank, for as many ranks at least
	Truncation int       // number of first ranks
	Scale      float64   // factor on all weights, such as 1/maxDCG
	GapOffset  float64   // weights are divided by this plus the gap of scores; 0 leaves them undivided
	Ties       *Ties     // of the ranking; nil if the order of documents of equal scores counts
}

// Swap is a pair of documents.
type Swap struct {
	High, Low int32   // indexes of the documents of larger and of smaller gain
	Gap       float64 // score of High less that of Low
	Delta     float64 // weight, not negative
}

// All yields the pairs by the rank of their upper document, then by that of the lower one. It is the
// plain way through the pairs: [Documents.Pairs] is the fast one, for sums of derivatives alone.
func (s *Swaps) All(yield func(Swap) bool) {
	upper := s.Truncation
	if s.Ties != nil {
		upper = s.Ties.upper()
	}
	for i := range min(upper, len(s.Order)-1) {
		if !s.with(i, yield) {
			return
		}
	}
}

// with yields the pairs of the document at rank i with those below it. It returns false once yield
// does.
func (s *Swaps) with(i int, yield func(Swap) bool) bool {
	index, score, discount := s.Order[i], s.Score[i], s.Discounts[i]
	gain := s.Gains[index]
	for j := i + 1; j < len(s.Order); j++ {
		p := Swap{High: index, Low: s.Order[j], Gap: score - s.Score[j]}
		more := gain - s.Gains[p.Low]
		if more == 0 {
			continue
		}
		if more < 0 {
			p.High, p.Low, p.Gap, more = p.Low, p.High, -p.Gap, -more
		}
		change := discount - s.Discounts[j]
		if s.Ties != nil {
			change = s.Ties.change(i, j)
		}
		p.Delta = more * change * s.Scale
		if s.GapOffset > 0 {
			p.Delta /= s.GapOffset + math.Abs(p.Gap)
		}
		if !yield(p) {
			return false
		}
	}
	return true
}
