package objective

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// groupYetiRank is the heading of the parameters' documentation.
const groupYetiRank = "YetiRank"

// modeClassic is the value of yetirank_mode that is not a metric.
const modeClassic = "classic"

func yetiRankTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "yetirank_mode", Group: groupYetiRank,
			Help: "What weighs the pairs of objective=yetirank: the difference of grades and the rank (classic), " +
				"or the change of a metric. For mrr and map a document is relevant if its grade is above 0.",
			Value: bind.Choice(&p.YetirankMode, modeClassic, "dcg", targetNDCG, targetMRR, targetMAP, targetERR)},
		{Name: "yetirank_permutations", Group: groupYetiRank,
			Help:  "Random rankings of each query in an iteration.",
			Value: bind.Int(&p.YetirankPermutations, bind.AtLeast(1), bind.AtMost(1000))},
		{Name: "yetirank_decay", Group: groupYetiRank,
			Help:  "Factor on the weight of a pair for each rank further down, in classic mode.",
			Value: bind.Float(&p.YetirankDecay, bind.Positive(), bind.AtMost(1))},
	}
}

// yetiRule returns the rule of pairs, nil in classic mode.
func (p *AllParams) yetiRule() pairRule {
	switch p.YetirankMode {
	case "dcg":
		return dcgRule{}
	case targetNDCG:
		return dcgRule{p.LambdarankTruncationLevel}
	case targetMRR:
		return mrrRule{}
	case targetMAP:
		return mapRule{}
	case targetERR:
		return new(errRule)
	}
	return nil
}

// yetiRank is the logistic loss of pairs of documents that are neighbors in random rankings. Each of P
// permutations sorts the documents by s_i + logit(u_i), with u uniform and drawn again. For its
// neighbors at the ranks r and r+1, counted from 0,
//
//	classic  w = 0.15·decay^r·|y_r - y_{r+1}| / P                for neighbors of different labels y
//	others   w = |change of the metric if they swapped ranks| / P  for neighbors of different worth
//	rho = 1 / (1 + exp(s_high - s_low))
//	λ_high -= w·rho,  λ_low += w·rho,  h_high, h_low += w·rho·(1-rho)
//
// (Gulin, Kuralenok and Pavlov, Winning the transfer learning track of Yahoo!'s learning to rank
// challenge with YetiRank, JMLR W&CP 14, 2011. Classic are the weights and the noise of CatBoost's
// yetirank_helpers.cpp, which sorts by e^s·u/(1.000001-u); the other weights are from Lyzhin et al.,
// Which tricks are important for learning to rank?, ICML 2023, where the noise is Gumbel's.) ndcg counts
// pairs whose upper rank is below lambdarank_truncation_level; the others count all pairs.
type yetiRank struct {
	params    AllParams
	labelGain metric.Gain
	rule      pairRule // nil in classic mode
	pairs     int      // upper ranks of pairs that count

	worth    []float64 // by row
	hasPairs []bool    // by query
	discount []float64
	scratch  reuse.Pool[yetiScratch]
}

// yetiScratch is reused for the next query. By index: odds, worth. By rank: the order, in the low bits of
// keys.
type yetiScratch struct {
	odds   []float64
	keys   []uint64
	sorter keySorter
	ranks  rankedPairs
}

// noiseLimit is CatBoost's constant in the odds u/(noiseLimit - u), which keeps them finite.
const noiseLimit = 1.000001

// newYetiRank returns the objective for the parameters.
func newYetiRank(p *AllParams) (Objective, error) {
	y := &yetiRank{params: *p, labelGain: p.LabelGain, pairs: math.MaxInt}
	y.rule = p.yetiRule()
	if p.YetirankMode == targetNDCG {
		y.pairs = p.LambdarankTruncationLevel
	}
	return y, nil
}

func (y *yetiRank) Name() string { return "yetirank" }

func (y *yetiRank) Prepare(data *dataset.Meta) error {
	check := checkSquare
	if y.rule != nil {
		check = y.rule.check(y.labelGain)
	}
	if err := checkLabels(data, check); err != nil {
		return err
	}
	y.worth = slices.Clone(data.Labels)
	y.hasPairs = make([]bool, len(data.Queries))
	if y.rule != nil {
		worthOf(y.rule, y.worth, y.labelGain, data)
	}
	longest := 0
	for n, q := range data.Queries {
		worth := y.worth[q.First : q.First+q.Len]
		y.hasPairs[n] = slices.Min(worth) < slices.Max(worth)
		longest = max(longest, q.Len)
	}
	y.discount = new(pairwise.DCG).Discounts(longest)
	return nil
}

func (y *yetiRank) Gradients(dst Gradients, q Query) {
	clear(dst.Lambda)
	clear(dst.Hessian)
	if !y.hasPairs[q.Number] {
		return
	}
	s := y.scratch.Get()
	defer y.scratch.Put(s)
	n := len(q.Scores)
	worth := y.worth[q.First : q.First+n]
	s.odds, s.keys = reuse.Slice(s.odds, n), reuse.Slice(s.keys, n)
	largest := slices.Max(q.Scores)
	distant := pairwise.Distant(1, largest-slices.Min(q.Scores))
	for i, score := range q.Scores {
		s.odds[i] = exact.Exp(score - largest)
	}
	for permutation := range y.params.YetirankPermutations {
		mask := s.permute(q, q.Draws(drawYetiRank+permutation), distant)
		if y.rule == nil {
			y.addClassic(dst, q, s, worth, mask, distant)
		} else {
			y.addByRule(dst, q, s, worth, mask, distant)
		}
	}
	multiply(dst, q.Weights)
}

// permute draws a ranking: the indexes of the documents are in the low bits of the keys, which mask
// selects. The other bits of a key are the complement of the noisy score's, so that the largest score comes
// first when keys ascend. Scores that agree in those bits are in file order.
func (s *yetiScratch) permute(q Query, draws Draws, distant bool) (mask uint64) {
	n := len(s.keys)
	keys, odds := s.keys, s.odds[:n]
	mask = 1<<bits.Len(uint(n-1)) - 1
	if distant { // odds underflow
		for i := range keys {
			u := draws.Uniform(i)
			keys[i] = ^(ascending(q.Scores[i]+exact.Ln((u+0x1p-54)/(noiseLimit-u))) | mask) | uint64(i)
		}
	} else {
		for i := range keys {
			u := draws.Uniform(i)
			noisy := float64(odds[i] * (u / (noiseLimit - u))) // not negative: its bits ascend
			keys[i] = ^(math.Float64bits(noisy) | 1<<63 | mask) | uint64(i)
		}
	}
	s.sorter.sort(keys)
	return mask
}

// ascending returns bits that, as an integer, ascend with x.
func ascending(x float64) uint64 {
	b := math.Float64bits(x)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

// addClassic adds the pairs of a ranking with classic weights.
func (y *yetiRank) addClassic(dst Gradients, q Query, s *yetiScratch, labels []float64, mask uint64,
	distant bool) {
	const magic = 0.15 // CatBoost's
	factor := magic / float64(y.params.YetirankPermutations)
	if !distant {
		s.addNeighbors(dst, labels, mask, factor, y.params.YetirankDecay)
		return
	}
	above := int(s.keys[0] & mask)
	for _, key := range s.keys[1:] {
		below := int(key & mask)
		if more := labels[above] - labels[below]; more > 0 {
			s.add(dst, q, above, below, float64(factor*more), distant)
		} else if more < 0 {
			s.add(dst, q, below, above, -float64(factor*more), distant)
		}
		factor = float64(factor * y.params.YetirankDecay)
		above = below
	}
}

// addNeighbors is addClassic for scores that are not distant. A CPU cannot predict which of two neighbors has
// the higher label, so no branch depends on it: the weight has the sign of the difference, and is 0 for equal
// labels.
func (s *yetiScratch) addNeighbors(dst Gradients, labels []float64, mask uint64, factor, decay float64) {
	n := len(s.keys)
	odds, lambdas, hessians := s.odds[:n], dst.Lambda[:n], dst.Hessian[:n]
	above := int(s.keys[0] & mask)
	label, lambda, hessian := labels[above], lambdas[above], hessians[above]
	both := [2]float64{0, odds[above]} // of the document below and above
	for _, key := range s.keys[1:] {
		below := int(key & mask)
		both[0] = odds[below]
		more := label - labels[below]
		rho := both[math.Float64bits(more)>>63] / (both[0] + both[1]) // the odds of the lower label
		x := float64(float64(factor*more) * rho)
		h := float64(math.Abs(x) * (1 - rho))
		lambdas[above], hessians[above] = lambda-x, hessian+h
		above, label, both[1] = below, labels[below], both[0]
		lambda, hessian = lambdas[below]+x, hessians[below]+h
		factor = float64(factor * decay)
	}
	lambdas[above], hessians[above] = lambda, hessian
}

// addByRule adds the pairs of a ranking with the weights of the rule.
func (y *yetiRank) addByRule(dst Gradients, q Query, s *yetiScratch, worth []float64, mask uint64,
	distant bool) {
	r, n := &s.ranks, len(worth)
	r.Order, r.worth, r.weight = reuse.Slice(r.Order, n), reuse.Slice(r.worth, n), reuse.Slice(r.weight, n)
	r.discount = y.discount[:n]
	for rank, key := range s.keys {
		r.Order[rank] = int32(key & mask)
		r.worth[rank] = worth[key&mask]
	}
	y.rule.begin(r)
	share := 1 / float64(y.params.YetirankPermutations)
	for i := range min(n-1, y.pairs) {
		high, low := int(r.Order[i]), int(r.Order[i+1])
		switch {
		case r.worth[i] == r.worth[i+1]:
			continue
		case r.worth[i] < r.worth[i+1]:
			high, low = low, high
		}
		y.rule.weigh(r, i, i+1, r.weight[:i+2])
		s.add(dst, q, high, low, float64(r.weight[i+1]*share), distant)
	}
}

// add adds the pair of two documents with the weight w.
func (s *yetiScratch) add(dst Gradients, q Query, high, low int, w float64, distant bool) {
	var rho float64
	if distant {
		rho = sigmoid(q.Scores[low] - q.Scores[high])
	} else {
		rho = s.odds[low] / (s.odds[high] + s.odds[low])
	}
	lambda := float64(w * rho)
	hessian := float64(lambda * (1 - rho))
	dst.Lambda[high] -= lambda
	dst.Lambda[low] += lambda
	dst.Hessian[high] += hessian
	dst.Hessian[low] += hessian
}
