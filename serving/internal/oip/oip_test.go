package oip

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// jsonOf returns a JSON request with one input.
func jsonOf(datatype, shape, data string) string {
	return fmt.Sprintf(`{"inputs":[{"name":"x","datatype":%q,"shape":%s,"data":%s}]}`, datatype, shape, data)
}

func TestDecodeJSON(t *testing.T) {
	for _, c := range []struct {
		datatype, shape, data string
		floats                []float64
		ints                  []int64
		texts                 []string
	}{
		{"FP64", "[2,2]", "[1,2.5,-3e2,4]", []float64{1, 2.5, -300, 4}, nil, nil},
		{"FP64", "[2,2]", "[[1,2.5],[-3e2,4]]", []float64{1, 2.5, -300, 4}, nil, nil},
		{"FP64", "[2, 1]", " [ [1 ] ,\n[ 2] ] ", []float64{1, 2}, nil, nil},
		{"FP64", "[1]", "[0.1]", []float64{0.1}, nil, nil},
		{"FP32", "[1]", "[0.1]", []float64{float64(float32(0.1))}, nil, nil},
		{"FP64", "[0,3]", "[]", []float64{}, nil, nil},
		{"INT64", "[2]", "[9223372036854775807,-1]", nil, []int64{math.MaxInt64, -1}, nil},
		{"UINT8", "[2]", "[255,0]", nil, []int64{255, 0}, nil},
		{"BOOL", "[2]", "[true,false]", nil, []int64{1, 0}, nil},
		{"BYTES", "[2]", `["a,]","b"]`, nil, nil, []string{"a,]", "b"}},
	} {
		r, err := DecodeJSON([]byte(jsonOf(c.datatype, c.shape, c.data)), -1)
		require.NoError(t, err, c)
		got := r.Inputs[0]
		assert.Equal(t, c.floats, got.Floats, c)
		assert.Equal(t, c.ints, got.Ints, c)
		assert.Equal(t, c.texts, got.Texts, c)
	}
}

func TestNullIsMissing(t *testing.T) {
	r, err := DecodeJSON([]byte(jsonOf("FP64", "[3]", "[1,null,2]")), -1)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(r.Inputs[0].Floats[1]))
}

func TestDecodeJSONRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{`, "not as it should be"},
		{`[]`, "not as it should be"},
		{jsonOf("FP64", "[1]", "[NaN]"), "write a missing value as null"},
		{jsonOf("FP64", "[2]", "[1]"), "says 2 elements, and the data has 1"},
		{jsonOf("FP64", "[1]", "[1,2]"), "says 1 elements, and the data has 2"},
		{jsonOf("FP64", "[]", "[1]"), "has no shape"},
		{jsonOf("FP64", "[-1]", "[1]"), "negative dimension"},
		{jsonOf("FP64", "[4294967296,4294967296]", "[1]"), "too large"},
		{jsonOf("FP64", "[3000000000]", "[1]"), "too large"},
		{jsonOf("FP64", "[1000000000]", "[1]"), "fewer"},
		{jsonOf("FP16", "[1]", "[1]"), "FP16"},
		{jsonOf("", "[1]", "[1]"), "datatype"},
		{jsonOf("FP64", "[1]", `["1"]`), "not a number of type FP64"},
		{jsonOf("FP64", "[1]", `[true]`), "not a number of type FP64"},
		{jsonOf("FP64", "[1]", `[{"a":1}]`), "not a number of type FP64"},
		{jsonOf("FP64", "[1]", `[1e999]`), "not a number of type FP64"},
		{jsonOf("FP64", "[1]", `5`), "not nested"},
		{jsonOf("FP64", "[2,2]", "[[1,2,3],[4]]"), "not nested"},
		{jsonOf("FP64", "[4]", "[[1,2],[3,4]]"), "not nested"},
		{jsonOf("FP64", "[2,1]", "[1,[2]]"), "not nested"},
		{jsonOf("FP64", "[2,1]", "[[1],2]"), "not nested"},
		{jsonOf("FP64", "[2,1,1]", "[[1],[2]]"), "not nested"},
		{jsonOf("INT64", "[1]", "[1.5]"), "not a number of type INT64"},
		{jsonOf("INT64", "[1]", "[null]"), "not a number of type INT64"},
		{jsonOf("UINT8", "[1]", "[256]"), "not a number of type UINT8"},
		{jsonOf("UINT64", "[1]", "[-1]"), "not a number of type UINT64"},
		{jsonOf("BYTES", "[1]", "[1]"), "array of strings"},
		{jsonOf("FP64", "[1]", "null"), "no data"},
		{`{"inputs":[{"name":"x","datatype":"FP64","shape":[1]}]}`, "no data"},
		{`{"inputs":[{"name":"x","datatype":"FP64","shape":[1],"parameters":{"shared_memory_region":"r"}}]}`, "shared memory"},
		{`{"inputs":[{"name":"x","datatype":"FP64","shape":[1],"parameters":{"binary_data_size":8}}]}`, "0 bytes of binary data are left"},
		{`{"inputs":[{"name":"x","datatype":"FP64","shape":[1],"parameters":{"binary_data_size":-8}}]}`, "binary"},
		{`{"inputs":[],"outputs":[{"name":"score","parameters":{"classification":2}}]}`, "classification"},
	} {
		_, err := DecodeJSON([]byte(c.text), -1)
		require.ErrorContains(t, err, c.want, c.text)
		assert.Equal(t, CodeInvalid, ErrorOf(err).Code)
	}
}

// binaryOf returns a body with one input as binary data after the JSON.
func binaryOf(datatype, shape string, raw []byte) (body []byte, header int) {
	text := fmt.Sprintf(`{"inputs":[{"name":"x","datatype":%q,"shape":%s,"parameters":{"binary_data_size":%d}}],"parameters":{"binary_data_output":true}}`, datatype, shape, len(raw))
	return append([]byte(text), raw...), len(text)
}

// form is the tensor of 1 and -2 in one form: JSON, JSON with binary data, or a message with any kind of
// contents.
type form struct {
	datatype       Datatype
	text, body     []byte
	header         int
	raw, inMessage []byte
}

// forms returns a tensor of each datatype in every form.
func forms() (all []form) {
	for datatype, b := range map[Datatype][]byte{
		FP64:    binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), math.Float64bits(-2)),
		FP32:    binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1)), math.Float32bits(-2)),
		INT64:   {1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 255, 255, 255, 255, 255, 255, 255},
		"INT32": {1, 0, 0, 0, 0xfe, 255, 255, 255},
		"INT16": {1, 0, 0xfe, 255},
		"INT8":  {1, 0xfe},
		BYTES:   {1, 0, 0, 0, '1', 2, 0, 0, 0, '-', '2'},
	} {
		data := "[1,-2]"
		if datatype == BYTES {
			data = `["1","-2"]`
		}
		f := form{datatype: datatype, text: []byte(jsonOf(string(datatype), "[2]", data))}
		f.body, f.header = binaryOf(string(datatype), "[2]", b)
		one := appendTensor(nil, "x", datatype, []int{2})
		f.raw = appendBytes(appendBytes(nil, 5, one), 7, b)
		f.inMessage = appendBytes(nil, 5, appendBytes(one, 5, contentsOf(datatype, b)))
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b form) int { return cmp.Compare(a.datatype, b.datatype) })
	return all
}

// TestFormsAreEqual: all forms of a tensor give the same elements.
func TestFormsAreEqual(t *testing.T) {
	for _, f := range forms() {
		want, err := DecodeJSON(f.text, -1)
		require.NoError(t, err, f.datatype)
		got, err := DecodeJSON(f.body, f.header)
		require.NoError(t, err, f.datatype)
		assert.Equal(t, want.Inputs, got.Inputs, f.datatype)
		assert.True(t, got.Raw)
		for _, message := range [][]byte{f.raw, f.inMessage} {
			got, err = DecodeInfer(message)
			require.NoError(t, err, f.datatype)
			assert.Equal(t, want.Inputs, got.Inputs, f.datatype)
		}
	}
}

// contentsOf returns an InferTensorContents with 1 and -2.
func contentsOf(datatype Datatype, raw []byte) []byte {
	switch datatype {
	case FP64, FP32:
		return appendBytes(nil, fieldOf[datatype], raw)
	case BYTES:
		return appendBytes(appendBytes(nil, 8, []byte("1")), 8, []byte("-2"))
	}
	minus := int64(-2)
	return appendBytes(nil, fieldOf[datatype], protowire.AppendVarint(protowire.AppendVarint(nil, 1), uint64(minus)))
}

func TestBinaryRefuses(t *testing.T) {
	for _, c := range []struct {
		datatype, shape string
		bytes           int
		want            string
	}{
		{"FP64", "[2]", 8, "fewer"},
		{"FP64", "[1]", 9, "needs 8 bytes, and the data has 9"},
		{"BYTES", "[1]", 3, "elements"},
		{"BYTES", "[2]", 4, "says 2 elements"},
		{"FP64", "[1000000000]", 8, "fewer"},
	} {
		body, header := binaryOf(c.datatype, c.shape, make([]byte, c.bytes))
		_, err := DecodeJSON(body, header)
		assert.ErrorContains(t, err, c.want, c)
	}
	body, header := binaryOf("FP64", "[1]", make([]byte, 8))
	_, err := DecodeJSON(append(body, 0), header)
	assert.ErrorContains(t, err, "1 bytes of binary data belong to no input")
	_, err = DecodeJSON(body, len(body)+1)
	assert.ErrorContains(t, err, headerName)
	body, header = binaryOf("BYTES", "[1]", []byte{255, 255, 255, 255})
	_, err = DecodeJSON(body, header)
	assert.ErrorContains(t, err, "4294967295 bytes, and 0 follow")
	body, header = binaryOf("UINT64", "[1]", []byte{255, 255, 255, 255, 255, 255, 255, 255})
	_, err = DecodeJSON(body, header)
	assert.ErrorContains(t, err, "outside of the range")
	body, header = binaryOf("BOOL", "[1]", []byte{2})
	_, err = DecodeJSON(body, header)
	assert.ErrorContains(t, err, "outside of the range")
}

const headerName = "Inference-Header-Content-Length"

func TestDecodeInferRefuses(t *testing.T) {
	one := appendTensor(nil, "x", FP64, []int{1})
	for want, message := range map[string][]byte{
		"1 entries for 0 inputs":      appendBytes(nil, 7, make([]byte, 8)),
		"not a message":               {0xff},
		"fewer":                       appendBytes(nil, 5, one),
		"not those of FP64":           appendBytes(nil, 5, appendBytes(one, 5, appendBytes(nil, 6, make([]byte, 4)))),
		"not a multiple of 8":         appendBytes(nil, 5, appendBytes(one, 5, appendBytes(nil, 7, make([]byte, 4)))),
		"beside raw_input_contents":   appendBytes(appendBytes(nil, 5, appendBytes(one, 5, nil)), 7, make([]byte, 8)),
		"shared memory":               appendBytes(nil, 5, appendBytes(one, 4, appendBytes(nil, 1, []byte("shared_memory_region")))),
		"classification is not":       appendBytes(nil, 6, appendBytes(nil, 2, appendBytes(nil, 1, []byte("classification")))),
		"needs 8 bytes, and the data": appendBytes(appendBytes(nil, 5, one), 7, make([]byte, 16)),
	} {
		_, err := DecodeInfer(message)
		assert.ErrorContains(t, err, want)
	}
}

func TestNumbersAndKeys(t *testing.T) {
	exact := Tensor{Name: "x", Type: INT64, Ints: []int64{maxExact, -3}}
	numbers, err := exact.Numbers()
	require.NoError(t, err)
	assert.Equal(t, []float64{maxExact, -3}, numbers)
	keys, err := exact.Keys()
	require.NoError(t, err)
	assert.Equal(t, []string{"9007199254740992", "-3"}, keys)
	_, err = (&Tensor{Name: "x", Type: INT64, Ints: []int64{maxExact + 1}}).Numbers()
	assert.ErrorContains(t, err, "no exact value")
	_, err = (&Tensor{Name: "x", Type: BYTES}).Numbers()
	assert.ErrorContains(t, err, "send numbers")
	_, err = (&Tensor{Name: "x", Type: FP32}).Keys()
	assert.ErrorContains(t, err, "send BYTES or integers")
}

func TestEncodeJSON(t *testing.T) {
	r := &Response{Model: `a"b`, Version: "3", ID: "i", Output: "score", Scores: []float64{1, -0.1, 1e300}}
	body, header := EncodeJSON(r)
	assert.Equal(t, -1, header)
	assert.JSONEq(t, `{"model_name":"a\"b","model_version":"3","id":"i","outputs":[{"name":"score","datatype":"FP64","shape":[3],"data":[1,-0.1,1e300]}]}`, string(body))
	r.Raw = true
	body, header = EncodeJSON(r)
	var head map[string]any
	require.NoError(t, json.Unmarshal(body[:header], &head))
	assert.Len(t, body[header:], 24)
	assert.Equal(t, 1e300, math.Float64frombits(binary.LittleEndian.Uint64(body[header+16:])))
}

// requireSound checks properties of every accepted request.
func requireSound(t *testing.T, r *Request) {
	t.Helper()
	for i := range r.Inputs {
		in := &r.Inputs[i]
		n := 1
		for _, length := range in.Shape {
			n *= length
		}
		require.Equal(t, n, in.Len())
		require.NotEmpty(t, in.Shape)
		require.NotEqual(t, unknown, in.Type.kind())
	}
}

func FuzzDecodeJSON(f *testing.F) {
	f.Add([]byte(jsonOf("FP64", "[2,2]", "[[1,2.5],[-3e2,null]]")), -1)
	f.Add([]byte(jsonOf("BYTES", "[2]", `["a","b"]`)), -1)
	f.Add([]byte(jsonOf("BOOL", "[2]", "[true,false]")), -1)
	f.Add([]byte(`{"inputs":[],"outputs":[{"name":"score","parameters":{"binary_data":true,"classification":1}}]}`), -1)
	f.Add([]byte(`{"inputs":[{"name":"x","datatype":"FP64","shape":[1],"parameters":{"shared_memory_region":"a"},"data":[1]}]}`), -1)
	for _, of := range forms() {
		f.Add(of.text, -1)
		f.Add(of.body, of.header)
	}
	f.Fuzz(func(t *testing.T, body []byte, header int) {
		if header < -1 {
			return
		}
		if r, err := DecodeJSON(body, header); err == nil {
			requireSound(t, r)
		} else {
			require.Equal(t, CodeInvalid, ErrorOf(err).Code)
			require.Less(t, len(err.Error()), 300+8*len(body), strings.ToValidUTF8(err.Error(), "?"))
		}
	})
}

func FuzzDecodeInfer(f *testing.F) {
	one := appendTensor(nil, "x", FP64, []int{1})
	f.Add(appendBytes(appendBytes(nil, 5, one), 7, make([]byte, 8)))
	f.Add(appendBytes(nil, 5, appendBytes(one, 5, appendBytes(nil, 7, make([]byte, 8)))))
	f.Add(appendBytes(nil, 5, appendBytes(one, 4, appendBytes(nil, 1, []byte("shared_memory_region")))))
	f.Add(appendBytes(nil, 6, appendBytes(nil, 2, appendBytes(nil, 1, []byte("classification")))))
	for _, of := range forms() {
		f.Add(of.raw)
		f.Add(of.inMessage)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		if r, err := DecodeInfer(message); err == nil {
			requireSound(t, r)
		} else {
			require.Equal(t, CodeInvalid, ErrorOf(err).Code)
		}
	})
}
