package serving

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// threeFeatures returns a model with features a, b, c. It uses a and c; c may be missing.
func threeFeatures() *tree.Ensemble {
	return &tree.Ensemble{
		Trees:    []tree.Tree{stump(0, 3, 1, tree.MissingNone), stump(2, 5, 0.25, tree.MissingNaN)},
		Features: []tree.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
	}
}

func rankerOf(t *testing.T, m lambdamart.Model) *ranker {
	t.Helper()
	r, err := newRanker(m, 1<<20, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return r
}

// jsonOf returns a list in JSON, with null for NaN.
func jsonOf(list any) []byte {
	numbers, ok := list.([]float64)
	if !ok {
		b, _ := json.Marshal(list)
		return b
	}
	var words []string
	for _, x := range numbers {
		words = append(words, strings.ReplaceAll(strconv.FormatFloat(x, 'g', -1, 64), "NaN", "null"))
	}
	return []byte("[" + strings.Join(words, ",") + "]")
}

// newTensor returns a tensor as decode does.
func newTensor(name string, datatype datatype, shape []int, data []byte) tensor {
	t := tensor{Name: name, Type: datatype, Shape: shape, Data: data}
	if err := t.check(); err != nil {
		panic(err)
	}
	return t
}

// matrixOf returns the input tensor named features.
func matrixOf(width int, values ...float64) tensor {
	return newTensor(featuresInput, fp64, []int{len(values) / width, width}, jsonOf(values))
}

func textsOf(name string, texts ...string) tensor {
	return newTensor(name, bytesType, []int{len(texts)}, jsonOf(texts))
}

func columnOf(name string, values ...float64) tensor {
	return newTensor(name, fp64, []int{len(values)}, jsonOf(values))
}

// TestColumnsThatAreNoFeatures: a document may, but need not, have the column that was the query in the
// training table.
func TestColumnsThatAreNoFeatures(t *testing.T) {
	m := threeFeatures() // b is not used
	m.Parameters = provenance.Format(nil, []param.Setting{{Name: provenance.MadeBy, Value: provenance.Train},
		{Name: provenance.NotFeatures, Value: "1"}})
	r := rankerOf(t, m)
	assert.Equal(t, []string{"a", "c"}, r.names)
	whole := rankerOf(t, threeFeatures())
	assert.Equal(t, []string{"a", "b", "c"}, whole.names)
	want, err := whole.rank(t.Context(), []tensor{matrixOf(3, 1, 0, 9, 4, 0, 2)})
	require.NoError(t, err)
	for _, inputs := range [][]tensor{
		{matrixOf(2, 1, 9, 4, 2)},
		{matrixOf(3, 1, 77, 9, 4, 78, 2)},
		{matrixOf(2, 9, 1, 2, 4), textsOf(featureNames, "c", "a")},
		{columnOf("a", 1, 4), columnOf("c", 9, 2)},
	} {
		got, err := r.rank(t.Context(), inputs)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err = r.rank(t.Context(), []tensor{matrixOf(4, 1, 2, 3, 4)})
	assert.ErrorContains(t, err, "has 4 columns, and the model has 2 features, a to c")
	m.Parameters = strings.ReplaceAll(m.Parameters, "not_features=1", "not_features=0,1,2")
	assert.Equal(t, []string{"a", "c"}, rankerOf(t, m).names, "used ones are needed, whatever a file says")
}

func TestAllFormsScoreAlike(t *testing.T) {
	r := rankerOf(t, threeFeatures())
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 3000 // more than one chunk
	var rows, permuted, a, c []float64
	for range n {
		row := []float64{rng.Float64() * 6, rng.Float64(), rng.Float64() * 10}
		rows, permuted = append(rows, row...), append(permuted, row[2], 99, row[0])
		a, c = append(a, row[0]), append(c, row[2])
	}
	want := make([]float64, n)
	require.NoError(t, threeFeatures().Score(want, rows))
	for name, in := range map[string][]tensor{
		"in order":     {matrixOf(3, rows...)},
		"by name":      {matrixOf(3, permuted...), textsOf(featureNames, "c", "other", "a")},
		"columns":      {columnOf("c", c...), columnOf("a", a...)},
		"with queries": {matrixOf(3, rows...), newTensor(query, "INT64", []int{n}, jsonOf(make([]int64, n)))},
		"columns of pairs": {newTensor("a", fp64, []int{n, 1}, jsonOf(a)), columnOf("c", c...),
			columnOf("more", 1)},
	} {
		got, err := r.rank(context.Background(), in)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestMissingValues(t *testing.T) {
	rows := []float64{1, math.NaN(), math.NaN()} // b is not used, and c may be missing
	want := make([]float64, 1)
	require.NoError(t, threeFeatures().Score(want, rows))
	got, err := rankerOf(t, threeFeatures()).rank(t.Context(), []tensor{matrixOf(3, rows...)})
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestValuesAreBounded: a short request cannot demand much memory. Other refusals are golden
// (serving/testdata/answers.txt).
func TestValuesAreBounded(t *testing.T) {
	r, err := newRanker(threeFeatures(), 6, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = r.rank(t.Context(), []tensor{matrixOf(3, 1, 2, 3, 4, 5, 6)})
	require.NoError(t, err)
	for _, in := range [][]tensor{
		{matrixOf(3, 1, 2, 3, 4, 5, 6, 7, 8, 9)},
		{columnOf("a", 1, 2, 3), columnOf("c", 1, 2, 3)},
		{newTensor(featuresInput, fp64, []int{3, 0}, []byte("[]")),
			newTensor(featureNames, bytesType, []int{0}, []byte("[]"))},
	} {
		_, err = r.rank(t.Context(), in)
		require.ErrorContains(t, err, "3 documents with 3 features are more than the 6 values")
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := rankerOf(t, threeFeatures()).rank(ctx, []tensor{matrixOf(3, 1, 2, 3)})
	assert.Equal(t, http.StatusGatewayTimeout, statusOf(err))
}

// TestQueryContext: with query context, scores depend on the query of each document.
func TestQueryContext(t *testing.T) {
	columns, err := querycontext.ParseColumns("1;zscore=0", 2)
	require.NoError(t, err)
	m := &tree.Ensemble{Trees: []tree.Tree{stump(1, 0, 1, tree.MissingNone)}, Context: columns,
		Features: []tree.Feature{{Name: "a"}, {Name: "zscore"}}}
	r := rankerOf(t, m)
	assert.Equal(t, []string{"a"}, r.names)
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
	got, err := r.rank(context.Background(), []tensor{columnOf("a", values...)})
	require.NoError(t, err)
	assert.Equal(t, want(values), got)
	got, err = r.rank(context.Background(), []tensor{columnOf("a", values...),
		textsOf(query, "p", "p", "p", "q")})
	require.NoError(t, err)
	assert.Equal(t, want(values[:3], values[3:]), got)
	assert.NotEqual(t, want(values), got)
}
