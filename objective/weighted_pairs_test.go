package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// metricOf evaluates the target metric on labels by rank, by definition.
func metricOf(target string, labels []float64, largest float64) (value float64) {
	relevant, reach := 0.0, 1.0
	for rank, label := range labels {
		place := float64(rank + 1)
		hit := 0.0
		if label > 0 {
			hit = 1
		}
		relevant += hit
		switch target {
		case "map":
			value += hit * relevant / place
		case "mrr":
			if hit > 0 && relevant == 1 {
				value = 1 / place
			}
		case "precision@3":
			if rank < 3 {
				value += hit / 3
			}
		case "err":
			stop := (math.Exp2(label) - 1) / math.Exp2(largest)
			value += reach * stop / place
			reach *= 1 - stop
		case "ndcg":
			value += (math.Exp2(label) - 1) / math.Log2(place+1)
		}
	}
	if target == "map" {
		value /= relevant
	}
	if target == "ndcg" {
		best := slices.Clone(labels)
		slices.SortFunc(best, func(a, b float64) int { return int(b - a) })
		ideal := 0.0
		for rank, label := range best {
			ideal += (math.Exp2(label) - 1) / math.Log2(float64(rank+2))
		}
		value /= ideal
	}
	return value
}

// rankedOf returns the ranking of an objective for the single query of its data.
func rankedOf(w *weightedPairs, q Query) *rankedPairs {
	r := new(rankedPairs)
	w.rank(r, q)
	return r
}

// TestWeightsAreChangesOfTheMetric: a pair's weight is the change of the metric when two documents swap
// ranks.
func TestWeightsAreChangesOfTheMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, target := range []string{"map", "mrr", "precision@3", "err", "ndcg"} {
		for range 30 {
			labels, scores := randomQuery(rng, 2+rng.IntN(15))
			labels[0], labels[1] = 4, 0 // ensures that there is a pair, and that 4 is the largest label
			p := DefaultAllParams()
			p.LambdarankTarget, p.LambdarankTruncationLevel = target, 100
			w := usable(pairsOf("lambdarank", &p, p.targetRule())).(*weightedPairs)
			data := oneQuery(labels...)
			require.NoError(t, w.Prepare(data))
			r := rankedOf(w, queryOf(data, scores))
			byRank := make([]float64, len(labels))
			for rank, index := range r.Order {
				byRank[rank] = labels[index]
			}
			now := metricOf(target, byRank, 4)
			for i := range len(labels) - 1 {
				w.rule.weigh(r, i, i+1, r.weight)
				for j := i + 1; j < len(labels); j++ {
					if r.worth[i] == r.worth[j] {
						continue
					}
					swapped := slices.Clone(byRank)
					swapped[i], swapped[j] = swapped[j], swapped[i]
					require.InDelta(t, math.Abs(metricOf(target, swapped, 4)-now), r.weight[j], 1e-12, "%s %d %d", target, i,
						j)
				}
			}
		}
	}
}

// loss sums over pairs by definition. Ranks and the factor of the logarithmic norm are constants, computed
// at q.Scores.
func (w *weightedPairs) loss(q Query, scores []float64) (loss float64) {
	alone := &weightedPairs{params: w.params, rule: w.rule}
	if e, ok := w.rule.(*errRule); ok {
		alone.rule = &errRule{e.largest}
	}
	data := oneQuery(q.Labels...)
	if err := alone.Prepare(data); err != nil {
		panic(err)
	}
	at := queryOf(data, q.Scores)
	if !alone.hasPairs[0] {
		return 0
	}
	r := rankedOf(alone, at)
	sum := alone.pairs(r)
	factor := logNorm(w.params.LambdarankLogNorm, sum)
	sigma := w.params.Sigmoid
	for i := range min(w.params.LambdarankTruncationLevel, len(scores)-1) {
		alone.rule.weigh(r, i, i+1, r.weight)
		for j := i + 1; j < len(scores); j++ {
			if r.worth[i] == r.worth[j] {
				continue
			}
			high, low := r.Order[i], r.Order[j]
			if r.worth[i] < r.worth[j] {
				high, low = low, high
			}
			weight := r.weight[j]
			if w.params.LambdarankScoreGapNorm && slices.Min(q.Scores) < slices.Max(q.Scores) {
				weight /= 0.01 + math.Abs(q.Scores[high]-q.Scores[low])
			}
			loss += factor * weight * math.Log1p(math.Exp(-sigma*(scores[high]-scores[low])))
		}
	}
	return loss
}

// TestWeightedPairsAgreeWithFiniteDifferences covers each rule with each normalization.
func TestWeightedPairsAgreeWithFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, norm := range []bool{false, true} {
		for _, create := range everyRule(norm) {
			w := create()
			labels, scores := randomQuery(rng, 14)
			labels[0], labels[1] = 4, 0
			data := oneQuery(labels...)
			require.NoError(t, w.Prepare(data))
			q := queryOf(data, scores)
			g := gradientsAt(w, q)
			for i := range scores {
				at := func(d float64) float64 {
					moved := slices.Clone(scores)
					moved[i] += d
					return w.loss(q, moved)
				}
				require.InDelta(t, firstDifference(at), g.Lambda[i], 1e-7, "%s %T", w.name, w.rule)
				require.InDelta(t, secondDifference(at), g.Hessian[i], 1e-6, "%s %T", w.name, w.rule)
			}
		}
	}
}

// everyRule returns constructors of objectives, one for each rule of weighting pairs.
func everyRule(norm bool) (all []func() *weightedPairs) {
	add := func(name string, change func(p *AllParams)) {
		all = append(all, func() *weightedPairs {
			p := DefaultAllParams()
			p.Sigmoid, p.LambdarankTruncationLevel = 1.5, 5
			p.LambdarankScoreGapNorm, p.LambdarankLogNorm = norm, norm
			change(&p)
			o, err := New(name, &p)
			if err != nil {
				panic(err)
			}
			return o.(*weightedPairs)
		})
	}
	for _, target := range []string{"map", "mrr", "err", "precision@3"} {
		add("lambdarank", func(p *AllParams) { p.LambdarankTarget = target })
	}
	for _, scheme := range []string{ndcgLoss1, ndcgLoss2, ndcgLoss2Mixed} {
		add("lambdaloss", func(p *AllParams) { p.LambdalossScheme = scheme })
	}
	add("rank_pairwise", func(p *AllParams) {})
	add("rank_pairwise", func(p *AllParams) { p.LambdarankPairMethod = pairsAll })
	add("lambdarank", func(p *AllParams) { p.LambdarankPairMethod = pairsAll })
	add("rank_map", func(p *AllParams) {})
	return all
}

// TestWeightedPairsEqualLambdaRank: lambdarank equals the general form with the weights of nDCG, whose
// derivatives TestWeightedPairsAgreeWithFiniteDifferences tests, under all combinations of its switches: for
// queries of all sizes, few and many grades, tied scores, and scores so distant that pairs are added one by
// one.
func TestWeightedPairsEqualLambdaRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for name, l := range variants() {
		for trial := range 40 {
			labels, scores := randomQuery(rng, 2+rng.IntN(80))
			l.params.LabelGain = metric.Exp2()
			switch trial % 4 {
			case 1:
				for i := range scores {
					scores[i] = math.Round(scores[i])
				}
			case 2:
				l.params.LabelGain = metric.Linear()
				for i := range labels {
					labels[i] = 100 * rng.Float64()
				}
			}
			data, p := oneQuery(labels...), l.params
			w := usable(pairsOf("lambdarank", &p, dcgRule{p.LambdarankTruncationLevel})).(*weightedPairs)
			require.NoError(t, w.Prepare(data))
			for _, spread := range []float64{0, 1, 20, 100, 1000} {
				moved := slices.Clone(scores)
				for i := range moved {
					moved[i] *= spread
				}
				want, got := gradientsAt(w, queryOf(data, moved)), gradientsOf(t, l, data, moved)
				require.InDeltaSlice(t, want.Lambda, got.Lambda, 1e-11, name)
				require.InDeltaSlice(t, want.Hessian, got.Hessian, 1e-11, name)
			}
		}
	}
}

// TestLambdaLossWeights computes LambdaLoss's weights by the paper's formulas, with ranks counted from 1.
func TestLambdaLossWeights(t *testing.T) {
	labels := []float64{2, 0, 1, 0}
	data := oneQuery(labels...)
	d := func(rank int) float64 { return math.Log2(1 + float64(rank)) }
	ideal := 3/d(1) + 1/d(2)
	g := func(label float64) float64 { return (math.Exp2(label) - 1) / ideal }
	for scheme, want := range map[string]float64{ // for the documents at ranks 2 and 4, with labels 0 and 1
		ndcgLoss1:      g(1) / d(4),
		ndcgLoss2:      g(1) * (1/d(2) - 1/d(3)),
		ndcgLoss2Mixed: g(1) * (1/d(2) - 1/d(4) + 7*(1/d(2)-1/d(3))),
	} {
		p := DefaultAllParams()
		p.LambdalossScheme, p.LambdalossMu = scheme, 7
		o, err := New("lambdaloss", &p)
		require.NoError(t, err)
		w := o.(*weightedPairs)
		require.NoError(t, w.Prepare(data))
		r := rankedOf(w, queryOf(data, []float64{4, 3, 1, 2})) // labels by rank: 2 0 0 1
		w.rule.weigh(r, 1, 2, r.weight)
		assert.InDelta(t, want, r.weight[3], 1e-14, scheme)
	}
}

func TestTargets(t *testing.T) {
	for _, target := range []string{"ndcg", "map", "mrr", "err", "precision@1", "precision@10"} {
		p := DefaultAllParams()
		p.LambdarankTarget = target
		assert.NoError(t, Table(&p).Check(), target)
		o, err := New("lambdarank", &p)
		require.NoError(t, err)
		assert.NoError(t, o.Prepare(oneQuery(0, 1)))
	}
	for _, target := range []string{"", "ndcg@5", "precision", "precision@", "precision@0", "precision@-1",
		"precision@x", "NDCG"} {
		p := DefaultAllParams()
		p.LambdarankTarget = target
		assert.ErrorContains(t, Table(&p).Check(), "precision@5", target)
		_, err := New("lambdarank", &p)
		assert.Error(t, err, target)
	}
	p := DefaultAllParams()
	p.LambdarankTarget = "mrr"
	_, err := New("rank:map", &p)
	assert.ErrorContains(t, err, "lambdarank_target=mrr")
}

// TestGradesWithoutGains: objectives that do not use gains accept grades of any height, and their gradients
// depend on the order of grades alone.
func TestGradesWithoutGains(t *testing.T) {
	gradients := func(name string, p AllParams, labels ...float64) ([]float64, error) {
		o, err := New(name, &p)
		require.NoError(t, err)
		data := oneQuery(labels...)
		if err := o.Prepare(data); err != nil {
			return nil, err
		}
		g := Gradients{make([]float64, len(labels)), make([]float64, len(labels))}
		o.Gradients(g, Query{Labels: labels, Scores: []float64{0.5, 0.25, 0, -0.5}})
		return g.Lambda, nil
	}
	for _, ways := range [][3]string{ // objective, lambdarank_target, yetirank_mode
		{"rank_pairwise", "ndcg", "classic"}, {"rank_map", "ndcg", "classic"}, {"lambdarank", "map", "classic"},
		{"lambdarank", "mrr", "classic"}, {"lambdarank", "precision@2", "classic"}, {"yetirank", "ndcg", "map"},
		{"yetirank", "ndcg", "mrr"},
	} {
		p := DefaultAllParams()
		p.LambdarankTarget, p.YetirankMode = ways[1], ways[2]
		low, err := gradients(ways[0], p, 0, 3, 1, 2)
		require.NoError(t, err)
		high, err := gradients(ways[0], p, 0, 1000, 32, 99)
		require.NoError(t, err, ways)
		assert.Equal(t, low, high, ways)
	}
	p := DefaultAllParams()
	_, err := gradients("lambdarank", p, 0, 1000, 32, 99)
	assert.ErrorContains(t, err, "label 1000 of row 1 ")
	assert.ErrorContains(t, err, "label_gain=linear")
	p.LabelGain = metric.Linear()
	_, err = gradients("lambdarank", p, 0.5, 1000, 32, 99)
	assert.NoError(t, err)
}

// TestPairMethods: sampled pairs have the mean of all pairs, whose fast sums equal those one by one, and topk
// takes XGBoost's number of first ranks.
func TestPairMethods(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	for _, c := range []struct {
		name     string
		n, draws int
	}{
		{"lambdarank", 40, 400}, {"rank_map", 40, 400}, {"lambdaloss", 40, 400}, {"rank_pairwise", 40, 400},
		{"rank_pairwise", mostExact + 1, 40},
	} {
		labels, scores := randomQuery(rng, c.n)
		labels[0], labels[1] = 4, 0
		data := oneQuery(labels...)
		gradients := func(method string, partners, truncation, iteration int) Gradients {
			p := DefaultAllParams()
			p.LambdarankPairMethod, p.LambdarankNumPairPerSample = method, partners
			p.LambdarankTruncationLevel, p.LambdarankTies = truncation, tiesFile
			p.LambdarankScoreGapNorm, p.LambdarankLogNorm = c.n < mostExact, false
			o, err := New(c.name, &p)
			require.NoError(t, err)
			require.NoError(t, o.Prepare(data))
			q := queryOf(data, scores)
			q.Iteration = iteration
			return gradientsAt(o, q)
		}
		value := func(g Gradients) (v float64) {
			for i, h := range g.Hessian {
				v += h + g.Lambda[i]*float64(i%5)
			}
			return v
		}
		every, all, within := gradients(pairsTopK, 0, c.n, 0), gradients(pairsAll, 0, 30, 0), 1e-8*float64(c.n)
		assert.InDeltaSlice(t, every.Lambda, all.Lambda, within, c.name)
		assert.InDeltaSlice(t, every.Hessian, all.Hessian, within, c.name)
		assert.Equal(t, gradients(pairsTopK, 0, 7, 0), gradients(pairsTopK, 7, 30, 0), c.name)
		assert.Equal(t, gradients(pairsMean, 2, 30, 9), gradients(pairsMean, 2, 5, 9))
		assert.InDeltaSlice(t, every.Lambda, gradients(pairsMean, 1e6, 30, 9).Lambda, within,
			"all pairs instead of as many partners")
		mean, squares, n := 0.0, 0.0, float64(c.draws)
		for draw := range c.draws {
			v := value(gradients(pairsMean, 2, 30, draw))
			mean, squares = mean+v/n, squares+v*v/n
		}
		assert.InDelta(t, value(every), mean, 4*math.Sqrt((squares-mean*mean)/n), "%s: four standard errors",
			c.name)
	}
	p := DefaultAllParams()
	p.LambdarankPairMethod, p.LambdarankTarget = pairsMean, targetERR
	_, err := New("lambdarank", &p)
	assert.ErrorContains(t, err, "lambdarank_pair_method=topk")
	p.LambdarankTarget, p.LambdarankTies = targetNDCG, tiesMean
	_, err = New("lambdarank", &p)
	assert.ErrorIs(t, err, errMeanTies)
}
