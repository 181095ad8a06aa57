package oip

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// request is the JSON of a Request.
type request struct {
	ID         string `json:"id"`
	Parameters struct {
		Raw bool `json:"binary_data_output"`
	} `json:"parameters"`
	Inputs []struct {
		Name       string           `json:"name"`
		Type       Datatype         `json:"datatype"`
		Shape      []int64          `json:"shape"`
		Parameters tensorParameters `json:"parameters"`
		Data       json.RawMessage  `json:"data"`
	} `json:"inputs"`
	Outputs []struct {
		Name       string           `json:"name"`
		Parameters tensorParameters `json:"parameters"`
	} `json:"outputs"`
}

// tensorParameters are the parameters that change what a tensor means.
type tensorParameters struct {
	Size   *int   `json:"binary_data_size"`
	Raw    *bool  `json:"binary_data"`
	Shared string `json:"shared_memory_region"`
	Class  int    `json:"classification"`
}

// check returns an error for a parameter of an extension that the server does not have.
func (p *tensorParameters) check(name string) error {
	if p.Shared != "" {
		return Invalid("tensor %q: shared memory is not supported; send the data", name)
	}
	if p.Class != 0 {
		return Invalid("output %q: classification is not supported; ask for the scores", name)
	}
	return nil
}

// DecodeJSON reads the body of a request. header is the length of the JSON at its beginning (the HTTP header
// Inference-Header-Content-Length), and -1 if the body is JSON alone. The body may be reused afterwards.
func DecodeJSON(body []byte, header int) (*Request, error) {
	var raw []byte
	if header > len(body) {
		return nil, Invalid("Inference-Header-Content-Length is %d, and the body has %d bytes", header, len(body))
	} else if header >= 0 {
		body, raw = body[:header], body[header:]
	}
	var in request
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalidJSON(body, err)
	}
	r := &Request{ID: in.ID, Raw: in.Parameters.Raw}
	for i := range in.Inputs {
		one := &in.Inputs[i]
		t := Tensor{Name: one.Name, Type: one.Type}
		if err := one.Parameters.check(t.Name); err != nil {
			return nil, err
		}
		data := one.Parameters.Size
		if data == nil {
			if err := t.fromJSON(one.Shape, one.Data); err != nil {
				return nil, err
			}
			r.Inputs = append(r.Inputs, t)
			continue
		}
		if *data < 0 || *data > len(raw) {
			return nil, Invalid("input %q: binary_data_size is %d, and %d bytes of binary data are left", t.Name,
				*data, len(raw))
		}
		if err := t.fromRaw(one.Shape, raw[:*data]); err != nil {
			return nil, err
		}
		raw = raw[*data:]
		r.Inputs = append(r.Inputs, t)
	}
	if len(raw) > 0 {
		return nil, Invalid("%d bytes of binary data belong to no input", len(raw))
	}
	for i := range in.Outputs {
		out := &in.Outputs[i]
		if err := out.Parameters.check(out.Name); err != nil {
			return nil, err
		}
		w := Wanted{Name: out.Name, Raw: r.Raw}
		if out.Parameters.Raw != nil {
			w.Raw = *out.Parameters.Raw
		}
		r.Outputs = append(r.Outputs, w)
	}
	return r, nil
}

// invalidJSON explains an error of package json.
func invalidJSON(body []byte, err error) error {
	if bytes.Contains(body, []byte("NaN")) {
		return Invalid("the request is not JSON: %v; write a missing value as null, or send binary data", err)
	}
	return Invalid("the request is not as it should be: %v", err)
}

// fromJSON sets the elements from a JSON array, which is flat or nested according to the shape.
func (t *Tensor) fromJSON(shape []int64, text []byte) error {
	if err := t.Type.check(t.Name); err != nil {
		return err
	}
	if text == nil || string(text) == "null" {
		return Invalid("input %q has no data", t.Name)
	}
	n, err := elements(t.Name, shape, len(text)) // an element has at least one character
	if err != nil {
		return err
	}
	t.Shape = withShape(shape)
	if t.Type == BYTES {
		err = t.textsFromJSON(text)
	} else {
		err = t.numbersFromJSON(text, n)
	}
	if err != nil {
		return err
	}
	if t.Len() != n {
		return Invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, shape, n, t.Len())
	}
	return nil
}

// numbersFromJSON reads the numbers of an array. Package json has already checked that the text is JSON;
// brackets are checked against the shape here.
func (t *Tensor) numbersFromJSON(text []byte, n int) error {
	isFloat := t.Type.kind() == floats
	if isFloat {
		t.Floats = make([]float64, 0, n)
	} else {
		t.Ints = make([]int64, 0, n)
	}
	nesting := nesting{tensor: t}
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '[', ']':
			if err := nesting.bracket(c); err != nil {
				return err
			}
			i++
		case ' ', '\t', '\r', '\n', ',':
			i++
		default:
			end := i + 1
			for end < len(text) && !endsWord(text[end]) {
				end++
			}
			if err := t.appendNumber(text[i:end], isFloat); err != nil {
				return err
			}
			nesting.element()
			i = end
		}
	}
	return nesting.end()
}

// endsWord reports whether a byte ends a number or literal in an array.
func endsWord(c byte) bool {
	return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// appendNumber appends the element for a word of JSON.
func (t *Tensor) appendNumber(word []byte, isFloat bool) error {
	switch {
	case isFloat && string(word) == "null":
		t.Floats = append(t.Floats, math.NaN())
		return nil
	case isFloat:
		bits := 64
		if t.Type == FP32 {
			bits = 32
		}
		v, err := strconv.ParseFloat(string(word), bits)
		if err != nil {
			return t.notANumber(word, len(t.Floats))
		}
		t.Floats = append(t.Floats, v)
		return nil
	case t.Type == "BOOL":
		v, err := strconv.ParseBool(string(word))
		if err != nil {
			return t.notANumber(word, len(t.Ints))
		}
		t.Ints = append(t.Ints, map[bool]int64{true: 1}[v])
		return nil
	}
	v, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil || !t.Type.inRange(v) {
		return t.notANumber(word, len(t.Ints))
	}
	t.Ints = append(t.Ints, v)
	return nil
}

func (t *Tensor) notANumber(word []byte, i int) error {
	return Invalid("input %q: element %d is %.40s, which is not a number of type %s", t.Name, i, word, t.Type)
}

// nesting checks the brackets of an array, which must be flat, or nested with the lengths of the shape.
type nesting struct {
	tensor *Tensor
	counts []int // elements or arrays so far, in each open array
	nested bool  // there has been an array in an array
	depth  int   // open arrays around the first element
	uneven bool  // an element has another depth than the first one
}

// bracket counts an array that begins or ends.
func (s *nesting) bracket(c byte) error {
	if c == '[' {
		s.nested = s.nested || len(s.counts) > 0
		if len(s.counts) == len(s.tensor.Shape) {
			return s.fault()
		}
		s.counts = append(s.counts, 0)
		return nil
	}
	depth := len(s.counts)
	if s.nested && s.counts[depth-1] != s.tensor.Shape[depth-1] {
		return s.fault()
	}
	s.counts = s.counts[:depth-1]
	if depth > 1 {
		s.counts[depth-2]++
	}
	return nil
}

// element counts an element.
func (s *nesting) element() {
	depth := len(s.counts)
	if s.depth == 0 {
		s.depth = depth
	}
	s.uneven = s.uneven || depth == 0 || depth != s.depth
	if depth > 0 {
		s.counts[depth-1]++
	}
}

// end returns an error if the nesting does not match the shape.
func (s *nesting) end() error {
	if s.uneven || s.nested && s.depth > 0 && s.depth != len(s.tensor.Shape) {
		return s.fault()
	}
	return nil
}

func (s *nesting) fault() error {
	return Invalid("input %q: the arrays of the data are not nested as the shape %v", s.tensor.Name,
		s.tensor.Shape)
}

func (t *Tensor) textsFromJSON(text []byte) error {
	if err := json.Unmarshal(text, &t.Texts); err != nil {
		return Invalid("input %q: the data of BYTES must be one array of strings", t.Name)
	}
	return nil
}

// EncodeJSON writes a response. header is the length of the JSON at the beginning of the body if the scores
// follow it in binary, and -1 otherwise.
func EncodeJSON(r *Response) (body []byte, header int) {
	b := appendText([]byte(`{"model_name":`), r.Model)
	b = appendText(append(b, `,"model_version":`...), r.Version)
	if r.ID != "" {
		b = appendText(append(b, `,"id":`...), r.ID)
	}
	b = appendText(append(b, `,"outputs":[{"name":`...), r.Output)
	b = fmt.Appendf(b, `,"datatype":"%s","shape":[%d]`, FP64, len(r.Scores))
	if r.Raw {
		b = fmt.Appendf(b, `,"parameters":{"binary_data_size":%d}}]}`, 8*len(r.Scores))
		return append(b, r.raw()...), len(b)
	}
	b = append(b, `,"data":[`...)
	for i, v := range r.Scores {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return append(b, "]}]}"...), -1
}

func appendText(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // cannot fail for a string
	return append(b, quoted...)
}
