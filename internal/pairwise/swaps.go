package pairwise

import "math"

// Swaps are the pairs of documents from which LambdaRank learns: those with different gains and at least one
// document among the first ranks. The weight of a pair is the change of DCG if the two were swapped (Burges,
// From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, section 3).
type Swaps struct {
	Ranking
	Gains      []float64 // by index
	Discounts  []float64 // by rank, for at least as many ranks
	Truncation int       // number of first ranks
	Scale      float64   // factor on all weights, such as 1/maxDCG
	GapOffset  float64   // weights are divided by this plus the gap of scores; 0 leaves them undivided
	Ties       *Ties     // of the ranking; nil if the order of documents with equal scores matters
	Stop       Stop      // ends All early
}

// Swap is a pair of documents.
type Swap struct {
	High, Low int32   // indexes of the documents of larger and of smaller gain
	Gap       float64 // score of High minus score of Low
	Delta     float64 // weight, not negative
}

// All yields the pairs by the rank of their upper document, then of the lower one. It is the straightforward
// way; [Documents.Pairs] is the fast one, which only computes sums of derivatives.
func (s *Swaps) All(yield func(Swap) bool) {
	upper := s.Truncation
	if s.Ties != nil {
		upper = s.Ties.upper()
	}
	for i := range min(upper, len(s.Order)-1) {
		if s.Stop.At(i, len(s.Order)) || !s.with(i, yield) {
			return
		}
	}
}

// with yields the pairs of the document at rank i with those below it. It returns false if yield does.
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
