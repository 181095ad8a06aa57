package objective

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/param"
)

// The values of lambdarank_ties.
const (
	tiesAuto = "auto" // mean where there is one, draw elsewhere
	tiesMean = "mean"
	tiesDraw = "draw"
	tiesFile = "file"
)

// tiesRow returns the parameter for the ranks of documents with equal scores.
func tiesRow(dst *string) param.Parameter {
	return param.Parameter{Name: "lambdarank_ties", Group: groupLambdaRank,
		Help: "Ranks of documents with equal scores, as all have at first: mean averages over all " +
			"their orders, draw draws an order in each iteration, and file uses the order of the " +
			"file, as LightGBM does. auto is mean for objective=lambdarank with the target ndcg and pairs topk, " +
			"and draw for the other objectives of pairs.",
		Value: bind.Choice(dst, tiesAuto, tiesMean, tiesDraw, tiesFile)}
}

// errMeanTies is the reason why an objective refuses the ties "mean".
var errMeanTies = errors.New("lambdarank_ties=mean is for objective=lambdarank with " +
	"lambdarank_target=ndcg and lambdarank_pair_method=topk; use lambdarank_ties=draw, or leave it out")

// checkTies returns an error for a value that lambdarank_ties does not have.
func checkTies(ties string) error {
	if err := tiesRow(&ties).Value.Check(); err != nil {
		return fmt.Errorf("lambdarank_ties=%q: %w", ties, err)
	}
	return nil
}

// drawsRanks reports whether the ranks of an objective of pairs are drawn.
func drawsRanks(p *AllParams) bool {
	return p.LambdarankTies != tiesFile || p.LambdarankPairMethod != pairsTopK
}

// drawsLambdaRanks is like drawsRanks, for objective=lambdarank.
func drawsLambdaRanks(p *AllParams) bool {
	return p.LambdarankTies == tiesDraw || p.LambdarankPairMethod != pairsTopK ||
		p.LambdarankTies != tiesFile && p.LambdarankTarget != targetNDCG
}

// breakTies puts documents of equal scores in an order that is drawn for the query and the iteration.
func breakTies(r *pairwise.Ranking, q Query) {
	for first := 0; first < len(r.Score); {
		end := first + 1
		for end < len(r.Score) && r.Score[end] == r.Score[first] {
			end++
		}
		if end > first+1 {
			shuffle(r.Order[first:end], q.Draws(drawTies))
		}
		first = end
	}
}

// shuffle sorts indexes by the random numbers of their documents.
func shuffle(indexes []int32, draws Draws) {
	slices.SortFunc(indexes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(draws.Uint64(int(a)), draws.Uint64(int(b))), int(a-b))
	})
}
