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

	features, names, query *tensor   // the inputs with these names; nil if there is none
	columns                []*tensor // the others, of a feature each; read if the model knows the feature
	columnNames            []string
}

// Names of inputs. Others are names of features.
const (
	featuresInput = "features"      // [documents, features]: values, in the order of the model or of the names
	featureNames  = "feature_names" // [features]: the name of each column of features
	// [documents]: the query of each document; those of a query follow each other
	queryInput = "query"
)

// inferResponse is the answer to a request.
type inferResponse struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      string   `json:"id,omitempty"`
	Outputs []output `json:"outputs"`

	documents int
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
	Type       string          `json:"datatype"`
	Shape      []int           `json:"shape"`
	Parameters map[string]any  `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"` // the array as it is sent

	n       int       // elements, as the shape requires
	numbers []float64 // the elements of a numeric tensor, not rounded
	texts   []string  // the elements of BYTES, and those of a query of integers
}

// kind is what the elements of a datatype are.
type kind struct {
	bits        int   // of floating-point numbers
	least, most int64 // of integers
}

// kinds are the datatypes that are supported. FP16 and BF16 are not: trees compare values, and the low
// precision of these types would send documents to wrong leaves.
var kinds = map[string]kind{
	fp64: {bits: 64}, "FP32": {bits: 32}, bytesType: {}, "BOOL": {most: 1},
	"INT64": {0, math.MinInt64, math.MaxInt64}, "UINT64": {most: math.MaxInt64},
	"INT32": {0, math.MinInt32, math.MaxInt32}, "UINT32": {most: math.MaxUint32},
	"INT16": {0, math.MinInt16, math.MaxInt16}, "UINT16": {most: math.MaxUint16},
	"INT8": {0, math.MinInt8, math.MaxInt8}, "UINT8": {most: math.MaxUint8},
}

const (
	fp64      = "FP64"
	bytesType = "BYTES" // texts
)

// decode reads the body of a request.
func decode(body []byte) (*inferRequest, error) {
	r := new(inferRequest)
	err := json.Unmarshal(body, r)
	switch other, found := errors.AsType[*json.UnmarshalTypeError](err); {
	case found:
		return nil, invalid("the request is not as it should be: %s cannot be a JSON %s",
			cmp.Or(other.Field, "it"), other.Value)
	case err != nil && bytes.Contains(body, []byte("NaN")):
		return nil, invalid("the request is not JSON: %v; write a missing value as null", err)
	case err != nil:
		return nil, invalid("the request is not as it should be: %v", err)
	}
	named := make(map[string]*tensor, len(r.Inputs))
	for i := range r.Inputs {
		t := &r.Inputs[i]
		if named[t.Name] != nil {
			return nil, invalid("input %q is given twice", t.Name)
		}
		named[t.Name] = t
		if err := t.check(); err != nil {
			return nil, err
		}
		if t.Name != featuresInput && t.Name != featureNames && t.Name != queryInput {
			r.columns, r.columnNames = append(r.columns, t), append(r.columnNames, t.Name)
		} else if err := t.read(); err != nil {
			return nil, err
		}
	}
	r.features, r.names, r.query = named[featuresInput], named[featureNames], named[queryInput]
	return r, nil
}

// noBinary is the error for binary tensors, which tritonclient sends by default.
const noBinary = "binary tensors are not supported; send the values in JSON (with tritonclient, " +
	"set_data_from_numpy(..., binary_data=False))"

// check returns an error unless the datatype and the dimensions suit the input, and the data may have as many
// elements as the shape requires. Parameters that do not change what the tensor means are left alone.
func (t *tensor) check() error {
	switch kind, supported := kinds[t.Type]; {
	case t.Parameters["binary_data_size"] != nil:
		return invalid("input %q: %s", t.Name, noBinary)
	case t.Parameters["shared_memory_region"] != nil:
		return invalid("tensor %q: shared memory is not supported; send the data", t.Name)
	case !supported:
		return invalid("input %q: the datatype %q is not supported; send FP64, FP32, integers, BOOL or BYTES",
			t.Name, t.Type)
	case t.Data == nil || string(t.Data) == "null":
		return invalid("input %q has no data", t.Name)
	case t.Name == queryInput && kind.bits > 0:
		return invalid("input %q has the datatype %s; send BYTES or integers", t.Name, t.Type)
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
	switch {
	case t.n > len(t.Data): // an element has at least one character
		return invalid("input %q: the shape %v says %d elements, and the data has fewer", t.Name, t.Shape, t.n)
	case t.Name == featuresInput && len(t.Shape) != 2:
		return invalid("input %q has the shape %v; it must be [documents, features]", t.Name, t.Shape)
	case t.Name == featuresInput && t.Type == bytesType:
		return invalid("input %q has the datatype BYTES; send numbers", t.Name)
	}
	return nil
}

// read reads the elements. Package json has already checked that the data is JSON.
func (t *tensor) read() error {
	if t.Type != bytesType {
		if err := t.readNumbers(); err != nil {
			return err
		}
	} else if json.Unmarshal(t.Data, &t.texts) != nil {
		return invalid("input %q: the data of BYTES must be one array of strings", t.Name)
	}
	if n := max(len(t.numbers), len(t.texts)); n != t.n {
		return invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, t.Shape, t.n, n)
	}
	if t.Type != bytesType && !t.isNested() {
		return invalid("input %q: the arrays of the data are not nested as the shape %v", t.Name, t.Shape)
	}
	return nil
}

// readNumbers reads the numbers of an array, whose brackets do not matter.
func (t *tensor) readNumbers() error {
	kind := kinds[t.Type]
	t.numbers = make([]float64, 0, t.n)
	for part := range strings.SplitSeq(string(t.Data), ",") {
		word := strings.Trim(part, "[] \t\r\n")
		if word == "" {
			continue // of an empty array
		}
		x, err := t.number(word, &kind)
		if err != nil {
			n := len(t.numbers) + len(t.texts)
			return invalid("input %q: element %d is %.40s, which %v", t.Name, n, word, err)
		}
		if t.Name == queryInput {
			t.texts = append(t.texts, word)
		} else {
			t.numbers = append(t.numbers, x)
		}
	}
	return nil
}

// isNested reports whether the array is flat, empty, or a matrix of the shape; no input has more dimensions.
func (t *tensor) isNested() bool {
	if t.n == 0 || bytes.Count(t.Data, []byte("[")) == 1 {
		return true
	}
	if len(t.Shape) != 2 {
		return false
	}
	var structure []byte
	for _, c := range t.Data {
		if c == '[' || c == ',' || c == ']' {
			structure = append(structure, c)
		}
	}
	row := "[" + strings.Repeat(",", t.Shape[1]-1) + "]"
	return string(structure) == "["+strings.Repeat(row+",", t.Shape[0]-1)+row+"]"
}

// number reads a number. In FP32 and FP64, null is NaN. Integers must have an exact float64, as those up to
// 2⁵³ have, except ids of queries, which are texts. The error ends a sentence about the word.
func (t *tensor) number(word string, k *kind) (x float64, err error) {
	hint := ""
	switch {
	case k.bits > 0 && word == "null":
		return math.NaN(), nil
	case k.bits > 0:
		x, err = strconv.ParseFloat(word, k.bits)
		if strings.HasPrefix(word, `"`) {
			hint = ": texts of categories are sent as BYTES in an input with the name of their feature"
		}
	case t.Type == "BOOL" && (word == "true" || word == "false"):
		return map[string]float64{"true": 1}[word], nil
	default:
		var v int64
		v, err = strconv.ParseInt(word, 10, 64)
		if v < k.least || v > k.most {
			err = strconv.ErrRange
		}
		x = float64(v)
		if err == nil && t.Name != queryInput && (v > 1<<53 || v < -1<<53) {
			return 0, errors.New("has no exact value in FP64")
		}
	}
	if err != nil {
		return 0, fmt.Errorf("is not a number of type %s%s", t.Type, hint)
	}
	return x, nil
}
