package metric

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyMetric lists a constructor for each registered metric, with the default of its number. Metrics without
// a cutoff ignore k.
var everyMetric = func() (all []func(c Convention, k int) Metric) {
	for _, kind := range kinds {
		all = append(all, kind.with)
	}
	return all
}()

// cutoffs returns the cutoffs that the kind accepts; 0 means none.
func (k *kind) cutoffs(all ...int) []int {
	return slices.DeleteFunc(all, func(cutoff int) bool { return cutoff > 0 && k.noCutoff })
}

func TestNamesOfTheRegister(t *testing.T) {
	owner := map[string]string{}
	for _, word := range noMetric {
		owner[word] = "no metric"
	}
	for _, kind := range kinds {
		for _, word := range append([]string{kind.name}, kind.aliases...) {
			assert.Empty(t, owner[word], "%s of %s", word, kind.name)
			owner[word] = kind.name
			assert.Equal(t, strings.ToLower(word), word)
			assert.NotContains(t, word, "@")
			assert.NotContains(t, word, ":")
			canonical, ok := Canonical(strings.ToUpper(word))
			assert.True(t, ok)
			assert.Equal(t, kind.name, canonical)
		}
		assert.NotEmpty(t, kind.help, kind.name)
		assert.False(t, strings.HasSuffix(kind.help, "."), "%s: Help is a phrase", kind.name)
	}
	for _, word := range noMetric {
		canonical, ok := Canonical(word)
		assert.True(t, ok && canonical == "", word)
	}
	_, ok := Canonical("ndcg@10")
	assert.False(t, ok, "a spec is not a word")
}

// TestParseKnowsTheRegister parses each name and alias with the cutoffs that the entry accepts, and with
// others, which must fail.
func TestParseKnowsTheRegister(t *testing.T) {
	for _, kind := range kinds {
		for _, word := range append([]string{kind.name}, kind.aliases...) {
			m, err := Parse(word, Default())
			require.NoError(t, err, word)
			assert.Equal(t, kind.with(Default(), 0).Name(), m.Name())
			m, err = Parse(word+"@7", Default())
			assert.Equal(t, !kind.noCutoff, err == nil, word)
			if err == nil {
				assert.Equal(t, kind.with(Default(), 7).Name(), m.Name())
			}
		}
		for _, k := range kind.cutoffs(0, 7) {
			name := kind.with(Default(), k).Name()
			m, err := Parse(name, Default())
			require.NoError(t, err, "a metric's own name is a spec")
			assert.Equal(t, name, m.Name())
		}
		if n := kind.takes; n != nil {
			example, err := strconv.ParseFloat(n.example, 64)
			require.NoError(t, err)
			assert.True(t, n.allows(example) && n.allows(n.standard) && !n.allows(math.NaN()), kind.name)
			_, err = Parse(kind.numberExample(), Default())
			assert.NoError(t, err)
		}
	}
}

func TestErrorsOfSpecs(t *testing.T) {
	for spec, want := range map[string]string{
		"success:3": `"success:3": only rbp has a number after a colon, as in rbp:0.95`,
		"rbp:1":     `persistence "1" of "rbp:1": want a number from 0 to below 1, as in rbp:0.95`,
		"sucess@5": `no metric "sucess@5"; did you mean "success@5"? There are ` +
			strings.Join(allNames(), ", "),
	} {
		_, err := Parse(spec, Default())
		assert.EqualError(t, err, want)
	}
}

// TestMetricsOfOtherTasks: the nearest spelling of l2 is p, and that of rmse is map.
func TestMetricsOfOtherTasks(t *testing.T) {
	for spec, want := range map[string]string{
		"l2": "spearman", "RMSE@5": "spearman", "mae": "spearman", "error": "auc",
		"logloss": "in train with objective=binary", "auc_mu": "auc", "average_precision": "map",
	} {
		_, err := Parse(spec, Default())
		assert.ErrorContains(t, err, "no metric "+strconv.Quote(spec)+"; use ")
		assert.ErrorContains(t, err, want)
	}
	for _, m := range ofOtherTasks {
		for _, name := range strings.Fields(m.names) {
			assert.Nil(t, find(name), name)
		}
	}
}

// twin is a metric by its definition, for documents in a known order. Each registered metric needs one.
type twin struct {
	// relevant reports whether a query with a document of this label is nonempty.
	relevant func(c Convention, label float64) bool
	share    bool // a share of the possible value, so an empty query is 0/0 and not 0

	ofEmpty float64 // the value of an empty query with documents, if it is not a share

	// value evaluates a nonempty query, given its labels by rank. k is a positive cutoff, or 0 for all ranks.
	value func(c Convention, k int, number float64, ranked []float64) float64

	pairs bool // judges by pairs that queries here do not have

	// correlation evaluates a query instead, for a metric that ranks equal scores in its own way.
	correlation func(labels, ranks []float64) float64
}

func hasGain(c Convention, label float64) bool    { return c.Gain.Of(label) > 0 }
func isRelevant(c Convention, label float64) bool { return label > c.RelevantAbove }
func isGraded(_ Convention, label float64) bool   { return label > 0 }

// first returns the labels at ranks below k.
func first(ranked []float64, k int) []float64 {
	if k < 1 {
		return ranked
	}
	return ranked[:min(k, len(ranked))]
}

func hits(c Convention, labels []float64) (n float64) {
	for _, label := range labels {
		if isRelevant(c, label) {
			n++
		}
	}
	return n
}

func twinDCG(c Convention, k int, _ float64, ranked []float64) (sum float64) {
	for rank, label := range first(ranked, k) {
		sum += c.Gain.Of(label) * c.Discount.At(rank)
	}
	return sum
}

func twinNDCG(c Convention, k int, _ float64, ranked []float64) float64 {
	if c.Short == ShortZero && len(ranked) < k {
		return 0
	}
	ideal := slices.Clone(ranked)
	slices.Sort(ideal)
	slices.Reverse(ideal)
	return twinDCG(c, k, 0, ranked) / twinDCG(c, k, 0, ideal)
}

// twinPairs returns a metric that compares all pairs of ranks.
func twinPairs(class func(c Convention, label float64) float64) func(Convention, int, float64,
	[]float64) float64 {
	return func(c Convention, _ int, _ float64, ranked []float64) float64 {
		right, all := 0.0, 0.0
		for low := range ranked {
			for high := range low {
				switch a, b := class(c, ranked[high]), class(c, ranked[low]); {
				case a > b:
					right, all = right+1, all+1
				case a < b:
					all++
				}
			}
		}
		if all == 0 {
			return 1
		}
		return right / all
	}
}

var twins = map[string]twin{
	"auc": {relevant: isRelevant, share: true, value: twinPairs(func(c Convention, label float64) float64 {
		if isRelevant(c, label) {
			return 1
		}
		return 0
	})},
	"pair_accuracy": {relevant: isRelevant, share: true,
		value: twinPairs(func(_ Convention, label float64) float64 { return label })},
	"ndcg": {relevant: hasGain, share: true, value: twinNDCG},
	"dcg":  {relevant: hasGain, value: twinDCG},
	"meanndcg": {relevant: hasGain, share: true,
		value: func(c Convention, _ int, _ float64, ranked []float64) (mean float64) {
			for k := range ranked {
				mean += twinNDCG(c, k+1, 0, ranked) / float64(len(ranked))
			}
			return mean
		}},
	"map": {relevant: isRelevant, share: true,
		value: func(c Convention, k int, _ float64, ranked []float64) (sum float64) {
			for rank, label := range first(ranked, k) {
				if isRelevant(c, label) {
					sum += hits(c, ranked[:rank+1]) / float64(rank+1)
				}
			}
			if c.APReachable && k > 0 {
				return sum / min(hits(c, ranked), float64(k))
			}
			return sum / hits(c, ranked)
		}},
	"mrr": {relevant: isRelevant, value: func(c Convention, k int, _ float64, ranked []float64) float64 {
		for rank, label := range first(ranked, k) {
			if isRelevant(c, label) {
				return 1 / float64(rank+1)
			}
		}
		return 0
	}},
	"p": {relevant: isRelevant, value: func(c Convention, k int, _ float64, ranked []float64) float64 {
		if k < 1 || c.Short == ShortCut {
			return hits(c, first(ranked, k)) / float64(len(first(ranked, k)))
		}
		return hits(c, first(ranked, k)) / float64(k)
	}},
	"recall": {relevant: isRelevant, share: true,
		value: func(c Convention, k int, _ float64, ranked []float64) float64 {
			return hits(c, first(ranked, k)) / hits(c, ranked)
		}},
	"err": {relevant: isGraded, value: func(c Convention, k int, _ float64, ranked []float64) (sum float64) {
		reaches := 1.0
		for rank, label := range first(ranked, k) {
			stops := (math.Exp2(label) - 1) / math.Exp2(float64(c.TopGrade))
			sum += reaches * stops / float64(rank+1)
			reaches *= 1 - stops
		}
		return sum
	}},
	"rbp": {relevant: isRelevant,
		value: func(c Convention, k int, persistence float64, ranked []float64) (sum float64) {
			for rank, label := range first(ranked, k) {
				if isRelevant(c, label) {
					sum += (1 - persistence) * math.Pow(persistence, float64(rank))
				}
			}
			return sum
		}},
	"success": {relevant: isRelevant, value: func(c Convention, k int, _ float64, ranked []float64) float64 {
		return min(1, hits(c, first(ranked, k)))
	}},
	"rprec": {relevant: isRelevant, share: true,
		value: func(c Convention, _ int, _ float64, ranked []float64) float64 {
			relevant := hits(c, ranked)
			return hits(c, ranked[:int(relevant)]) / relevant
		}},
	"bpref": {relevant: isRelevant, share: true,
		value: func(c Convention, _ int, _ float64, ranked []float64) (sum float64) {
			relevant, above := hits(c, ranked), 0.0
			for _, label := range ranked {
				switch {
				case c.NegativeWorthless && label < 0:
				case !isRelevant(c, label):
					above++
				case above == 0:
					sum++
				default:
					sum += 1 - min(above, relevant)/min(float64(len(ranked))-relevant, relevant)
				}
			}
			return sum / relevant
		}},
	"judged": {relevant: isRelevant, ofEmpty: 1,
		value: func(Convention, int, float64, []float64) float64 { return 1 }},
	"pair_agreement": {pairs: true},
	"kendall":        {correlation: twinKendall},
	"spearman":       {correlation: twinSpearman},
}

// twinKendall goes through all pairs.
func twinKendall(labels, ranks []float64) float64 {
	right, graded, ranked := 0.0, 0.0, 0.0
	for i := range labels {
		for j := range i {
			grade, rank := float64(cmp.Compare(labels[i], labels[j])), float64(cmp.Compare(ranks[j], ranks[i]))
			right, graded, ranked = right+grade*rank, graded+grade*grade, ranked+rank*rank
		}
	}
	return right / math.Sqrt(graded*ranked)
}

// twinSpearman is Pearson's correlation of the mean ranks of labels and of ranks.
func twinSpearman(labels, ranks []float64) float64 {
	x, y := midranks(labels), midranks(ranks)
	xy, xx, yy, mean := 0.0, 0.0, 0.0, float64(len(x)-1)/2
	for i := range x {
		xy, xx, yy = xy-(x[i]-mean)*(y[i]-mean), xx+(x[i]-mean)*(x[i]-mean), yy+(y[i]-mean)*(y[i]-mean)
	}
	return xy / math.Sqrt(xx*yy)
}

// midranks returns the mean rank of each value, the smallest first.
func midranks(values []float64) (ranks []float64) {
	for _, v := range values {
		below, same := 0.0, 0.0
		for _, other := range values {
			if other < v {
				below++
			} else if other == v {
				same++
			}
		}
		ranks = append(ranks, below+(same-1)/2)
	}
	return ranks
}

// correlate evaluates a query by a correlation. Documents with equal scores have equal ranks where ties are
// averaged.
func (w twin) correlate(c Convention, labels, scores []float64) (value float64, counts bool) {
	empty := !slices.ContainsFunc(labels, func(label float64) bool { return isRelevant(c, label) })
	if len(labels) == 0 || slices.Min(labels) == slices.Max(labels) || empty && c.Empty == EmptyLeftOut {
		return 0, false
	}
	ranks, ranked := make([]float64, len(labels)), labels
	if c.Ties == Averaged {
		for i, score := range scores {
			ranks[i] = -score
		}
	} else {
		for order := range inOrders(c.Ties, labels, scores) {
			ranked = order
		}
		for i := range ranks {
			ranks[i] = float64(i)
		}
	}
	if slices.Min(ranks) == slices.Max(ranks) {
		return 0, true
	}
	return w.correlation(ranked, ranks), true
}

// query evaluates a query by definition. The convention decides the value of an empty query, and whether
// ties use one order or the mean over all orders.
func (w twin) query(c Convention, k int, number float64, labels, scores []float64) (value float64,
	counts bool) {
	switch {
	case w.pairs: // none are given: see TestPairAgreementEqualsItsDefinition of package evaluate
		return 0, false
	case w.correlation != nil:
		return w.correlate(c, labels, scores)
	}
	if !slices.ContainsFunc(labels, func(label float64) bool { return w.relevant(c, label) }) {
		if w.share {
			value = map[Empty]float64{EmptyOne: 1, EmptyZero: 0, EmptyHalf: 0.5}[c.Empty]
		} else if len(labels) > 0 {
			value = w.ofEmpty
		}
		return value, c.Empty != EmptyLeftOut
	}
	n := 0.0
	for ranked := range inOrders(c.Ties, labels, scores) {
		value, n = value+w.value(c, k, number, ranked), n+1
	}
	return value / n, true
}

// inOrders calls yield with labels by rank: in the single order of the rule for ties, or in all orders that
// the scores permit.
func inOrders(ties Ties, labels, scores []float64) func(yield func([]float64) bool) {
	return func(yield func([]float64) bool) {
		if ties == Averaged {
			orders(labels, scores, func(ranked []float64) { yield(ranked) })
			return
		}
		index := make([]int, len(labels))
		for i := range index {
			index[i] = i
		}
		slices.SortStableFunc(index, func(i, j int) int {
			switch {
			case scores[i] != scores[j]:
				return int(math.Copysign(1, scores[j]-scores[i]))
			case ties == Pessimistic && labels[i] != labels[j]:
				return int(math.Copysign(1, labels[i]-labels[j]))
			}
			return 0
		})
		ranked := make([]float64, len(labels))
		for rank, i := range index {
			ranked[rank] = labels[i]
		}
		yield(ranked)
	}
}

// TestEveryMetricEqualsItsDefinition fails for a new metric until it has a twin.
func TestEveryMetricEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	presets := Presets()
	for range 500 {
		labels, scores := randomQuery(rng, rng.IntN(7), rng.IntN(2) == 0)
		c := presets[rng.IntN(len(presets))].withTies(Ties(rng.IntN(4))).withEmpty(Empty(rng.IntN(4)))
		for _, kind := range kinds {
			twin, ok := twins[kind.name]
			require.True(t, ok, "%s has no twin", kind.name)
			for _, k := range kind.cutoffs(0, 1, 2, 3, 10) {
				want, wantCounts := twin.query(c, k, kind.number(), labels, scores)
				got, counts := kind.with(c, k).Query(labels, scores)
				require.InDelta(t, want, got, 1e-13, "%s@%d by %v of %v %v", kind.name, k, c, labels, scores)
				require.Equal(t, wantCounts, counts, kind.name)
			}
		}
	}
}

// twinJudged are the metrics that tell judged documents from others, for documents in a known order. A label
// is unjudged for a document that was not judged. unranked are judged labels of documents without a rank.
var twinJudged = map[string]func(c Convention, ranked, unranked []float64) float64{
	"judged@3": func(_ Convention, ranked, _ []float64) (n float64) {
		for _, label := range first(ranked, 3) {
			if label != unjudged {
				n++
			}
		}
		return n / max(1, float64(len(first(ranked, 3))))
	},
	"bpref": func(c Convention, ranked, unranked []float64) (sum float64) {
		judged := slices.DeleteFunc(slices.Concat(ranked, unranked),
			func(label float64) bool { return label == unjudged })
		relevant, above := hits(c, judged), 0.0
		for _, label := range ranked {
			switch {
			case label == unjudged:
			case !isRelevant(c, label):
				above++
			case above == 0:
				sum++
			default:
				sum += 1 - min(above, relevant)/min(float64(len(judged))-relevant, relevant)
			}
		}
		return sum / relevant
	},
	"rprec": func(c Convention, ranked, unranked []float64) float64 {
		relevant := hits(c, ranked) + hits(c, unranked)
		return hits(c, first(ranked, int(relevant))) / relevant
	},
	"success@2": func(c Convention, ranked, _ []float64) float64 { return min(1, hits(c, first(ranked, 2))) },
}

// unjudged is the label of a document that was not judged, which no metric takes for relevant.
const unjudged = -100

// TestPoolsEqualTheirDefinition draws lists of which some documents are not judged and others not ranked,
// with ties. Correlations are those of all documents, of which the unranked share the last rank.
func TestPoolsEqualTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 3))
	c := Default()
	for range 400 {
		l := List{Query: "q", Labels: []float64{}}
		marked, relevant := []float64{}, 0.0
		for range rng.IntN(6) {
			label, judged := float64(rng.IntN(3)), rng.IntN(3) > 0
			if !judged {
				label = 0
			}
			l.Labels, l.Judged, l.Scores = append(l.Labels, label), append(l.Judged, judged),
				append(l.Scores, float64(rng.IntN(3)))
			if marked = append(marked, label); !judged {
				marked[len(marked)-1] = unjudged
			}
		}
		for range rng.IntN(4) {
			l.Unranked = append(l.Unranked, float64(rng.IntN(3)))
		}
		if relevant = hits(c, l.Labels) + hits(c, l.Unranked); relevant == 0 {
			continue
		}
		value := func(spec string) float64 {
			e := NewEvaluator([]Metric{parsed(t, spec)}, 1, nil)
			defer e.Close()
			require.NoError(t, e.Add(l))
			return e.Results()[0].PerQuery[0]
		}
		for spec, twin := range twinJudged {
			want, n := 0.0, 0.0
			orders(marked, l.Scores, func(ranked []float64) { want, n = want+twin(c, ranked, l.Unranked), n+1 })
			require.InDelta(t, want/n, value(spec), 1e-12, "%s of %+v", spec, l)
		}
		labels, ranks := slices.Concat(l.Labels, l.Unranked),
			slices.Repeat([]float64{1}, len(l.Labels)+len(l.Unranked))
		for i, score := range l.Scores {
			ranks[i] = -score
		}
		for spec, twin := range map[string]func(labels, ranks []float64) float64{"kendall": twinKendall,
			"spearman": twinSpearman} {
			want := twin(labels, ranks)
			switch {
			case slices.Min(labels) == slices.Max(labels):
				require.True(t, math.IsNaN(value(spec)), "one grade")
			case slices.Min(ranks) == slices.Max(ranks):
				require.Zero(t, value(spec), "one rank")
			default:
				require.InDelta(t, want, value(spec), 1e-12, "%s of %+v", spec, l)
			}
		}
	}
}

func TestEveryMetricKeepsItsBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 3))
	for range 300 {
		labels, scores := randomQuery(rng, rng.IntN(40), rng.IntN(2) == 0)
		for _, kind := range kinds {
			for _, preset := range Presets() {
				for _, k := range kind.cutoffs(0, 1, 5, 50) {
					v, _ := kind.with(preset, k).Query(labels, scores)
					if !kind.ordinal {
						require.GreaterOrEqual(t, v, 0.0, kind.name)
					}
					if kind.bounded || kind.ordinal {
						require.LessOrEqual(t, v, 1+1e-15, "%s@%d by %s", kind.name, k, preset.Name)
					}
				}
			}
		}
	}
}
