package solr_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/solr"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// solrScore scores as Solr's class does, from the text alone: value <= threshold + slack in float32, and a
// float32 sum. If isNullSameAsZero is false, absent values go to the side that missing names; otherwise
// they are 0.
func solrScore(t *testing.T, text []byte, values map[string]float32) float32 {
	t.Helper()
	var m struct {
		Params struct {
			IsNullSameAsZero *bool
			Trees            []struct {
				Weight float32 `json:",string"`
				Root   map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &m))
	sum := float32(0)
	for _, each := range m.Params.Trees {
		node := each.Root
		for node["feature"] != nil {
			x, present := values[node["feature"].(string)]
			side := "right"
			switch {
			case !present && m.Params.IsNullSameAsZero != nil && !*m.Params.IsNullSameAsZero:
				side = node["missing"].(string)
			case x <= float32Of(t, node["threshold"])+1e-6:
				side = "left"
			}
			node = node[side].(map[string]any)
		}
		sum += each.Weight * float32Of(t, node["value"])
	}
	return sum
}

func float32Of(t *testing.T, text any) float32 {
	t.Helper()
	var f float32
	require.NoError(t, json.Unmarshal([]byte(text.(string)), &f))
	return f
}

// modelScore follows the splits of the model and sums leaf values in float32.
func modelScore(e *tree.Ensemble, row []float64) float32 {
	sum := float32(0)
	for i := range e.Trees {
		sum += float32(e.Trees[i].LeafValue[e.Trees[i].Leaf(row)])
	}
	return sum
}

func present(e *tree.Ensemble, row []float64) map[string]float32 {
	values := map[string]float32{}
	for i, x := range row {
		if !math.IsNaN(x) {
			values[e.Features[i].Name] = float32(x)
		}
	}
	return values
}

// deviates reports whether Solr sends a value of the row to the other side than the model does.
func deviates(list []solr.Deviation, row []float64) bool {
	for _, a := range list {
		if x := float32(row[a.Feature]); a.Above < x && x <= a.To {
			return true
		}
	}
	return false
}

func TestSolrScoresAsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	deviating, checked := 0, 0
	for _, missing := range []bool{false, true} {
		for range 60 {
			m := treetest.Model{Trees: 1 + rng.IntN(10), Leaves: 12, Features: 3, Missing: missing, Float32: true}
			e := m.Make(rng)
			var text bytes.Buffer
			require.NoError(t, solr.Write(&text, e, solr.Options{Name: "m"}))
			back, err := solr.Read(text.Bytes())
			require.NoError(t, err)
			list := solr.Deviations(e)
			for range 30 {
				row := m.Row(rng, e)
				if deviates(list, row) {
					deviating++
					continue
				}
				checked++
				want := modelScore(e, row)
				require.Equal(t, want, solrScore(t, text.Bytes(), present(e, row)))
				require.Equal(t, want, modelScore(back, used(e, back, row)))
			}
		}
	}
	assert.Positive(t, deviating)
	assert.Greater(t, checked, deviating)
}

// used returns the values of the features that back uses, in its order.
func used(e, back *tree.Ensemble, row []float64) []float64 {
	var values []float64
	for _, f := range back.Features {
		for i := range e.Features {
			if e.Features[i].Name == f.Name {
				values = append(values, row[i])
			}
		}
	}
	return values
}

func stump(d tree.Decision, cut float64) *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "a b"}, {Name: "c<\"d\">"}},
		Trees: []tree.Tree{{
			Feature: []int32{1}, Threshold: []float64{cut}, Decision: []tree.Decision{d}, Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0.1, -2},
			Gain: []float64{0}, InternalValue: []float64{0}, InternalWeight: []float64{0}, InternalCount: []int64{0}, LeafWeight: []float64{0, 0}, LeafCount: []int64{0, 0},
		}},
	}
}

func TestText(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, solr.Write(&text, stump(tree.MissingNone, 0.5), solr.Options{Name: "m", Store: "s"}))
	assert.Equal(t, `{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel","name":"m","store":"s",`+
		`"features":[{"name":"c\u003c\"d\"\u003e"}],"params":{"trees":[{"weight":"1","root":{"feature":"c\u003c\"d\"\u003e","threshold":"0.499999",`+
		`"left":{"value":"0.1"},"right":{"value":"-2"}}}]}}`+"\n", text.String())
	text.Reset()
	require.NoError(t, solr.Write(&text, stump(tree.MissingNaN, 0.5), solr.Options{Name: "m"}))
	assert.Contains(t, text.String(), `"params":{"isNullSameAsZero":false,"trees":[`)
	assert.Contains(t, text.String(), `"threshold":"0.499999","missing":"right","left"`)
}

// TestSidesOnlyWhereNeeded: the sides of missing values are written only for models that need them, because
// a file
// without them loads in every version of Solr.
func TestSidesOnlyWhereNeeded(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, solr.Write(&text, stump(tree.MissingNaN|tree.DefaultLeft, 0.5), solr.Options{Name: "m"}))
	assert.NotContains(t, text.String(), "missing")
	require.NoError(t, solr.Write(&text, stump(tree.MissingNaN, 0.5), solr.Options{Name: "m", NoMissing: true}))
	assert.NotContains(t, text.String(), "missing")
}

func TestWriteRefuses(t *testing.T) {
	unnamed := stump(tree.MissingNone, 1)
	unnamed.Features[1].Name = ""
	for _, test := range []struct {
		name    string
		model   *tree.Ensemble
		options solr.Options
		want    error
	}{
		{"no name", stump(tree.MissingNone, 1), solr.Options{}, solr.ErrFormat},
		{"names", unnamed, solr.Options{Name: "m"}, solr.ErrName},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.ErrorIs(t, solr.Write(&bytes.Buffer{}, test.model, test.options), test.want)
		})
	}
}

func TestInexact(t *testing.T) {
	list := solr.Deviations(stump(tree.MissingNone, 1.0000000180025095e-35))
	assert.Equal(t, []solr.Deviation{{Feature: 1, Threshold: 1.0000000180025095e-35, Above: 0, To: engine.AtMost(1.0000000180025095e-35)}}, list)
	assert.Empty(t, solr.Deviations(stump(tree.MissingNone, 0.5)))
}

// The following are parts of models: a leaf, features and parameters, one tree, and one split with a side
// for missing
// values.
const leaf = `{"value":"1"}`

func modelOf(features, params string) string {
	return `{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel","name":"m","features":[` + features + `],"params":` + params + `}`
}

func treeOf(root string) string {
	return modelOf(`{"name":"a"}`, `{"trees":[{"weight":"1","root":`+root+`}]}`)
}

func sidesOf(missing string) string {
	return modelOf(`{"name":"a"}`, `{"isNullSameAsZero":false,"trees":[{"weight":1,"root":{"feature":"a","threshold":"1",`+missing+`"left":`+leaf+`,"right":`+leaf+`}}]}`)
}

// refused lists texts that are not models.
var refused = []struct {
	name, text string
	want       error
	message    string
}{
	{"empty", "", solr.ErrFormat, "byte 0"},
	{"cut", treeOf(leaf)[:120], solr.ErrFormat, "unexpected EOF"},
	{"two", treeOf(leaf) + "{}", solr.ErrFormat, "more text"},
	{"other class", `{"class":"org.apache.solr.ltr.model.LinearModel"}`, solr.ErrFormat, "LinearModel"},
	{"no features", modelOf("", `{"trees":[]}`), solr.ErrFormat, "0 features"},
	{"double name", modelOf(`{"name":"a"},{"name":"a"}`, `{"trees":[]}`), solr.ErrName, `features[1]: bad feature name: "a"`},
	{"unknown name", treeOf(`{"feature":"b","threshold":"1","left":` + leaf + `,"right":` + leaf + `}`), solr.ErrName, `params.trees[0].root: `},
	{"no right", treeOf(`{"feature":"a","threshold":"1","left":` + leaf + `}`), solr.ErrFormat, "a split has"},
	{"deep", treeOf(`{"feature":"a","threshold":"1","right":` + leaf + `,"left":{"feature":"a","threshold":"1","left":` + leaf + `,"right":{}}}`), solr.ErrFormat, "params.trees[0].root.left.right: "},
	{"no number", treeOf(`{"value":"x"}`), document.ErrNumber, `"x"`},
	{"not a number", treeOf(`{"value":"NaN"}`), document.ErrNumber, `"NaN"`},
	{"too large", treeOf(`{"value":1e39}`), document.ErrNumber, `"1e39"`},
	{"infinite leaf", treeOf(`{"value":"Infinity"}`), nil, "finite"},
	{"no weight", modelOf(`{"name":"a"}`, `{"trees":[{"root":`+leaf+`}]}`), solr.ErrFormat, "a weight and a root"},
	{"other key", modelOf(`{"name":"a"}`, `{"trees":[],"x":1}`), solr.ErrFormat, `"x"`},
	{"no side", sidesOf(""), solr.ErrFormat, "params.trees[0].root.missing: "},
	{"bomb", strings.Repeat(`{"params":{"trees":[`, 100_000), solr.ErrFormat, ""},
}

func TestReadRefuses(t *testing.T) {
	for _, test := range refused {
		t.Run(test.name, func(t *testing.T) {
			_, err := solr.Read([]byte(test.text))
			require.Error(t, err)
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
			}
			assert.ErrorContains(t, err, test.message)
		})
	}
	e, err := solr.Read([]byte(sidesOf(`"missing":"left",`)))
	require.NoError(t, err)
	assert.Equal(t, tree.MissingNaN|tree.DefaultLeft, e.Trees[0].Decision[0])
}

func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	require.NoError(f, solr.Write(&text, stump(tree.MissingNaN, 0.5), solr.Options{Name: "m"}))
	f.Add(text.Bytes())
	f.Add([]byte(sidesOf(`"missing":"left",`)))
	for _, test := range refused {
		f.Add([]byte(test.text))
	}
	treetest.FuzzRead(f, solr.Read)
}
