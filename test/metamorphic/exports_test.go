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

// exported writes a model for a target, and returns the model read back and the file.
func exported(t *testing.T, e *tree.Ensemble, target string) (*tree.Ensemble, []byte) {
	t.Helper()
	x, err := model.Export(e, target, model.Options{NoMissing: true})
	require.NoError(t, err, target)
	m, _, err := model.Read(bytes.NewReader(x.Content))
	require.NoError(t, err, target)
	return m, x.Content
}

// exportable returns a model that all targets can represent, and rows to score. Feature 0 is constant, as
// in LETOR files.
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

// scores returns the scores of all rows. A file may have fewer features than the data, because it lists
// only features that trees use.
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

// byName returns the data with columns in the order of e's features: some files list features only by name,
// in the order in which trees use them.
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

// TestExportsOfPermutedFeatures: permuting a model's features and a row's values in the same way changes no
// bit of the scores of an exported model.
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

// TestExportsOfScaledFeatures: multiplying a feature and its thresholds by a power of two changes no score.
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

// TestExportsOfScaledLeaves: multiplying leaf values by a power of two multiplies the scores.
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

// TestExportsAdd: the scores of the first trees plus the scores of the other trees equal the model's, up to
// rounding. Targets may store leaf values as float32.
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

// TestExportsAgain: a model that is read from a file and exported again has the same scores in every bit,
// and exporting it a third time gives the same file.
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

// clone copies the parts of a model that the tests change.
func clone(e *tree.Ensemble) *tree.Ensemble {
	c := *e
	c.Trees = slices.Clone(e.Trees)
	for i := range c.Trees {
		t := &c.Trees[i]
		t.Feature, t.Threshold, t.LeafValue = slices.Clone(t.Feature), slices.Clone(
			t.Threshold), slices.Clone(t.LeafValue)
	}
	return &c
}
