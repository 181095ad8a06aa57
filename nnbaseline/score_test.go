package nnbaseline

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// scoredRows draws raw rows as wide as the synthetic data, with some extreme values.
func scoredRows(rows int) []float64 {
	rng := rand.New(rand.NewPCG(8, 8))
	values := make([]float64, 100*rows)
	for i := range values {
		values[i] = rng.NormFloat64() * math.Exp(10*rng.NormFloat64())
	}
	return values
}

// TestScoringPathsAgree: scoring raw values and scoring data in memory agree in every bit, for any number of
// threads and of rows that are scored together. Without batch normalization, training's own pass agrees, too.
func TestScoringPathsAgree(t *testing.T) {
	_, valid := syntheticSets(6)
	raw := scoredRows(500)
	valid.Values = denseData(t, 100, raw).Values
	for _, normalization := range []string{NoNormalization, BatchNorm, LayerNorm} {
		m := smallModel(t, normalization)
		want, got := make([]float64, 500), make([]float64, 500)
		require.NoError(t, m.Score(want, raw))
		for _, threads := range []int{1, 2, 7} {
			require.NoError(t, m.ScoreData(got, valid, threads))
			assert.Equal(t, want, got)
		}
		for _, together := range []int{1, 7, 128, 129} {
			got := make([]float64, 500)
			for from := 0; from < 500; from += together {
				to := min(500, from+together)
				require.NoError(t, m.Score(got[from:to], raw[from*100:to*100]))
			}
			assert.Equal(t, want, got, "%s, %d together", normalization, together)
		}
		if normalization == BatchNorm {
			continue
		}
		p := newPass(m.network, 0, 0, nil)
		p.resize(500)
		for row := range 500 {
			m.inputs.standardize(p.inputs[row*100:][:100], valid.Values.row(row))
		}
		assert.Equal(t, want, wide(p.forward()))
	}
}

func TestScoreRefuses(t *testing.T) {
	m := smallModel(t, NoNormalization)
	assert.ErrorContains(t, m.Score(make([]float64, 2), make([]float64, 199)), "want 200")
	_, valid := syntheticSets(6)
	assert.ErrorContains(t, m.ScoreData(make([]float64, 499), valid, 1), "499 for 500 rows")
	values := make([]float64, 300)
	values[2*100+7] = math.NaN()
	var fault *valueError
	require.ErrorAs(t, m.Score(make([]float64, 3), values), &fault)
	assert.Equal(t, valueError{2, "7 (Column_7)", isNaN}, *fault)
	values[2*100+7] = math.Inf(-1)
	require.ErrorAs(t, m.Score(make([]float64, 3), values), &fault)
	assert.Equal(t, valueError{2, "7", isInfinite}, *fault)

	holes := denseData(t, 100, append(make([]float64, 100),
		append([]float64{math.NaN()}, make([]float64, 99)...)...))
	require.ErrorAs(t, m.ScoreData(make([]float64, 2), holes, 1), &fault)
	assert.Equal(t, valueError{1, "0 (Column_0)", isNaN}, *fault)

	m.inputs.nan = MeanForNaN
	values[2*100+7] = math.NaN()
	require.NoError(t, m.Score(make([]float64, 3), values))
}

// TestDataOfOtherWidth: absent features count as zero, and extra features are ignored.
func TestDataOfOtherWidth(t *testing.T) {
	m := smallModel(t, NoNormalization)
	want, got := make([]float64, 3), make([]float64, 3)
	raw, narrow, broad := make([]float64, 300), []float64(nil), []float64(nil)
	for row := range 3 {
		for f := range 90 {
			raw[row*100+f] = float64(row + f)
		}
		narrow = append(narrow, raw[row*100:row*100+90]...)
		broad = append(append(broad, raw[row*100:row*100+100]...), 1e9)
	}
	require.NoError(t, m.Score(want, raw))
	require.NoError(t, m.ScoreData(got, denseData(t, 90, narrow), 1))
	assert.Equal(t, want, got)
	require.NoError(t, m.ScoreData(got, denseData(t, 101, broad), 1))
	assert.Equal(t, want, got)
}

func TestScoreAtOnceFromManyGoroutines(t *testing.T) {
	m := smallModel(t, BatchNorm)
	values := scoredRows(200)
	want := make([]float64, 200)
	require.NoError(t, m.Score(want, values))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got := make([]float64, 200)
			for range 5 {
				assert.NoError(t, m.Score(got, values))
				assert.Equal(t, want, got)
			}
		})
	}
	group.Wait()
}

func TestScoreDoesNotAllocate(t *testing.T) {
	if aid.RaceDetector {
		t.Skip("sync.Pool drops some of what it is given under the race detector")
	}
	m := smallModel(t, LayerNorm)
	values, dst := scoredRows(200), make([]float64, 200)
	allocs := testing.AllocsPerRun(20, func() {
		if err := m.Score(dst, values); err != nil {
			t.Fatal(err)
		}
	})
	assert.Less(t, allocs, 1.0) // the garbage collector may empty the pool
}
