package objective

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// groupLambdaLoss is the heading of the parameters' documentation.
const groupLambdaLoss = "LambdaLoss"

// The losses of lambdaloss.
const (
	ndcgLoss1      = "ndcg_loss1"
	ndcgLoss2      = "ndcg_loss2"
	ndcgLoss2Mixed = "ndcg_loss2++"
)

func lambdaLossTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "lambdaloss_scheme", Group: groupLambdaLoss,
			Help:  "The loss of objective=lambdaloss, one of the LambdaLoss paper's.",
			Value: bind.Choice(&p.LambdalossScheme, ndcgLoss1, ndcgLoss2, ndcgLoss2Mixed)},
		{Name: "lambdaloss_mu", Group: groupLambdaLoss,
			Help:  "Factor of NDCG-Loss2 in ndcg_loss2++, whose other part is LambdaRank's weight.",
			Value: bind.Float(&p.LambdalossMu, bind.AtLeast(0), bind.AtMost(1e6))},
	}
}

// lambdaLossRule is the rule of the weights of the LambdaLoss framework: with G = gain / maxDCG@T, i and j
// ranks from 0, and d(r) = 1/log2(2+r),
//
//	ndcg_loss1    G_high·d(rank of high)
//	ndcg_loss2    |G_i - G_j|·δ,            δ = d(|i-j| - 1) - d(|i-j|)
//	ndcg_loss2++  |G_i - G_j|·(ρ + μ·δ),    ρ = |d(i) - d(j)|
//
// (Wang et al., The LambdaLoss framework for ranking metric optimization, CIKM 2018, sections 6 and 7,
// where ranks count from 1 and D is 1/d. The weights are exponents there, and so factors of the
// logarithm here. The default of μ is the library allRank's.)
type lambdaLossRule struct {
	dcgRule
	scheme string
	mu     float64
}

func (l lambdaLossRule) weigh(r *rankedPairs, i, from int, w []float64) {
	worth, discount := r.worth[i], r.discount[i]
	mu, share := l.mu, 1.0
	switch l.scheme {
	case ndcgLoss1:
		for j := from; j < len(w); j++ {
			w[j] = float64(worth * discount)
			if r.worth[j] > worth {
				w[j] = float64(r.worth[j] * r.discount[j])
			}
		}
		return
	case ndcgLoss2:
		mu, share = 1, 0
	}
	for j := from; j < len(w); j++ {
		delta := r.discount[j-i-1] - r.discount[j-i]
		w[j] = float64(math.Abs(worth-r.worth[j]) * (float64(share*(discount-r.discount[j])) + float64(mu*delta)))
	}
}
