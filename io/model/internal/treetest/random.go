// Package treetest generates models and rows for the tests of packages that read and write models, and fuzzes
// readers. Thresholds and values of random models come from the same small set, so
// many values lie on thresholds.
package treetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Number is a float64 that JSON writes as a string if it is not finite.
type Number float64

func (n *Number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = Number(v)
	return err
}

// Floats returns numbers as float64.
func Floats(values []Number) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// SameBits requires values to have the same bits, so that -0 differs from 0, except that all NaNs are equal:
// the bits of a NaN that is computed from infinities depend on the processor.
func SameBits(t testing.TB, want, got []float64, about ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if !math.IsNaN(want[i]) || !math.IsNaN(got[i]) {
			require.Equal(t, math.Float64bits(want[i]), math.Float64bits(got[i]), "value %d: want %v, got %v %v",
				i, want[i], got[i], about)
		}
	}
}

// Sum32 sums as XGBoost and RankLib do: products and sums are computed in float64, and the sum is rounded to
// float32 after each tree.
func Sum32(e *tree.Ensemble, row []float64) float32 {
	var sum float32
	for i := range e.Trees {
		sum = float32(float64(sum) + e.Trees[i].Score(row))
	}
	return sum
}

// Model describes a distribution of random models.
type Model struct {
	Trees, Leaves, Features int  // trees have 1 to Leaves leaves
	Missing                 bool // some splits treat NaN as missing
	ZeroMissing             bool // some splits treat zero as missing
	Categorical             bool
	Linear                  bool
	Average                 bool
	Float32                 bool // thresholds and leaf values within float32's range
}

// Make returns a valid model.
func (m Model) Make(rng *rand.Rand) *tree.Ensemble {
	e := &tree.Ensemble{Average: m.Average, Objective: "lambdarank"}
	for i := range m.Features {
		e.Features = append(e.Features, tree.Feature{Name: fmt.Sprintf("f%d", i)})
	}
	for range m.Trees {
		e.Trees = append(e.Trees, m.tree(rng))
	}
	if err := e.Validate(); err != nil {
		panic(err) // a bug of this package
	}
	return e
}

// tree returns a tree with a random number of leaves.
func (m Model) tree(rng *rand.Rand) tree.Tree {
	var b engine.Builder
	m.grow(rng, &b, 1+rng.IntN(m.Leaves))
	t := b.Finish()
	if m.Linear {
		m.linear(rng, &t)
	}
	return t
}

// grow adds a node and all below it, with the given number of leaves.
func (m Model) grow(rng *rand.Rand, b *engine.Builder, leaves int) int32 {
	if leaves == 1 {
		return b.AddLeaf(engine.Leaf{Value: rng.NormFloat64()})
	}
	node, left := b.AddSplit(m.split(rng, b)), 1+rng.IntN(leaves-1)
	b.Join(node, m.grow(rng, b, left), m.grow(rng, b, leaves-left))
	return node
}

func (m Model) split(rng *rand.Rand, b *engine.Builder) engine.Split {
	s := engine.Split{Feature: int32(rng.IntN(m.Features)), Threshold: m.Value(rng),
		Decision: tree.Decision(rng.IntN(2)) * tree.DefaultLeft}
	if m.Missing && rng.IntN(3) > 0 {
		s.Decision |= tree.MissingNaN
	}
	if m.ZeroMissing && rng.IntN(3) == 0 {
		s.Decision = s.Decision&tree.DefaultLeft | tree.MissingZero
	}
	if m.Categorical && rng.IntN(3) == 0 {
		set := make([]uint32, rng.IntN(4))
		for i := range set {
			set[i] = rng.Uint32() & rng.Uint32()
		}
		s.Decision, s.Threshold = tree.Categorical, b.AddSet(set)
	}
	return s
}

func (m Model) linear(rng *rand.Rand, t *tree.Tree) {
	t.Linear = &tree.LinearLeaves{}
	for range t.LeafValue {
		features, coefficients := []int32{}, []float64{}
		for range rng.IntN(3) {
			features = append(features, int32(rng.IntN(m.Features)))
			coefficients = append(coefficients, rng.NormFloat64())
		}
		t.Linear.Const = append(t.Linear.Const, rng.NormFloat64())
		t.Linear.Feature = append(t.Linear.Feature, features)
		t.Linear.Coefficient = append(t.Linear.Coefficient, coefficients)
	}
}

var notable = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 2, 3, -2.5, 7.25, 31, 32, 33, 63, 64, 0.1, float64(float32(0.1)),
	1e-35, tree.ZeroThreshold, -tree.ZeroThreshold, 1e-36, math.Nextafter(tree.ZeroThreshold, 1), 1e-6, 3e-7,
	100,
	math.Nextafter(1, 2), math.Nextafter(1, 0), float64(math.Nextafter32(1, 2)), math.SmallestNonzeroFloat32,
	1e30, -1e30,
}

var beyond = []float64{5e-324, -5e-324, 1e300, -1e300, math.MaxFloat64}

// Value returns a finite number, as a value or a threshold.
func (m Model) Value(rng *rand.Rand) float64 {
	switch rng.IntN(8) {
	case 0, 1, 2:
		return notable[rng.IntN(len(notable))]
	case 3:
		return float64(rng.IntN(70))
	case 4:
		return math.Round(rng.NormFloat64()*4) / 4
	case 5:
		if !m.Float32 {
			return beyond[rng.IntN(len(beyond))]
		}
	}
	return rng.NormFloat64()
}

// Row returns values for all features: notable ones, some on and next to thresholds of e, and
// NaN. With Float32, all are float32 numbers.
func (m Model) Row(rng *rand.Rand, e *tree.Ensemble) []float64 {
	row := make([]float64, m.Features)
	for i := range row {
		row[i] = m.Value(rng)
		if rng.IntN(6) == 0 {
			row[i] = math.NaN()
		}
	}
	if len(e.Trees) > 0 {
		t := &e.Trees[rng.IntN(len(e.Trees))]
		for node, f := range t.Feature {
			if rng.IntN(2) == 0 {
				row[f] = m.beside(rng, t.Threshold[node])
			}
		}
	}
	if m.Float32 {
		for i, x := range row {
			row[i] = float64(float32(x))
		}
	}
	return row
}

// beside returns x or one of its neighbors.
func (m Model) beside(rng *rand.Rand, x float64) float64 {
	direction := math.Inf(rng.IntN(2)*2 - 1)
	switch {
	case rng.IntN(3) == 0:
		return x
	case m.Float32:
		return float64(math.Nextafter32(float32(x), float32(direction)))
	}
	return math.Nextafter(x, direction)
}

// Stump returns a model of one feature and one split, with the leaf values -0.5 (left) and 1.
func Stump(feature string, d tree.Decision, threshold float64) *tree.Ensemble {
	var b engine.Builder
	root := b.AddSplit(engine.Split{Threshold: threshold, Decision: d})
	b.Join(root, b.AddLeaf(engine.Leaf{Value: -0.5}), b.AddLeaf(engine.Leaf{Value: 1}))
	return &tree.Ensemble{Features: []tree.Feature{{Name: feature}}, Trees: []tree.Tree{b.Finish()}}
}

// FuzzRead fuzzes the reader of a format, beginning with the files that were added to f. It must not panic on
// any bytes, errors must be of a known kind, and a model that it returns must be valid and score a row.
func FuzzRead(f *testing.F, read func([]byte) (*tree.Ensemble, error)) {
	f.Fuzz(func(t *testing.T, file []byte) {
		e, err := read(file)
		if err != nil {
			known := errors.Is(err, document.ErrFormat) || errors.Is(err, document.ErrUnsupported)
			require.True(t, known, "%v", err)
			return
		}
		require.NoError(t, e.Validate())
		_, err = e.ScoreRow(make([]float64, e.NumFeatures()))
		require.NoError(t, err)
	})
}
