package oip

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Tensor is a named array of any number of dimensions, in row-major order. One of Floats, Ints and Texts has
// the elements, depending on the datatype; the others are nil.
type Tensor struct {
	Name       string          `json:"name"`
	Type       Datatype        `json:"datatype"`
	Shape      []int           `json:"shape"`
	Parameters parameters      `json:"parameters"`
	Data       json.RawMessage `json:"data"` // the array as it was sent

	Floats []float64 `json:"-"` // of FP32 and FP64
	Ints   []int64   `json:"-"` // of integers and BOOL
	Texts  []string  `json:"-"` // of BYTES
}

// Datatype is the type of a tensor's elements, by its name in the protocol.
type Datatype string

// Datatypes that are named elsewhere.
const (
	FP64  Datatype = "FP64"
	BYTES Datatype = "BYTES"
)

type kind int

const (
	floats kind = iota + 1
	signed
	unsigned
	booleans
	texts
)

// form is the form of a datatype's elements.
type form struct {
	kind kind
	bits int // of a number
}

// forms has the supported datatypes. FP16 and BF16 are missing because trees compare values, and the low
// precision of these types would send documents to wrong leaves.
var forms = map[Datatype]form{
	FP64: {floats, 64}, "FP32": {floats, 32}, "BOOL": {booleans, 1}, BYTES: {texts, 0},
	"INT64": {signed, 64}, "INT32": {signed, 32}, "INT16": {signed, 16}, "INT8": {signed, 8},
	"UINT64": {unsigned, 63}, "UINT32": {unsigned, 32}, "UINT16": {unsigned, 16}, "UINT8": {unsigned, 8},
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return len(t.Floats) + len(t.Ints) + len(t.Texts) }

// maxExact bounds the magnitude of integers that all have an exact float64.
const maxExact = 1 << 53

// Numbers returns the elements of a numeric tensor as float64, without rounding. The caller must not
// change them.
func (t *Tensor) Numbers() ([]float64, error) {
	switch forms[t.Type].kind {
	case floats:
		return t.Floats, nil
	case texts:
		return nil, Invalid("input %q has the datatype BYTES; send numbers", t.Name)
	}
	numbers := make([]float64, len(t.Ints))
	for i, v := range t.Ints {
		if v > maxExact || v < -maxExact {
			return nil, Invalid("input %q: element %d is %d, which has no exact value in FP64", t.Name, i, v)
		}
		numbers[i] = float64(v)
	}
	return numbers, nil
}

// Keys returns the elements of a tensor of texts or integers as texts.
func (t *Tensor) Keys() ([]string, error) {
	switch forms[t.Type].kind {
	case texts:
		return t.Texts, nil
	case floats:
		return nil, Invalid("input %q has the datatype %s; send BYTES or integers", t.Name, t.Type)
	}
	keys := make([]string, len(t.Ints))
	for i, v := range t.Ints {
		keys[i] = strconv.FormatInt(v, 10)
	}
	return keys, nil
}

// decode checks the tensor and sets the elements from its data.
func (t *Tensor) decode() error {
	if err := t.Parameters.check(t.Name); err != nil {
		return err
	}
	f := forms[t.Type]
	switch {
	case f.kind == 0:
		return Invalid("input %q: the datatype %q is not supported; send FP64, FP32, integers, BOOL or BYTES",
			t.Name, string(t.Type))
	case t.Data == nil || string(t.Data) == "null":
		return Invalid("input %q has no data", t.Name)
	}
	n, err := t.elements()
	if err != nil {
		return err
	}
	if f.kind != texts {
		err = t.numbers(f, n)
	} else if json.Unmarshal(t.Data, &t.Texts) != nil {
		err = Invalid("input %q: the data of BYTES must be one array of strings", t.Name)
	}
	if err == nil && t.Len() != n {
		err = Invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, t.Shape, n, t.Len())
	}
	return err
}

// elements returns the number of elements of the shape. It fails if the data is too short for them: each has
// at least one character.
func (t *Tensor) elements() (int, error) {
	if len(t.Shape) == 0 {
		return 0, Invalid("input %q has no shape", t.Name)
	}
	n := int64(1)
	for _, length := range t.Shape {
		if length < 0 {
			return 0, Invalid("input %q: the shape %v has a negative dimension", t.Name, t.Shape)
		}
		if length > math.MaxInt32 || n*int64(length) > math.MaxInt32 {
			return 0, Invalid("input %q: the shape %v is too large", t.Name, t.Shape)
		}
		n *= int64(length)
	}
	if n > int64(len(t.Data)) {
		return 0, Invalid("input %q: the shape %v says %d elements, and the data has fewer", t.Name, t.Shape, n)
	}
	return int(n), nil
}

// numbers reads n numbers of an array that is flat, or nested as the shape. Package json has already checked
// that the data is JSON.
func (t *Tensor) numbers(f form, n int) error {
	if f.kind == floats {
		t.Floats = make([]float64, 0, n)
	} else {
		t.Ints = make([]int64, 0, n)
	}
	text := string(t.Data)
	depth := 1 // open arrays around each element
	if strings.Count(text, "[") > 1 {
		depth = len(t.Shape)
	}
	open, counts := 0, make([]int, depth+1) // open arrays, and what each has so far
	for text != "" {
		word, even := text[:1], true
		switch text[0] {
		case ',', ' ', '\t', '\r', '\n':
		case '[':
			if open++; open <= depth {
				counts[open] = 0
			}
			even = open <= depth
		case ']':
			even = depth == 1 || counts[open] == t.Shape[open-1]
			open--
			counts[open]++
		default:
			end := 1
			for end < len(text) && text[end] != ',' && text[end] != ']' && text[end] > ' ' {
				end++
			}
			word = text[:end]
			if err := t.add(f, word); err != nil {
				return Invalid("input %q: element %d is %.40s, which is not a number of type %s", t.Name, t.Len()-1, word,
					t.Type)
			}
			even = open == depth
			counts[open]++
		}
		if !even {
			return Invalid("input %q: the arrays of the data are not nested as the shape %v", t.Name, t.Shape)
		}
		text = text[len(word):]
	}
	return nil
}

// add appends the element for a word of JSON.
func (t *Tensor) add(f form, word string) (err error) {
	if f.kind == floats {
		x := math.NaN()
		if word != "null" {
			x, err = strconv.ParseFloat(word, f.bits)
		}
		t.Floats = append(t.Floats, x)
		return err
	}
	var v int64
	switch f.kind {
	case booleans:
		var yes bool
		if yes, err = strconv.ParseBool(word); yes {
			v = 1
		}
	case unsigned:
		var u uint64
		u, err = strconv.ParseUint(word, 10, f.bits)
		v = int64(u)
	default:
		v, err = strconv.ParseInt(word, 10, f.bits)
	}
	t.Ints = append(t.Ints, v)
	return err
}
