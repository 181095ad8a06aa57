package objective

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

func targetTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "lambdarank_target", Group: groupLambdaRank,
			Help: "Metric whose changes weigh the pairs of objective=lambdarank. For map, mrr and precision@k a " +
				"document is relevant if its grade is above 0.",
			Value: bind.Checked(bind.Text(&p.LambdarankTarget), "ndcg, map, mrr, err, or precision@ and a cut-off",
				p.checkTarget)},
	}
}

// The values of lambdarank_target.
const (
	targetNDCG      = "ndcg"
	targetMAP       = "map"
	targetMRR       = "mrr"
	targetERR       = "err"
	targetPrecision = "precision@"
)

func (p *AllParams) checkTarget() error {
	if p.targetRule() == nil {
		return fmt.Errorf("must be ndcg, map, mrr, err, or precision@ and a cut-off such as precision@5")
	}
	return nil
}

// targetRule returns the rule of the target, nil if there is no such target.
func (p *AllParams) targetRule() pairRule {
	switch p.LambdarankTarget {
	case targetNDCG:
		return dcgRule{p.LambdarankTruncationLevel}
	case targetMAP:
		return mapRule{}
	case targetMRR:
		return mrrRule{}
	case targetERR:
		return new(errRule)
	}
	cutoff, ok := strings.CutPrefix(p.LambdarankTarget, targetPrecision)
	if k, err := strconv.Atoi(cutoff); ok && err == nil && k > 0 {
		return precisionRule{k}
	}
	return nil
}

// lambdaRankFor returns LambdaRank for the target, by the faster implementation if it supports the target.
func lambdaRankFor(p *AllParams) (Objective, error) {
	if p.LambdarankTarget == targetNDCG && p.LambdarankPairMethod == pairsTopK {
		return &lambdaRank{params: *p}, nil
	}
	rule := p.targetRule()
	if rule == nil {
		return nil, fmt.Errorf("lambdarank_target=%s: %w", p.LambdarankTarget, p.checkTarget())
	}
	return pairsOf("lambdarank", p, rule)
}

// mapRank returns LambdaRank for the target MAP, which is another objective in XGBoost.
func mapRank(p *AllParams) (Objective, error) {
	if p.LambdarankTarget != targetNDCG && p.LambdarankTarget != targetMAP {
		return nil, fmt.Errorf("objective=rank_map contradicts lambdarank_target=%s: leave that out, or use "+
			"objective=lambdarank", p.LambdarankTarget)
	}
	return pairsOf("rank_map", p, mapRule{})
}

// pairsOf returns the objective with the weights of a rule.
func pairsOf(name string, p *AllParams, rule pairRule) (Objective, error) {
	if p.LambdarankTies == tiesMean {
		return nil, errMeanTies
	}
	if _, ok := rule.(*errRule); ok && p.LambdarankPairMethod != pairsTopK {
		return nil, errPairsOfERR
	}
	return &weightedPairs{name: name, params: *p, rule: rule}, nil
}
