// Package oip defines the requests and responses of the Open Inference Protocol, version 2, in both
// encodings: JSON followed by binary tensors (HTTP), and protobuf messages (gRPC).
//
//	JSON, binary tensors ─► [DecodeJSON]  ─┐                            ┌─► [EncodeJSON]
//	                                       ├─► [Request] ··· [Response] ┤
//	protobuf             ─► [DecodeInfer] ─┘                            └─► [EncodeInfer]
//
// Sources: the specification of the protocol (github.com/kserve/open-inference-protocol) and, for binary
// tensors in HTTP, Triton's extension "binary_tensor_data". As an extension of ours, null in a JSON array of
// floating-point numbers is a missing value, which JSON cannot express otherwise.
//
// Contents are checked during decoding: a [Tensor] has as many elements as its shape requires.
package oip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Request asks a model for scores.
type Request struct {
	Model, Version string // an empty version is the newest one
	ID             string // copied to the response
	Inputs         []Tensor
	Outputs        []Wanted // empty: all outputs

	// Raw requests outputs in binary unless their Wanted says otherwise.
	Raw bool
}

// Wanted is an output that a request names.
type Wanted struct {
	Name string
	Raw  bool // in binary
}

// Response is the answer to a Request: one output, which has the datatype FP64 and one dimension.
type Response struct {
	Model, Version, ID string
	Output             string // its name
	Scores             []float64
	Raw                bool // the scores are sent in binary
}

// raw returns the binary form of the scores.
func (r *Response) raw() []byte {
	b := make([]byte, 0, 8*len(r.Scores))
	for _, v := range r.Scores {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// Tensor is a named array of any number of dimensions, in row-major order. One of Floats, Ints and Texts has
// the elements, depending on the datatype; the others are nil.
type Tensor struct {
	Name  string
	Type  Datatype
	Shape []int

	Floats []float64 // of FP32 and FP64
	Ints   []int64   // of integers and BOOL
	Texts  []string  // of BYTES
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return len(t.Floats) + len(t.Ints) + len(t.Texts) }

// maxExact bounds the magnitude of integers that all have an exact float64.
const maxExact = 1 << 53

// Numbers returns the elements of a numeric tensor as float64, without rounding. The caller must not
// change them.
func (t *Tensor) Numbers() ([]float64, error) {
	switch t.Type.kind() {
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
	switch t.Type.kind() {
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

// Metadata describes a model.
type Metadata struct {
	Name     string       `json:"name"`
	Versions []string     `json:"versions"`
	Platform string       `json:"platform"`
	Inputs   []TensorInfo `json:"inputs"`
	Outputs  []TensorInfo `json:"outputs"`
}

// TensorInfo describes an input or output. A dimension of any length is -1.
type TensorInfo struct {
	Name  string   `json:"name"`
	Type  Datatype `json:"datatype"`
	Shape []int    `json:"shape"`
}

// Server describes the server.
type Server struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

// Code is the kind of an error. Each encoding of the protocol has its own number for it.
type Code int

// The kinds of errors.
const (
	CodeInvalid         Code = iota + 1 // the request is invalid
	CodeNotFound                        // no such model, version or path
	CodeUnauthenticated                 // the token is missing or wrong
	CodeTooLarge                        // the request has too many bytes
	CodeBusy                            // too many concurrent requests: try again later
	CodeTimeout                         // it took too long
	CodeInternal                        // a defect of the server
)

// Error is an error that a client gets.
type Error struct {
	Code Code
	Text string
}

func (e *Error) Error() string { return e.Text }

// Errorf returns an Error with the text of [fmt.Sprintf].
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// Invalid returns an Error about an invalid request.
func Invalid(format string, args ...any) error { return Errorf(CodeInvalid, format, args...) }

// ErrorOf returns err as an Error. An error of another type is an internal error of the server.
func ErrorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{CodeInternal, err.Error()}
}

// elements returns the number of elements of a shape. It fails if there are more than limit.
func elements(name string, shape []int64, limit int) (int, error) {
	if len(shape) == 0 {
		return 0, Invalid("input %q has no shape", name)
	}
	n := int64(1)
	for _, length := range shape {
		if length < 0 {
			return 0, Invalid("input %q: the shape %v has a negative dimension", name, shape)
		}
		if length > math.MaxInt32 || n*length > math.MaxInt32 {
			return 0, Invalid("input %q: the shape %v is too large", name, shape)
		}
		n *= length
	}
	if n > int64(limit) {
		return 0, Invalid("input %q: the shape %v says %d elements, and the data has fewer", name, shape, n)
	}
	return int(n), nil
}

// withShape returns the shape as ints.
func withShape(shape []int64) []int {
	lengths := make([]int, len(shape))
	for i, n := range shape {
		lengths[i] = int(n)
	}
	return lengths
}
