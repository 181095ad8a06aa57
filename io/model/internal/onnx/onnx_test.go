package onnx_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/io/model/internal/onnx"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// test/check_exports.py checks that runtimes read these files and score like the model. The tests here
// score random models by the operators' definitions in the package documentation.

func write(t testing.TB, e *tree.Ensemble, o onnx.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, onnx.Write(&b, e, o))
	return b.Bytes()
}

// within returns the contents of the fields that a path of field numbers reaches in a message.
func within(message []byte, path ...uint64) (contents [][]byte) {
	if len(path) == 0 {
		return [][]byte{message}
	}
	next := func() uint64 {
		v, n := binary.Uvarint(message)
		message = message[n:]
		return v
	}
	for len(message) > 0 {
		key, value := next(), next()
		if key&7 == 0 { // the value is a varint
			continue
		}
		content := message[:value]
		if message = message[value:]; key>>3 == path[0] {
			contents = append(contents, within(content, path[1:]...)...)
		}
	}
	return contents
}

// graph maps names of the operator's attributes to their contents.
type graph map[string][]byte

func graphOf(file []byte) graph {
	g := graph{}
	for _, attribute := range within(file, 7, 1, 5) {
		g[string(within(attribute, 1)[0])] = attribute
	}
	return g
}

func (g graph) ints(name string) (list []int64) {
	for _, packed := range within(g[name], 8) {
		for len(packed) > 0 {
			v, n := binary.Uvarint(packed)
			list, packed = append(list, int64(v)), packed[n:]
		}
	}
	return list
}

// numbers returns a list of float32, or a tensor of float64.
func (g graph) numbers(name string) (list []float64) {
	for _, raw := range within(g[name], 7) {
		for ; len(raw) > 0; raw = raw[4:] {
			list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	}
	for _, raw := range within(g[name+"_as_tensor"], 5, 9) {
		for ; len(raw) > 0; raw = raw[8:] {
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
	}
	return list
}

// leaves returns the values of the leaves that a row reaches.
func (g graph) leaves(row []float64) (values []float64) {
	type place struct{ tree, node int64 }
	trees, nodes, modes := g.ints("nodes_treeids"), g.ints("nodes_nodeids"), within(g["nodes_modes"], 9)
	left, right, missing := g.ints("nodes_truenodeids"), g.ints("nodes_falsenodeids"),
		g.ints("nodes_missing_value_tracks_true")
	features, cuts, weights := g.ints("nodes_featureids"), g.numbers("nodes_values"), g.numbers("target_weights")
	number, weight := map[place]int{}, map[place]float64{}
	for i := range trees {
		number[place{trees[i], nodes[i]}] = i
	}
	leafTrees, leafNodes := g.ints("target_treeids"), g.ints("target_nodeids")
	for i, w := range weights {
		weight[place{leafTrees[i], leafNodes[i]}] = w
	}
	for i := range trees {
		if i > 0 && trees[i] == trees[i-1] {
			continue // not a root
		}
		at := place{trees[i], nodes[i]}
		for n := number[at]; string(modes[n]) == "BRANCH_LEQ"; n = number[at] {
			x := row[features[n]]
			if x <= cuts[n] || math.IsNaN(x) && missing[n] == 1 {
				at.node = left[n]
			} else {
				at.node = right[n]
			}
		}
		values = append(values, weight[at])
	}
	return values
}

func TestScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, options := range []onnx.Options{{}, {Float64: true}} {
		for i := range 60 {
			m := treetest.Model{Trees: 1 + rng.IntN(8), Leaves: 12, Features: 3, Missing: true, Average: i%2 == 0,
				Float32: !options.Float64}
			e := m.Make(rng)
			file := write(t, e, options)
			got := graphOf(file)
			require.Contains(t, string(file), map[bool]string{false: "SUM", true: "AVERAGE"}[e.Average])
			for range 50 {
				row := m.Row(rng, e)
				values := got.leaves(row)
				require.Len(t, values, len(e.Trees))
				for j := range e.Trees {
					want := e.Trees[j].LeafValue[e.Trees[j].Leaf(row)]
					if !options.Float64 {
						want = float64(float32(want))
					}
					require.Equal(t, want, values[j], "tree %d, %v", j, row)
				}
			}
		}
	}
}

// tensor returns the numbers of a tensor.
func (g graph) tensor(name string, o onnx.Options) (list []float64) {
	for _, raw := range within(g[name], 5, 9) {
		if o.Float64 {
			list = append(list, graph{name + "_as_tensor": g[name]}.numbers(name)...)
			continue
		}
		for ; len(raw) > 0; raw = raw[4:] {
			list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	}
	return list
}

// leaves5 is leaves for TreeEnsemble.
func (g graph) leaves5(row []float64, o onnx.Options) (values []float64) {
	modes, members := within(g["nodes_modes"], 5, 9)[0], g.tensor("membership_values", o)
	sets := make([][]float64, len(modes))
	for n, mode := range modes {
		for ; mode == 6 && !math.IsNaN(members[0]); members = members[1:] {
			sets[n] = append(sets[n], members[0])
		}
		if mode == 6 {
			members = members[1:]
		}
	}
	splits, features, missing := g.tensor("nodes_splits", o), g.ints("nodes_featureids"),
		g.ints("nodes_missing_value_tracks_true")
	for _, n := range g.ints("tree_roots") {
		for isLeaf := int64(0); isLeaf == 0; {
			x := row[features[n]]
			side := "false"
			if (modes[n] == 0 && x <= splits[n]) || (modes[n] == 1 && x < splits[n]) ||
				slices.Contains(sets[n], x) || (math.IsNaN(x) && missing[n] == 1) {
				side = "true"
			}
			n, isLeaf = g.ints("nodes_" + side + "nodeids")[n], g.ints("nodes_" + side + "leafs")[n]
		}
		values = append(values, g.tensor("leaf_weights", o)[n])
	}
	return values
}

// TestCategories: sets that are empty, and trees of a leaf alone.
func TestCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, o := range []onnx.Options{{}, {Float64: true}} {
		for i := range 40 {
			m := treetest.Model{Trees: 4, Leaves: 8, Features: 3, Missing: true, Categorical: true, Float32: true,
				Average: i%2 == 0}
			e := m.Make(rng)
			if len(e.CategoricalFeatures()) == 0 {
				continue
			}
			got, deviates := graphOf(write(t, e, o)), onnx.Deviates(e)
			for range 30 {
				row := m.Row(rng, e)
				for f, x := range row {
					if deviates(f, x) {
						row[f] = math.Trunc(x)
					}
				}
				values := got.leaves5(row, o)
				for j := range e.Trees {
					want := float64(float32(e.Trees[j].LeafValue[e.Trees[j].Leaf(row)]))
					require.Equal(t, want, float64(float32(values[j])), "tree %d, %v", j, row)
				}
			}
		}
	}
}

// TestCalibrationIsAnOutput: test/check_exports.py checks its values in ONNX Runtime.
func TestCalibrationIsAnOutput(t *testing.T) {
	e := treetest.Model{Trees: 2, Leaves: 4, Features: 3}.Make(rand.New(rand.NewPCG(1, 4)))
	for _, c := range []*tree.Calibration{nil, {Kind: tree.Platt, A: -1},
		{Kind: tree.Isotonic, Scores: []float64{0, 1}, Probabilities: []float64{0, 1}}} {
		var names []string
		for _, name := range within(write(t, e.Calibrated(c), onnx.Options{}), 7, 12, 1) {
			names = append(names, string(name))
		}
		assert.Equal(t, map[bool][]string{false: {"score"}, true: {"score", "probability"}}[c != nil], names)
	}
}

func TestWriteRefuses(t *testing.T) {
	assert.ErrorIs(t, onnx.Write(io.Discard, &tree.Ensemble{}, onnx.Options{}), onnx.ErrEmpty)
}

// test/check_context.py checks that ONNX Runtime computes the same columns and scores as the model.

// contextual returns a model with the given kinds of query context for 3 features, with or without trees.
func contextual(trees int, kinds ...querycontext.Kind) *tree.Ensemble {
	c := &querycontext.Columns{Raw: 3}
	for _, k := range kinds {
		for f := range 3 {
			if k != querycontext.Count || f == 0 {
				c.List = append(c.List, querycontext.Column{Kind: k, Feature: f})
			}
		}
	}
	e := treetest.Model{Trees: trees, Leaves: 20, Features: c.Len(),
		Missing: true}.Make(rand.New(rand.NewPCG(5, 6)))
	for i, name := range c.Names([]string{"a", "b", "c"}) {
		e.Features[i] = tree.Feature{Name: name}
	}
	e.Context = c
	return e
}

// TestContextLoopsAreShared: loops over rows are the most expensive nodes of a graph. All features share two
// of them, and unused loops are omitted.
func TestContextLoopsAreShared(t *testing.T) {
	e := contextual(40, querycontext.Rank, querycontext.ZScore)
	assert.Equal(t, 2, bytes.Count(write(t, e, onnx.Options{Float64: true}), []byte("Scan")))
	e.Trees = nil
	assert.Zero(t, bytes.Count(write(t, e, onnx.Options{Float64: true}), []byte("Scan")))
}
