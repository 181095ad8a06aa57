package nnbaseline

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/scoring"
)

var _ scoring.RowError = (*valueError)(nil)

// sparse returns data whose rows have the given features, read by three goroutines.
func sparse(columns int, rows [][]int32, of func(row int, feature int32) float64) dataset.Source {
	meta := &dataset.Meta{Labels: make([]float64, len(rows)), Features: wording.ColumnNames(columns),
		Queries: []dataset.Query{{Len: len(rows)}}}
	return dataset.NewMemory(meta, 3, func(b *dataset.Block, numbers []int) error {
		for _, n := range numbers {
			row := dataset.Row{Number: n, Feature: rows[n]}
			for _, f := range row.Feature {
				row.Value = append(row.Value, of(n, f))
			}
			b.Rows = append(b.Rows, row)
		}
		return nil
	})
}

// TestRead: rows of all widths are unchanged, wherever the last feature first appears. The data has one more
// feature than any row.
func TestRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	of := func(row int, f int32) float64 { return float64(1000*row) - float64(f)*1e7 }
	const rows, features = 1000, 40
	var all [][]int32
	for range rows {
		var present []int32
		width := rng.IntN(features + 1)
		for f := range width {
			if rng.IntN(2) == 0 {
				present = append(present, int32(f))
			}
		}
		all = append(all, present)
	}
	data, err := Read(context.Background(), "sparse", sparse(features+1, all, of))
	require.NoError(t, err)
	require.Equal(t, []int{rows, features + 1}, []int{data.Values.NumRows(), data.Values.numFeatures()})
	for row, present := range all {
		want := make([]float32, features+1)
		for _, f := range present {
			want[f] = compress(of(row, f))
		}
		require.Equal(t, want, data.Values.row(row))
	}
}

func TestInfiniteValues(t *testing.T) {
	src := sparse(4, [][]int32{{0}, {0, 3}}, func(_ int, f int32) float64 { return 1 / float64(3-f) })
	_, err := Read(context.Background(), "", src)
	var fault *valueError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, valueError{1, "3", isInfinite}, *fault)
}

func TestTooManyFeatures(t *testing.T) {
	src := sparse(1, [][]int32{{0}, {math.MaxInt32}}, func(int, int32) float64 { return 1 })
	_, err := Read(context.Background(), "", src)
	assert.ErrorContains(t, err, "row 1 has feature 2147483647; networks take 65536 features")
}

// TestCompress: the function is sign(x)·log(1 + |x|), computed by hand, and finite for all magnitudes.
func TestCompress(t *testing.T) {
	assert.InDelta(t, 1, compress(math.E-1), 1e-7)
	assert.InDelta(t, -math.Log(1e8+1), compress(-1e8), 1e-6)
	assert.InEpsilon(t, 1e-30, compress(1e-30), 1e-6)
	assert.InEpsilon(t, 709.78, compress(math.MaxFloat64), 1e-5)
	assert.Zero(t, compress(0))
	assert.True(t, math.IsNaN(float64(compress(math.NaN()))))
}

// denseData returns data in memory with one query; NaN is allowed.
func denseData(t *testing.T, features int, values []float64) Data {
	t.Helper()
	all := make([]int32, features)
	for f := range all {
		all[f] = int32(f)
	}
	src := sparse(features, slices.Repeat([][]int32{all}, len(values)/features),
		func(row int, f int32) float64 { return values[row*features+int(f)] })
	data, err := Read(context.Background(), "dense", src)
	require.NoError(t, err)
	return data
}

func learn(t *testing.T, p Params, data Data) (*inputs, error) {
	t.Helper()
	pool := par.New(2)
	defer pool.Close()
	return learnInputs(&p, data, pool)
}

// TestStandardize: inputs of the training rows have mean 0 and deviation 1, whatever the magnitude of the
// values. Constant features become 0, also in rows with other values.
func TestStandardize(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const rows, features = 3000, 4
	var values []float64
	for range rows {
		values = append(values, math.Exp(20*rng.Float64()), -1e-3*rng.Float64(), 0.1, 1e6+rng.Float64())
	}
	data := denseData(t, features, values)
	in, err := learn(t, DefaultParams(), data)
	require.NoError(t, err)
	mean, square := make([]float64, features), make([]float64, features)
	dst := make([]float32, features)
	for row := range rows {
		require.Equal(t, -1, in.standardize(dst, data.Values.row(row)))
		for f, x := range dst {
			mean[f] += float64(x) / rows
			square[f] += float64(x) * float64(x) / rows
		}
	}
	assert.InDeltaSlice(t, []float64{0, 0, 0, 0}, mean, 1e-5)
	assert.InDeltaSlice(t, []float64{1, 1, 0, 1}, square, 1e-4)
	assert.Zero(t, in.features[2].Scale, "0.1 is not a float32, but constant all the same")
	in.standardize(dst, []float32{1, 1, 1e30, 1})
	assert.Zero(t, dst[2])
}

func TestNaN(t *testing.T) {
	nan := math.NaN()
	data := denseData(t, 2, []float64{1, 5, 2, nan, nan, 7, 3, nan})
	p := DefaultParams()
	_, err := learn(t, p, data)
	var fault *valueError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, valueError{1, "1 (Column_1)", isNaN}, *fault)
	assert.ErrorContains(t, err, "nan=mean")

	p.NaN = MeanForNaN
	in, err := learn(t, p, data)
	require.NoError(t, err)
	assert.InDelta(t, (math.Log(6)+math.Log(8))/2, in.features[1].Mean, 1e-6)
	dst := make([]float32, 2)
	in.standardize(dst, data.Values.row(2))
	assert.Zero(t, dst[0])
	assert.InDelta(t, 1, dst[1], 1e-5, "of two values, the larger is one deviation above the mean")
}
