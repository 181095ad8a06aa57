package test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// rising are the monotone constraints of the models below, by feature; labels contradict some of them. As in
// LETOR text, there is no feature 0.
var rising = []int{0, 0, 1, 1, -1, -1, 0, 1}

// monotoneModel trains on queries of which a share of the values is missing.
func monotoneModel(t *testing.T, method string, missing float64) *tree.Ensemble {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 0))
	var values [][]float64
	var labels []float64
	var sizes []int
	for range 150 {
		sizes = append(sizes, 20)
		for range 20 {
			x := []float64{rng.NormFloat64(), rng.NormFloat64(), float64(rng.IntN(6)), rng.ExpFloat64(),
				rng.NormFloat64(), rng.Float64(), math.Exp(5 * rng.NormFloat64())}
			labels = append(labels, math.Round(max(0, min(4,
				1+x[0]+math.Sin(2*x[1])+x[2]/3-x[3]+x[4]*x[5]+rng.NormFloat64()))))
			for f := range x {
				if rng.Float64() < missing {
					x[f] = math.NaN()
				}
			}
			values = append(values, append([]float64{0}, x...))
		}
	}
	src, err := dataset.FromRows(values, labels, sizes)
	require.NoError(t, err)
	p := booster.DefaultParams()
	p.NumLeaves, p.NumIterations, p.MinDataInLeaf, p.MonotoneConstraintsMethod = 31, 15, 5, method
	for _, d := range rising {
		p.MonotoneConstraints += fmt.Sprintf(",%d", d)
	}
	p.MonotoneConstraints = p.MonotoneConstraints[1:]
	return fit(t, src, p)
}

// TestMonotoneInEveryForm: no pair of rows that differ in only one monotone feature has scores in the wrong
// order under any exported model, as this library's readers of the formats compute them.
// test/check_monotone.py repeats this with the programs that load the files, including write-only formats.
func TestMonotoneInEveryForm(t *testing.T) {
	pairs := 5_000
	if aid.Long() {
		pairs = 100_000
	}
	held := 0
	for _, method := range []string{booster.MonotoneBasic, booster.MonotoneIntermediate} {
		for _, missing := range []float64{0, 0.2} {
			m := monotoneModel(t, method, missing)
			for _, target := range model.Targets() {
				if !target.IsRead {
					continue
				}
				exported, err := model.Export(m, target.Name, model.Options{NoMissing: missing == 0})
				if errors.Is(err, model.ErrUnsupported) && missing > 0 {
					continue // no missing values
				}
				require.NoError(t, err, target.Name)
				read, _, err := model.Read(bytes.NewReader(exported.Content))
				require.NoError(t, err, target.Name)
				checkPairs(t, target, m, read, pairs, missing)
				held++
			}
		}
	}
	assert.GreaterOrEqual(t, held, 22)
}

// checkPairs compares the scores of pairs of rows by the model that was read from an exported file.
func checkPairs(t *testing.T, target model.Target, m, read *tree.Ensemble, pairs int, missing float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	thresholds := thresholdsOf(m)
	place := make([]int, len(read.Features)) // of each feature of the file in the model
	for f := range place {
		place[f] = slices.IndexFunc(m.Features, func(
			g tree.Feature) bool {
			return g.Name == read.Features[f].Name
		})
	}
	score := func(x []float64) float64 {
		row := make([]float64, len(place))
		for f, at := range place {
			if at >= 0 {
				row[f] = x[at]
			}
		}
		return target.Score(read, row)
	}
	number := func(x float64) float64 {
		if target.Float32 {
			x = float64(float32(x))
		}
		return x
	}
	draw := func(f int) float64 { // half of the values are on or next to thresholds
		if len(thresholds[f]) == 0 || rng.IntN(2) == 0 {
			return number(2 * rng.NormFloat64())
		}
		on := thresholds[f][rng.IntN(len(thresholds[f]))]
		if rng.IntN(2) == 0 {
			on = float64(math.Nextafter32(float32(on), float32(rng.IntN(3)-1)*1e30))
		}
		return number(on)
	}
	moved, low := 0, make([]float64, len(m.Features))
	for range pairs {
		for f := range low {
			if low[f] = draw(f); rng.Float64() < missing {
				low[f] = math.NaN()
			}
		}
		f := rng.IntN(len(rising))
		high := slices.Clone(low)
		low[f], high[f] = draw(f), draw(f)
		if low[f] > high[f] {
			low[f], high[f] = high[f], low[f]
		}
		a, b := score(low), score(high)
		if rising[f] != 0 && float64(rising[f])*(b-a) < 0 {
			require.Fail(t, "not monotone", "%s: feature %d from %v to %v of %v: score %v to %v", target.Name, f,
				low[f], high[f], low, a, b)
		}
		if rising[f] != 0 && a != b {
			moved++
		}
	}
	assert.Greater(t, moved, pairs/10, "%s: the monotone features are used", target.Name)
}

// thresholdsOf returns the thresholds of each feature.
func thresholdsOf(m *tree.Ensemble) [][]float64 {
	all := make([][]float64, len(m.Features))
	for _, one := range m.Trees {
		for node, f := range one.Feature {
			all[f] = append(all[f], one.Threshold[node])
		}
	}
	return all
}
