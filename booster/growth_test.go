package booster

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/tree"
)

// TestMaxDeltaStep: no leaf value exceeds max_delta_step times the learning rate, and some reach it.
func TestMaxDeltaStep(t *testing.T) {
	for _, fraction := range []float64{1, 0.3} {
		p := smallParams()
		p.MaxDeltaStep, p.ActiveFraction = 0.4, fraction
		largest := 0.0
		for _, fitted := range fit(t, p, randomTable(1, 3000)).Model.Trees {
			for _, v := range fitted.LeafValue {
				largest = max(largest, math.Abs(v))
			}
		}
		assert.Equal(t, float64(0.4*p.LearningRate), largest)
	}
}

// TestPathSmooth: smoothed values follow LightGBM's formula, from the root down.
func TestPathSmooth(t *testing.T) {
	for _, fraction := range []float64{1, 0.3} {
		p := smallParams()
		p.PathSmooth, p.ActiveFraction, p.NumIterations, p.LearningRate = 25, fraction, 1, 1
		p.Objective, p.BoostFromAverage = "regression", false
		s := randomTable(1, 3000)
		fitted := fit(t, p, s).Model.Trees[0]
		sums, counts := make([]float64, fitted.NumLeaves()), make([]float64, fitted.NumLeaves())
		for row, x := range s.values {
			leaf := fitted.Leaf(x)
			sums[leaf] += s.meta.Labels[row]
			counts[leaf]++
		}
		var check func(at int32, parent float64, isRoot bool) (sum, count float64)
		var total func(at int32) (sum, count float64)
		total = func(at int32) (float64, float64) {
			if at < 0 {
				return sums[^at], counts[^at]
			}
			a, n := total(fitted.Left[at])
			b, m := total(fitted.Right[at])
			return a + b, n + m
		}
		check = func(at int32, parent float64, isRoot bool) (float64, float64) {
			sum, n := total(at)
			want := sum / n
			if !isRoot {
				want = (want*n/p.PathSmooth + parent) / (n/p.PathSmooth + 1)
			}
			if at < 0 {
				require.InDelta(t, want, fitted.LeafValue[^at], 1e-7)
				return sum, n
			}
			require.InDelta(t, want, fitted.InternalValue[at], 1e-7)
			check(fitted.Left[at], want, false)
			check(fitted.Right[at], want, false)
			return sum, n
		}
		check(0, 0, true)
	}
}

// splitsByFeature returns the number of splits of each feature.
func splitsByFeature(m *tree.Ensemble) map[int32]int {
	splits := map[int32]int{}
	for _, t := range m.Trees {
		for _, f := range t.Feature {
			splits[f]++
		}
	}
	return splits
}

func TestFeatureContri(t *testing.T) {
	s := randomTable(1, 3000)
	p := smallParams()
	plain := splitsByFeature(fit(t, p, s).Model)
	p.FeatureContri = "0:0"
	without := splitsByFeature(fit(t, p, s).Model)
	assert.NotZero(t, plain[0])
	assert.Zero(t, without[0], "a feature of factor 0 is never used")
	p.FeatureContri = "1,1,1,1,1"
	assert.Equal(t, bytesOf(fit(t, smallParams(), s).Model), bytesOf(fit(t, p, s).Model))
	p.FeatureContri = "2,2,2,2,2"
	assert.Equal(t, plain, splitsByFeature(fit(t, p, s).Model), "a common factor does not change the order")
}

// TestFeaturesByNode: if each leaf may use only one feature, drawn at random, a tree may still use several.
func TestFeaturesByNode(t *testing.T) {
	p, s := smallParams(), randomTable(1, 3000)
	plain := splitsByFeature(fit(t, p, s).Model)
	p.FeatureFractionByNode = 0.01
	m := fit(t, p, s).Model
	assert.NotEqual(t, plain, splitsByFeature(m))
	features := map[int32]bool{}
	for _, f := range m.Trees[0].Feature {
		features[f] = true
	}
	assert.Greater(t, len(features), 1)
}

// TestExtraTrees: random thresholds differ between leaves and between seeds, and are seldom the best ones.
func TestExtraTrees(t *testing.T) {
	s, p := randomTable(1, 3000), smallParams()
	plain := fit(t, p, s).Model.Trees[0].Gain[0]
	p.ExtraTrees = true
	thresholds := map[float64]bool{}
	for seed := range uint64(8) {
		p.ExtraSeed = new(uint64(seed))
		fitted := fit(t, p, s).Model.Trees[0]
		thresholds[fitted.Threshold[0]] = true
		assert.LessOrEqual(t, fitted.Gain[0], plain)
	}
	assert.Greater(t, len(thresholds), 5)
}

func TestListsByFeature(t *testing.T) {
	data := newTable([][]float64{{1, 2, 3}}, []float64{1}, 1).meta
	data.Features = []string{"bm25", "age", "17"}
	for text, want := range map[string][]float64{
		"":                     nil,
		" ( ) ":                nil,
		"1, 0.5, 3":            {1, 0.5, 3},
		"[1,2,3]":              {1, 2, 3},
		"age:5":                {1, 5, 1},
		`{"age": 5, 'bm25':2}`: {2, 5, 1},
		"17:4":                 {1, 1, 4},
		"0:4":                  {4, 1, 1},
	} {
		got, err := byfeature.Of("feature_contri", text, contriRange, 1, data.Features)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"1": "feature_contri has 1 number, and the data has 3 features (bm25 to 17); give one for " +
			"each, or NAME:NUMBER for some",
		"1,2": "feature_contri has 2 numbers, and the data has 3 features (bm25 to 17); give one for " +
			"each, or NAME:NUMBER for some",
		"1,2,3,4":     "has 4 numbers",
		"1,2,x":       `"x": want a number from 0 to 1e+06`,
		"1,,2":        `""`,
		"bm52:1":      `there is no feature "bm52"; did you mean "bm25"?`,
		"3:1":         "there is no feature 3; the data has 3 features (bm25 to 17)",
		"age:1,1:2":   `feature "1" has two numbers`,
		"age:1,2":     "give a number for each feature, or all as NAME:NUMBER",
		"age:-1":      `"age:-1": want a number from 0`,
		"age:nan":     "want a number",
		":1":          "no name before the colon",
		"age:1e7":     "want a number from 0 to 1e+06",
		"age:1,age:1": "two numbers",
	} {
		_, err := byfeature.Of("feature_contri", text, contriRange, 1, data.Features)
		require.Error(t, err, text)
		assert.ErrorContains(t, err, want, text)
		assert.ErrorContains(t, err, "feature_contri")
	}
}

// TestFeaturesByNodeOfFewAllowedFeatures: a remark says that feature_fraction_bynode leaves out nothing, and
// then the model is the same without it.
func TestFeaturesByNodeOfFewAllowedFeatures(t *testing.T) {
	d := randomTable(1, 500)
	p := smallParams()
	data := binned(t, &p, d)[0]
	for sets, want := range map[string]string{
		"": "", "[9]": "", "[0,1,2],[3,4]": "",
		"[0,1]": "feature_fraction_bynode=0.6 has no effect: it draws 3 features, and interaction_constraints " +
			"allow 2",
	} {
		p.InteractionConstraints, p.FeatureFractionByNode = sets, 0.6
		warnings, _ := p.Remarks(data, false)
		if want == "" {
			assert.NotContains(t, fmt.Sprint(warnings), "feature_fraction_bynode", sets)
			continue
		}
		assert.Contains(t, warnings, want)
		trees := fit(t, p, d).Model.Trees
		p.FeatureFractionByNode = 1
		assert.Equal(t, fit(t, p, d).Model.Trees, trees)
		assert.NotContains(t, byNodeRemark(&p, data), "no effect")
	}
}

// TestInteractionsRemark: a remark names the features that vary but are in no interaction set.
func TestInteractionsRemark(t *testing.T) {
	d := randomTable(1, 500)
	for row := range d.values {
		d.values[row][3] = 7
	}
	p := smallParams()
	data := binned(t, &p, d)[0]
	for sets, want := range map[string]string{
		"": "", "[0,1,2],[4]": "", "[0,1],[2,4],[3]": "",
		"[0,1,3]": "2 of 4 features that vary are in no set, and no tree uses them, as in LightGBM: Column_2, " +
			"Column_4; give them sets, as in [Column_2]",
		"[9]": "",
	} {
		p.InteractionConstraints = sets
		if got := interactionsRemark(&p, data); want == "" {
			assert.Empty(t, got, sets)
		} else {
			assert.Contains(t, got, want, sets)
		}
	}
}
