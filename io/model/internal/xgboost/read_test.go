package xgboost_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/internal/xgboost"
	"github.com/lambdamart/lambdamart/tree"
)

func read(text string) (*tree.Ensemble, error) { return xgboost.Read([]byte(text)) }

// small is a model of one split with only the keys that the reader uses.
const small = `{"learner": {"feature_names": ["a", "b"],
"gradient_booster": {"name": "gbtree", "model": {"tree_info": [0], "trees": [
{"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [1, 0, 0],
"split_conditions": [0.5, -1, 2],
"default_left": [1, 0, 0], "loss_changes": [3, 0, 0], "sum_hessian": [6, 2, 4], "base_weights": [0.1, -1, 2],
"tree_param": {"num_nodes": "3"}}]}},
"learner_model_param": {"base_score": "[2.5E-1]", "num_feature": "2"}, "objective": {"name": "rank:ndcg"}}}`

func TestReadAllThatIsThere(t *testing.T) {
	e, err := read(small)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank", e.Objective)
	assert.Equal(t, []tree.Feature{{Name: "a"}, {Name: "b"}}, e.Features)
	require.Len(t, e.Trees, 2)
	assert.Equal(t, []float64{0.25}, e.Trees[0].LeafValue)
	below := float64(math.Nextafter32(0.5, 0))
	assert.Equal(t, tree.Tree{
		Feature: []int32{1}, Threshold: []float64{math.Nextafter((below+0.5)/2, 0)},
		Decision: []tree.Decision{tree.MissingNaN | tree.DefaultLeft},
		Gain:     []float64{3}, Left: []int32{^0}, Right: []int32{^1},
		InternalValue:  []float64{float64(float32(0.1))},
		InternalWeight: []float64{6}, InternalCount: []int64{0},
		LeafValue: []float64{-1, 2}, LeafWeight: []float64{2, 4}, LeafCount: []int64{0, 0}, Shrinkage: 1,
	}, e.Trees[1])
}

func TestTreesAfterTheBestIteration(t *testing.T) {
	for _, c := range []struct {
		old, new string // replaced once in small, after the best iteration 0 of three trees
		kept     string
	}{
		{"", "", "num_iteration_predict=2 "}, // the first tree is the base score
		{"2.5E-1", "0E0", "num_iteration_predict=1 "},
		{`"tree_info"`, `"gbtree_model_param": {"num_parallel_tree": "2"}, "tree_info"`, ""},
		{`"0"}, "feature`, `"2"}, "feature`, ""},
		{`"0"}, "feature`, `"x"}, "feature`, ""},
		{`"0"}, "feature`, `"9223372036854775807"}, "feature`, ""},
		{`"name": "gbtree", "model": {`, `"name": "dart", "weight_drop": [1, 1, 1], "gbtree": {"model": {`,
			"num_iteration_predict=2 "},
	} {
		begin := strings.Index(small, `{"left_children"`)
		end := strings.Index(small, `]}},`)
		stump := small[begin:end]
		text := small[:begin] + stump + "," + stump + "," + stump + small[end:]
		text = strings.Replace(text, `"tree_info": [0]`, `"tree_info": [0, 0, 0]`, 1)
		text = strings.Replace(text, `"feature_names"`, `"attributes": {"best_iteration": "0"}, "feature_names"`, 1)
		text = strings.Replace(text, c.old, c.new, 1)
		if strings.Contains(c.new, "dart") {
			text = strings.Replace(text, `]}},`, `]}}},`, 1)
		}
		e, err := read(text)
		require.NoError(t, err, c.new)
		assert.Equal(t, c.kept != "", e.Remark != "", "%s: %s", c.new, e.Remark)
		assert.Contains(t, e.Remark, c.kept, c.new)
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []fault{
		{small, "", document.ErrTruncated, ""},
		{small, "{", document.ErrTruncated, ""},
		{small, "[]", xgboost.ErrFormat, ""},
		{small, "{}", xgboost.ErrFormat, ""},
		{small, "7", document.ErrKind, ""},
		{`{"learner"`, `{"lerner"`, xgboost.ErrFormat, ""},
		{`"rank:ndcg"`, `"rank:best"`, document.ErrUnsupported, "learner.objective.name"},
		{`"gbtree"`, `"gbforest"`, document.ErrUnsupported, "learner.gradient_booster.name"},
		{`"num_feature"`, `"num_class": "3", "num_feature"`, document.ErrUnsupported,
			"learner.learner_model_param.num_class"},
		{`"num_feature"`, `"num_target": "2", "num_feature"`, document.ErrUnsupported,
			"learner.learner_model_param.num_target"},
		{`[0], "trees"`, `[1], "trees"`, document.ErrUnsupported, "learner.gradient_booster.model.tree_info"},
		{`"num_feature": "2"`, `"num_feature": "3"`, document.ErrLength, "learner.feature_names"},
		{`"num_feature": "2"`, `"num_feature": "99999999999"`, document.ErrNumber,
			"learner.learner_model_param.num_feature"},
		{`"[2.5E-1]"`, `"[2.5E-1,1E0]"`, document.ErrUnsupported, "learner.learner_model_param.base_score"},
		{`"[2.5E-1]"`, `"NaN"`, document.ErrNumber, "learner.learner_model_param.base_score"},
		{`"[2.5E-1]"`, `""`, document.ErrNumber, "learner.learner_model_param.base_score"},
		{`"num_nodes": "3"`, `"num_nodes": "4"`, document.ErrLength,
			"learner.gradient_booster.model.trees[0].tree_param.num_nodes"},
		{`"num_nodes": "3"`, `"num_nodes": "3", "num_deleted": "1"`, xgboost.ErrFormat,
			"learner.gradient_booster.model.trees[0]"},
		{`"num_nodes": "3"`, `"num_nodes": "3", "size_leaf_vector": "4"`, document.ErrUnsupported,
			"learner.gradient_booster.model.trees[0].tree_param.size_leaf_vector"},
		{`"left_children": [1`, `"left_children": [0`, xgboost.ErrFormat,
			"learner.gradient_booster.model.trees[0]"},
		{`"left_children": [1`, `"left_children": [2`, xgboost.ErrFormat,
			"learner.gradient_booster.model.trees[0]"},
		{`"left_children": [1`, `"left_children": [3`, document.ErrNumber,
			"learner.gradient_booster.model.trees[0].left_children[0]"},
		{`"left_children": [1`, `"left_children": [-1`, xgboost.ErrFormat,
			"learner.gradient_booster.model.trees[0]"},
		{`"right_children": [2, -1, -1]`, `"right_children": [2, -1]`, document.ErrLength,
			"learner.gradient_booster.model.trees[0].right_children"},
		{`"split_indices": [1`, `"split_indices": [2`, xgboost.ErrFormat,
			"learner.gradient_booster.model.trees[0]"},
		{`[0.5, -1, 2]`, `[NaN, -1, 2]`, document.ErrNumber, "learner.gradient_booster.model.trees[0]"},
		{`[0.5, -1, 2]`, `[0.5, 1e39, 2]`, document.ErrNumber,
			"learner.gradient_booster.model.trees[0].split_conditions[1]"},
		{`[0.5, -1, 2]`, `[0.5, Infinity, 2]`, engine.ErrModel, ""},
		{`"default_left"`, `"split_type": [1, 0, 0], "default_left"`, xgboost.ErrFormat,
			"learner.gradient_booster.model.trees[0]"},
		{`"default_left"`, categorical(0, 0, 2), xgboost.ErrFormat, "learner.gradient_booster.model.trees[0]"},
		{`"default_left"`, categorical(0, 1, 1), xgboost.ErrFormat, "learner.gradient_booster.model.trees[0]"},
		{`"default_left"`, categorical(1, 0, 1), xgboost.ErrFormat, "learner.gradient_booster.model.trees[0]"},
		{`"default_left"`, categorical(3, 0, 1), document.ErrNumber,
			"learner.gradient_booster.model.trees[0].categories_nodes[0]"},
		{`"default_left": [1`, `"default_left": [2`, document.ErrNumber,
			"learner.gradient_booster.model.trees[0].default_left[0]"},
		{`"sum_hessian"`, `"sums"`, document.ErrMissing, "learner.gradient_booster.model.trees[0]"},
	} {
		c.check(t, small)
	}
}

// fault is a text with something replaced once, and its error.
type fault struct {
	old, new string
	want     error
	where    string
}

func (c *fault) check(t *testing.T, text string) {
	t.Helper()
	require.Contains(t, text, c.old)
	_, err := read(strings.Replace(text, c.old, c.new, 1))
	assert.ErrorIs(t, err, c.want, c.new)
	var located *document.Error
	if assert.ErrorAs(t, err, &located, c.new) {
		assert.Equal(t, c.where, located.Path, "%s: %v", c.new, err)
		assert.NotEqual(t, errors.Is(err, document.ErrFormat), errors.Is(err, document.ErrUnsupported),
			"%v is one of the two", err)
	}
}

// categorical makes node 0 of small a categorical split with the category 2, in parts of which others are
// wrong.
func categorical(node, segment, size int) string {
	return fmt.Sprintf(`"split_type": [1, 0, 0], "categories": [2], "categories_nodes": [%d], `+
		`"categories_segments": [%d], "categories_sizes": [%d], "default_left"`, node, segment, size)
}

// TestReadCategories: XGBoost sends the categories of a split right, and a missing value to the side of the
// file.
func TestReadCategories(t *testing.T) {
	text := strings.Replace(small, `"default_left"`, categorical(0, 0, 1), 1)
	for _, c := range []struct {
		text string
		nan  float64
		size int
	}{{text, -1, 1}, {strings.Replace(text, `"default_left": [1`, `"default_left": [0`, 1), 2, 2}} {
		e, err := read(c.text)
		require.NoError(t, err)
		assert.Equal(t, c.size, e.Trees[1].NumNodes())
		for x, want := range map[float64]float64{0: -1, 1: -1, 2: 2, 3: -1, -1: -1, 1e9: -1, math.NaN(): c.nan} {
			assert.Equal(t, want, e.Trees[1].Score([]float64{0, x}), "%v", x)
		}
	}
}

// TestSetsThatShareCategories: many sets that are the same part of the file need no memory of their own.
func TestSetsThatShareCategories(t *testing.T) {
	const splits = 3000
	list := func(split, leaf string) string {
		return "[" + strings.Repeat(split+",", splits) + strings.Repeat(leaf+",", splits) + leaf + "]"
	}
	var left, right, all []string
	for i := range splits {
		left, right, all = append(left, strconv.Itoa(i+1)), append(right, strconv.Itoa(splits+1+i)),
			append(all, strconv.Itoa(i))
	}
	leaves := strings.Repeat(",-1", splits+1) + "]"
	each := func(value string) string { return "[" + strings.Repeat(value+",", splits-1) + value + "]" }
	text := strings.NewReplacer(
		"[1, -1, -1]", "["+strings.Join(left, ",")+leaves, "[2, -1, -1]", "["+strings.Join(right, ",")+leaves,
		"[1, 0, 0]", list("1", "0"), "[0.5, -1, 2]", list("0", "1"), "[3, 0, 0]", list("3", "0"),
		"[6, 2, 4]", list("6", "2"), "[0.1, -1, 2]", list("0", "1"), `"num_nodes": "3"`,
		fmt.Sprintf(`"num_nodes": "%d"`, 2*splits+1)).Replace(small)
	text = strings.Replace(text, `"default_left"`, `"split_type": `+list("1", "0")+`, "categories": `+each("5")+
		`, "categories_nodes": [`+strings.Join(all, ",")+`], "categories_segments": `+each("0")+
		`, "categories_sizes": `+each(strconv.Itoa(splits))+`, "default_left"`, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e, err := read(text)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	assert.Equal(t, splits, e.Trees[1].NumNodes())
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2*splits*splits), "bytes")
}

// TestLooseNodesAreRefused: unreachable nodes are refused, unless the file declares the same number of
// deleted nodes.
func TestLooseNodesAreRefused(t *testing.T) {
	loose := strings.NewReplacer(`[1, -1, -1]`, `[-1, -1, -1]`, `[2, -1, -1]`, `[-1, -1, -1]`).Replace(small)
	_, err := read(loose)
	assert.ErrorIs(t, err, xgboost.ErrFormat)
	e, err := read(strings.Replace(loose, `"num_nodes": "3"`, `"num_nodes": "3", "num_deleted": "2"`, 1))
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5}, e.Trees[1].LeafValue)
}

// dump is the example in Elasticsearch's documentation. Its features have names.
const dump = `[{"nodeid": 0, "depth": 0, "split": "title", "split_condition": 2, "yes": 1, "no": 2,
"missing": 1, "children": [
{"nodeid": 1, "leaf": 0.5},
{"nodeid": 2, "depth": 1, "split": "age", "split_condition": -1.5, "yes": 3, "no": 4, "missing": 4,
"children": [{"nodeid": 3, "leaf": 1}, {"nodeid": 4, "leaf": 2}]}]}]`

func TestReadDumps(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		text     string
		features []string
		rows     map[[2]float64]float64
	}{
		"array": {dump, []string{"title", "age"}, map[[2]float64]float64{
			{1, 0}: 0.5, {2, 0}: 2, {2, -2}: 1, {2, -1.5}: 2, {nan, 0}: 0.5, {3, nan}: 2}},
		"object": {`{"objective": "rank:ndcg", "splits": ` + dump + "}", []string{"title", "age"},
			map[[2]float64]float64{{nan, 0}: 0.5}},
		"no missing": {strings.Replace(dump, `"missing": 1,`, "", 1), []string{"title", "age"},
			map[[2]float64]float64{{nan, 0}: 2}},
		"missing as zero": {`{"missing_as_zero": true, "splits": ` +
			strings.Replace(dump, `"missing": 1,`, `"missing": 2,`, 1) + "}",
			[]string{"title", "age"}, map[[2]float64]float64{{nan, 0}: 0.5, {3, nan}: 2}},
		"numbers": {strings.NewReplacer("title", "f2", "age", "f0").Replace(dump), []string{"f0", "f1", "f2"}, nil},
		"columns": {strings.NewReplacer("title", "Column_1", "age", "Column_0").Replace(dump),
			[]string{"Column_0", "Column_1"},
			map[[2]float64]float64{{-2, 2}: 1}},
		"names like numbers": {strings.NewReplacer("title", "f2", "age", "f02").Replace(dump),
			[]string{"f2", "f02"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := read(c.text)
			require.NoError(t, err)
			var names []string
			for _, f := range e.Features {
				names = append(names, f.Name)
			}
			assert.Equal(t, c.features, names)
			for row, want := range c.rows {
				got, err := e.ScoreRow(row[:])
				require.NoError(t, err)
				assert.Equal(t, want, got, "%v", row)
			}
		})
	}
}

func TestReadDumpFaults(t *testing.T) {
	for _, c := range []fault{
		{`"yes": 1`, `"yes": 2`, document.ErrNumber, "[0].missing"},
		{`"missing": 4`, `"missing": 5`, document.ErrNumber, "[0].children[1].missing"},
		{`"split_condition": 2,`, "", document.ErrMissing, "[0]"},
		{`"leaf": 1`, `"leaf": 1, "gian": 3`, document.ErrUnknownKey, "[0].children[1].children[0].gian"},
		{`{"nodeid": 3, "leaf": 1},`, "", document.ErrLength, "[0].children[1].children"},
		{`"leaf": 1`, `"leaf": "1"`, document.ErrKind, "[0].children[1].children[0].leaf"},
		{`"age"`, `"age", "split": "age"`, document.ErrUnknownKey, ""},

		{dump, `[{"nodeid": 0, "depth": 0, "split": "f2000000", "split_condition": 2, "yes": 1, "no": 2, ` +
			`"children": [{"nodeid": 1, "leaf": 0}, {"nodeid": 2, "leaf": 0}]}]`, document.ErrNumber, ""},
		{dump, `{"objective": "rank:best", "splits": ` + dump + "}", document.ErrUnsupported, "objective"},
		{dump, `{"splits": []}`, xgboost.ErrFormat, "splits"},
	} {
		c.check(t, dump)
	}
}

// stump returns a model of one split, with statistics that JSON cannot express.
func stump(name string, cut float64) *tree.Ensemble {
	e := treetest.Stump(name, tree.MissingNaN, cut)
	e.Trees[0].Gain[0], e.Trees[0].InternalWeight[0] = math.Inf(1), math.NaN()
	return e
}

func TestWriteRefusesNames(t *testing.T) {
	for _, name := range []string{"", "a[0]", "a]", "a<1"} {
		assert.ErrorIs(t, xgboost.Write(&bytes.Buffer{}, stump(name, 1), xgboost.Dump), engine.ErrName, name)
	}
}

// TestWriteExtremes covers thresholds beyond float32, and numbers that JSON cannot express.
func TestWriteExtremes(t *testing.T) {
	for cut, want := range map[float64]float64{
		math.MaxFloat64: math.MaxFloat32, math.MaxFloat32: math.MaxFloat32, math.Inf(1): math.MaxFloat32,
		math.Inf(-1): -math.MaxFloat32, -math.MaxFloat64: -math.MaxFloat32, 5e-324: math.SmallestNonzeroFloat32,
	} {
		var text bytes.Buffer
		require.NoError(t, xgboost.Write(&text, stump("a", cut), xgboost.Dump))
		assert.Contains(t, text.String(), `"split_condition":`+strconv.FormatFloat(want, 'g', -1, 32)+",", "%v",
			cut)
		_, err := xgboost.Read(text.Bytes())
		assert.NoError(t, err)
	}
	var text bytes.Buffer
	require.NoError(t, xgboost.Write(&text, &tree.Ensemble{}, xgboost.Dump))
	assert.Equal(t, "[\n{\"nodeid\":0,\"leaf\":0.0}]\n", text.String())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(dump))
	f.Add([]byte(`{"objective": "rank:ndcg", "missing_as_zero": true, "splits": ` +
		strings.NewReplacer("title", "f3", "age", "f0").Replace(dump) + "}"))
	for _, objective := range []string{"reg:logistic", "reg:gamma"} {
		f.Add([]byte(strings.Replace(small, "rank:ndcg", objective, 1)))
	}
	f.Add([]byte(strings.Replace(small, `"num_feature"`, `"num_class": "3", "num_feature"`, 1)))
	for _, name := range []string{"1.7.6-pruned.ubj", "3.2.0-ndcg.ubj", "3.2.0-dart.json",
		"1.7.6-categories.json", "3.2.0-categories.json"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		f.Add(data)
	}
	treetest.FuzzRead(f, xgboost.Read)
}

// TestBooleans: XGBoost before 1.6 wrote the default sides as booleans.
func TestBooleans(t *testing.T) {
	sides := regexp.MustCompile(`"default_left":\[[01,]*\]`)
	for _, name := range []string{"ndcg", "dart"} {
		now, err := os.ReadFile("testdata/1.7.6-" + name + ".json")
		require.NoError(t, err)
		require.True(t, sides.Match(now))
		old := sides.ReplaceAllFunc(now, func(list []byte) []byte {
			words := map[string]string{"0": "false", "1": "true"}
			return regexp.MustCompile(`[01]`).ReplaceAllFunc(list, func(digit []byte) []byte {
				return []byte(words[string(digit)])
			})
		})
		want, err := xgboost.Read(now)
		require.NoError(t, err)
		got, err := xgboost.Read(old)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}
