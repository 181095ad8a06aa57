// Package oip reads requests and writes responses of the Open Inference Protocol, version 2, in JSON
// (github.com/kserve/open-inference-protocol). As an extension of ours, null in an array of floating-point
// numbers is a missing value, which JSON cannot express otherwise.
package oip

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Score is the name of the output.
const Score = "score"

// Request asks a model for scores.
type Request struct {
	ID      string   `json:"id"` // copied to the response
	Inputs  []Tensor `json:"inputs"`
	Outputs []struct {
		Name       string     `json:"name"`
		Parameters parameters `json:"parameters"`
	} `json:"outputs"`
}

// parameters are those of a tensor that change what it means. Others are left alone, such as the wish for an
// output in binary: the response shows that it is JSON.
type parameters struct {
	Binary any `json:"binary_data_size"`
	Shared any `json:"shared_memory_region"`
	Class  any `json:"classification"`
}

// check returns an error for a parameter of an extension that the server does not have.
func (p *parameters) check(name string) error {
	switch {
	case p.Binary != nil:
		return Invalid("input %q: binary tensors are not supported; send the values in JSON (with tritonclient, "+
			"set_data_from_numpy(..., binary_data=False))", name)
	case p.Shared != nil:
		return Invalid("tensor %q: shared memory is not supported; send the data", name)
	case p.Class != nil:
		return Invalid("output %q: classification is not supported; ask for the scores", name)
	}
	return nil
}

// Decode reads the body of a request. It does not read the data of tensors; [Tensor.Numbers] and
// [Tensor.Keys] do.
func Decode(body []byte) (*Request, error) {
	r := new(Request)
	if err := json.Unmarshal(body, r); err != nil {
		return nil, invalidJSON(body, err)
	}
	for i := range r.Inputs {
		if err := r.Inputs[i].check(); err != nil {
			return nil, err
		}
	}
	for i := range r.Outputs {
		out := &r.Outputs[i]
		if err := out.Parameters.check(out.Name); err != nil {
			return nil, err
		}
		if out.Name != Score {
			return nil, Invalid("there is no output %q; there is %q", out.Name, Score)
		}
	}
	if len(r.Outputs) > 1 {
		return nil, Invalid("output %q is wanted twice", Score)
	}
	return r, nil
}

// invalidJSON explains an error of package json.
func invalidJSON(body []byte, err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return Invalid("the request is not as it should be: %s cannot be a JSON %s", cmp.Or(other.Field, "it"),
			other.Value)
	}
	if bytes.Contains(body, []byte("NaN")) {
		return Invalid("the request is not JSON: %v; write a missing value as null", err)
	}
	return Invalid("the request is not as it should be: %v", err)
}

// Response is the answer to a Request.
type Response struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      string   `json:"id,omitempty"`
	Outputs []Output `json:"outputs"`
}

// Output is a tensor of the datatype FP64.
type Output struct {
	TensorInfo
	Data []float64 `json:"data"`
}

// OutputOf returns the scores of documents as an output.
func OutputOf(scores []float64) Output {
	return Output{TensorInfo{Score, FP64, []int{len(scores)}}, scores}
}

// Metadata describes a model.
type Metadata struct {
	Name       string         `json:"name"`
	Versions   []string       `json:"versions"`
	Platform   string         `json:"platform"`
	Inputs     []TensorInfo   `json:"inputs"`
	Outputs    []TensorInfo   `json:"outputs"`
	Parameters map[string]any `json:"parameters"` // an extension of ours
}

// TensorInfo describes an input or output. A dimension of any length is -1.
type TensorInfo struct {
	Name  string   `json:"name"`
	Type  Datatype `json:"datatype"`
	Shape []int    `json:"shape"`
}

// Error is an error that a client gets.
type Error struct {
	Status int // of HTTP
	Text   string
}

func (e *Error) Error() string { return e.Text }

// Errorf returns an Error with the text of [fmt.Sprintf].
func Errorf(status int, format string, args ...any) *Error {
	return &Error{status, fmt.Sprintf(format, args...)}
}

// Invalid returns an Error about an invalid request.
func Invalid(format string, args ...any) error { return Errorf(http.StatusBadRequest, format, args...) }

// ErrorOf returns err as an Error. An error of another type is an internal error of the server.
func ErrorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{http.StatusInternalServerError, err.Error()}
}
