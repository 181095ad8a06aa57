package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// xgboostUnbiased is CalcLambdaForGroup, LambdaGrad and LambdaRankUpdatePositionBias of XGBoost 3.2 for
// nDCG and all pairs, for queries of equal length whose documents are at positions 0, 1 and so on. Its
// Hessians are twice this package's.
type xgboostUnbiased struct {
	plus, minus []float64
	li, lj      []float64
	gap, norm   bool
}

func (x *xgboostUnbiased) gradients(labels, scores []float64) (g Gradients) {
	n := len(labels)
	g = Gradients{make([]float64, n), make([]float64, n)}
	rank := make([]int, n)
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return map[bool]int{true: -1, false: 1}[scores[a] > scores[b]] })
	ideal, sorted := 0.0, slices.Clone(labels)
	slices.Sort(sorted)
	for i := range sorted {
		ideal += (math.Exp2(sorted[n-1-i]) - 1) / math.Log2(float64(i+2))
	}
	sumLambda := 0.0
	for i := range n {
		for j := i + 1; j < n; j++ {
			high, low := rank[i], rank[j]
			if labels[high] == labels[low] {
				continue
			}
			if labels[high] < labels[low] {
				high, low = low, high
			}
			sigmoid := 1 / (1 + math.Exp(scores[low]-scores[high]))
			delta := (math.Exp2(labels[high]) - math.Exp2(labels[low])) * (1/math.Log2(float64(i+2)) - 1/math.Log2(float64(j+2))) / ideal
			if x.gap {
				delta /= math.Abs(scores[high]-scores[low]) + 0.01
			}
			cost := math.Log(1/(1-sigmoid)) * delta
			lambda := (sigmoid - 1) * delta / (x.plus[high] * x.minus[low])
			hessian := sigmoid * (1 - sigmoid) * delta / (x.plus[high] * x.minus[low])
			g.Lambda[high] += lambda
			g.Lambda[low] -= lambda
			g.Hessian[high] += hessian
			g.Hessian[low] += hessian
			x.li[high] += cost / x.minus[low]
			x.lj[low] += cost / x.plus[high]
			sumLambda -= 2 * lambda
		}
	}
	if x.norm && sumLambda > 0 {
		scale(g, math.Log2(1+sumLambda)/sumLambda)
	}
	return g
}

func (x *xgboostUnbiased) update(biasNorm float64) {
	for i := range x.plus {
		x.plus[i] = math.Pow(x.li[i]/x.li[0], 1/(1+biasNorm))
		x.minus[i] = math.Pow(x.lj[i]/x.lj[0], 1/(1+biasNorm))
	}
	clear(x.li)
	clear(x.lj)
}

// clicked draws queries of n documents at positions 0 to n-1 with random clicks as labels.
func clicked(rng *rand.Rand, queries, n int) *dataset.Meta {
	data := new(dataset.Meta)
	for range queries {
		data.Queries = append(data.Queries, dataset.Query{ID: "q", First: len(data.Labels), Len: n})
		for i := range n {
			data.Labels = append(data.Labels, float64(rng.IntN(2)))
			data.Positions = append(data.Positions, int32(i))
		}
	}
	for i := range n {
		data.PositionNames = append(data.PositionNames, string(rune('1'+i)))
	}
	return data
}

func allRows(data *dataset.Meta) (rows []int32) {
	for row := range data.Labels {
		rows = append(rows, int32(row))
	}
	return rows
}

func TestUnbiasedIsXGBoosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	for _, norms := range []bool{false, true} {
		for _, biasNorm := range []float64{0, 1, 2.5} {
			const n = 7
			data := clicked(rng, 40, n)
			p := DefaultAllParams()
			p.LambdarankTies, p.LambdarankScoreGapNorm, p.LambdarankLogNorm = tiesFile, norms, norms
			p.LambdarankUnbiased, p.LambdarankBiasNorm = true, biasNorm
			o, err := New("lambdarank", &p)
			require.NoError(t, err)
			require.NoError(t, o.Prepare(data))
			ratios := o.(*weightedPairs).ratios
			x := &xgboostUnbiased{plus: slices.Clone(ratios.clicked), minus: slices.Clone(ratios.unclicked), li: make([]float64, n), lj: make([]float64, n), gap: norms, norm: norms}
			for range 5 {
				for number := range data.Queries {
					q := atRandomScores(rng, data, number)
					want, got := x.gradients(q.Labels, q.Scores), gradientsAt(o, q)
					require.InDeltaSlice(t, want.Lambda, got.Lambda, 1e-7)
					require.InDeltaSlice(t, want.Hessian, got.Hessian, 1e-7)
				}
				x.update(biasNorm)
				ratios.collect(slices.Values(allRows(data)))
				ratios.step()
				require.InDeltaSlice(t, x.plus, ratios.clicked, 1e-7)
				require.InDeltaSlice(t, x.minus, ratios.unclicked, 1e-7)
			}
			assert.NotEqual(t, 1.0, ratios.clicked[1])
		}
	}
}

// TestFirstPosition: ratios are relative to the position with the smallest number, or to the first name if
// names are
// not numbers.
func TestFirstPosition(t *testing.T) {
	assert.EqualValues(t, 2, firstPosition([]string{"3", "10", "1", "2"}))
	assert.EqualValues(t, 0, firstPosition([]string{"top", "1"}))
	assert.EqualValues(t, 0, firstPosition([]string{"1", "side"}))
}

// TestUnbiasedPositionsWithoutPairs: a position without pairs has ratio 0, and nothing is divided by it.
func TestUnbiasedPositionsWithoutPairs(t *testing.T) {
	data := clicked(rand.New(rand.NewPCG(52, 1)), 2, 3)
	copy(data.Labels, []float64{1, 0, 0, 0, 1, 0}) // position 3 is never clicked
	p := DefaultAllParams()
	p.LambdarankUnbiased, p.LambdarankTies = true, tiesFile
	o, err := New("rank_pairwise", &p)
	require.NoError(t, err)
	require.NoError(t, o.Prepare(data))
	ratios := o.(*weightedPairs).ratios
	for range 3 {
		for n := range data.Queries {
			q := QueryOf(data, n)
			q.Scores = []float64{1, 0, -1}
			for _, lambda := range gradientsAt(o, q).Lambda {
				require.LessOrEqual(t, math.Abs(lambda), 1e3)
			}
		}
		ratios.collect(slices.Values(allRows(data)))
		ratios.step()
		assert.Zero(t, ratios.clicked[2])
	}
	before := slices.Clone(ratios.clicked)
	ratios.collect(slices.Values([]int32(nil))) // as in a bag without pairs at the first position
	ratios.step()
	assert.Equal(t, before, ratios.clicked)
}

func TestUnbiasedRefusals(t *testing.T) {
	p := DefaultAllParams()
	p.LambdarankUnbiased = true
	o, err := New("lambdarank", &p)
	require.NoError(t, err)
	assert.ErrorIs(t, o.Prepare(oneQuery(0, 1)), ErrNoPositions)
	for _, sum := range []string{"lambdarank:1,query_rmse:0.2", "lambdarank@2", "rank_map:2"} {
		_, err = New(sum, &p)
		assert.ErrorIs(t, err, errUnbiasedSum, sum)
	}
	p.LambdarankPositionBiasRegularization = 0.1
	_, err = New("rank_map", &p)
	assert.ErrorIs(t, err, errTwoBiases)
	p.LambdarankPositionBiasRegularization, p.LambdarankTies = 0, tiesMean
	_, err = New("lambdarank", &p)
	assert.ErrorContains(t, err, "lambdarank_unbiased=false")
	_, err = New("query_rmse", &p)
	assert.NoError(t, err, "it has no pairs")
}
