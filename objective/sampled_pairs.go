package objective

import (
	"errors"
	"math"
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/param"
)

// The values of lambdarank_pair_method, XGBoost's except for all.
const (
	pairsTopK = "topk"
	pairsMean = "mean"
	pairsAll  = "all"
)

const (
	pairMethod = "lambdarank_pair_method"
	numPairs   = "lambdarank_num_pair_per_sample"
	truncation = "lambdarank_truncation_level"
)

func pairMethodTable(p *AllParams) param.Table {
	return param.Table{
		{Name: pairMethod, Group: groupLambdaRank,
			Help: "Which pairs of documents of different grades count: topk are those with a document among the " +
				"first ranks, all are all of them, and mean estimates all by random partners of each document. In " +
				"long queries, all estimates too, or has fast sums for objective=rank_pairwise with " +
				"lambdarank_score_gap_norm=false.",
			Value: bind.Choice(&p.LambdarankPairMethod, pairsTopK, pairsMean, pairsAll)},
		{Name: numPairs, Group: groupLambdaRank,
			Help: "Partners of each document with lambdarank_pair_method=mean, and the number of first ranks with " +
				"topk. 0 is 1 with mean, and lambdarank_truncation_level with topk. With mean, all pairs count in " +
				"queries of no more documents.",
			Value: bind.Int(&p.LambdarankNumPairPerSample, bind.AtLeast(0), bind.AtMost(1e6))},
	}
}

const (
	// mostExact is the number of documents up to which lambdarank_pair_method=all adds all pairs one by one.
	mostExact = 2048
	// allPartners is the number of partners of a document that estimate all pairs of longer queries.
	allPartners = 4
)

var errPairsOfERR = errors.New("lambdarank_target=err is for lambdarank_pair_method=topk: the weight of a " +
	"pair depends on all documents between the two")

// firstRanks returns the number of ranks of which a pair must contain at least one.
func (p *AllParams) firstRanks() int {
	switch {
	case p.LambdarankPairMethod != pairsTopK:
		return math.MaxInt
	case p.LambdarankNumPairPerSample > 0:
		return p.LambdarankNumPairPerSample
	}
	return p.LambdarankTruncationLevel
}

// PairLimit returns the parameter that limits the pairs of a query, empty if all of them count, and the
// number of ranks of which a pair must contain at least one.
func (p *AllParams) PairLimit() (parameter string, ranks int) {
	ranks = p.firstRanks()
	switch {
	case p.LambdarankPairMethod == pairsAll:
		return "", ranks
	case p.LambdarankPairMethod == pairsMean || p.LambdarankNumPairPerSample > 0:
		return numPairs, ranks
	}
	return truncation, ranks
}

// NumPairs returns about how many pairs an iteration adds for a query of n documents.
func (p *AllParams) NumPairs(n int) float64 {
	if k := p.partners(n); k > 0 {
		return float64(float64(k) * float64(n))
	}
	return pairwise.Truncated(n, p.firstRanks())
}

// partners returns the number of random partners of each of n documents, or 0 if pairs are not drawn, since
// adding all of them takes less time.
func (p *AllParams) partners(n int) int {
	switch k := max(1, p.LambdarankNumPairPerSample); {
	case p.LambdarankPairMethod == pairsMean && k < n:
		return k
	case p.LambdarankPairMethod == pairsAll && n > mostExact:
		return allPartners
	}
	return 0
}

// sampled estimates the sums of all pairs, without bias. Each document i draws k partners j of another worth,
// so that the pair is expected k/n_i + k/n_j times, where n_i is the number of documents of another worth
// than i; its weight is divided by that.
func (l *weightedPairs) sampled(r *rankedPairs, k int) (sum float64) {
	n := len(r.Order)
	r.byClass()
	for place, rank := range r.places {
		if r.canceled.At(place, n) {
			break
		}
		i, index := int(rank), int(r.Order[rank])
		first, end := r.ends[r.class[i]], r.ends[r.class[i]+1]
		others := n - int(end-first)
		for draw := range k {
			number, _ := bits.Mul64(r.draws.Uint64(index*k+draw), uint64(others))
			if number >= uint64(first) {
				number += uint64(end - first)
			}
			j := int(r.places[number])
			othersOfJ := n - int(r.ends[r.class[j]+1]-r.ends[r.class[j]])
			times := float64(k)/float64(others) + float64(k)/float64(othersOfJ)
			upper, lower := min(i, j), max(i, j)
			l.rule.weigh(r, upper, lower, r.weight[:lower+1])
			w := r.weight[lower] / times
			if r.byGap {
				w /= scoreGapOffset + math.Abs(r.Score[i]-r.Score[j])
			}
			sum += r.addPair(upper, lower, w, l.params.Sigmoid)
		}
	}
	return sum
}

// byClass sorts the ranks by the class of their documents: those of class c are the places [ends[c],
// ends[c+1]).
func (r *rankedPairs) byClass() {
	r.places, r.ends = reuse.Slice(r.places, len(r.class)), reuse.Slice(r.ends, r.classes()+2)
	clear(r.ends)
	for _, c := range r.class {
		r.ends[c+2]++
	}
	for c := range len(r.ends) - 2 {
		r.ends[c+2] += r.ends[c+1]
	}
	for rank, c := range r.class {
		r.places[r.ends[c+1]] = int32(rank)
		r.ends[c+1]++
	}
}

// classes returns the number of classes.
func (r *rankedPairs) classes() int {
	most := int32(0)
	for _, c := range r.class {
		most = max(most, c)
	}
	return int(most) + 1
}
