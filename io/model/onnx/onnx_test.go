package onnx_test

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/onnx"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// test/check_exports.py checks that runtimes read these files and score like the model. The tests here
// check that the reader is the inverse of the writer.

func write(t testing.TB, e *tree.Ensemble, o onnx.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, onnx.Write(&b, e, o))
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, options := range []onnx.Options{{}, {Float64: true}} {
		for i := range 60 {
			m := treetest.Model{Trees: rng.IntN(8), Leaves: 12, Features: 3, Missing: true, Average: i%2 == 0, Float32: !options.Float64}
			e := m.Make(rng)
			back, err := onnx.Read(bytes.NewReader(write(t, e, options)))
			require.NoError(t, err)
			assert.Equal(t, e.Features, back.Features)
			require.Equal(t, max(1, len(e.Trees)), len(back.Trees))
			for range 50 {
				row := m.Row(rng, e)
				for j := range e.Trees {
					leaf := e.Trees[j].Leaf(row)
					require.Equal(t, leaf, back.Trees[j].Leaf(row))
					want := e.Trees[j].LeafValue[leaf]
					if !options.Float64 {
						want = float64(float32(want))
					}
					require.Equal(t, want, back.Trees[j].LeafValue[leaf])
				}
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	refused := func(m treetest.Model, want error) {
		m.Trees, m.Leaves, m.Features = 20, 20, 3
		assert.ErrorIs(t, onnx.Write(io.Discard, m.Make(rng), onnx.Options{Float64: true}), want)
	}
	refused(treetest.Model{Categorical: true}, engine.ErrCategorical)
	refused(treetest.Model{Linear: true}, engine.ErrLinear)
	refused(treetest.Model{ZeroMissing: true}, engine.ErrZeroMissing)
	large := treetest.Model{Trees: 1, Leaves: 1, Features: 1}.Make(rng)
	large.Trees[0].LeafValue[0] = 1e39
	assert.ErrorIs(t, onnx.Write(io.Discard, large, onnx.Options{}), engine.ErrRange)
	assert.NoError(t, onnx.Write(io.Discard, large, onnx.Options{Float64: true}))
	assert.ErrorIs(t, onnx.Write(io.Discard, &tree.Ensemble{}, onnx.Options{}), onnx.ErrLength)
}

func model() *tree.Ensemble {
	return treetest.Model{Trees: 3, Leaves: 6, Features: 2, Missing: true, Float32: true}.Make(rand.New(rand.NewPCG(5, 6)))
}

// TestEveryPrefixIsRefused: a file that ends early is not read as a shorter model.
func TestEveryPrefixIsRefused(t *testing.T) {
	text := write(t, model(), onnx.Options{})
	graphEnd := bytes.LastIndex(text, []byte("rows")) // the rest: opsets and metadata
	for n := range text {
		_, err := onnx.Read(bytes.NewReader(text[:n]))
		if n < graphEnd {
			require.Error(t, err, "%d of %d bytes", n, len(text))
		}
	}
}

func TestReadRefuses(t *testing.T) {
	text := string(write(t, model(), onnx.Options{}))
	replaced := func(old, new string) string {
		require.Len(t, new, len(old))
		return string(bytes.Replace([]byte(text), []byte(old), []byte(new), 1))
	}
	for _, test := range []struct {
		name, text string
		want       error
		message    string
	}{
		{"empty", "", onnx.ErrFormat, "no graph"},
		{"text", "tree\nversion=v3\n", onnx.ErrFormat, ""},
		{"other operator", replaced("TreeEnsembleRegressor", "TreeEnsembleClassifie"), onnx.ErrUnsupported, "TreeEnsembleClassifie"},
		{"other domain", replaced("ai.onnx.ml", "ai.onnx.xx"), onnx.ErrUnsupported, "ai.onnx.xx"},
		{"other mode", replaced("BRANCH_LEQ", "BRANCH_NEQ"), onnx.ErrUnsupported, "BRANCH_NEQ"},
		{"other aggregate", replaced("\x03SUM", "\x03MAX"), onnx.ErrUnsupported, "MAX"},
		{"other transform", replaced("NONE", "SOFT"), onnx.ErrUnsupported, "SOFT"},
		{"missing list", replaced("nodes_featureids", "nodes_featureidz"), onnx.ErrLength, "nodes_featureids"},
		{"names", replaced(`["f0","f1"]`, `["f0"     ]`), onnx.ErrLength, "1 have names"},
		{"names that are none", replaced(`["f0","f1"]`, `["f0","f1"}`), onnx.ErrFormat, "feature_names"},
		{"tree of two roots", replaced("LEAF", "XEAF"), onnx.ErrUnsupported, "XEAF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := onnx.Read(bytes.NewReader([]byte(test.text)))
			require.ErrorIs(t, err, test.want)
			assert.ErrorContains(t, err, test.message)
		})
	}
	_, err := onnx.Read(iotest.ErrReader(io.ErrClosedPipe))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

// strict returns a file whose splits are x < c instead of x <= c, as XGBoost's are.
func strict(file []byte) []byte {
	return rewritten(file, []protowire.Number{7, 1, 5, 9}, func(mode []byte) []byte { // the strings of an attribute of a node of the graph
		return bytes.Replace(mode, []byte("BRANCH_LEQ"), []byte("BRANCH_LT"), 1)
	})
}

// rewritten returns a message whose fields at the end of a path of numbers are changed.
func rewritten(message []byte, path []protowire.Number, change func([]byte) []byte) []byte {
	if len(path) == 0 {
		return change(message)
	}
	var out []byte
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeField(message)
		field := message[:n]
		if number == path[0] && kind == protowire.BytesType {
			_, _, key := protowire.ConsumeTag(field)
			value, _ := protowire.ConsumeBytes(field[key:])
			field = protowire.AppendBytes(protowire.AppendTag(nil, number, kind), rewritten(value, path[1:], change))
		}
		out, message = append(out, field...), message[n:]
	}
	return out
}

func TestReadStrict(t *testing.T) {
	const cut = 2.5
	e, err := onnx.Read(bytes.NewReader(strict(write(t, treetest.Stump("a", tree.MissingNaN, cut), onnx.Options{}))))
	require.NoError(t, err)
	for _, c := range []struct{ x, want float64 }{{float64(math.Nextafter32(cut, 0)), -0.5}, {cut, 1}} {
		got, err := e.ScoreRow([]float64{c.x})
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c.x)
	}
	wide := strict(write(t, treetest.Stump("a", tree.MissingNaN, cut), onnx.Options{Float64: true}))
	_, err = onnx.Read(bytes.NewReader(wide))
	assert.ErrorIs(t, err, onnx.ErrUnsupported, "the number before c is not known of float64 that were computed in float32")
	unbounded := strict(write(t, treetest.Stump("a", tree.MissingNaN, math.Inf(-1)), onnx.Options{}))
	_, err = onnx.Read(bytes.NewReader(unbounded))
	assert.ErrorIs(t, err, onnx.ErrUnsupported)
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, model(), onnx.Options{}))
	f.Add(write(f, model(), onnx.Options{Float64: true}))
	f.Add(write(f, contextual(1, querycontext.Rank, querycontext.Count), onnx.Options{Float64: true}))
	f.Add(strict(write(f, model(), onnx.Options{})))
	treetest.FuzzRead(f, onnx.Read)
}
