package metric

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPresetsAreFoundByName(t *testing.T) {
	for _, want := range Presets() {
		got, err := ConventionByName(want.Name, Exp2())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ConventionByName("lightgmb", Exp2())
	assert.ErrorContains(t, err, `did you mean "lightgbm"?`)
}

func TestConventionSaysWhatItIs(t *testing.T) {
	assert.Equal(t, "lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order",
		LightGBM().String())
	assert.Equal(t, "default: exp2 gain, log2 discount, empty query = 1, ties averaged", Default().String())
	c := preset("mslr").withTies(Averaged).withEmpty(EmptyLeftOut).withGain(Linear())
	assert.Equal(t, "mslr: linear gain, microsoft discount, empty queries left out, ties averaged", c.String())
	c, err := ConventionByName("lightgbm", Linear())
	require.NoError(t, err)
	assert.Equal(t, "lightgbm with gain linear", c.Name)
	c, err = ConventionByName("lightgbm", Exp2())
	require.NoError(t, err)
	assert.Equal(t, LightGBM(), c, "no change, no other name")
}

func TestLabelsWithoutGain(t *testing.T) {
	table, err := Table([]float64{0, 1, 3, 7, 15})
	require.NoError(t, err)
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		gain   Gain
		label  float64
		reason string // "" if there is a gain
	}{
		{Exp2(), 0, ""}, {Exp2(), 31, ""}, {Exp2(), 0.5, ""},
		{Exp2(), 32, "label_gain=linear"}, {Exp2(), 1330, "label_gain=linear"}, {Exp2(), -1, "negative"},
		{Exp2(), nan, "finite"}, {Exp2(), inf, "finite"},
		{Linear(), 1e6, ""}, {Linear(), 0.25, ""}, {Linear(), -0.5, "negative"}, {Linear(), nan, "finite"},
		{Linear(), inf, "finite"},
		{table, 4, ""}, {table, 5, "ends at label 4"}, {table, 1.5, "whole labels"}, {table, -1, "negative"},
		{table, nan, "finite"},
	} {
		rules := Default().withGain(c.gain)
		bad := rules.check([]float64{1, c.label, nan}, needGain)
		require.NotNil(t, bad)
		if c.reason == "" {
			assert.Equal(t, 2, bad.Row, "%v of %v", c.gain, c.label)
			assert.False(t, math.IsNaN(c.gain.Of(c.label)))
			continue
		}
		assert.Equal(t, 1, bad.Row)
		assert.ErrorContains(t, bad, c.reason)
		assert.True(t, math.IsNaN(c.gain.Of(c.label)), "%v of %v", c.gain, c.label)
	}
	trec := SKLearn()
	trec.NegativeWorthless = true
	assert.Nil(t, trec.check([]float64{-2, 1}, needGain))
	assert.Equal(t, 1.0, value(t, NDCG(trec, 0), []float64{-2, 1}, []float64{1, 2}))
	assert.Less(t, value(t, NDCG(trec, 0), []float64{-2, 1}, []float64{2, 1}), 1.0)
}

func TestGainTables(t *testing.T) {
	for _, bad := range [][]float64{nil, {0, 2, 1}, {-1, 0}, {0, math.NaN()}, {0, math.Inf(1)}} {
		_, err := Table(bad)
		assert.Error(t, err, "%v", bad)
	}
	for _, text := range []string{"exp2", "linear", "0,1,3,7,15", "0,0.5,1e+06"} {
		gain, err := parseGain(text)
		require.NoError(t, err)
		assert.Equal(t, text, gain.String())
	}
	_, err := parseGain("exp")
	assert.ErrorContains(t, err, "want exp2, linear, or numbers")
}

func TestDiscounts(t *testing.T) {
	// The values are 1/log2 of 2, 3, 4, 5.
	for rank, want := range []float64{1, 0.6309297535714575, 0.5, 0.43067655807339306} {
		assert.InDelta(t, want, Log2.At(rank), 2e-16)
		assert.InDelta(t, []float64{1, 1, 0.6309297535714575, 0.5}[rank], Microsoft.At(rank), 2e-16)
		assert.Equal(t, 1/float64(rank+1), Reciprocal.At(rank))
	}
	for _, kind := range []Discount{Log2, Microsoft, Reciprocal} {
		d := discounts{kind, discountTables[kind]()}
		for rank := range tabulated + 10 {
			require.Equal(t, kind.At(rank), d.at(rank))
		}
	}
}

func TestParse(t *testing.T) {
	for spec, want := range map[string]string{" NDCG@5": "ndcg@5", "ap@3": "map@3", "P_5": "p@5",
		"rbp:0.95@20": "rbp:0.95@20", "ndcg_cut_10": "ndcg@10", "map_cut_100": "map@100",
		"recall_10": "recall@10", "success_1": "success@1", "Rprec": "rprec", "recip_rank": "mrr",
		"HR@5": "success@5"} {
		m, err := Parse(spec, preset("mslr"))
		require.NoError(t, err)
		assert.Equal(t, want, m.Name())
		assert.Equal(t, preset("mslr"), m.Convention())
	}
	for spec, want := range map[string]string{"AP(rel=2)": "map(rel=2)", "P(rel=1.5)@5": "p(rel=1.5)@5",
		"rbp:0.9(rel=3)@7": "rbp:0.9(rel=3)@7"} {
		m, err := Parse(spec, preset("mslr"))
		require.NoError(t, err)
		assert.Equal(t, want, m.Name())
		again, err := Parse(m.Name(), preset("mslr"))
		require.NoError(t, err)
		assert.Equal(t, m, again, "its own name is a spec")
	}
	for spec, want := range map[string]string{"map": "map(rel=2)", "P_5": "p(rel=2)@5", "ndcg@5": "ndcg@5",
		"kendall": "kendall", "own": "own"} {
		assert.Equal(t, want, WithThreshold(spec, 2))
	}
	for spec, want := range map[string][]string{"p(rel=2)": {"p(rel=2)@1", "p(rel=2)@5"},
		"ap": {"ap@1", "ap@5"}, "ndcg@3": {"ndcg@3"}, "meanndcg": {"meanndcg"},
		"rbp:0.5": {"rbp:0.5@1", "rbp:0.5@5"}} {
		assert.Equal(t, want, AtCutoffs(spec, []int{1, 5}))
	}
	for spec, want := range map[string]string{
		"ndgc@10": `did you mean "ndcg@10"?`,
		"ndcg@":   `cut-off "" of "ndcg@"`,
		"ndcg@5@": `cut-off "5@" of "ndcg@5@"`,
		"ndcg@0":  "above 0",
		"ndcg@-3": "above 0",
		"ndcg@1x": "such as ndcg@10",
		"":        "no metric",

		"ndcg@99999999999999999999": "above 0",

		"error@0.5": "use auc, ndcg or pair_accuracy",
		"auc@0.5":   "takes no cut-off; leave out @0.5",
		"ece@10":    `"ece@10": ece judges all documents by one event; leave out "@10"`,
		"ndgc@x":    `did you mean "ndcg"?`,

		"meanndcg@3":   "takes no cut-off; leave out @3",
		"query_rmse@2": "use ndcg, or spearman or kendall",
		"ndcg:2@3":     "only rbp",
		"rbp:1":        "from 0 to below 1",
		"rbp:":         "from 0 to below 1",

		"ndcg(rel=2)@3": "does not ask which documents are relevant",
		"map(rel=2@3":   "smallest grade",
		"map(rel=x)":    "as in map(rel=2)",
		"map(rel=0)":    "above 0",
		"map(rel=-1)":   "above 0",
	} {
		_, err := Parse(spec, Default())
		assert.ErrorContains(t, err, want, spec)
	}
}
