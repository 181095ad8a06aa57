package serving

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Answers to whole requests are in serving/testdata/answers.txt.

// requestOf returns a request with one input.
func requestOf(datatype, shape, data string) []byte {
	return fmt.Appendf(nil, `{"inputs":[{"name":"x","datatype":%q,"shape":%s,"data":%s}]}`,
		datatype, shape, data)
}

// inputOf returns the input of a request.
func inputOf(body []byte) (*tensor, error) {
	r, err := decode(body)
	if err != nil {
		return nil, err
	}
	in := &r.Inputs[0]
	if r.columns != nil {
		err = in.read()
	}
	return in, err
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		datatype, shape, data string
		want                  []float64
	}{
		{"FP64", "[2,2]", "[1,2.5,-3e2,4]", []float64{1, 2.5, -300, 4}},
		{"FP64", "[2,2]", "[[1,2.5],[-3e2,4]]", []float64{1, 2.5, -300, 4}},
		{"FP64", "[2, 1]", " [ [1 ] ,\n[ 2] ] ", []float64{1, 2}},
		{"FP64", "[1]", "[0.1]", []float64{0.1}},
		{"FP32", "[1]", "[0.1]", []float64{float64(float32(0.1))}},
		{"FP64", "[0,3]", "[]", []float64{}},
		{"FP64", "[1,0]", "[[]]", []float64{}},
		{"INT64", "[2]", "[9007199254740992,-1]", []float64{1 << 53, -1}},
		{"INT8", "[2]", "[127,-128]", []float64{127, -128}},
		{"UINT8", "[2]", "[255,0]", []float64{255, 0}},
		{"BOOL", "[4]", "[true,false,1,0]", []float64{1, 0, 1, 0}},
	} {
		got, err := inputOf(requestOf(c.datatype, c.shape, c.data))
		require.NoError(t, err, c)
		assert.Equal(t, c.want, got.numbers, c)
	}
	got, err := inputOf(requestOf("FP64", "[3]", "[1,null,2]"))
	require.NoError(t, err)
	assert.True(t, math.IsNaN(got.numbers[1]), "null is a missing value")
	for _, refused := range [][]byte{requestOf("UINT64", "[1]", "[9223372036854775808]"),
		requestOf("FP32", "[1]", "[1e39]"),
		requestOf("INT64", "[1]", "[9007199254740993]"), requestOf("INT64", "[1]", "[-9223372036854775808]"),
		requestOf("BOOL", "[1]", "[2]"),
		requestOf("INT8", "[1]", "[true]"),
		requestOf("FP64", "[2,1,1]", "[[1],[2]]"), requestOf("FP64", "[2,1]", "[[1],2]"),
		requestOf("FP64", "[1]", `["]"]`)} {
		_, err := inputOf(refused)
		assert.Error(t, err, string(refused))
	}
	_, err = inputOf(requestOf("FP64", "[2]", `[1,"Bags"]`))
	assert.ErrorContains(t, err, "texts of categories are sent as BYTES in an input with the name of their f")
}

// TestTexts: ids of queries are texts, so that large integers differ.
func TestTexts(t *testing.T) {
	query := func(datatype, data string) []byte {
		return bytes.Replace(requestOf(datatype, "[2]", data), []byte(`"x"`), []byte(`"query"`), 1)
	}
	for _, c := range []struct {
		datatype, data string
		want           []string
	}{
		{"INT64", "[9223372036854775807,-1]", []string{"9223372036854775807", "-1"}},
		{"UINT64", "[9223372036854775807,0]", []string{"9223372036854775807", "0"}},
		{"BYTES", `["a,]","b"]`, []string{"a,]", "b"}},
	} {
		got, err := inputOf(query(c.datatype, c.data))
		require.NoError(t, err, c)
		assert.Equal(t, c.want, got.texts, c)
	}
	_, err := inputOf(query("FP64", "[1,2]"))
	assert.ErrorContains(t, err, "send BYTES or integers")
	_, err = inputOf(query("INT8", "[1,200]"))
	assert.ErrorContains(t, err, "element 1 is 200, which is not a number of type INT8")
}

func FuzzDecode(f *testing.F) {
	f.Add(requestOf("FP64", "[2,2]", "[[1,2.5],[-3e2,null]]"))
	f.Add(requestOf("BYTES", "[2]", `["a","b"]`))
	f.Add(requestOf("BOOL", "[2]", "[true,false]"))
	f.Add([]byte(`{"inputs":[],"outputs":[{"name":"score","parameters":{"binary_data":true,` +
		`"classification":1}}]}`))
	for datatype := range kinds {
		f.Add(requestOf(datatype, "[2]", "[1,0]"))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(body)
		if err != nil {
			require.Equal(t, http.StatusBadRequest, statusOf(err))
			require.Less(t, len(err.Error()), 300+8*len(body), strings.ToValidUTF8(err.Error(), "?"))
			return
		}
		for i := range r.Inputs {
			in := &r.Inputs[i]
			require.NotEmpty(t, in.Shape)
			if slices.Contains(r.columns, in) && in.read() != nil {
				continue
			}
			require.True(t, len(in.numbers) == in.n || len(in.texts) == in.n)
		}
	})
}
