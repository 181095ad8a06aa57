package objective

import (
	"slices"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// AllParams holds the parameters of all built-in objectives. Begin with [DefaultAllParams]: zero is a value
// in every field, never a request for the default. Each field is named after its parameter: Sigmoid is
// "sigmoid".
type AllParams struct {
	// For objectives of pairs.
	Sigmoid                   float64 // steepness σ of the logistic loss, above 0; of binary too
	LambdarankTruncationLevel int     // pairs must reach into this many first ranks, at least 1
	LambdarankScoreGapNorm    bool    // divide a pair's weight by the gap of its scores
	LambdarankLogNorm         bool    // scale a query's lambdas logarithmically
	LambdarankPairMethod      string  // which pairs count: "topk", "mean" or "all"
	// partners of a document, or first ranks with topk; 0: the usual number
	LambdarankNumPairPerSample int
	// how documents of equal scores rank: "auto", "mean", "draw" or "file"
	LambdarankTies string
	LabelGain      metric.Gain // worth of a relevance grade

	// Penalty on the biases of positions, at least 0. Training uses it, not the objective.
	LambdarankPositionBiasRegularization float64

	// Which metric's changes weigh LambdaRank's pairs.
	LambdarankTarget string // "ndcg", "map", "mrr", "err" or "precision@" and a cut-off

	// For lambdaloss.
	LambdalossScheme string  // "ndcg_loss1", "ndcg_loss2" or "ndcg_loss2++"
	LambdalossMu     float64 // share of NDCG-Loss2 in NDCG-Loss2++, at least 0

	// For yetirank.
	YetirankMode         string  // "classic", "dcg", "ndcg", "mrr", "map" or "err"
	YetirankPermutations int     // rankings of a query in an iteration, at least 1
	YetirankDecay        float64 // of the weights of a ranking's pairs, in classic mode; above 0, at most 1

	// For rank_calibrated.
	RankCalibratedShare float64 // share of the listwise part, from 0 to 1

	// For regression, binary, cross_entropy and rank_calibrated.
	BoostFromAverage bool // begin at the best constant score, which becomes part of the first tree
}

// DefaultAllParams returns the defaults of all built-in objectives. Those of LambdaRank are LightGBM's: σ 1,
// truncation 30, gains 2^grade - 1, both normalizations on. Unlike in LightGBM, documents with equal scores
// are not ranked in file order.
func DefaultAllParams() AllParams {
	return AllParams{
		Sigmoid: 1, LambdarankTruncationLevel: 30, LambdarankScoreGapNorm: true, LambdarankLogNorm: true,
		LambdarankPairMethod: pairsTopK, LambdarankTies: tiesAuto, LabelGain: metric.Exp2(),
		LambdarankTarget: targetNDCG,
		LambdalossScheme: ndcgLoss2Mixed, LambdalossMu: 10,
		YetirankMode: modeClassic, YetirankPermutations: 10, YetirankDecay: 0.85,
		RankCalibratedShare: 0.5,
		BoostFromAverage:    true,
	}
}

// Table returns the parameters of all built-in objectives, bound to the fields of p.
func Table(p *AllParams) param.Table {
	return slices.Concat(lambdaRankTable(p), pairMethodTable(p), targetTable(p), lambdaLossTable(p),
		yetiRankTable(p), pointwiseTable(p), calibratedTable(p))
}
