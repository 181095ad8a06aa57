package booster

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// shopTable draws a table whose labels depend on one of 40 categories in feature 1, one of 3 categories in
// feature 3, and a number. Some categories are missing. Labels do not follow the numeric order of
// categories.
func shopTable(seed uint64, rows, size int) *table {
	rng := rand.New(rand.NewPCG(seed, 0))
	value := rand.New(rand.NewPCG(99, 0)) // effect by category, the same in all tables
	worth := make([]float64, 41)
	for c := range worth {
		worth[c] = value.NormFloat64()
	}
	values, labels := make([][]float64, rows), make([]float64, rows)
	for r := range values {
		brand := min(rng.IntN(41), rng.IntN(41))
		x := []float64{rng.NormFloat64(), float64(brand * 3), rng.ExpFloat64(), float64(rng.IntN(3) * 7),
			rng.NormFloat64()}
		utility := worth[brand] + x[0]
		if x[3] == 7 {
			utility += 1.5
		}
		labels[r] = float64(min(4, max(0, int(utility+rng.NormFloat64()/2+1))))
		if rng.IntN(20) == 0 {
			x[1] = nan
		}
		values[r] = x
	}
	return newTable(values, labels, size)
}

func shopParams() Params {
	p := smallParams()
	p.CategoricalFeature, p.MinDataPerGroup, p.NumLeaves, p.NumIterations = "1,3", 20, 12, 12
	return p
}

// countSets returns the number of splits of a model by category sets, and of all splits.
func countSets(m *tree.Ensemble) (sets, all int) {
	for i := range m.Trees {
		for _, d := range m.Trees[i].Decision {
			if all++; d&tree.Categorical != 0 {
				sets++
			}
		}
	}
	return sets, all
}

var categoryModes = map[string]func(*Params){
	"plain":       func(*Params) {},
	"sparse":      func(p *Params) { p.ActiveFraction = 0.3 },
	"one by one":  func(p *Params) { p.MaxCatToOnehot = 100 },
	"bags":        func(p *Params) { p.BaggingFraction, p.BaggingFreq, p.FeatureFraction = 0.6, 2, 0.7 },
	"dart":        func(p *Params) { p.Boosting, p.SkipDrop = DART, 0.2 },
	"zeros":       func(p *Params) { p.ZeroAsMissing = true },
	"no missing":  func(p *Params) { p.UseMissing = false },
	"smooth":      func(p *Params) { p.PathSmooth, p.MaxDeltaStep = 10, 0.8 },
	"random":      func(p *Params) { p.ExtraTrees, p.FeatureFractionByNode = true, 0.7 },
	"factors":     func(p *Params) { p.FeatureContri = "1,0.5,1,2,1" },
	"large leafs": func(p *Params) { p.MinDataInLeaf = 200 },

	"symmetric": func(p *Params) { p.GrowPolicy, p.NumLeaves = Symmetric, 16 },
	"symmetric sparse": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.ActiveFraction,
			p.MinDataInLeaf = Symmetric, 16, 0.3, 60
	},
	"symmetric one by one": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.MaxCatToOnehot, p.BaggingFraction, p.BaggingFreq = Symmetric, 16, 100, 0.6, 2
	},
	"symmetric steered": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.PathSmooth, p.ExtraTrees, p.FeatureContri, p.FeatureFractionByNode = Symmetric,
			16, 10, true, "1,0.5,1,2,1", 0.7
	},
}

// TestCategoriesTrainTheModelThatTheyScore: in each mode trees split by category sets, the trainer's scores
// equal the model's, and the model's bytes do not depend on the number of threads.
func TestCategoriesTrainTheModelThatTheyScore(t *testing.T) {
	for name, change := range categoryModes {
		t.Run(name, func(t *testing.T) {
			p := shopParams()
			change(&p)
			p.NumThreads = 2
			train, valid := shopTable(1, 6000, 20), shopTable(2, 300, 20)
			m := fit(t, p, train, valid).Model
			sets, all := countSets(m)
			assert.Greater(t, sets, 5)
			assert.Greater(t, all, sets)
			require.NoError(t, m.Validate())
			p.NumThreads = 1
			assert.Equal(t, bytesOf(fit(t, p, train, valid).Model), bytesOf(m))
			if p.Boosting != GBDT { // their scores are not sums of the trees: see TestScoresOfEveryModeAreTheModels
				return
			}
			requireScoresOfModel(t, p, train, valid)
		})
	}
}

// TestRenumberedCategories: renumbering the categories renumbers the model's sets and changes nothing else.
func TestRenumberedCategories(t *testing.T) {
	p := shopParams()
	p.ActiveFraction = 1
	train, renamed := shopTable(7, 4000, 20), shopTable(7, 4000, 20)
	for _, x := range renamed.values {
		if x[1] == x[1] {
			x[1] = 1000 - x[1]
		}
	}
	a, b := fit(t, p, train).Model, fit(t, p, renamed).Model
	for row := range train.values {
		require.InDelta(t, score(a, train.values[row]), score(b, renamed.values[row]), 1e-9)
	}
}

// TestUnseenCategoriesGoRight: unseen categories are routed like missing ones.
func TestUnseenCategoriesGoRight(t *testing.T) {
	m := fit(t, shopParams(), shopTable(9, 4000, 20)).Model
	for _, x := range shopTable(10, 50, 10).values {
		x[1] = nan
		missing := score(m, x)
		for _, unseen := range []float64{1, 500, 1e7, -5} {
			x[1] = unseen
			require.Equal(t, missing, score(m, x))
		}
	}
}

// TestCategoriesDoNotChangeOtherModels: the parameters for categories do not change models without
// categories.
func TestCategoriesDoNotChangeOtherModels(t *testing.T) {
	p := smallParams()
	want := bytesOf(fit(t, p, randomTable(1, 2000)).Model)
	p.CatL2, p.CatSmooth, p.MinDataPerGroup = 100, 100, 1000
	assert.Equal(t, want, bytesOf(fit(t, p, randomTable(1, 2000)).Model))
	assert.Len(t, p.Cautions(), 3)
}

func TestCategoriesThatAreNotThere(t *testing.T) {
	p := shopParams()
	data := binned(t, &p, shopTable(1, 500, 20))
	for choice, want := range map[string]string{"9": "numbers of features are 0 to 4",
		"0,1,3": "the bins of feature Column_0 are those of numbers", "name:Column_11": "did you mean Column_1"} {
		p.CategoricalFeature = choice
		_, err := Train(context.Background(), p, data[0], nil, Options{})
		assert.ErrorContains(t, err, want)
	}
}

// score returns the score of one row.
func score(m *tree.Ensemble, row []float64) float64 {
	var dst [1]float64
	m.Score(dst[:], row)
	return dst[0]
}

// TestSymmetricTreesLearnCategories: if labels depend on categories, splitting by category sets ranks
// better
// than splitting by the categories' numbers, and symmetric trees rank about as well as leaf-wise ones.
func TestSymmetricTreesLearnCategories(t *testing.T) {
	ndcg := func(policy, features string, leaves int) float64 {
		p := shopParams()
		p.GrowPolicy, p.CategoricalFeature, p.NumLeaves, p.NumIterations, p.LearningRate, p.Patience = policy,
			features, leaves, 40, 0.2, 40
		return fit(t, p, shopTable(1, 2000, 20), shopTable(2, 6000, 20)).BestValue
	}
	symmetric := ndcg(Symmetric, "1,3", 32)
	assert.Greater(t, symmetric, ndcg(Symmetric, "", 32)+0.003)
	assert.Greater(t, symmetric, ndcg(Leafwise, "1,3", 15)-0.01)
}
