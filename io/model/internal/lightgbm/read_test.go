package lightgbm_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// small is a model with every optional line that a numeric model can have.
const small = `tree
version=v3
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=a=b c
monotone_constraints=0 -1
feature_infos=[0:1] none
tree_sizes=280 221

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
split_gain=2 1
threshold=0.5 1.5
decision_type=2 8
left_child=1 -1
right_child=-2 -3
leaf_value=0.25 -0.5 1e-3
leaf_weight=1 2 3
leaf_count=1 2 3
internal_value=0 0
internal_weight=6 4
internal_count=6 4
is_linear=0
shrinkage=0.1


Tree=1
num_leaves=1
num_cat=0
split_feature=
split_gain=
threshold=
decision_type=
left_child=
right_child=
leaf_value=2
leaf_weight=
leaf_count=
internal_value=
internal_weight=
internal_count=
is_linear=0
shrinkage=1


end of trees

feature_importances:
a=b=1
c=1

parameters:
[boosting: gbdt]

end of parameters

pandas_categorical:[["x", "y"]]
`

func read(text string) (*tree.Ensemble, error) { return lightgbm.Read([]byte(text)) }

func TestReadAllThatIsThere(t *testing.T) {
	e, err := read(small)
	require.NoError(t, err)
	assert.Equal(t, "binary sigmoid:1", e.Objective)
	assert.Equal(t, []tree.Feature{{Name: "a=b", Range: "[0:1]"}, {Name: "c", Range: "none", Monotone: -1}},
		e.Features)
	assert.Equal(t, "[boosting: gbdt]\n\n", e.Parameters)
	assert.Equal(t, `[["x", "y"]]`, e.PandasCategorical)
	require.Len(t, e.Trees, 2)
	first := e.Trees[0]
	assert.Equal(t, []tree.Decision{tree.DefaultLeft, tree.MissingNaN}, first.Decision)
	assert.Equal(t, []int64{6, 4}, first.InternalCount)
	assert.Equal(t, 0.1, first.Shrinkage)
	for _, c := range []struct{ a, c, want float64 }{{0.5, 1.5, 2.25}, {0.5, 2, 2.001}, {0.6, 0, 1.5}} {
		got, err := e.ScoreRow([]float64{c.a, c.c})
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

// TestReadOtherShapes reads the same model in the other accepted forms.
func TestReadOtherShapes(t *testing.T) {
	want, err := read(small)
	require.NoError(t, err)
	noSizes := strings.Replace(small, "tree_sizes=280 221\n", "", 1)
	v2 := strings.NewReplacer("version=v3", "version=v2", "\n\nend of trees\n", "\n", "feature_importances",
		"feature importances").Replace(small)
	for name, text := range map[string]string{
		"line ends of Windows": strings.ReplaceAll(small, "\n", "\r\n"),
		"the same, with their sizes": strings.ReplaceAll(strings.Replace(small, "280 221", "299 240", 1), "\n",
			"\r\n"),
		"version 4":                 strings.Replace(small, "=v3", "=v4", 1),
		"version 2":                 strings.Replace(small, "=v3", "=v2", 1),
		"version 2 without an end":  v2,
		"no version":                strings.Replace(small, "version=v3\n", "", 1),
		"no version without an end": strings.Replace(v2, "version=v2\n", "", 1),
		"no sizes":                  noSizes,
		"one blank line":            strings.ReplaceAll(noSizes, "\n\n\n", "\n\n"),
		"no classes of trees":       strings.Replace(small, "num_tree_per_iteration=1\n", "", 1),
		"double spaces":             strings.Replace(noSizes, "threshold=0.5 1.5", "threshold=0.5  1.5 ", 1),
		"no importances":            strings.Replace(small, "feature_importances:\na=b=1\nc=1\n", "", 1),
		"a parser, which is not kept": strings.Replace(small, "\nparameters:",
			"\nparser:\n{}\n\nend of parser\n\nparameters:", 1),
	} {
		got, err := read(text)
		if assert.NoError(t, err, name) {
			assert.Equal(t, want, got, name)
		}
	}
}

// TestAbsentListsAreZero: lists that do not affect scores may be absent, as in LightGBM.
func TestAbsentListsAreZero(t *testing.T) {
	text := small
	for _, line := range []string{"tree_sizes=280 221", "split_gain=2 1", "leaf_weight=1 2 3",
		"leaf_count=1 2 3",
		"internal_value=0 0", "internal_weight=6 4", "internal_count=6 4", "is_linear=0", "shrinkage=0.1"} {
		text = strings.Replace(text, line+"\n", "", 1)
	}
	e, err := read(text)
	require.NoError(t, err)
	assert.Equal(t, []int64{0, 0, 0}, e.Trees[0].LeafCount)
	assert.Equal(t, []float64{0, 0}, e.Trees[0].Gain)
	assert.Equal(t, 1.0, e.Trees[0].Shrinkage)
}

func TestReadFaults(t *testing.T) {
	const ours, columns = "[boosting: gbdt]", "query_context_columns"
	const context = "[" + columns + ": 1;rank=0]"
	cases := []struct {
		old, new string // replaced once in small
		want     error
		line     int
		tree     int
		key      string
	}{
		{small, "", document.ErrTruncated, 0, -1, ""},
		{"tree\n", "forest\n", lightgbm.ErrFormat, 1, -1, ""},
		{"=v3", "=v5", lightgbm.ErrVersion, 2, -1, "version"},
		{"num_class=1", "num_class=3", lightgbm.ErrMulticlass, 3, -1, "num_class"},
		{"num_tree_per_iteration=1", "num_tree_per_iteration=2", lightgbm.ErrMulticlass, 4, -1,
			"num_tree_per_iteration"},
		{"num_class=1\n", "", document.ErrMissing, 1, -1, "num_class"},
		{"label_index=0\n", "", document.ErrMissing, 1, -1, "label_index"},
		{"max_feature_idx=1", "max_feature_idx=2147483647", document.ErrLength, 8, -1, "feature_names"},
		{"max_feature_idx=1", "max_feature_idx=x", document.ErrNumber, 6, -1, "max_feature_idx"},
		{"max_feature_idx=1", "max_feature_idx=-5", document.ErrNumber, 6, -1, "max_feature_idx"},
		{"[0:1] none", "[0:1]", document.ErrLength, 10, -1, "feature_infos"},
		{"=0 -1", "=0 2", document.ErrNumber, 9, -1, "monotone_constraints"},
		{"objective=", "boost_from=2\nobjective=", document.ErrUnknownKey, 7, -1, "boost_from"},
		{"label_index=0", "version=v3", document.ErrUnknownKey, 5, -1, "version"},

		{"Tree=1", "Tree=2", lightgbm.ErrFormat, 32, -1, ""},
		{"num_leaves=3", "num_leaves=2147483647", document.ErrLength, 22, 0, "leaf_value"},
		{"num_leaves=3", "num_leaves=0", document.ErrNumber, 14, 0, "num_leaves"},
		{"num_leaves=3", "num_leaves=2", document.ErrLength, 22, 0, "leaf_value"},
		{"num_leaves=3\n", "", document.ErrMissing, 13, 0, "num_leaves"},
		{"num_cat=0\n", "", document.ErrMissing, 13, 0, "num_cat"},
		{"decision_type=2 8\n", "", document.ErrMissing, 13, 0, "decision_type"},
		{"num_cat=0", "num_cat=1", document.ErrMissing, 13, 0, "cat_boundaries"},
		{"num_cat=0", "num_cat=2147483647\ncat_boundaries=0 1", document.ErrLength, 16, 0, "cat_boundaries"},
		{"num_cat=0", "num_cat=1\ncat_boundaries=0 2147483647\ncat_threshold=1", document.ErrLength, 17, 0,
			"cat_threshold"},
		{"num_cat=0", "num_cat=1\ncat_boundaries=0 -2\ncat_threshold=1", document.ErrNumber, 16, 0,
			"cat_boundaries"},
		{"threshold=0.5 1.5", "threshold=0.5 x", document.ErrNumber, 18, 0, "threshold"},
		{"threshold=0.5 1.5", "threshold=0.5 1e999", document.ErrNumber, 18, 0, "threshold"},
		{"threshold=0.5 1.5", "threshold=0.5", document.ErrLength, 18, 0, "threshold"},
		{"is_linear=0", "is_linear=1", document.ErrMissing, 13, 0, "leaf_const"},
		{"is_linear=0", "is_linear=2", document.ErrNumber, 28, 0, "is_linear"},
		{"is_linear=0", "is_quadratic=1", document.ErrUnknownKey, 28, 0, "is_quadratic"},
		{"is_linear=0", "is_linear=1\nleaf_const=0 0 0\nnum_features=2147483647 2147483647 " +
			"2147483647\nleaf_features=1\nleaf_coeff=1",
			document.ErrLength, 31, 0, "leaf_features"},

		{"280 221", "281 221", lightgbm.ErrTreeSizes, 11, 0, "tree_sizes"},
		{"280 221", "280 220", lightgbm.ErrTreeSizes, 11, 1, "tree_sizes"},
		{"280 221", "280", lightgbm.ErrTreeSizes, 11, -1, "tree_sizes"},
		{"280 221", "280 18446744073709551615", document.ErrNumber, 11, -1, "tree_sizes"},
		{"end of trees\n", "", lightgbm.ErrFormat, 52, -1, ""},
		{"end of parameters\n", "", document.ErrTruncated, 57, -1, ""},
		{"\npandas_categorical:", "\npandas:", lightgbm.ErrFormat, 62, -1, ""},

		// what is visible in the whole tree alone
		{"left_child=1 -1", "left_child=0 -1", nil, 20, 0, "left_child"},           // its own child
		{"left_child=1 -1", "left_child=7 -1", nil, 20, 0, "left_child"},           // no such node
		{"left_child=1 -1", "left_child=-9 -1", nil, 20, 0, "left_child"},          // no such leaf
		{"left_child=1 -1", "left_child=-1 -1", nil, 20, 0, "left_child"},          // node 1 is unreachable
		{"right_child=-2 -3", "right_child=-2 0", nil, 21, 0, "right_child"},       // back to the root
		{"left_child=1 -1", "left_child=-2147483648 -1", nil, 20, 0, "left_child"}, // ^child does not overflow
		{"threshold=0.5 1.5", "threshold=nan 1.5", nil, 18, 0, "threshold"},
		{"decision_type=2 8", "decision_type=2 12", nil, 19, 0, "decision_type"}, // missing type 3
		{"decision_type=2 8", "decision_type=2 16", nil, 19, 0, "decision_type"}, // unknown bit
		{"decision_type=2 8", "decision_type=2 1", nil, 18, 0, "threshold"},      // without categories
		{"split_feature=0 1", "split_feature=0 2", nil, 16, 0, "split_feature"},  // there are two features
		{"split_feature=0 1", "split_feature=-1 1", nil, 16, 0, "split_feature"},
		{"leaf_value=0.25 -0.5", "leaf_value=0.25 +inf", nil, 22, 0, "leaf_value"},
		{"leaf_value=0.25 -0.5 1e-3", "leaf_value=-nan 1 1", nil, 22, 0, "leaf_value"},

		// parameters of ours
		{ours, "[query_context_columns: 2;rank=0]", querycontext.ErrColumns, 58, -1, columns},
		{ours, "[query_context_columns: 3;rank=0-1]", querycontext.ErrColumns, 58, -1, columns},
		{ours, "[query_context_columns: ]", querycontext.ErrColumns, 58, -1, columns},
		{ours, "[query_context_columns: 1;best=0]", querycontext.ErrColumns, 58, -1, columns},
		{ours, "[query_context_columns: 1;rank=99999999]", querycontext.ErrColumns, 58, -1, columns},
		{ours, context + "\n" + context, lightgbm.ErrFormat, 59, -1, columns},
		{ours, "[calibration: platt;1;-1,0]\n[calibration: platt;1;-1,0]", lightgbm.ErrFormat, 59, -1,
			"calibration"},
		{ours, "[calibration: isotonic;2;1,0;0.1,0.25]", lightgbm.ErrFormat, 58, -1, "calibration"},
		{ours, "[calibration: ]", lightgbm.ErrFormat, 58, -1, "calibration"},
		{ours, context + "\n[calibration: ]", lightgbm.ErrFormat, 59, -1, "calibration"},
		{ours, "[category_features: 1]\n[category_features: 1]", lightgbm.ErrFormat, 59, -1, "category_features"},
		{ours, "[category_features: ]", lightgbm.ErrFormat, 0, -1, "category_features"},
		{ours, "[category_features: 9]", lightgbm.ErrFormat, 0, -1, "category_features"},
		{ours, "[category_features: -1]", lightgbm.ErrFormat, 0, -1, "category_features"},
		{ours, "[category_features: 0,1]", lightgbm.ErrFormat, 0, -1, "category_features"},
		{ours, "[category_features: x]", lightgbm.ErrFormat, 0, -1, "category_features"},
		{small[strings.Index(small, ours):], "[category_features: 1]\nend of parameters\n",
			lightgbm.ErrFormat, 0, -1, "category_features"},
	}
	for _, c := range cases {
		require.Contains(t, small, c.old)
		_, err := read(strings.Replace(small, c.old, c.new, 1))
		var fault *lightgbm.Error
		what := fmt.Sprintf("%.30q to %.30q: %v", c.old, c.new, err)
		if assert.ErrorAs(t, err, &fault, what) {
			assert.Equal(t, c.want == nil, errors.As(err, new(*tree.InvalidError)), what)
			if c.want != nil {
				assert.ErrorIs(t, err, c.want, what)
			}
			assert.Equal(t, []any{c.line, c.tree, c.key}, []any{fault.Line, fault.Tree, fault.Key}, what)
		}
	}
}

// TestCutAnywhere: a truncated file is refused, unless only lines after the trees are missing and every
// section is complete.
func TestCutAnywhere(t *testing.T) {
	whole, err := read(small)
	require.NoError(t, err)
	treesEnd := strings.Index(small, "end of trees") + len("end of trees")
	for n := range len(small) {
		e, err := read(small[:n])
		if n < treesEnd {
			require.Error(t, err, "cut at byte %d", n)
			require.Nil(t, e)
		}
		if err == nil {
			require.Equal(t, whole.Trees, e.Trees)
		}
	}
	golden, err := os.ReadFile("testdata/categorical.txt")
	require.NoError(t, err)
	end := bytes.Index(golden, []byte("end of trees"))
	for n := 0; n < end; n += 13 {
		_, err := lightgbm.Read(golden[:n])
		require.Error(t, err, "cut at byte %d", n)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*tree.Ensemble)
		want   error
	}{
		"blank":     {func(e *tree.Ensemble) { e.Features[1].Name = "a b" }, lightgbm.ErrName},
		"line end":  {func(e *tree.Ensemble) { e.Features[1].Name = "a\n" }, lightgbm.ErrName},
		"no name":   {func(e *tree.Ensemble) { e.Features[1].Name = "" }, lightgbm.ErrName},
		"range":     {func(e *tree.Ensemble) { e.Features[1].Range = "[0 : 1]" }, lightgbm.ErrName},
		"objective": {func(e *tree.Ensemble) { e.Objective = "a\naverage_output" }, lightgbm.ErrName},
		"parameters' end": {func(e *tree.Ensemble) { e.Parameters = "[a: 1]\nend of parameters" },
			lightgbm.ErrFormat},
		"two lines of JSON":  {func(e *tree.Ensemble) { e.PandasCategorical = "[\n]" }, lightgbm.ErrFormat},
		"no features at all": {func(e *tree.Ensemble) { e.Features, e.Trees = nil, nil }, document.ErrLength},
	} {
		e, err := read(strings.Replace(small, "a=b", "a", 1))
		require.NoError(t, err)
		c.change(e)
		var out bytes.Buffer
		assert.ErrorIs(t, lightgbm.Write(&out, e), c.want, name)
		assert.Zero(t, out.Len(), name)
	}
}

func TestVersionsDifferInTheHeaderOnly(t *testing.T) {
	e, err := lightgbm.Read([]byte(strings.Replace(small, "a=b", "ab", 1)))
	require.NoError(t, err)
	var v3, v4 bytes.Buffer
	require.NoError(t, lightgbm.Write(&v3, e))
	require.NoError(t, lightgbm.WriteVersion(&v4, e, lightgbm.V4))
	assert.Equal(t, strings.Replace(v3.String(), "version=v3", "version=v4", 1), v4.String())
}

func TestWriteErrorsAreKept(t *testing.T) {
	e, err := read(strings.Replace(small, "a=b", "a", 1))
	require.NoError(t, err)
	full := errors.New("disk full")
	for limit := 0; limit < 700; limit += 100 {
		assert.ErrorIs(t, lightgbm.Write(&aid.Full{Room: limit, Err: full}, e), full)
	}
}

// FuzzRead: no text makes the reader panic or hang. Every accepted model is valid, scores rows, and is read
// back equal after writing.
func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	for _, name := range goldenNames(f, "") {
		text, err := os.ReadFile("testdata/" + name + ".txt")
		require.NoError(f, err)
		f.Add(text)
	}
	for _, parameter := range []string{"[query_context_columns: 1;rank=0]", "[category_features: 0]",
		"[category_features: 0,1]"} {
		f.Add([]byte(strings.Replace(small, "\nend of parameters", "\n"+parameter+"\nend of parameters", 1)))
	}
	f.Add([]byte(strings.Replace(small, `[["x", "y"]]`, `[["x","y"],[1,3.0,2.5,true]]`, 1)))
	f.Add([]byte(strings.Replace(small, "\nparameters:", "\nparser:\n{}\n\nend of parser\n\nparameters:", 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := lightgbm.Read(text)
		if err != nil {
			require.ErrorAs(t, err, new(*lightgbm.Error))
			return
		}
		require.NoError(t, e.Validate())
		row := make([]float64, e.NumFeatures())
		want, err := e.ScoreRow(row)
		require.NoError(t, err)
		var out bytes.Buffer
		if err := lightgbm.Write(&out, e); err != nil {
			require.ErrorAs(t, err, new(*lightgbm.Error))
			return
		}
		back, err := lightgbm.Read(out.Bytes())
		require.NoError(t, err)
		got, err := back.ScoreRow(row)
		require.NoError(t, err)
		treetest.SameBits(t, []float64{want}, []float64{got})
	})
}
