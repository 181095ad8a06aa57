package serving

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/provenance"
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

func newTensor(name, datatype string, shape []int, data []byte) tensor {
	return tensor{Name: name, Type: datatype, Shape: shape, Data: data}
}

// rank returns the scores of a request with these inputs.
func rank(ctx context.Context, r *ranker, inputs ...tensor) ([]float64, error) {
	body, err := json.Marshal(inferRequest{Inputs: inputs})
	if err != nil {
		return nil, err
	}
	request, err := decode(body)
	if err != nil {
		return nil, err
	}
	var response inferResponse
	if err := r.answer(ctx, request, &response); err != nil {
		return nil, err
	}
	return response.Outputs[0].Data, nil
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
	want, err := rank(t.Context(), whole, matrixOf(3, 1, 0, 9, 4, 0, 2))
	require.NoError(t, err)
	for _, inputs := range [][]tensor{
		{matrixOf(2, 1, 9, 4, 2)},
		{matrixOf(3, 1, 77, 9, 4, 78, 2)},
		{matrixOf(2, 9, 1, 2, 4), textsOf(featureNames, "c", "a")},
		{columnOf("a", 1, 4), columnOf("c", 9, 2)},
	} {
		got, err := rank(t.Context(), r, inputs...)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err = rank(t.Context(), r, matrixOf(4, 1, 2, 3, 4))
	assert.ErrorContains(t, err, "has 4 columns, and the model has 2 features, a to c")
	m.Parameters = strings.ReplaceAll(m.Parameters, "not_features=1", "not_features=0,1,2")
	assert.Equal(t, []string{"a", "c"}, rankerOf(t, m).names, "used ones are needed, whatever a file says")
}

// TestNamesOfTwoFeatures: a name that two features have is refused only if the model uses one of them. See
// serving/testdata/answers.txt for those that are used.
func TestNamesOfTwoFeatures(t *testing.T) {
	m := threeFeatures() // a and c are used
	m.Features = append(m.Features, tree.Feature{Name: "b"})
	want, err := rank(t.Context(), rankerOf(t, m), matrixOf(4, 1, 0, 9, 0))
	require.NoError(t, err)
	got, err := rank(t.Context(), rankerOf(t, m), columnOf("c", 9), columnOf("b", 7), columnOf("a", 1))
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestValuesAreBounded: a short request cannot demand much memory. Other refusals are golden
// (serving/testdata/answers.txt).
func TestValuesAreBounded(t *testing.T) {
	r, err := newRanker(threeFeatures(), 6, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = rank(t.Context(), r, matrixOf(3, 1, 2, 3, 4, 5, 6))
	require.NoError(t, err)
	for _, in := range [][]tensor{
		{matrixOf(3, 1, 2, 3, 4, 5, 6, 7, 8, 9)},
		{columnOf("a", 1, 2, 3), columnOf("c", 1, 2, 3)},
		{newTensor(featuresInput, fp64, []int{3, 0}, []byte("[]")),
			newTensor(featureNames, bytesType, []int{0}, []byte("[]"))},
	} {
		_, err = rank(t.Context(), r, in...)
		require.ErrorContains(t, err, "3 documents with 3 features are more than the 6 values")
	}
}

// TestRequestOfManyDocuments: chunks of a request are scored as its documents are one by one.
func TestRequestOfManyDocuments(t *testing.T) {
	values, want := make([]float64, 3*(2*chunk+7)), make([]float64, 2*chunk+7)
	for i := range values {
		values[i] = float64(i * 37 % 11)
	}
	require.NoError(t, threeFeatures().Score(want, values))
	got, err := rank(t.Context(), rankerOf(t, threeFeatures()), matrixOf(3, values...))
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := rank(ctx, rankerOf(t, threeFeatures()), matrixOf(3, 1, 2, 3))
	assert.Equal(t, http.StatusGatewayTimeout, statusOf(err))
}
