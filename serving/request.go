package serving

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Requests and responses are those of the Open Inference Protocol, version 2, in JSON
// (github.com/kserve/open-inference-protocol). As an extension of ours, null in an array of floating-point
// numbers is a missing value, which JSON cannot express otherwise.

// inferRequest asks a model for scores.
type inferRequest struct {
	ID      string   `json:"id"` // copied to the response
	Inputs  []tensor `json:"inputs"`
	Outputs []tensor `json:"outputs"` // that the response shall have, by their names
}

// inferResponse is the answer to a request.
type inferResponse struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      string   `json:"id,omitempty"`
	Outputs []output `json:"outputs"`
}

// output is a tensor of a response.
type output struct {
	tensor
	Data []float64 `json:"data"`
}

// tensor is a named array of any number of dimensions, in row-major order. In the metadata of a model, it has
// no data, and a dimension of any length is -1.
type tensor struct {
	Name       string          `json:"name"`
	Type       datatype        `json:"datatype"`
	Shape      []int           `json:"shape"`
	Parameters parameters      `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"` // the array as it is sent

	n int // elements by the shape; set by check
}

// parameters are those of a tensor.
type parameters map[string]any

// extensions are the parameters of extensions that the server does not have, and that change what a tensor
// means. Others are left alone, such as the wish for an output in binary: the response shows that it is JSON.
var extensions = []struct{ parameter, refusal string }{
	{"binary_data_size", "input %q: binary tensors are not supported; send the values in JSON (with " +
		"tritonclient, set_data_from_numpy(..., binary_data=False))"},
	{"shared_memory_region", "tensor %q: shared memory is not supported; send the data"},
	{"classification", "output %q: classification is not supported; ask for the scores"},
}

// check returns an error for a parameter of an extension.
func (p parameters) check(tensor string) error {
	for _, x := range extensions {
		if p[x.parameter] != nil {
			return invalid(x.refusal, tensor)
		}
	}
	return nil
}

// datatype is the type of a tensor's elements, by its name in the protocol. FP16 and BF16 are not supported:
// trees compare values, and the low precision of these types would send documents to wrong leaves.
type datatype string

// The datatypes that are not integers.
const (
	fp64      datatype = "FP64"
	fp32      datatype = "FP32"
	bytesType datatype = "BYTES" // texts
)

// integers are the ranges of the datatypes of integers, and of booleans.
var integers = map[datatype][2]int64{
	"INT64": {math.MinInt64, math.MaxInt64}, "UINT64": {0, math.MaxInt64},
	"INT32": {math.MinInt32, math.MaxInt32}, "UINT32": {0, math.MaxUint32},
	"INT16": {math.MinInt16, math.MaxInt16}, "UINT16": {0, math.MaxUint16},
	"INT8": {math.MinInt8, math.MaxInt8}, "UINT8": {0, math.MaxUint8}, "BOOL": {0, 1},
}

func (d datatype) isFloat() bool { return d == fp64 || d == fp32 }

// decode reads the body of a request. The data of tensors is read when their role is known, by numbers, keys
// and texts.
func decode(body []byte) (*inferRequest, error) {
	r := new(inferRequest)
	if err := json.Unmarshal(body, r); err != nil {
		return nil, invalidJSON(body, err)
	}
	for i := range r.Inputs {
		if err := r.Inputs[i].check(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// invalidJSON explains an error of package json.
func invalidJSON(body []byte, err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return invalid("the request is not as it should be: %s cannot be a JSON %s", cmp.Or(other.Field, "it"),
			other.Value)
	}
	if bytes.Contains(body, []byte("NaN")) {
		return invalid("the request is not JSON: %v; write a missing value as null", err)
	}
	return invalid("the request is not as it should be: %v", err)
}

// check returns an error unless the datatype is supported, and the data may have as many elements as the
// shape requires.
func (t *tensor) check() error {
	_, isInteger := integers[t.Type]
	switch err := t.Parameters.check(t.Name); {
	case err != nil:
		return err
	case !isInteger && !t.Type.isFloat() && t.Type != bytesType:
		return invalid("input %q: the datatype %q is not supported; send FP64, FP32, integers, BOOL or BYTES",
			t.Name, string(t.Type))
	case t.Data == nil || string(t.Data) == "null":
		return invalid("input %q has no data", t.Name)
	case len(t.Shape) == 0:
		return invalid("input %q has no shape", t.Name)
	}
	t.n = 1
	for _, length := range t.Shape {
		if length < 0 {
			return invalid("input %q: the shape %v has a negative dimension", t.Name, t.Shape)
		}
		if length > 0 && t.n > math.MaxInt32/length {
			return invalid("input %q: the shape %v is too large", t.Name, t.Shape)
		}
		t.n *= length
	}
	if t.n > len(t.Data) { // an element has at least one character
		return invalid("input %q: the shape %v says %d elements, and the data has fewer", t.Name, t.Shape, t.n)
	}
	return nil
}

// texts returns the elements of a tensor of texts.
func (t *tensor) texts() (texts []string, err error) {
	if json.Unmarshal(t.Data, &texts) != nil {
		return nil, invalid("input %q: the data of BYTES must be one array of strings", t.Name)
	}
	return texts, t.counted(len(texts))
}

// keys returns the elements of a tensor of texts or integers as texts.
func (t *tensor) keys() ([]string, error) {
	switch {
	case t.Type == bytesType:
		return t.texts()
	case t.Type.isFloat():
		return nil, invalid("input %q has the datatype %s; send BYTES or integers", t.Name, t.Type)
	}
	return elements(t, func(word string) (string, error) {
		v, err := t.integer(word)
		return strconv.FormatInt(v, 10), err
	})
}

// numbers returns the elements of a numeric tensor as float64, without rounding.
func (t *tensor) numbers() ([]float64, error) {
	if t.Type == bytesType {
		return nil, invalid("input %q has the datatype BYTES; send numbers", t.Name)
	}
	return elements(t, t.number)
}

// elements returns what read makes of the words of an array that is flat, or nested as the shape. Package
// json has already checked that the data is JSON; read must refuse words that are not numbers.
func elements[T any](t *tensor, read func(word string) (T, error)) ([]T, error) {
	text, all := string(t.Data), make([]T, 0, t.n)
	if strings.Trim(text, "[], \t\r\n") == "" {
		return all, t.counted(0)
	}
	nested, begin, end := strings.Count(text, "[") != 1, t.ends(0), 0 // brackets before and after an element
	for part := range strings.SplitSeq(text, ",") {
		word := strings.Trim(part, "[] \t\r\n")
		element, err := read(word)
		if err != nil && word != "" {
			return nil, invalid("input %q: element %d is %.40s, which %v", t.Name, len(all), word, err)
		}
		all = append(all, element)
		if nested {
			end = t.ends(len(all))
		}
		if err != nil || nested && (strings.Count(part, "[") != begin || strings.Count(part, "]") != end) {
			return nil, invalid("input %q: the arrays of the data are not nested as the shape %v", t.Name, t.Shape)
		}
		begin = end
	}
	return all, t.counted(len(all))
}

// ends returns the number of arrays in an array of the shape that end before element i, and so the number of
// those that begin with it.
func (t *tensor) ends(i int) (count int) {
	for size, d := 1, len(t.Shape)-1; d >= 0; d-- {
		if size *= t.Shape[d]; size == 0 || i%size != 0 {
			break
		}
		count++
	}
	return count
}

// counted returns an error unless n is the number of elements that the shape requires.
func (t *tensor) counted(n int) error {
	if n != t.n {
		return invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, t.Shape, t.n, n)
	}
	return nil
}

// number reads a number. In FP32 and FP64, null is NaN. Integers must have an exact float64: those up to
// 2⁵³ all have.
func (t *tensor) number(word string) (float64, error) {
	if !t.Type.isFloat() {
		v, err := t.integer(word)
		if err == nil && (v > 1<<53 || v < -1<<53) { // -v of the least integer is negative, too
			err = errors.New("has no exact value in FP64")
		}
		return float64(v), err
	}
	if word == "null" {
		return math.NaN(), nil
	}
	bits := 64
	if t.Type == fp32 {
		bits = 32
	}
	x, err := strconv.ParseFloat(word, bits)
	switch {
	case err != nil && strings.HasPrefix(word, `"`):
		err = fmt.Errorf("%w: texts of categories are sent as BYTES in an input with the name of their feature",
			t.notANumber())
	case err != nil:
		err = t.notANumber()
	}
	return x, err
}

func (t *tensor) notANumber() error { return fmt.Errorf("is not a number of type %s", t.Type) }

// integer reads a number of a datatype of integers, or a boolean.
func (t *tensor) integer(word string) (int64, error) {
	if t.Type == "BOOL" && (word == "true" || word == "false") {
		return map[string]int64{"true": 1}[word], nil
	}
	v, err := strconv.ParseInt(word, 10, 64)
	if bounds := integers[t.Type]; err != nil || v < bounds[0] || v > bounds[1] {
		return v, t.notANumber()
	}
	return v, nil
}
