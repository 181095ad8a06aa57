package booster

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/tree"
)

// shopTable draws a table whose labels depend on one of 40 categories in feature 1, one of 3 categories in
// feature 3, and a number. Some categories are missing. Labels do not follow the numeric order of categories.
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

// TestSymmetricTreesLearnCategories: if labels depend on categories, splitting by category sets ranks better
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
