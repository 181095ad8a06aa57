package objective

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// Below are rules by which the weight of a pair is the change of a metric if its two documents swapped ranks.
// Ranks count from 0, so rank r is place r+1. Rules that do not use grades consider a document relevant if
// its label is above 0, as metrics do.

// constantRule weighs all pairs of different labels alike, whatever their gains: RankNet's loss (Burges et
// al., Learning to rank using gradient descent, ICML 2005), and XGBoost's rank:pairwise, whose Hessians are
// twice as large.
type constantRule struct{}

func (constantRule) check(metric.Gain) func(float64) error { return checkFinite }

func (constantRule) worth(dst, _, labels []float64) { copy(dst, labels) }
func (constantRule) begin(*rankedPairs)             {}

func (constantRule) weigh(_ *rankedPairs, i, from int, w []float64) {
	for j := from; j < len(w); j++ {
		w[j] = 1
	}
}

// dcgRule weighs by DCG: |gain_i - gain_j|·(discount_i - discount_j). With a truncation above 0, gains
// are divided by the largest DCG at that rank, so that the weights are nDCG's.
type dcgRule struct{ truncation int }

func (dcgRule) check(g metric.Gain) func(float64) error { return g.Check }

func (d dcgRule) worth(dst, gains, _ []float64) {
	copy(dst, gains)
	if d.truncation > 0 {
		inverse := new(pairwise.DCG).InverseIdeal(dst, d.truncation)
		for i := range dst {
			dst[i] = float64(dst[i] * inverse)
		}
	}
}

func (dcgRule) begin(*rankedPairs) {}

func (dcgRule) weigh(r *rankedPairs, i, from int, w []float64) {
	worth, discount := r.worth[i], r.discount[i]
	for j := from; j < len(w); j++ {
		w[j] = float64(math.Abs(worth-r.worth[j]) * (discount - r.discount[j]))
	}
}

// relevant sets dst to 1 for relevant documents, and to 0 for others.
func relevant(dst, labels []float64) {
	for i, label := range labels {
		dst[i] = 0
		if label > 0 {
			dst[i] = 1
		}
	}
}

// mapRule weighs by average precision (DeltaMAP of XGBoost's lambdarank_obj.h, the weights of its
// rank:map). With n_r the number of relevant documents down to rank r, the swap of ranks i < j changes
// the value of N relevant documents by
//
//	( (n_i + [i is not relevant])/(i+1) + Σ_{i<r<j, relevant} 1/(r+1) - n_j/(j+1) ) / N
type mapRule struct{}

func (mapRule) check(metric.Gain) func(float64) error { return checkFinite }

func (mapRule) worth(dst, _, labels []float64) { relevant(dst, labels) }

func (mapRule) begin(r *rankedPairs) {
	r.count, r.sum = reuse.Slice(r.count, len(r.worth)), reuse.Slice(r.sum, len(r.worth))
	count, sum := 0.0, 0.0
	for rank, is := range r.worth {
		count += is
		sum += is / float64(rank+1)
		r.count[rank], r.sum[rank] = count/float64(rank+1), sum
	}
	r.total = count
}

func (mapRule) weigh(r *rankedPairs, i, from int, w []float64) {
	above := r.count[i] + (1-r.worth[i])/float64(i+1) - r.sum[i]
	share, sums, ratios := 1/r.total, r.sum[:len(w)], r.count[:len(w)]
	for j := from; j < len(w); j++ {
		w[j] = float64(math.Abs(above+sums[j-1]-ratios[j]) * share)
	}
}

// mrrRule weighs by the reciprocal rank, 1/(f+1) with f the rank of the first relevant document: it
// changes if a relevant document moves above f, or if the document at f moves down.
type mrrRule struct{}

func (mrrRule) check(metric.Gain) func(float64) error { return checkFinite }

func (mrrRule) worth(dst, _, labels []float64) { relevant(dst, labels) }

func (mrrRule) begin(r *rankedPairs) {
	n := len(r.worth)
	r.first, r.second = slices.Index(r.worth, 1), n
	if next := slices.Index(r.worth[r.first+1:], 1); next >= 0 {
		r.second = r.first + 1 + next
	}
}

func (mrrRule) weigh(r *rankedPairs, i, from int, w []float64) {
	now := 1 / float64(r.first+1)
	for j := from; j < len(w); j++ {
		switch {
		case i < r.first: // j is relevant, or its pair is not used
			w[j] = 1/float64(i+1) - now
		case i == r.first:
			w[j] = now - 1/float64(min(j, r.second)+1)
		default:
			w[j] = 0
		}
	}
}

// errRule weighs by the expected reciprocal rank. A reader stops at a document with probability
// R = gain / (1 + largest gain of the data), which is (2^label - 1)/2^(largest label) for the usual
// gains, and the swap of ranks i < j changes the value by
//
//	P·|R_i - R_j|·( 1/(i+1) - S - Q/(j+1) )
//
// with P the probability to reach rank i, S the expected reciprocal rank of the ranks between for a reader
// who begins there, and Q the probability that the reader passes all of them. (Chapelle et al., Expected
// reciprocal rank for graded relevance, CIKM 2009.)
type errRule struct{ largest float64 }

func (*errRule) check(g metric.Gain) func(float64) error { return g.Check }

func (e *errRule) worth(dst, gains, _ []float64) { copy(dst, gains) }

func (e *errRule) begin(r *rankedPairs) {
	n := len(r.worth)
	r.sum, r.stop, r.place = reuse.Slice(r.sum, n), reuse.Slice(r.stop, n), reuse.Slice(r.place, n)
	reach, share := 1.0, 1/(1+e.largest)
	for rank, worth := range r.worth {
		r.sum[rank], r.stop[rank], r.place[rank] = reach, float64(worth*share), 1/float64(rank+1)
		reach = float64(reach * (1 - r.stop[rank]))
	}
}

func (e *errRule) weigh(r *rankedPairs, i, _ int, w []float64) {
	own, reach, rest := r.stop[i], r.sum[i], r.place[i] // rest is 1/(i+1) - S
	stops, places, through := r.stop[:len(w)], r.place[:len(w)], 1.0
	for j := i + 1; j < len(w); j++ {
		stop := stops[j]
		later := float64(through * places[j])
		w[j] = float64(float64(reach*math.Abs(own-stop)) * (rest - later))
		rest -= float64(later * stop)
		through = float64(through * (1 - stop))
	}
}

// precisionRule weighs by the precision at the cut-off k: 1/k if the swap crosses it.
type precisionRule struct{ k int }

func (precisionRule) check(metric.Gain) func(float64) error { return checkFinite }

func (precisionRule) worth(dst, _, labels []float64) { relevant(dst, labels) }
func (precisionRule) begin(*rankedPairs)             {}

func (p precisionRule) weigh(_ *rankedPairs, i, from int, w []float64) {
	for j := from; j < len(w); j++ {
		w[j] = 0
		if i < p.k && j >= p.k {
			w[j] = 1 / float64(p.k)
		}
	}
}
