package search

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

func writeSolr(w io.Writer, e *tree.Ensemble) error { return WriteSolr(w, e, SolrOptions{Name: "m"}) }

// written is a split or leaf in the file of any engine.
type written struct {
	Leaf                    *float64 `json:"leaf_value"`
	SplitFeature            int      `json:"split_feature"`
	Threshold               json.RawMessage
	DefaultLeft             bool            `json:"default_left"`
	LeftChild               json.RawMessage `json:"left_child"`
	RightChild              json.RawMessage `json:"right_child"`
	Feature, Missing, Value string          // of Solr, as its children
	Left, Right             *written
}

func parse[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, &v), "%s", text)
	return v
}

// elasticLeaves returns the leaves that a row reaches, by the rules of the package documentation.
func elasticLeaves(t *testing.T, text []byte, _ *tree.Ensemble, row []float64) (leaves []float64) {
	type trees struct {
		Model struct {
			Ensemble struct {
				Trees []struct {
					Tree struct {
						Nodes []written `json:"tree_structure"`
					}
				} `json:"trained_models"`
			}
		} `json:"trained_model"`
	}
	for _, one := range parse[trees](t, text).Model.Ensemble.Trees {
		n := one.Tree.Nodes[0]
		for n.Leaf == nil {
			next := n.RightChild
			if x := row[n.SplitFeature]; x <= parse[float64](t, n.Threshold) || math.IsNaN(x) && n.DefaultLeft {
				next = n.LeftChild
			}
			n = one.Tree.Nodes[parse[int](t, next)]
		}
		leaves = append(leaves, *n.Leaf)
	}
	return leaves
}

func vespaLeaves(t *testing.T, text []byte, _ *tree.Ensemble, row []float64) (leaves []float64) {
	type trees struct {
		Trees []struct {
			Root written `json:"tree_structure"`
		} `json:"tree_info"`
	}
	for _, one := range parse[trees](t, text).Trees {
		n := one.Root
		for n.Leaf == nil {
			x, cut, next := row[n.SplitFeature], parse[float64](t, n.Threshold), n.RightChild
			if x < cut || n.DefaultLeft && !(x >= cut) {
				next = n.LeftChild
			}
			n = parse[written](t, next)
		}
		leaves = append(leaves, *n.Leaf)
	}
	return leaves
}

// solrLeaves also requires that a model that is read back gives the same leaves.
func solrLeaves(t *testing.T, text []byte, e *tree.Ensemble, row []float64) (leaves []float64) {
	type model struct {
		Params struct {
			IsNullSameAsZero *bool
			Trees            []struct {
				Weight string
				Root   written
			}
		}
	}
	values := map[string]float32{}
	for i, f := range e.Features {
		values[f.Name] = float32(row[i])
	}
	m := parse[model](t, text)
	for _, one := range m.Params.Trees {
		n := &one.Root
		for n.Feature != "" {
			x, next := values[n.Feature], n.Right
			switch absent := x != x; {
			case absent && m.Params.IsNullSameAsZero != nil && !*m.Params.IsNullSameAsZero:
				next = map[string]*written{"left": n.Left, "right": n.Right}[n.Missing]
			case absent && 0 <= parse[float32](t, []byte(parse[string](t, n.Threshold)))+1e-6,
				x <= parse[float32](t, []byte(parse[string](t, n.Threshold)))+1e-6:
				next = n.Left
			}
			n = next
		}
		leaves = append(leaves, float64(parse[float32](t, []byte(one.Weight))*parse[float32](t, []byte(n.Value))))
	}
	back, err := ReadSolr(text)
	require.NoError(t, err)
	used := make([]float64, len(back.Features))
	for i, f := range back.Features {
		used[i] = float64(values[f.Name])
	}
	for i := range back.Trees {
		require.Equal(t, leaves[i], back.Trees[i].LeafValue[back.Trees[i].Leaf(used)])
	}
	return leaves
}

// TestLeaves: a row reaches the same leaves in the file as in the model, also with missing values, except
// for the values that the package documentation names.
func TestLeaves(t *testing.T) {
	ends := func(*tree.Ensemble) func(int, float64) bool {
		return func(_ int, x float64) bool { return math.IsInf(x, 0) || x == -math.MaxFloat64 }
	}
	highEnd := func(*tree.Ensemble) func(int, float64) bool {
		return func(_ int, x float64) bool { return x >= math.MaxFloat64 }
	}
	for name, of := range map[string]struct {
		write    func(io.Writer, *tree.Ensemble) error
		deviates func(*tree.Ensemble) func(int, float64) bool
		leaves   func(t *testing.T, text []byte, e *tree.Ensemble, row []float64) []float64
		float32  bool
	}{
		"elastic": {WriteElastic, ends, elasticLeaves, false},
		"vespa":   {WriteVespa, highEnd, vespaLeaves, false},
		"solr":    {writeSolr, SolrDeviates, solrLeaves, true},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		deviating := 0
		for i := range 60 {
			m := treetest.Model{Trees: 3, Leaves: 1 + rng.IntN(8), Features: 3, Missing: i%3 > 0, Float32: of.float32}
			e := m.Make(rng)
			deviates := of.deviates(e)
			var text bytes.Buffer
			require.NoError(t, of.write(&text, e))
			for range 30 {
				row := m.Row(rng, e)
				for f, x := range row {
					if deviates(f, x) {
						row[f] = 0
						deviating++
					}
				}
				var want []float64
				for j := range e.Trees {
					leaf := e.Trees[j].LeafValue[e.Trees[j].Leaf(row)]
					if of.float32 {
						leaf = float64(float32(leaf))
					}
					want = append(want, leaf)
				}
				require.Equal(t, want, of.leaves(t, text.Bytes(), e, row), "%s: %v", name, row)
			}
		}
		assert.Positive(t, deviating, name)
	}
}

// TestTexts: the texts of a model of one split. test/check_elastic.py compares whole models with those of
// eland.
func TestTexts(t *testing.T) {
	solr := `{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel","name":"m",` +
		`"features":[{"name":"a"}],"params":{"trees":[{"weight":"1","root":{"feature":"a",` +
		`"threshold":"2.499999","left":{"value":"-0.5"},"right":{"value":"1"}}}]}}` + "\n"
	for _, c := range []struct {
		write func(io.Writer, *tree.Ensemble) error
		text  string
	}{
		{WriteElastic, `{"trained_model":{"ensemble":{"target_type":"regression","feature_names":["a"],` +
			`"trained_models":[
{"tree":{"target_type":"regression","feature_names":["a"],"tree_structure":[{"node_index":0,` +
			`"decision_type":"lte","left_child":1,"right_child":2,"split_feature":0,"threshold":2.5,` +
			`"default_left":true},{"node_index":1,"leaf_value":-0.5},{"node_index":2,"leaf_value":1.0}]}}],` +
			`"aggregate_output":{"weighted_sum":{}}}}}
`},
		{WriteVespa, `{"form":"lambdamart for vespa 1","objective":"lambdarank","feature_names":["a"],` +
			`"feature_infos":{},"pandas_categorical":[],"tree_info":[
{"tree_structure":{"split_feature":0,"threshold":2.5000000000000004,"decision_type":"\u003c",` +
			`"default_left":true,"left_child":{"leaf_value":-0.5},"right_child":{"leaf_value":1.0}}}]}
`},
		{writeSolr, solr},
		{func(w io.Writer, e *tree.Ensemble) error { return WriteSolr(w, e, SolrOptions{Name: "m", Store: "s"}) },
			strings.Replace(solr, `"features"`, `"store":"s","features"`, 1)},
	} {
		var text bytes.Buffer
		require.NoError(t, c.write(&text, treetest.Stump("a", tree.MissingNone, 2.5)))
		assert.Equal(t, c.text, text.String())
	}
	var text bytes.Buffer
	require.NoError(t, WriteElastic(&text, treetest.Stump("a", tree.MissingNaN, math.Inf(1))))
	assert.Contains(t, text.String(), `"threshold":1.7976931348623157e+308,"default_left":false`)
}

func TestWritersRefuse(t *testing.T) {
	for name, c := range map[string]struct{ err, want error }{
		"elastic, no name": {WriteElastic(io.Discard, treetest.Stump("", tree.MissingNone, 1)), engine.ErrName},
		"solr, no name":    {writeSolr(io.Discard, treetest.Stump("", tree.MissingNone, 1)), engine.ErrName},
		"vespa, no name":   {WriteVespa(io.Discard, treetest.Stump("a b", tree.MissingNone, 1)), engine.ErrName},
		"vespa, depth":     {WriteVespa(io.Discard, chain(MaxVespaDepth+1)), ErrDepth},
		"vespa, no fault":  {WriteVespa(io.Discard, chain(MaxVespaDepth)), nil},
	} {
		assert.ErrorIs(t, c.err, c.want, name)
	}
}

// TestSolrSidesOnlyWhereNeeded: the sides of missing values are written only for models that need them,
// because a file without them loads in every version of Solr.
func TestSolrSidesOnlyWhereNeeded(t *testing.T) {
	for sides, c := range map[string]struct {
		decision tree.Decision
		absent   bool // no value is missing
	}{
		`"threshold":"0.499999","missing":"right","left"`: {tree.MissingNaN, false},
		`"params":{"trees":[`:                             {tree.MissingNaN | tree.DefaultLeft, false},
		`"threshold":"0.499999","left"`:                   {tree.MissingNaN, true},
	} {
		var text bytes.Buffer
		o := SolrOptions{Name: "m", NoMissing: c.absent}
		require.NoError(t, WriteSolr(&text, treetest.Stump("a", c.decision, 0.5), o))
		assert.Contains(t, text.String(), sides)
	}
}

func TestSolrDeviations(t *testing.T) {
	const cut = 1.0000000180025095e-35
	want := []Deviation{{Threshold: cut, To: engine.AtMost(cut)}}
	assert.Equal(t, want, Deviations(treetest.Stump("a", tree.MissingNone, cut)))
	assert.Empty(t, Deviations(treetest.Stump("a", tree.MissingNone, 0.5)))
}

// TestVespaThresholds: x < above(t) equals x <= t at the threshold, next to it, and at its float32 neighbors.
func TestVespaThresholds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cuts := []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-35, 1, -1, 0.1, 1e22, -math.MaxFloat64,
		math.Inf(-1), math.MaxFloat32}
	for range 20_000 {
		cuts = append(cuts, rng.NormFloat64()*math.Exp(20*rng.NormFloat64()))
	}
	for _, cut := range cuts {
		f := float32(cut)
		for _, x := range []float64{
			cut, math.Nextafter(cut, math.Inf(1)), math.Nextafter(cut, math.Inf(-1)), 0, math.Inf(1), math.Inf(-1),
			float64(f), float64(math.Nextafter32(f, 1e38)), float64(math.Nextafter32(f, -1e38)),
		} {
			require.Equal(t, x <= cut, x < above(cut), "%v beside %v", x, cut)
		}
	}
	assert.Equal(t, []float64{math.MaxFloat64, math.MaxFloat64}, []float64{above(math.Inf(1)),
		above(math.MaxFloat64)})
}

// TestVespaNames: only names of rank features may be in the expression.
func TestVespaNames(t *testing.T) {
	for _, name := range []string{"a", "Column_3", "bm25(title)", "attribute(price)", "query(age)",
		"fieldMatch(title).queryCompleteness", "term(0).weight",
		"closeness(field,embedding)", "firstPhase", "a(b.c,2).d.e", "foo(0.5)"} {
		assert.Empty(t, rankFeature(name), name)
	}
	for _, name := range []string{"", "1a", "a b", "a+b", "a < 1, 0, 1) + if (a", "a(b", "a(b))", "a()",
		"a(b)c", "a.", "a..b", ".a", "a(b,)", "a(b+c)", "if", "log(a)", "isNan",
		"a(b.)", "ä", "a\n", "a#", "\"a\"", "a(if)", "a-b", "in", "true"} {
		assert.NotEmpty(t, rankFeature(name), name)
	}
}

// The following are parts of models for Solr: a leaf, features and parameters, one tree, and one split with
// a side for missing values.
const leaf = `{"value":"1"}`

func modelOf(features, params string) string {
	return `{"class":"` + class + `","name":"m","features":[` + features + `],"params":` + params + `}`
}

func treeOf(root string) string {
	return modelOf(`{"name":"a"}`, `{"trees":[{"weight":"1","root":`+root+`}]}`)
}

func sidesOf(missing string) string {
	return modelOf(`{"name":"a"}`,
		`{"isNullSameAsZero":false,"trees":[{"weight":1,"root":{"feature":"a","threshold":"1",`+
			missing+`"left":`+leaf+`,"right":`+leaf+`}}]}`)
}

// refused lists texts that are not models.
var refused = []struct {
	name, text string
	want       error
	message    string
}{
	{"empty", "", document.ErrTruncated, "want a value"},
	{"cut", treeOf(leaf)[:120], document.ErrTruncated, "byte 120: "},
	{"two", treeOf(leaf) + "{}", document.ErrSyntax, "want the end of the file"},
	{"other class", `{"class":"org.apache.solr.ltr.model.LinearModel"}`, ErrSolr, "LinearModel"},
	{"no features", modelOf("", `{"trees":[]}`), ErrSolr, "0 features"},
	{"double name", modelOf(`{"name":"a"},{"name":"a"}`, `{"trees":[]}`), engine.ErrName,
		`features[1]: bad feature name: "a"`},
	{"unknown name", treeOf(`{"feature":"b","threshold":"1","left":` + leaf + `,"right":` + leaf + `}`),
		engine.ErrName, `params.trees[0].root.feature: `},
	{"no right", treeOf(`{"feature":"a","threshold":"1","left":` + leaf + `}`), ErrSolr, "a split has"},
	{"deep", treeOf(`{"feature":"a","threshold":"1","right":` + leaf +
		`,"left":{"feature":"a","threshold":"1","left":` + leaf + `,"right":{}}}`), ErrSolr,
		"params.trees[0].root.left.right: "},
	{"no number", treeOf(`{"value":"x"}`), document.ErrNumber, `"x"`},
	{"not a number", treeOf(`{"value":"NaN"}`), document.ErrNumber, `"NaN"`},
	{"too large", treeOf(`{"value":1e39}`), document.ErrNumber, `"1e39"`},
	{"infinite leaf", treeOf(`{"value":"Infinity"}`), nil, "finite"},
	{"no weight", modelOf(`{"name":"a"}`, `{"trees":[{"root":`+leaf+`}]}`), ErrSolr, "a weight and a root"},
	{"other key", modelOf(`{"name":"a"}`, `{"trees":[],"x":1}`), document.ErrUnknownKey, `"x"`},
	{"no side", sidesOf(""), ErrSolr, `params.trees[0].root: not a Solr model of trees: missing is ""`},
	{"bomb", strings.Repeat(`{"params":{"trees":[`, 100_000), document.ErrDepth, ""},
}

func TestReadSolrRefuses(t *testing.T) {
	for _, test := range refused {
		_, err := ReadSolr([]byte(test.text))
		require.Error(t, err, test.name)
		if test.want != nil {
			assert.ErrorIs(t, err, test.want, test.name)
		}
		assert.ErrorContains(t, err, test.message, test.name)
	}
	e, err := ReadSolr([]byte(sidesOf(`"missing":"left",`)))
	require.NoError(t, err)
	assert.Equal(t, tree.MissingNaN|tree.DefaultLeft, e.Trees[0].Decision[0])
}

func FuzzReadSolr(f *testing.F) {
	var text bytes.Buffer
	require.NoError(f, writeSolr(&text, treetest.Stump("a", tree.MissingNaN, 0.5)))
	f.Add(text.Bytes())
	f.Add([]byte(sidesOf(`"missing":"left",`)))
	for _, test := range refused {
		f.Add([]byte(test.text))
	}
	treetest.FuzzRead(f, ReadSolr)
}

// TestVespaCategories: sets of texts are written with the texts of the categorical features alone, and
// categories without texts are refused. A set without texts, which nothing is in, has its right side alone.
func TestVespaCategories(t *testing.T) {
	e := treetest.Stump("price", tree.Categorical, 0)
	e.Features = append(e.Features, tree.Feature{Name: "shop"})
	split := &e.Trees[0]
	split.Feature[0], split.CategoryStart, split.Categories = 1, []int32{0, 1}, []uint32{0b1101}
	require.NoError(t, e.Validate())
	assert.ErrorContains(t, VespaCapabilities.Check(e), "whose categories are numbers: it compares texts")

	e.Dictionaries = map[int][]string{0: {"x"}, 1: {"a", "b", "c,d"}}
	require.NoError(t, VespaCapabilities.Check(e))
	var b strings.Builder
	require.NoError(t, WriteVespa(&b, e))
	assert.Contains(t, b.String(),
		`"feature_infos":{"shop":{"values":[0]}},"pandas_categorical":[["a","b","c,d"]],`)
	assert.Contains(t, b.String(), `{"split_feature":1,"threshold":"0||2","decision_type":"==",`+
		`"default_left":false,"left_child":{"leaf_value"`)
	split.Categories[0] = 0b1000
	b.Reset()
	require.NoError(t, WriteVespa(&b, e))
	assert.NotContains(t, b.String(), "split_feature")
	for _, text := range []string{`a"`, `a\`, "a\n"} {
		e.Dictionaries[1][1] = text
		assert.ErrorIs(t, WriteVespa(&b, e), ErrText)
	}
}

// chain returns a model of one tree of the given depth, each split of which has the next one on its left.
func chain(depth int) *tree.Ensemble {
	var b engine.Builder
	last := b.AddSplit(engine.Split{})
	for i := range depth - 1 {
		node := b.AddSplit(engine.Split{Threshold: float64(-1 - i)})
		b.Join(last, node, b.AddLeaf(engine.Leaf{Value: float64(i)}))
		last = node
	}
	b.Join(last, b.AddLeaf(engine.Leaf{Value: -1}), b.AddLeaf(engine.Leaf{Value: 1}))
	return &tree.Ensemble{Features: []tree.Feature{{Name: "a"}}, Trees: []tree.Tree{b.Finish()}}
}
