package booster

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

// naiveRefit computes Refit as its documentation defines it, with float64 sums.
func naiveRefit(t *testing.T, p *Params, m *tree.Ensemble, s *table, decay float64) [][]float64 {
	obj, err := p.newObjective()
	require.NoError(t, err)
	require.NoError(t, obj.Prepare(s.meta))
	scores := make([]float64, len(s.values))
	copy(scores, s.meta.InitialScores)
	var all [][]float64
	for n := range m.Trees {
		fitted := &m.Trees[n]
		gradient, hessian := make([]float64, fitted.NumLeaves()), make([]float64, fitted.NumLeaves())
		for number, query := range s.meta.Queries {
			q := objective.QueryOf(s.meta, number)
			q.Scores, q.Iteration = scores[query.First:query.First+query.Len], n+1
			dst := objective.Gradients{Lambda: make([]float64, query.Len), Hessian: make([]float64, query.Len)}
			obj.Gradients(dst, q)
			for i := range query.Len {
				leaf := fitted.Leaf(s.values[query.First+i])
				gradient[leaf] += dst.Lambda[i]
				hessian[leaf] += dst.Hessian[i]
			}
		}
		values := make([]float64, fitted.NumLeaves())
		for leaf, old := range fitted.LeafValue {
			values[leaf] = decay * old
			if hessian[leaf] > 0 {
				shrunk := math.Copysign(max(0, math.Abs(gradient[leaf])-p.LambdaL1), gradient[leaf])
				values[leaf] -= (1 - decay) * fitted.Shrinkage * shrunk / (hessian[leaf] + p.LambdaL2)
			}
		}
		for row, x := range s.values {
			scores[row] += values[fitted.Leaf(x)]
		}
		all = append(all, values)
	}
	return all
}

func TestRefitEqualsTheNaiveOne(t *testing.T) {
	p := smallParams()
	m := fit(t, p, randomTable(1, 2000)).Model
	for _, s := range []*table{randomTable(2, 1500), randomTable(3, 60)} {
		for _, decay := range []float64{0, 0.3, 0.9, 1} {
			p.LambdaL1, p.LambdaL2 = 0.01, 0.5
			p.NumThreads = 1
			want := naiveRefit(t, &p, m, s, decay)
			got, err := Refit(t.Context(), p, m, s, nil, decay)
			require.NoError(t, err)
			for n := range want {
				assert.InDeltaSlice(t, want[n], got.Trees[n].LeafValue, 1e-9)
				same := got.Trees[n]
				same.LeafValue = m.Trees[n].LeafValue
				assert.Equal(t, m.Trees[n], same, "only leaf values change")
			}
			for _, p.NumThreads = range []int{2, 7} {
				again, err := Refit(t.Context(), p, m, s, nil, decay)
				require.NoError(t, err)
				assert.Equal(t, bytesOf(got), bytesOf(again))
			}
		}
	}
}

// TestRefitToTheSameDataChangesNothing: refitting to the training data, which has initial scores, with no
// weight on the old values leaves the model equal in every bit.
func TestRefitToTheSameDataChangesNothing(t *testing.T) {
	for _, share := range []float64{0.3, 1} {
		p, s := smallParams(), withNaN(randomTable(1, 3000), 2, 0.2)
		p.ActiveFraction = share
		s.meta.InitialScores = make([]float64, 3000)
		for row := range s.meta.InitialScores {
			s.meta.InitialScores[row] = math.Sin(float64(row))
		}
		m := fit(t, p, s).Model
		got, err := Refit(t.Context(), p, m, s, nil, 0)
		require.NoError(t, err)
		assert.Equal(t, bytesOf(m), bytesOf(got))
	}
}

// TestRefitRemarks: data with only categories that the model does not know is remarked on, and so is data
// without gradients.
func TestRefitRemarks(t *testing.T) {
	p, s := smallParams(), randomTable(1, 400)
	m := fit(t, p, s).Model
	m.Trees = []tree.Tree{{Feature: []int32{1}, Threshold: []float64{0},
		Decision: []tree.Decision{tree.Categorical}, Left: []int32{^int32(0)}, Right: []int32{^int32(1)},
		LeafValue: []float64{-1, 1}, LeafCount: []int64{1, 1},
		CategoryStart: []int32{0, 4}, Categories: []uint32{0, 0, 0, 1 << 31}, InternalCount: []int64{2},
		Gain: []float64{1}, InternalValue: []float64{0}, InternalWeight: []float64{1}, LeafWeight: []float64{1, 1}}}
	got, err := Refit(t.Context(), p, m, s, nil, 1)
	require.NoError(t, err)
	assert.Contains(t, got.Remark, "the model knows none of its categories")
	m.Trees[0].Categories = []uint32{math.MaxUint32, math.MaxUint32, 0, 0}
	got, err = Refit(t.Context(), p, m, s, nil, 1)
	require.NoError(t, err)
	assert.Empty(t, got.Remark)
	s.meta.Weights = make([]float64, 400)
	got, err = Refit(t.Context(), p, m, s, nil, 0.5)
	require.NoError(t, err)
	assert.Equal(t, []float64{-0.5, 0.5}, got.Trees[0].LeafValue)
	assert.Contains(t, got.Remark, "the data teaches nothing")
}

func TestRefitRefusals(t *testing.T) {
	p, s := smallParams(), randomTable(1, 400)
	m := fit(t, p, s).Model
	for _, decay := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := Refit(t.Context(), p, m, s, nil, decay)
		assert.ErrorContains(t, err, "refit_decay_rate")
	}
	average := *m
	average.Average = true
	_, err := Refit(t.Context(), p, &average, s, nil, 0.5)
	assert.ErrorIs(t, err, ErrNotRefittable)
	linear := *m
	linear.Trees = []tree.Tree{m.Trees[0]}
	leaves := m.Trees[0].NumLeaves()
	linear.Trees[0].Linear = &tree.LinearLeaves{Const: make([]float64, leaves), Feature: make([][]int32, leaves),
		Coefficient: make([][]float64, leaves)}
	_, err = Refit(t.Context(), p, &linear, s, nil, 0.5)
	assert.ErrorIs(t, err, ErrNotRefittable)
	bad := make([]float64, 400)
	bad[17] = math.NaN()
	_, err = Refit(t.Context(), p, m, s, &given{bad, bad}, 0.5)
	var gradient *gradientError
	require.ErrorAs(t, err, &gradient)
	assert.Equal(t, 17, gradient.row)
}

func TestLeafColumns(t *testing.T) {
	for _, leaves := range []int{2, 256, 257, 1 << 16, 1<<16 + 1} {
		c := newLeafColumn(leaves, 3)
		c.set(1, leaves-1)
		pool := par.New(2)
		dst := []int32{7, 7, 7}
		c.read(dst, pool)
		pool.Close()
		assert.Equal(t, []int32{0, int32(leaves - 1), 0}, dst)
	}
}
