package booster

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

// table is a small data set in memory: rows of equal length, queries of equal size.
type table struct {
	dataset.Source
	values [][]float64
	meta   *dataset.Meta
}

// read appends rows to a block.
func (s *table) read(b *dataset.Block, rows []int) error {
	for _, r := range rows {
		row := dataset.Row{Number: r, Value: s.values[r]}
		for f := range row.Value {
			row.Feature = append(row.Feature, int32(f))
		}
		b.Rows = append(b.Rows, row)
	}
	return nil
}

// newTable makes a table with queries of the given size.
func newTable(values [][]float64, labels []float64, size int) *table {
	s := &table{values: values, meta: &dataset.Meta{Labels: labels}}
	s.Source = dataset.NewMemory(s.meta, 1, s.read)
	for f := range values[0] {
		s.meta.Features = append(s.meta.Features, fmt.Sprintf("Column_%d", f))
	}
	for first := 0; first < len(labels); first += size {
		s.meta.Queries = append(s.meta.Queries, dataset.Query{ID: fmt.Sprint(len(s.meta.Queries)), First: first,
			Len: min(size, len(labels)-first)})
	}
	return s
}

// randomTable draws a table whose labels depend on two of five features and on noise.
func randomTable(seed uint64, rows int) *table {
	rng := rand.New(rand.NewPCG(seed, 0))
	values, labels := make([][]float64, rows), make([]float64, rows)
	for r := range values {
		x := []float64{rng.NormFloat64(), float64(rng.IntN(4)), rng.ExpFloat64(), 0, rng.NormFloat64()}
		if rng.IntN(3) > 0 {
			x[3] = rng.Float64()
		}
		values[r] = x
		labels[r] = math.Round(max(0, min(4, 1.2*x[0]+0.5*x[1]+0.5*rng.NormFloat64())))
	}
	return newTable(values, labels, 20)
}

// binned bins tables with the bins found on the first.
func binned(t testing.TB, p *Params, tables ...*table) []Data {
	t.Helper()
	sample, err := histogram.Read(t.Context(), tables[0], p.BinParams())
	require.NoError(t, err)
	var all []Data
	for i, s := range tables {
		bins, _, err := sample.Mapper.Bin(t.Context(), s)
		require.NoError(t, err)
		all = append(all, Data{Name: fmt.Sprintf("set %d", i), Meta: s.meta, Values: bins})
	}
	return all
}

// fit trains with lambdarank.
func fit(t testing.TB, p Params, tables ...*table) *Result {
	t.Helper()
	data := binned(t, &p, tables...)
	obj, err := p.newObjective()
	require.NoError(t, err)
	r, err := Train(t.Context(), p, data[0], data[1:], Options{Objective: obj})
	require.NoError(t, err)
	requireMinimum(t, &p, r.Model)
	return r
}

func smallParams() Params {
	p := DefaultParams()
	p.NumIterations, p.NumLeaves, p.MinDataInLeaf = 10, 8, 5
	return p
}

// given is an objective with fixed gradients, by which a test determines what a tree fits.
type given struct{ lambda, hessian []float64 }

func (o *given) Name() string                { return "given" }
func (o *given) Prepare(*dataset.Meta) error { return nil }
func (o *given) Gradients(dst objective.Gradients, q objective.Query) {
	copy(dst.Lambda, o.lambda[q.First:])
	copy(dst.Hessian, o.hessian[q.First:])
}

// TestKnownTreeIsRecovered fits a step function of two features.
func TestKnownTreeIsRecovered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const rows = 1000
	values := make([][]float64, rows)
	target := func(x []float64) float64 {
		switch {
		case x[0] <= 3:
			return -2
		case x[1] <= 5:
			return 1
		}
		return 4
	}
	var targets []float64
	for r := range values {
		values[r] = []float64{float64(rng.IntN(10) + 1), float64(rng.IntN(10) + 1)}
		targets = append(targets, target(values[r]))
	}
	fitted, _ := fitTo(t, values, targets, func(*Params) {})
	assert.Equal(t, 3, fitted.NumLeaves(), "nothing more to gain")
	for _, x := range values {
		assert.InDelta(t, target(x), fitted.Score(x), 1e-9)
	}
	assert.Equal(t, []int32{0, 1}, fitted.Feature)
	assert.InDeltaSlice(t, []float64{3.5, 5.5}, fitted.Threshold, 1e-12)
}

// bytesOf returns the text of a model, which has all bits of it, without how it was made.
func bytesOf(m *tree.Ensemble) []byte {
	var b bytes.Buffer
	trees := *m
	trees.Parameters = ""
	if err := model.Write(&b, &trees); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestWhyNoTreeCanBeGrown(t *testing.T) {
	flat := newTable([][]float64{{1}, {1}, {1}, {1}}, []float64{0, 1, 0, 1}, 2)
	equal := newTable([][]float64{{1}, {2}, {3}, {4}}, []float64{0, 0, 1, 1}, 2)
	unweighted, halfWeighted := randomTable(1, 60), randomTable(1, 60)
	unweighted.meta.Weights, halfWeighted.meta.Weights = make([]float64, 60), make([]float64, 60)
	for row := range 30 {
		halfWeighted.meta.Weights[row] = 1
	}
	onePaired := newTable([][]float64{{1}, {2}, {3}, {4}, {5}, {6}}, []float64{0, 1, 2, 2, 2, 2}, 2)
	onePaired.meta.Weights = []float64{0, 0, 1, 1, 1, 1}
	tiny := func(weight float64) *table {
		weighted := randomTable(1, 60)
		weighted.meta.Weights = slices.Repeat([]float64{weight}, 60)
		return weighted
	}
	varied, oneLabel := randomTable(1, 1000), make([]float64, 1000)
	oneLabel[3], oneLabel[5], oneLabel[7] = 1, 1, 1
	ones, err := metric.Table([]float64{1, 1, 1, 1, 1})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		data      *table
		change    func(*Params)
		parameter string
		contains  string
	}{
		"min_data_in_leaf": {randomTable(1, 60), func(p *Params) { p.MinDataInLeaf = 31 },
			"min_data_in_leaf", "60 rows"},
		"min_data_in_leaf, bins": {newTable([][]float64{{0}, {1}, {1}, {1}}, []float64{1, 0, 1, 0}, 4),
			func(p *Params) { p.MinDataInLeaf = 2; p.MinDataInBin = 1 }, "min_data_in_leaf", "smaller"},
		"min_sum_hessian_in_leaf": {randomTable(1, 60), func(p *Params) { p.MinSumHessianInLeaf = 1e6 },
			"min_sum_hessian_in_leaf", "smaller"},
		"min_gain_to_split": {randomTable(1, 60), func(p *Params) { p.MinGainToSplit = 1e9 },
			"min_gain_to_split", "smaller"},
		"lambda_l1": {randomTable(1, 60), func(p *Params) { p.LambdaL1 = 1e9 }, "lambda_l1",
			"smaller"},
		"lambda_l2": {randomTable(1, 60), func(p *Params) { p.LambdaL2 = 1e308 }, "lambda_l2",
			"smaller"},
		"active_fraction": {randomTable(1, 60), func(p *Params) { p.ActiveFraction = 0.03 },
			"active_fraction", "0.03 of 60 rows"},
		"tiny active_fraction": {randomTable(1, 60), func(p *Params) { p.ActiveFraction = 1e-300 },
			"active_fraction", "larger"},
		"constant features": {flat, func(p *Params) {}, "", "constant"},
		"min_data_in_bin": {newTable([][]float64{{1}, {2}}, []float64{0, 1}, 2),
			func(p *Params) { p.MinDataInLeaf = 1 }, "min_data_in_bin", "smaller"},
		"equal labels": {equal, func(p *Params) { p.MinDataInLeaf = 1; p.MinDataInBin = 1 }, "",
			"two different grades"},
		"equal targets": {equal, func(p *Params) {
			p.MinDataInLeaf, p.MinDataInBin, p.Objective = 1, 1, "query_rmse"
		}, "", "two different grades"},
		"equal labels of all documents": {newTable([][]float64{{1}, {2}}, []float64{1, 1}, 2), func(p *Params) {
			p.MinDataInLeaf, p.MinDataInBin, p.Objective = 1, 1, "regression"
		}, "", "all documents have the label 1"},
		"equal labels of one class": {newTable([][]float64{{1}, {2}}, []float64{1, 1}, 2), func(p *Params) {
			p.MinDataInLeaf, p.MinDataInBin, p.Objective = 1, 1, "binary"
		}, "", "all documents have the label 1"},
		"weights of 0, of single documents": {unweighted, func(p *Params) { p.Objective = "regression" }, "",
			"every document has weight 0"},
		"gains that are 0": {tiny(1e-300), func(p *Params) { p.MinSumHessianInLeaf = 0 }, "",
			"multiply all weights by a common factor"},
		"Hessians that are 0": {tiny(1e-320), func(p *Params) {}, "", "multiply all weights by a common factor"},
		"few rows with gradients": {newTable(varied.values, oneLabel, 20), func(p *Params) {
			p.ActiveFraction, p.MinDataInLeaf = 0.5, 20
		}, "min_data_in_leaf", "rows with a gradient, which alone count below active_fraction=1, on both sides"},
		"weights of 0":            {unweighted, func(p *Params) {}, "", "has weight 0"},
		"weights of 0, by target": {unweighted, func(p *Params) { p.Objective = "query_rmse" }, "", "has weight 0"},
		"weight of 0 on the only query with pairs": {onePaired, func(p *Params) {}, "",
			"all documents with a weight have the label 2, and those of other labels have weight 0"},
		"equal gains": {randomTable(1, 60), func(p *Params) { p.LabelGain = ones }, "",
			"label_gain=1,1,1,1,1 gives"},
		"equal gains, LambdaLoss": {randomTable(1, 60), func(p *Params) {
			p.LabelGain, p.Objective = ones, "lambdaloss"
		}, "", "label_gain=1,1,1,1,1 gives"},
		"equal gains where weights are": {halfWeighted, func(p *Params) { p.LabelGain = ones }, "",
			"label_gain=1,1,1,1,1 gives"},
	} {
		t.Run(name, func(t *testing.T) {
			p := smallParams()
			c.change(&p)
			data := binned(t, &p, c.data)
			_, err := Train(t.Context(), p, data[0], nil, Options{})
			var no *noSplitError
			require.ErrorAs(t, err, &no)
			assert.Equal(t, c.parameter, no.parameter)
			assert.ErrorContains(t, err, c.contains)
		})
	}
}

// TestWhyOwnObjectivesGrowNoTree: gradients or Hessians of 0 are the objective's, not the labels'.
func TestWhyOwnObjectivesGrowNoTree(t *testing.T) {
	for _, c := range []struct {
		own  *given
		want string
	}{
		{&given{lambda: []float64{1, -1, 1, -1}, hessian: make([]float64, 4)},
			"all Hessians of the objective are 0"},
		{&given{lambda: make([]float64, 4), hessian: make([]float64, 4)}, "all Hessians of the objective are 0"},
		{&given{lambda: make([]float64, 4), hessian: []float64{1, 1, 1, 1}},
			"all gradients of the objective are 0"},
	} {
		for _, labels := range [][]float64{{0, 1, 0, 1}, {1, 1, 1, 1}} {
			p := smallParams()
			p.MinDataInLeaf, p.MinDataInBin, p.MinSumHessianInLeaf = 1, 1, 0
			data := binned(t, &p, newTable([][]float64{{1}, {2}, {3}, {4}}, labels, 2))
			_, err := Train(t.Context(), p, data[0], nil, Options{Objective: c.own})
			assert.ErrorContains(t, err, c.want)
		}
	}
}

// TestWhyNoSparseColumnIsSplit: columns that all have fewer than min_data_in_leaf rows are that parameter's
// fault, also if they are stored as sparse ones.
func TestWhyNoSparseColumnIsSplit(t *testing.T) {
	const rows, each = 200, 5
	values, labels := make([][]float64, rows), make([]float64, rows)
	for r := range values {
		values[r] = make([]float64, rows/each)
		values[r][r/each] = 1
		labels[r] = float64(r / each % 2)
	}
	for _, share := range []float64{1, 0.5} {
		p := smallParams()
		p.MinDataInLeaf, p.MinDataInBin, p.ActiveFraction = 20, 1, share
		data := asSparse(t, binned(t, &p, newTable(values, labels, 20)), func(int) bool { return true },
			newTable(values, labels, 20))
		obj, err := p.newObjective()
		require.NoError(t, err)
		_, err = Train(t.Context(), p, data[0], nil, Options{Objective: obj})
		var no *noSplitError
		require.ErrorAs(t, err, &no)
		assert.Equal(t, "min_data_in_leaf", no.parameter, "%v: %v", share, err)
	}
}

func TestBadGradientsAreRefused(t *testing.T) {
	for _, bad := range []*given{
		{lambda: []float64{1, math.NaN()}, hessian: []float64{1, 1}},
		{lambda: []float64{1, math.Inf(1)}, hessian: []float64{1, 1}},
		{lambda: []float64{1, 1}, hessian: []float64{1, -1}},
		{lambda: []float64{1, 1}, hessian: []float64{1, math.NaN()}},
	} {
		p := smallParams()
		data := binned(t, &p, newTable([][]float64{{1}, {2}}, []float64{0, 1}, 2))
		_, err := Train(t.Context(), p, data[0], nil, Options{Objective: bad})
		var g *gradientError
		require.ErrorAs(t, err, &g)
		assert.Equal(t, 1, g.row)
		assert.ErrorContains(t, err, "row 1 ", "counted from 0, as in other messages about rows")
	}
}

func TestBagIsByQueryAndKeyed(t *testing.T) {
	p := smallParams()
	p.BaggingFraction, p.BaggingFreq, p.Seed = 0.3, 3, 5
	const queries = 20000
	first := bag(&p, 0, queries, 0)
	n := 0
	for _, in := range first {
		if in {
			n++
		}
	}
	assert.InDelta(t, 0.3*queries, n, 5*math.Sqrt(queries*0.3*0.7))
	assert.Equal(t, first, bag(&p, 0, queries, 2), "iterations 0 to 2 share a bag")
	assert.NotEqual(t, first, bag(&p, 0, queries, 3))
	data := randomTable(1, 45).meta
	assert.Equal(t, []int32{20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39},
		bagRows(nil, data, []bool{false, true, false}))
}

func TestChooseColumns(t *testing.T) {
	p := smallParams()
	features := []int32{3, 5, 8, 9, 20, 21}
	assert.Equal(t, []int32{0, 1, 2, 3, 4, 5}, chooseColumns(&p, features, 0))
	p.FeatureFraction = 0.5
	seen := map[int32]bool{}
	for iteration := range 50 {
		columns := chooseColumns(&p, features, iteration)
		assert.Len(t, columns, 3)
		assert.IsIncreasing(t, columns)
		for _, c := range columns {
			seen[c] = true
		}
	}
	assert.Len(t, seen, 6, "every column has its turn")
	p.FeatureFraction = 0.01
	assert.Len(t, chooseColumns(&p, features, 0), 1)
}

func TestRanges(t *testing.T) {
	for want, f := range map[string]histogram.FeatureBins{
		"[0.5:2]":      {UpperBounds: []float64{1, math.Inf(1)}, Min: 0.5, Max: 2},
		"none":         {UpperBounds: []float64{1, math.Inf(1)}, Min: 1.5, Max: 2},
		"-1:17:0:1000": {Categories: []int32{17, 0, 1000}, Max: 1000},
	} {
		f, err := histogram.NewFeatureBins(f)
		require.NoError(t, err)
		assert.Equal(t, want, rangeOf(&f))
	}
	many := histogram.FeatureBins{Categories: make([]int32, 10000)}
	for i := range many.Categories {
		many.Categories[i] = int32(i)
	}
	many, err := histogram.NewFeatureBins(many)
	require.NoError(t, err)
	assert.Less(t, testing.AllocsPerRun(1, func() { rangeOf(&many) }), 100.0, "no copy for each category")
}
