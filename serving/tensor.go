package serving

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tensor is a named array of any number of dimensions, in row-major order.
type tensor struct {
	Name       string          `json:"name"`
	Type       datatype        `json:"datatype"`
	Shape      []int           `json:"shape"`
	Parameters parameters      `json:"parameters"`
	Data       json.RawMessage `json:"data"` // the array as it was sent

	n int // elements by the shape; set by check
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

// check returns an error unless the datatype is supported, and the data may have as many elements as the
// shape requires.
func (t *tensor) check() error {
	if err := t.Parameters.check(t.Name); err != nil {
		return err
	}
	_, isInteger := integers[t.Type]
	switch {
	case !isInteger && !t.Type.isFloat() && t.Type != bytesType:
		return invalid("input %q: the datatype %q is not supported; send FP64, FP32, integers, BOOL or BYTES",
			t.Name, string(t.Type))
	case t.Data == nil || string(t.Data) == "null":
		return invalid("input %q has no data", t.Name)
	case len(t.Shape) == 0:
		return invalid("input %q has no shape", t.Name)
	}
	n := int64(1)
	for _, length := range t.Shape {
		if length < 0 {
			return invalid("input %q: the shape %v has a negative dimension", t.Name, t.Shape)
		}
		if length > math.MaxInt32 || n*int64(length) > math.MaxInt32 {
			return invalid("input %q: the shape %v is too large", t.Name, t.Shape)
		}
		n *= int64(length)
	}
	if n > int64(len(t.Data)) { // an element has at least one character
		return invalid("input %q: the shape %v says %d elements, and the data has fewer", t.Name, t.Shape, n)
	}
	t.n = int(n)
	return nil
}

// counted returns an error unless n is the number of elements that the shape requires.
func (t *tensor) counted(n int) error {
	if n != t.n {
		return invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, t.Shape, t.n, n)
	}
	return nil
}

// numbers returns the elements of a numeric tensor as float64, without rounding.
func (t *tensor) numbers() ([]float64, error) {
	if t.Type == bytesType {
		return nil, invalid("input %q has the datatype BYTES; send numbers", t.Name)
	}
	numbers := make([]float64, 0, t.n)
	err := t.each(func(word string) error {
		x, err := t.number(word)
		numbers = append(numbers, x)
		return err
	})
	return numbers, err
}

// keys returns the elements of a tensor of texts or integers as texts.
func (t *tensor) keys() ([]string, error) {
	switch {
	case t.Type == bytesType:
		return t.texts()
	case t.Type.isFloat():
		return nil, invalid("input %q has the datatype %s; send BYTES or integers", t.Name, t.Type)
	}
	keys := make([]string, 0, t.n)
	err := t.each(func(word string) error {
		v, err := t.integer(word)
		keys = append(keys, strconv.FormatInt(v, 10))
		return err
	})
	return keys, err
}

// texts returns the elements of a tensor of texts.
func (t *tensor) texts() (texts []string, err error) {
	if json.Unmarshal(t.Data, &texts) != nil {
		return nil, invalid("input %q: the data of BYTES must be one array of strings", t.Name)
	}
	return texts, t.counted(len(texts))
}

// each calls do with the words of an array that is flat, or nested as the shape. Package json has already
// checked that the data is JSON; do must refuse words that are not numbers.
func (t *tensor) each(do func(word string) error) error {
	text := string(t.Data)
	depth := 1 // open arrays around each element
	if strings.Count(text, "[") > 1 {
		depth = len(t.Shape)
	}
	n, open, counts := 0, 0, make([]int, depth+1) // elements; open arrays, and what each has so far
	for text != "" {
		length, nested := 1, true
		switch text[0] {
		case ',', ' ', '\t', '\r', '\n':
		case '[':
			if open++; open <= depth {
				counts[open] = 0
			}
			nested = open <= depth
		case ']':
			nested = depth == 1 || counts[open] == t.Shape[open-1]
			open--
			counts[open]++
		default:
			for length < len(text) && text[length] != ',' && text[length] != ']' && text[length] > ' ' {
				length++
			}
			if err := do(text[:length]); err != nil {
				return invalid("input %q: element %d is %.40s, which %v", t.Name, n, text[:length], err)
			}
			n++
			nested = open == depth
			counts[open]++
		}
		if !nested {
			return invalid("input %q: the arrays of the data are not nested as the shape %v", t.Name, t.Shape)
		}
		text = text[length:]
	}
	return t.counted(n)
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
	case err != nil && word[0] == '"':
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
