package pmml

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// random returns a model whose first feature is a number, and whose second one is a category of every kind.
func random(seed uint64, texts []string) (*tree.Ensemble, treetest.Model) {
	m := treetest.Model{Trees: 6, Leaves: 9, Features: 2, Missing: true, Categorical: true, Average: seed%2 == 0}
	e := m.Make(rand.New(rand.NewPCG(seed, 1)))
	for i := range e.Trees {
		for node, d := range e.Trees[i].Decision {
			e.Trees[i].Feature[node] = int32(d & tree.Categorical)
		}
	}
	if texts != nil {
		e.Dictionaries = map[int][]string{1: texts}
	}
	return e, m
}

// TestRoundTrip: what is read scores as what was written, and is written as the same bytes.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		texts := [][]string{nil, {"red", "a b", "größer <5>", "", "'&'"}}[seed%2]
		e, m := random(seed, texts)
		rng := rand.New(rand.NewPCG(seed, 2))
		if seed%3 == 0 && e.Trees[0].NumNodes() > 0 && e.Trees[0].Decision[0]&tree.Categorical == 0 {
			e.Trees[0].Threshold[0] = math.Inf(1 - 2*rng.IntN(2))
		}
		var text, again bytes.Buffer
		require.NoError(t, Write(&text, e, "the score"))
		require.True(t, Is(text.Bytes()[:512]))
		back, err := Read(bytes.NewReader(text.Bytes()))
		require.NoError(t, err)
		require.NoError(t, Write(&again, back, "the score"))
		assert.Equal(t, text.String(), again.String())
		if strings.Contains(text.String(), `"string"`) { // the feature is in use
			assert.Equal(t, e.Dictionaries, back.Dictionaries)
		}
		for range 200 {
			row := []float64{m.Value(rng), float64(rng.IntN(len(texts) + 40))}
			if texts != nil {
				row[1] = float64(rng.IntN(len(texts)))
			}
			if rng.IntN(5) == 0 {
				row[rng.IntN(2)] = math.NaN()
			}
			want, err := e.ScoreRow(row)
			require.NoError(t, err)
			got, err := back.ScoreRow(row)
			require.NoError(t, err)
			require.Equal(t, want, got, "%v", row)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	write := func(change func(e *tree.Ensemble), name string) error {
		e, _ := random(1, []string{"red"})
		change(e)
		return Write(io.Discard, e, name)
	}
	for _, name := range []string{"", "a\x00", "\xff", "\uffff"} {
		assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Features[0].Name = name }, "score"), ErrName, "%q", name)
		assert.ErrorIs(t, write(func(*tree.Ensemble) {}, name), ErrName, "%q", name)
	}
	assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Features[0].Name = "f1" }, "score"), ErrName)
	assert.ErrorIs(t, write(func(*tree.Ensemble) {}, "f1"), ErrName)
	assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Dictionaries[1][0] = `"` }, "score"), ErrName)
	assert.ErrorIs(t, write(func(e *tree.Ensemble) {
		clear(e.Trees[0].Feature)
		clear(e.Trees[1].Feature)
		clear(e.Trees[2].Feature)
	}, "score"), ErrMixed)
	linear := treetest.Model{Trees: 1, Leaves: 3, Features: 1, Linear: true}.Make(rand.New(rand.NewPCG(1, 1)))
	assert.ErrorIs(t, Write(io.Discard, linear, "score"), engine.ErrLinear)
}

// TestReadRefuses: a change that no other reader may overlook.
func TestReadRefuses(t *testing.T) {
	e, _ := random(1, nil)
	var text bytes.Buffer
	require.NoError(t, Write(&text, e, "score"))
	for _, change := range [][2]string{
		{"lessOrEqual", "lessThan"}, {"lessOrEqual", "greaterThan"}, {"greaterThan", "greaterOrEqual"}, {`operator="lessOrEqual" value="`, `operator="lessOrEqual" value="x`},
		{"Method=\"sum\"", "Method=\"max\""}, {`score="`, `score="NaN`}, {"defaultChild=\"1\"", "defaultChild=\"3\""}, {`dataType="integer"`, `dataType="string"`},
		{`"isIn"`, `"isNotIn"`}, {`"isNotIn"`, `"isIn"`}, {`type="int">`, `type="int">-1 `}, {`type="int">`, `type="int">2147483647 `}, {`field="f0"`, `field="f2"`}, {"<True/>", ""},
		{"</PMML>", ""}, {"</Node>\n</TreeModel>", "</TreeModel>"}, {"4.4", "4.3"},
	} {
		require.Contains(t, text.String(), change[0])
		_, err := Read(strings.NewReader(strings.Replace(text.String(), change[0], change[1], 1)))
		assert.ErrorIs(t, err, fault.ErrFormat, "%q", change)
	}
}

func FuzzRead(f *testing.F) {
	for seed := range uint64(4) {
		e, _ := random(seed, [][]string{nil, {"red", "a b", "größer <5>", "", "'&'"}}[seed%2])
		var text bytes.Buffer
		require.NoError(f, Write(&text, e, "the score"))
		f.Add(text.Bytes())
		f.Add(bytes.Replace(text.Bytes(), []byte("<DataField"), []byte(`<Value value="a"/><DataField`), 1))
	}
	treetest.FuzzRead(f, Read)
}
