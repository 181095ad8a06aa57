package booster

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// naiveStop is LightGBM's rule for what is watched, checked in the order of sets and metrics. It returns the
// round at which training ends, or 0, and the round whose model is kept.
func naiveStop(rounds []training.Round, watched func(set, metric string) bool, patience int) (end, kept int) {
	type place struct{ set, metric string }
	best, at := map[place]float64{}, map[place]int{}
	for _, r := range rounds {
		for _, e := range r.Evaluations {
			p := place{e.Set, e.Result.Metric}
			if !watched(p.set, p.metric) {
				continue
			}
			if at[p] == 0 || e.Result.Mean > best[p] {
				best[p], at[p] = e.Result.Mean, r.Number
			}
			if end == 0 && r.Number-at[p] >= patience {
				end, kept = r.Number, at[p]
			}
		}
		if end > 0 {
			return end, kept
		}
	}
	return 0, 0
}

// TestMetricsStop: one metric on the first set stops training, or any of all on any set, also after a resume.
func TestMetricsStop(t *testing.T) {
	for _, anyStops := range []bool{false, true} {
		ended := 0
		watched := func(set, metric string) bool {
			return metric == "ndcg@10" && set == "set 1" || anyStops && metric != "ndcg@3"
		}
		for seed := range uint64(6) {
			p := smallParams()
			p.NumIterations, p.LearningRate, p.EvalAt = 40, 0.4, []int{3, 10}
			p.Metric, p.StopMetric = []string{"ndcg", "map@3", "auc"}, "ndcg@10"
			if anyStops {
				p.StopMetric = ""
			}
			data := binned(t, &p, randomTable(seed, 800), randomTable(seed+50, 200),
				randomTable(seed+90, 100))
			all := trainUntil(t, p, 0, nil, data)
			end, kept := naiveStop(all.rounds, watched, 3)
			p.Patience, p.AnyMetricStops = 3, anyStops
			got := trainUntil(t, p, 0, nil, data)
			if end == 0 {
				continue
			}
			ended++
			require.Len(t, got.rounds, end)
			require.Equal(t, []any{kept, kept, training.StoppedEarly}, []any{got.best, got.kept, got.stopped})
			require.False(t, math.IsInf(got.value, 0))

			again := resumed(t, p, max(1, end-2), data)
			again.restored, again.checkpoints = 0, nil
			require.Equal(t, got, again)
		}
		assert.Greater(t, ended, 3)
	}
}

func TestAnyMetricStopsAlone(t *testing.T) {
	p := smallParams()
	p.Patience, p.AnyMetricStops, p.StopMetric = 3, true, "ndcg@3"
	assert.ErrorContains(t, p.Validate(nil), "first_metric_only=false watches every metric")
	p = smallParams()
	require.NoError(t, set(&p, "first_metric_only", "false"))
	assert.True(t, p.AnyMetricStops)
	assert.Contains(t, p.Cautions(), "first_metric_only=false has no effect while patience=0")
	require.NoError(t, set(&p, "first_metric_only", "true"))
	assert.False(t, p.AnyMetricStops)
	assert.Error(t, set(&p, "first_metric_only", "perhaps"))
}

// set sets one parameter from text.
func set(p *Params, name, value string) error {
	_, err := p.Table().Apply([]param.Setting{{Name: name, Value: value}})
	return err
}

// TestLogLossStopsTraining: metrics of probabilities are those of plain sums, less of them is better, also
// after a resume, and objectives without probabilities refuse them.
func TestLogLossStopsTraining(t *testing.T) {
	ones := func(seed uint64, rows int) *table {
		d := randomTable(seed, rows)
		for i, y := range d.meta.Labels {
			d.meta.Labels[i] = min(y, 1)
		}
		return d
	}
	for _, name := range []string{"binary", "cross_entropy", "rank_calibrated"} {
		p := smallParams()
		p.Objective, p.NumIterations, p.LearningRate, p.Patience, p.Metric = name, 60, 0.5, 4,
			[]string{"Log_Loss", "brier", "ece"}
		if name == "binary" {
			p.Sigmoid = 2
		}
		data := binned(t, &p, ones(8, 400), ones(9, 200))
		var seen []training.Round
		o := Options{Options: training.Options{Round: func(r training.Round) { seen = append(seen, r) }}}
		r, err := Train(t.Context(), p, data[0], data[1:], o)
		require.NoError(t, err)
		best := slices.MinFunc(seen, func(a, b training.Round) int {
			return cmp.Compare(a.Evaluations[0].Result.Mean, b.Evaluations[0].Result.Mean)
		})
		require.Equal(t, []any{training.StoppedEarly, best.Number, best.Evaluations[0].Result.Mean,
			"log_loss on set 1"},
			[]any{r.Stopped, r.Best, r.BestValue, r.Watched}, name)
		scores := make([]float64, 200)
		require.NoError(t, Scores(scores, r.Model, data[1].Values, 1))
		loss, brier := 0.0, 0.0
		for i, s := range scores {
			p := 1 / (1 + math.Exp(-p.Sigmoid*s))
			if name != "binary" {
				p = 1 / (1 + math.Exp(-s))
			}
			brier += (p - data[1].Meta.Labels[i]) * (p - data[1].Meta.Labels[i]) / 200
			if data[1].Meta.Labels[i] == 0 {
				p = 1 - p
			}
			loss -= math.Log(p) / 200
		}
		assert.InDelta(t, loss, r.BestValue, 1e-9, name)
		assert.InDelta(t, brier, best.Evaluations[1].Result.Mean, 1e-9, name)

		again := resumed(t, p, max(1, r.Best-1), data)
		assert.Equal(t, []any{r.Best, r.BestValue}, []any{again.kept, again.value}, name)
		data[1].Meta.Weights = make([]float64, 200)
		_, err = Train(t.Context(), p, data[0], data[1:], o)
		assert.ErrorContains(t, err, "set 1: log_loss has no value, since none of the queries counts")
		data[1].Meta.Weights = nil
		data[1].Meta.Labels[3] = 2
		_, err = Train(t.Context(), p, data[0], data[1:], o)
		assert.ErrorContains(t, err, "set 1: log_loss: label 2 of row 3 (query ")
	}
	p := smallParams()
	p.Metric = []string{"ece"}
	assert.ErrorContains(t, p.Validate(nil),
		`"ece" judges probabilities of documents: eval has it for models with probabilities`)
	p.NumModels, p.BaggingFraction, p.BaggingFreq = 2, 0.5, 1
	for objectives, valid := range map[string]bool{"binary,rank_calibrated": true, "binary,lambdarank": false,
		"lambdarank,binary": false} {
		for _, p.Objective = range []string{"lambdarank", "binary"} { // which has no effect
			p.ModelObjectives = strings.Split(objectives, ",")
			assert.Equal(t, valid, p.Validate(nil) == nil, objectives)
		}
	}
}
