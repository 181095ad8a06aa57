package serving

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Names of outputs. Only models that have probabilities have the second.
const (
	scoreOutput       = "score"
	probabilityOutput = "probability"
)

// Requests and responses are those of the Open Inference Protocol, version 2, in JSON
// (github.com/kserve/open-inference-protocol). As an extension of ours, null in an array of floating-point
// numbers is a missing value, which JSON cannot express otherwise.

// inferRequest asks a model for scores.
type inferRequest struct {
	ID      string         `json:"id"` // copied to the response
	Inputs  []tensor       `json:"inputs"`
	Outputs []wantedOutput `json:"outputs"`
}

// wantedOutput names an output that the response shall have.
type wantedOutput struct {
	Name       string     `json:"name"`
	Parameters parameters `json:"parameters"`
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
		return invalid("input %q: binary tensors are not supported; send the values in JSON (with tritonclient, "+
			"set_data_from_numpy(..., binary_data=False))", name)
	case p.Shared != nil:
		return invalid("tensor %q: shared memory is not supported; send the data", name)
	case p.Class != nil:
		return invalid("output %q: classification is not supported; ask for the scores", name)
	}
	return nil
}

// decode reads the body of a request. It does not read the data of tensors; tensor.numbers and
// tensor.keys do.
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
	for i := range r.Outputs {
		out := &r.Outputs[i]
		if err := out.Parameters.check(out.Name); err != nil {
			return nil, err
		}
		for _, before := range r.Outputs[:i] {
			if before.Name == out.Name {
				return nil, invalid("output %q is wanted twice", out.Name)
			}
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

// inferResponse is the answer to a request.
type inferResponse struct {
	Model   string         `json:"model_name"`
	Version string         `json:"model_version"`
	ID      string         `json:"id,omitempty"`
	Outputs []outputTensor `json:"outputs"`
}

// outputTensor is a tensor of the datatype FP64.
type outputTensor struct {
	tensorInfo
	Data []float64 `json:"data"`
}

// modelMetadata describes a model.
type modelMetadata struct {
	Name       string         `json:"name"`
	Versions   []string       `json:"versions"`
	Platform   string         `json:"platform"`
	Inputs     []tensorInfo   `json:"inputs"`
	Outputs    []tensorInfo   `json:"outputs"`
	Parameters map[string]any `json:"parameters"` // an extension of ours
}

// tensorInfo describes an input or output. A dimension of any length is -1.
type tensorInfo struct {
	Name  string   `json:"name"`
	Type  datatype `json:"datatype"`
	Shape []int    `json:"shape"`
}

// clientError is an error that a client gets, with its status of HTTP.
type clientError struct {
	status int
	text   string
}

func (e *clientError) Error() string { return e.text }

// errorf returns an error with the text of [fmt.Sprintf].
func errorf(status int, format string, args ...any) error {
	return &clientError{status, fmt.Sprintf(format, args...)}
}

// invalid returns an error about an invalid request.
func invalid(format string, args ...any) error { return errorf(http.StatusBadRequest, format, args...) }

// statusOf returns the status of an error. One that is of no client is internal to the server.
func statusOf(err error) int {
	var e *clientError
	if errors.As(err, &e) {
		return e.status
	}
	return http.StatusInternalServerError
}
