package oip

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Answers to whole requests are in serving/testdata/answers.txt.

// jsonOf returns a request with one input.
func jsonOf(datatype, shape, data string) []byte {
	return fmt.Appendf(nil, `{"inputs":[{"name":"x","datatype":%q,"shape":%s,"data":%s}]}`, datatype, shape, data)
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		datatype, shape, data string
		floats                []float64
		ints                  []int64
		texts                 []string
	}{
		{"FP64", "[2,2]", "[1,2.5,-3e2,4]", []float64{1, 2.5, -300, 4}, nil, nil},
		{"FP64", "[2,2]", "[[1,2.5],[-3e2,4]]", []float64{1, 2.5, -300, 4}, nil, nil},
		{"FP64", "[2, 1]", " [ [1 ] ,\n[ 2] ] ", []float64{1, 2}, nil, nil},
		{"FP64", "[1,2,1]", "[[[1],[2]]]", []float64{1, 2}, nil, nil},
		{"FP64", "[1]", "[0.1]", []float64{0.1}, nil, nil},
		{"FP32", "[1]", "[0.1]", []float64{float64(float32(0.1))}, nil, nil},
		{"FP64", "[0,3]", "[]", []float64{}, nil, nil},
		{"FP64", "[1,0]", "[[]]", []float64{}, nil, nil},
		{"INT64", "[2]", "[9223372036854775807,-1]", nil, []int64{math.MaxInt64, -1}, nil},
		{"INT8", "[2]", "[127,-128]", nil, []int64{127, -128}, nil},
		{"UINT8", "[2]", "[255,0]", nil, []int64{255, 0}, nil},
		{"UINT64", "[1]", "[9223372036854775807]", nil, []int64{math.MaxInt64}, nil},
		{"BOOL", "[2]", "[true,false]", nil, []int64{1, 0}, nil},
		{"BYTES", "[2]", `["a,]","b"]`, nil, nil, []string{"a,]", "b"}},
	} {
		r, err := Decode(jsonOf(c.datatype, c.shape, c.data))
		require.NoError(t, err, c)
		got := r.Inputs[0]
		assert.Equal(t, c.floats, got.Floats, c)
		assert.Equal(t, c.ints, got.Ints, c)
		assert.Equal(t, c.texts, got.Texts, c)
	}
	r, err := Decode(jsonOf("FP64", "[3]", "[1,null,2]"))
	require.NoError(t, err)
	assert.True(t, math.IsNaN(r.Inputs[0].Floats[1]), "null is a missing value")
	for _, refused := range [][]byte{jsonOf("UINT64", "[1]", "[9223372036854775808]"), jsonOf("FP32", "[1]", "[1e39]"),
		jsonOf("FP64", "[2,1,1]", "[[1],[2]]"), jsonOf("FP64", "[2,1]", "[[1],2]")} {
		_, err := Decode(refused)
		assert.Error(t, err, string(refused))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(jsonOf("FP64", "[2,2]", "[[1,2.5],[-3e2,null]]"))
	f.Add(jsonOf("BYTES", "[2]", `["a","b"]`))
	f.Add(jsonOf("BOOL", "[2]", "[true,false]"))
	f.Add([]byte(`{"inputs":[],"outputs":[{"name":"score","parameters":{"binary_data":true,"classification":1}}]}`))
	for datatype := range forms {
		f.Add(jsonOf(string(datatype), "[2]", "[1,0]"))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Decode(body)
		if err != nil {
			require.Equal(t, http.StatusBadRequest, ErrorOf(err).Status)
			require.Less(t, len(err.Error()), 300+8*len(body), strings.ToValidUTF8(err.Error(), "?"))
			return
		}
		for i := range r.Inputs {
			in, n := &r.Inputs[i], 1
			for _, length := range in.Shape {
				n *= length
			}
			require.Equal(t, n, in.Len())
			require.NotEmpty(t, in.Shape)
		}
	})
}
