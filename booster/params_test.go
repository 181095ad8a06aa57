package booster_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

//go:generate go test -run DefaultsGolden -update

var update = flag.Bool("update", false, "rewrite golden files")

// TestDefaultsGolden makes a changed default visible in the diff. The values of LightGBM's parameters are
// from its documentation, docs/Parameters.rst of 4.7.0.
func TestDefaultsGolden(t *testing.T) {
	p := booster.DefaultParams()
	var b strings.Builder
	for _, entry := range p.Table() {
		b.WriteString(entry.Name + " = " + entry.Value.String() + "\n")
	}
	const golden = "testdata/defaults.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}

func TestDefaultsAreValid(t *testing.T) {
	p := booster.DefaultParams()
	assert.NoError(t, p.Validate(nil))
	assert.Empty(t, p.Cautions())
}

func TestValidateReportsAllFaults(t *testing.T) {
	p := booster.DefaultParams()
	p.NumLeaves, p.BaggingFraction, p.Objective, p.Metric = 1, 0, "no-such-loss", []string{"ncdg"}
	err := p.Validate(nil)
	require.Error(t, err)
	for _, want := range []string{
		"objective=no-such-loss: " + objective.Choice(&p.Objective).Check().Error(),
		"num_leaves=1: must be >= 2, <= 131072",
		"bagging_fraction=0: must be > 0, <= 1",
		"ncdg", "ndcg",
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestMetrics(t *testing.T) {
	for _, c := range []struct {
		change func(p *booster.Params)
		want   string
		stop   string
	}{
		{func(*booster.Params) {}, "ndcg@1 ndcg@2 ndcg@3 ndcg@4 ndcg@5", "ndcg@5"},
		{func(p *booster.Params) { p.EvalAt = []int{10, 3} }, "ndcg@10 ndcg@3", "ndcg@3"},
		{func(p *booster.Params) { p.Metric = []string{"ndcg@7", "dcg"}; p.EvalAt = []int{1} }, "ndcg@7 dcg@1",
			"ndcg@7"},
		{func(p *booster.Params) { p.Patience = 5; p.StopMetric = "ndcg@10" },
			"ndcg@1 ndcg@2 ndcg@3 ndcg@4 ndcg@5 ndcg@10", "ndcg@10"},
		{func(p *booster.Params) { p.StopMetric = "NDCG@10" }, "ndcg@1 ndcg@2 ndcg@3 ndcg@4 ndcg@5 ndcg@10",
			"ndcg@10"},
		{func(p *booster.Params) { p.Metric = nil }, "", ""},
	} {
		p := booster.DefaultParams()
		c.change(&p)
		metrics, err := p.Metrics(p.LabelGain)
		require.NoError(t, err)
		var names []string
		for _, m := range metrics {
			names = append(names, m.Name())
		}
		assert.Equal(t, c.want, strings.Join(names, " "))
		assert.Equal(t, c.stop, rounds.StopRule(&p.Params))
	}
}

func TestLightGBMWordsForMetrics(t *testing.T) {
	for given, want := range map[string][]string{
		"lambdarank": {"ndcg"}, "mean_average_precision,ndcg": {"map", "ndcg"}, "None": nil, "": nil,
	} {
		p := booster.DefaultParams()
		require.NoError(t, set(&p, "metric", given))
		assert.Equal(t, want, p.Metric, given)
	}
}

func TestCautions(t *testing.T) {
	p := booster.DefaultParams()
	p.BaggingFraction = 0.5
	assert.Contains(t, p.Cautions()[0], "set bagging_freq=1")
	p = booster.DefaultParams()
	p.Patience, p.StopMetric, p.LambdarankTruncationLevel = 10, "ndcg@10", 5
	assert.Contains(t, p.Cautions()[0], "ndcg@10")
}

// TestAdoptBins: parameters that AdoptBins has set give the same bins.
func TestAdoptBins(t *testing.T) {
	for _, missing := range []histogram.Missing{histogram.MissingNone, histogram.MissingZero,
		histogram.MissingNaN} {
		want := histogram.BinParams{MaxBin: 31, MinDataInBin: 2, SampleCount: 500, Missing: missing}
		p := booster.DefaultParams()
		p.AdoptBins(want)
		got := p.BinParams()
		got.Seed = want.Seed
		assert.Equal(t, want, got)
	}
}

func set(p *booster.Params, name, value string) error {
	_, err := p.Table().Apply([]param.Setting{{Name: name, Value: value}})
	return err
}
