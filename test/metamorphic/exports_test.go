package metamorphic

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

// exported returns the model that a target's file has, and the file.
func exported(t *testing.T, e *tree.Ensemble, target string) (*tree.Ensemble, []byte) {
	t.Helper()
	x, err := model.Export(e, target, model.Options{NoMissing: true})
	require.NoError(t, err, target)
	m, _, err := model.Read(bytes.NewReader(x.Content))
	require.NoError(t, err, target)
	return m, x.Content
}

// exportable returns a model that all targets hold, and rows to score. Feature 0 is constant, as in LETOR
// files.
func exportable(t *testing.T) (*tree.Ensemble, *set) {
	t.Helper()
	s := randomSet(9, 40, false).changed(func(d *document) {
		d.values = slices.Insert(d.values, 0, 0)
		for f := range d.values {
			d.values[f] = float64(float32(d.values[f]))
		}
	})
	s.features = slices.Insert(s.features, 0, "unused")
	d, err := lambdamart.Bin(t.Context(), lambdamart.DefaultParams(), s.source(t))
	require.NoError(t, err)
	defer d.Close()
	r, err := lambdamart.Train(t.Context(), parameters(t, "lambdarank", nil), d)
	require.NoError(t, err)
	return r.Model, s
}

// scores returns the scores of all rows. A file may have fewer features than the data, because it knows
// only those that trees use.
func scores(t *testing.T, e *tree.Ensemble, s *set) []float64 {
	t.Helper()
	var all []float64
	for _, q := range s.queries {
		for _, d := range q.docs {
			row := append(slices.Clone(d.values), make([]float64, e.NumFeatures())...)[:e.NumFeatures()]
			score, err := e.ScoreRow(row)
			require.NoError(t, err)
			all = append(all, score)
		}
	}
	return all
}

// byName returns the data with its columns in the order of the features of e: some files list features by
// name alone, in the order in which trees use them.
func byName(e *tree.Ensemble, s *set) *set {
	order := make([]int, e.NumFeatures())
	for i, f := range e.Features {
		if n := slices.Index(s.features, f.Name); n >= 0 {
			order[i] = n
		} else {
			order[i] = i
		}
	}
	return s.permuted(order)
}

func forEachTarget(t *testing.T, f func(t *testing.T, target string)) {
	t.Helper()
	require.NotEmpty(t, model.Targets())
	for _, target := range model.Targets() {
		if !target.IsRead {
			continue
		}
		t.Run(target.Name, func(t *testing.T) { f(t, target.Name) })
	}
}

// TestExportsOfPermutedFeatures: the file of a model with its features in another order gives the same
// scores, in every bit, to rows in that order.
func TestExportsOfPermutedFeatures(t *testing.T) {
	e, s := exportable(t)
	order := []int{0, 4, 6, 1, 5, 2, 3}
	moved := clone(e)
	moved.Features = pick(e.Features, order)
	for i := range moved.Trees {
		for node, f := range moved.Trees[i].Feature {
			moved.Trees[i].Feature[node] = int32(slices.Index(order, int(f)))
		}
	}
	forEachTarget(t, func(t *testing.T, target string) {
		a, _ := exported(t, e, target)
		b, _ := exported(t, moved, target)
		assert.Equal(t, scores(t, a, byName(a, s)), scores(t, b, byName(b, s.permuted(order))))
	})
}

// TestExportsOfScaledFeatures: a feature and its thresholds may be multiplied by a power of two.
func TestExportsOfScaledFeatures(t *testing.T) {
	e, s := exportable(t)
	moved := clone(e)
	for i := range moved.Trees {
		scaleThresholds(&moved.Trees[i], 1, 5)
		scaleThresholds(&moved.Trees[i], 5, -9)
	}
	forEachTarget(t, func(t *testing.T, target string) {
		a, _ := exported(t, e, target)
		b, _ := exported(t, moved, target)
		assert.Equal(t, scores(t, a, byName(a, s)), scores(t, b, byName(b, scaled(scaled(s, 1, 5), 5, -9))))
	})
}

// TestExportsOfScaledLeaves: leaf values that are multiplied by a power of two multiply the scores.
func TestExportsOfScaledLeaves(t *testing.T) {
	e, s := exportable(t)
	doubled := clone(e)
	for i := range doubled.Trees {
		for leaf := range doubled.Trees[i].LeafValue {
			doubled.Trees[i].LeafValue[leaf] *= -4
		}
	}
	forEachTarget(t, func(t *testing.T, target string) {
		a, _ := exported(t, e, target)
		b, _ := exported(t, doubled, target)
		want := scores(t, a, byName(a, s))
		for i := range want {
			want[i] *= -4
		}
		assert.Equal(t, want, scores(t, b, byName(b, s)))
	})
}

// TestExportsAdd: the scores of the first trees and of the others add up to those of all, but for rounding.
// Targets may hold leaves as float32.
func TestExportsAdd(t *testing.T) {
	e, s := exportable(t)
	forEachTarget(t, func(t *testing.T, target string) {
		whole, _ := exported(t, e, target)
		first, _ := exported(t, e.Part(0, 2), target)
		rest, _ := exported(t, e.Part(2, len(e.Trees)-2), target)
		a, b := scores(t, first, byName(first, s)), scores(t, rest, byName(rest, s))
		for i, want := range scores(t, whole, byName(whole, s)) {
			require.InDelta(t, want, a[i]+b[i], 1e-6*math.Abs(want)+1e-7, "row %d", i)
		}
	})
}

// TestExportsAgain: a model that was read from a file and is exported again scores the same in every bit,
// and the third file equals the second one.
func TestExportsAgain(t *testing.T) {
	e, s := exportable(t)
	forEachTarget(t, func(t *testing.T, target string) {
		once, _ := exported(t, e, target)
		twice, second := exported(t, once, target)
		_, third := exported(t, twice, target)
		assert.Equal(t, scores(t, once, byName(once, s)), scores(t, twice, byName(twice, s)))
		assert.True(t, bytes.Equal(second, third))
	})
}

// clone copies a model as far as the tests change it.
func clone(e *tree.Ensemble) *tree.Ensemble {
	c := *e
	c.Trees = slices.Clone(e.Trees)
	for i := range c.Trees {
		t := &c.Trees[i]
		t.Feature, t.Threshold, t.LeafValue = slices.Clone(t.Feature), slices.Clone(t.Threshold), slices.Clone(t.LeafValue)
	}
	return &c
}
