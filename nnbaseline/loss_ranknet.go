package nnbaseline

import (
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/random"
)

// rankNet is the mean of RankNet's loss over pairs of documents of different labels
// ([pairwise.RankNet] has the formulas), either over all pairs of a query, or over a number of them
// that each step draws again, with replacement.
type rankNet struct {
	ordered
	sigma float64
	pairs int // number of pairs that are drawn; 0: all
	seed  uint64

	sums pairwise.RankNet
}

func (r *rankNet) of(dst []float64, q query, scores []float64) (loss float64) {
	r.sums.Sigma, r.sums.Stop = r.sigma, q.stop
	r.sums.Arrange(q.labels)
	if r.pairs > 0 {
		loss = r.some(q, scores)
	} else {
		loss = r.sums.All(scores)
	}
	r.sums.Slopes(dst)
	return loss
}

// some adds up r.pairs random pairs, drawn uniformly from all pairs of the query.
func (r *rankNet) some(q query, scores []float64) float64 {
	key := random.New(r.seed, random.DocumentPair, q.step)
	share, loss := 1/float64(r.pairs), 0.0
	for draw := range r.pairs {
		number, _ := bits.Mul64(key.Uint64(q.number<<32+draw), uint64(r.sums.NumPairs()))
		loss += r.sums.Add(int(number), scores, share)
	}
	return float64(loss * share)
}
