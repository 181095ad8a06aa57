package ranker

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/tree"
)

// stump returns a tree that compares one feature with a threshold: -value at or below it, else value.
func stump(feature int32, threshold, value float64, d tree.Decision) tree.Tree {
	return tree.Tree{
		Feature: []int32{feature}, Threshold: []float64{threshold}, Decision: []tree.Decision{d},
		Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{-value, value},
		InternalCount: []int64{2}, LeafCount: []int64{1, 1}, Gain: []float64{1},
		InternalValue: []float64{0}, InternalWeight: []float64{2}, LeafWeight: []float64{1, 1},
	}
}

// model returns a model with features a, b, c. It uses a and c; c may be missing.
func model() *tree.Ensemble {
	return &tree.Ensemble{
		Trees:    []tree.Tree{stump(0, 3, 1, tree.MissingNone), stump(2, 5, 0.25, tree.MissingNaN)},
		Features: []tree.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
	}
}

func newRanker(t *testing.T, m lambdamart.Model, o Options) *Ranker {
	t.Helper()
	r, err := New(m, o)
	require.NoError(t, err)
	return r
}

// matrixOf returns the input tensor named features.
func matrixOf(width int, values ...float64) oip.Tensor {
	return oip.Tensor{Name: Features, Type: oip.FP64, Shape: []int{len(values) / width, width}, Floats: values}
}

func textsOf(name string, texts ...string) oip.Tensor {
	return oip.Tensor{Name: name, Type: oip.BYTES, Shape: []int{len(texts)}, Texts: texts}
}

func columnOf(name string, values ...float64) oip.Tensor {
	return oip.Tensor{Name: name, Type: oip.FP64, Shape: []int{len(values)}, Floats: values}
}

// TestColumnsThatAreNoFeatures: a document may, but need not, have the column that was the query in the
// training table.
func TestColumnsThatAreNoFeatures(t *testing.T) {
	m := model() // b is not used
	m.Parameters = provenance.Format(nil, []param.Setting{{Name: provenance.MadeBy, Value: provenance.Train}, {Name: provenance.NotFeatures, Value: "1"}})
	r := newRanker(t, m, Options{})
	assert.Equal(t, []string{"a", "c"}, r.FeatureNames())
	whole := newRanker(t, model(), Options{})
	assert.Equal(t, []string{"a", "b", "c"}, whole.FeatureNames())
	want, err := whole.Rank(t.Context(), []oip.Tensor{matrixOf(3, 1, 0, 9, 4, 0, 2)})
	require.NoError(t, err)
	for _, inputs := range [][]oip.Tensor{
		{matrixOf(2, 1, 9, 4, 2)},
		{matrixOf(3, 1, 77, 9, 4, 78, 2)},
		{matrixOf(2, 9, 1, 2, 4), textsOf(featureNames, "c", "a")},
		{columnOf("a", 1, 4), columnOf("c", 9, 2)},
	} {
		got, err := r.Rank(t.Context(), inputs)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err = r.Rank(t.Context(), []oip.Tensor{matrixOf(4, 1, 2, 3, 4)})
	assert.ErrorContains(t, err, "has 4 columns, and the model has 2 features, a to c")
	m.Parameters = strings.ReplaceAll(m.Parameters, "not_features=1", "not_features=0,1,2")
	assert.Equal(t, []string{"a", "c"}, newRanker(t, m, Options{}).FeatureNames(), "used ones are needed, whatever a file says")
}

func TestAllFormsScoreAlike(t *testing.T) {
	r := newRanker(t, model(), Options{})
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 3000 // more than one chunk
	var rows, permuted, a, c []float64
	for range n {
		row := []float64{rng.Float64() * 6, rng.Float64(), rng.Float64() * 10}
		rows, permuted = append(rows, row...), append(permuted, row[2], 99, row[0])
		a, c = append(a, row[0]), append(c, row[2])
	}
	want := make([]float64, n)
	require.NoError(t, model().Score(want, rows))
	for name, in := range map[string][]oip.Tensor{
		"in order":         {matrixOf(3, rows...)},
		"by name":          {matrixOf(3, permuted...), textsOf(featureNames, "c", "other", "a")},
		"columns":          {columnOf("c", c...), columnOf("a", a...)},
		"with queries":     {matrixOf(3, rows...), {Name: query, Type: "INT64", Shape: []int{n}, Ints: make([]int64, n)}},
		"columns of pairs": {{Name: "a", Type: oip.FP64, Shape: []int{n, 1}, Floats: a}, columnOf("c", c...), columnOf("more", 1)},
	} {
		got, err := r.Rank(context.Background(), in)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestRefusals(t *testing.T) {
	r := newRanker(t, model(), Options{MaxValues: 3000})
	for _, c := range []struct {
		want string
		in   []oip.Tensor
	}{
		{"there is no input", nil},
		{"no effect without", []oip.Tensor{textsOf(featureNames, "a")}},
		{"given twice", []oip.Tensor{matrixOf(3, 1, 2, 3), matrixOf(3, 1, 2, 3)}},
		{"send all features in one tensor", []oip.Tensor{matrixOf(3, 1, 2, 3), columnOf("a", 1)}},
		{"has 2 columns, and the model has 3 features, a to c", []oip.Tensor{matrixOf(2, 1, 2)}},
		{"must be [documents, features]", []oip.Tensor{columnOf(Features, 1, 2, 3)}},
		{`feature "c" is missing: the model uses it; is it the unknown "cc"?`, []oip.Tensor{matrixOf(2, 1, 2), textsOf(featureNames, "a", "cc")}},
		{`feature "a" is missing: the model uses it`, []oip.Tensor{matrixOf(1, 1), textsOf(featureNames, "c")}},
		{`feature "a" is given twice`, []oip.Tensor{matrixOf(2, 1, 2), textsOf(featureNames, "a", "a")}},
		{"a name for each of the 2 columns", []oip.Tensor{matrixOf(2, 1, 2), textsOf(featureNames, "a")}},
		{"datatype BYTES", []oip.Tensor{matrixOf(2, 1, 2), columnOf(featureNames, 1, 2)}},
		{`feature "c" is missing`, []oip.Tensor{columnOf("a", 1)}},
		{`input "c" has the shape [2]`, []oip.Tensor{columnOf("a", 1), columnOf("c", 1, 2)}},
		{`input "c" has the shape [1 1 1]`, []oip.Tensor{columnOf("a", 1), {Name: "c", Type: oip.FP64, Shape: []int{1, 1, 1}, Floats: []float64{1}}}},
		{"send numbers", []oip.Tensor{{Name: Features, Type: oip.BYTES, Shape: []int{1, 3}, Texts: []string{"1", "2", "3"}}}},
		{`document 1: feature "a" is missing (NaN), and the model was trained without`, []oip.Tensor{matrixOf(3, 1, 2, 3, math.NaN(), 2, 3)}},
		{"has 1 elements for 2 documents", []oip.Tensor{matrixOf(3, 1, 2, 3, 1, 2, 3), textsOf(query, "q")}},
		{"has 3 elements for 2 documents", []oip.Tensor{matrixOf(3, 1, 2, 3, 1, 2, 3), textsOf(query, "p", "p", "p")}},
		{`the documents of query "p" do not follow each other`, []oip.Tensor{matrixOf(3, 1, 2, 3, 1, 2, 3, 1, 2, 3), textsOf(query, "p", "q", "p")}},
		{"more than the 3000 values", []oip.Tensor{{Name: Features, Type: oip.FP64, Shape: []int{1 << 30, 0}}, textsOf(featureNames)}},
	} {
		_, err := r.Rank(context.Background(), c.in)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestMissingValues(t *testing.T) {
	rows := []float64{1, math.NaN(), math.NaN()} // b is not used, and c may be missing
	want := make([]float64, 1)
	require.NoError(t, model().Score(want, rows))
	got, err := newRanker(t, model(), Options{}).Rank(context.Background(), []oip.Tensor{matrixOf(3, rows...)})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	rows[0] = math.NaN()
	require.NoError(t, model().Score(want, rows))
	got, err = newRanker(t, model(), Options{NaNAsZero: true}).Rank(context.Background(), []oip.Tensor{matrixOf(3, rows...)})
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestNamesCanBeRequired(t *testing.T) {
	r := newRanker(t, model(), Options{NeedNames: true})
	_, err := r.Rank(context.Background(), []oip.Tensor{matrixOf(3, 1, 2, 3)})
	require.ErrorContains(t, err, "feature_names")
	_, err = r.Rank(context.Background(), []oip.Tensor{matrixOf(3, 1, 2, 3), textsOf(featureNames, "a", "b", "c")})
	require.NoError(t, err)
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := newRanker(t, model(), Options{}).Rank(ctx, []oip.Tensor{matrixOf(3, 1, 2, 3)})
	assert.Equal(t, http.StatusGatewayTimeout, oip.ErrorOf(err).Status)
}

// TestQueryContext: with query context, scores depend on the query of each document.
func TestQueryContext(t *testing.T) {
	columns, err := querycontext.ParseColumns("1;zscore=0", 2)
	require.NoError(t, err)
	m := &tree.Ensemble{Trees: []tree.Tree{stump(1, 0, 1, tree.MissingNone)}, Context: columns,
		Features: []tree.Feature{{Name: "a"}, {Name: "zscore"}}}
	r := newRanker(t, m, Options{})
	assert.Equal(t, []string{"a"}, r.FeatureNames())
	values := []float64{3, 1, 2, 5}
	want := func(groups ...[]float64) (all []float64) {
		for _, g := range groups {
			rows := make([][]float64, len(g))
			for i := range g {
				rows[i] = g[i : i+1]
			}
			scores, err := lambdamart.ScoreQuery(m, rows)
			require.NoError(t, err)
			all = append(all, scores...)
		}
		return all
	}
	got, err := r.Rank(context.Background(), []oip.Tensor{columnOf("a", values...)})
	require.NoError(t, err)
	assert.Equal(t, want(values), got)
	got, err = r.Rank(context.Background(), []oip.Tensor{columnOf("a", values...), textsOf(query, "p", "p", "p", "q")})
	require.NoError(t, err)
	assert.Equal(t, want(values[:3], values[3:]), got)
	assert.NotEqual(t, want(values), got)
}
