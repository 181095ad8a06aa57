package study

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
)

// curveData returns three folds of queries whose grades depend on the features, with noise.
func curveData(t *testing.T, queries int) Data {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	return inFolds(t, drawnData(t, queries, func() ([]float64, float64) {
		x := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		return x, 1 + x[0]*x[1] + x[2] + 0.5*rng.NormFloat64()
	}), 3, 0)
}

func curveParams(threads int) booster.Params {
	p := booster.DefaultParams()
	p.NumIterations, p.NumLeaves, p.MinDataInLeaf, p.StopMetric, p.NumThreads = 20, 7, 5, "ndcg@5", threads
	return p
}

// TestMoreQueriesHelp: the share 1 gives the values of a study without shares, and the smallest share is
// significantly worse.
func TestMoreQueriesHelp(t *testing.T) {
	p, all := curveParams(0), curveData(t, 240)
	r, err := Curve(t.Context(), p, all, CurveOptions{Shares: []float64{0.1, 1}})
	require.NoError(t, err)
	b, err := newBegun(t.Context(), p, all, Options{}, nil)
	require.NoError(t, err)
	var whole Trained
	_, err = b.train(&whole, b.params, b.parts)
	require.NoError(t, err)
	assert.Equal(t, whole.PerQuery, r.Shares[1].PerQuery)
	assert.Equal(t, 160.0, r.Shares[1].Queries)
	assert.InDelta(t, 16, r.Shares[0].Queries, 8)
	assert.Contains(t, r.Finding, "which is more than chance explains")
	assert.Greater(t, r.Shares[1].Value, r.Shares[0].Value)
}

// TestComparedWithTheShareBefore: p is the randomization test's p times the number of comparisons.
func TestComparedWithTheShareBefore(t *testing.T) {
	r, err := Curve(t.Context(), curveParams(0), curveData(t, 120), CurveOptions{Shares: []float64{0.3, 0.6, 1}})
	require.NoError(t, err)
	for i := 1; i < 3; i++ {
		tests := metric.DefaultTestOptions()
		c, err := metric.Compare(r.Shares[i-1].PerQuery, r.Shares[i].PerQuery, nil, tests)
		require.NoError(t, err)
		row := r.Tables[0].Rows[i]
		assert.Equal(t, []any{c.Difference, min(1, c.Randomization.P*2)}, row[5:7])
		assert.InDelta(t, r.Shares[i].Value-r.Shares[i-1].Value, c.Difference, 1e-9)
		at := metric.NewSample(r.Shares[i].PerQuery, nil).Interval(tests)
		assert.Equal(t, []any{at.Low, at.High}, row[3:5])
	}
}

// TestSharesContainEachOther: every query of a share is also in all larger shares.
func TestSharesContainEachOther(t *testing.T) {
	d := curveData(t, 60)
	all, err := d.parts()
	require.NoError(t, err)
	var before []int
	for _, share := range []float64{0.1, 0.4, 0.8, 1} {
		now := sampleParts(all, share, curveParams(0).Seed)[0].Train
		assert.Subset(t, now, before)
		before = now
	}
	assert.Equal(t, all[0].Train, before)
}

// TestShareThatFails: if a share fails, the others are still evaluated, and the error names it.
func TestShareThatFails(t *testing.T) {
	all := curveData(t, 60)
	o := CurveOptions{Shares: []float64{1e-9, 0.5, 1}}
	log, said := logged()
	o.Log = log
	r, err := Curve(t.Context(), curveParams(0), all, o)
	require.ErrorContains(t, err, "share 1e-09: ")
	require.Len(t, r.Shares, 3)
	assert.Equal(t, 1.0, r.Largest.Share)
	assert.Zero(t, r.Shares[0].Queries)
	assert.Len(t, r.Warnings, 1)
	for i, write := range []func(io.Writer) error{r.Text, r.Tables[0].TSV, r.JSON, r.Write} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		assert.Contains(t, b.String(), "it has none of 40 training queries; give a larger one", "rendering %d", i)
	}
	assert.Regexp(t, `^.* msg="share 1e-09: .* event=share share=1e-09 .* error=.*\n`+
		`.* event=share share=0.5 .* per_query="60 values"\n`, said.String())
	_, err = Curve(t.Context(), curveParams(0), all, CurveOptions{Shares: []float64{1e-9, 1}})
	require.ErrorContains(t, err, "fewer than two shares could be trained")
}

func TestCurveRefuses(t *testing.T) {
	for _, shares := range [][]float64{nil, {1}, {0, 1}, {0.5, 0.5}, {0.5, 0.2}, {0.5, 1.5}, {math.NaN(), 1}} {
		_, err := Curve(t.Context(), curveParams(0), curveData(t, 12), CurveOptions{Shares: shares})
		require.ErrorContains(t, err, "want ascending numbers", fmt.Sprint(shares))
	}
}
