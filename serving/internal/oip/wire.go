package oip

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// The protocol has few messages, so their fields are read and written here, without generated code or
// reflection. The tests of tritonclient, which has the generated code, cover all of them. Field numbers are
// those of open_inference_grpc.proto.

// visit calls do for each field of a message.
func visit(message []byte, do func(field) error) error {
	err := visitFields(message, do)
	if errors.Is(err, errMalformed) {
		return Invalid("the request is not a message of the protocol: %v", err)
	}
	return err
}

// DecodeName reads a ModelReadyRequest, a ModelMetadataRequest, or a RepositoryModelLoadRequest of Triton,
// whose field 1 is a repository and whose field 2 is the name.
func DecodeName(message []byte) (name, version string, err error) {
	err = visit(message, func(f field) error {
		switch f.Number {
		case 1:
			name = string(f.Bytes)
		case 2:
			version = string(f.Bytes)
		}
		return nil
	})
	return name, version, err
}

// input is an InferInputTensor whose elements are not decoded yet.
type input struct {
	tensor   Tensor
	shape    []int64
	contents []byte // InferTensorContents; nil if there are none
}

// DecodeInfer reads a ModelInferRequest. The message may be reused afterwards.
func DecodeInfer(message []byte) (*Request, error) {
	r := new(Request)
	var inputs []input
	var raw [][]byte
	err := visit(message, func(f field) (err error) {
		switch f.Number {
		case 1:
			r.Model = string(f.Bytes)
		case 2:
			r.Version = string(f.Bytes)
		case 3:
			r.ID = string(f.Bytes)
		case 5:
			var in input
			in, err = decodeInput(f.Bytes)
			inputs = append(inputs, in)
		case 6:
			var w Wanted
			w, err = decodeWanted(f.Bytes)
			r.Outputs = append(r.Outputs, w)
		case 7:
			raw = append(raw, f.Bytes)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if raw != nil && len(raw) != len(inputs) {
		return nil, Invalid("raw_input_contents has %d entries for %d inputs", len(raw), len(inputs))
	}
	r.Raw = raw != nil
	for i := range r.Outputs {
		r.Outputs[i].Raw = r.Raw
	}
	for i := range inputs {
		in := &inputs[i]
		switch {
		case raw != nil && in.contents != nil:
			err = Invalid("input %q has contents beside raw_input_contents", in.tensor.Name)
		case raw != nil:
			err = in.tensor.fromRaw(in.shape, raw[i])
		default:
			err = in.tensor.fromContents(in.shape, in.contents)
		}
		if err != nil {
			return nil, err
		}
		r.Inputs = append(r.Inputs, in.tensor)
	}
	return r, nil
}

func decodeInput(message []byte) (in input, err error) {
	err = visit(message, func(f field) (err error) {
		switch f.Number {
		case 1:
			in.tensor.Name = string(f.Bytes)
		case 2:
			in.tensor.Type = Datatype(f.Bytes)
		case 3:
			in.shape, err = f.ints(in.shape)
		case 4:
			return checkParameter(in.tensor.Name, f.Bytes)
		case 5:
			in.contents = f.Bytes
		}
		return err
	})
	return in, err
}

func decodeWanted(message []byte) (w Wanted, err error) {
	err = visit(message, func(f field) error {
		switch f.Number {
		case 1:
			w.Name = string(f.Bytes)
		case 2:
			return checkParameter(w.Name, f.Bytes)
		}
		return nil
	})
	return w, err
}

// checkParameter reads an entry of a map of parameters, and refuses parameters that would change the meaning
// of a tensor.
func checkParameter(tensor string, entry []byte) error {
	return visit(entry, func(f field) error {
		if f.Number != 1 {
			return nil
		}
		p := tensorParameters{}
		switch string(f.Bytes) {
		case "shared_memory_region":
			p.Shared = "given"
		case "classification":
			p.Class = 1
		}
		return p.check(tensor)
	})
}

// fieldOf has the field numbers of InferTensorContents by datatype.
var fieldOf = map[Datatype]protowire.Number{
	"BOOL": 1, "INT8": 2, "INT16": 2, "INT32": 2, INT64: 3, "UINT8": 4, "UINT16": 4, "UINT32": 4, "UINT64": 5,
	FP32: 6, FP64: 7, BYTES: 8,
}

// fromContents sets the elements from InferTensorContents.
func (t *Tensor) fromContents(shape []int64, contents []byte) error {
	if err := t.Type.check(t.Name); err != nil {
		return err
	}
	err := visit(contents, func(f field) (err error) {
		switch {
		case f.Number != fieldOf[t.Type]:
			return Invalid("input %q: the contents are not those of %s", t.Name, t.Type)
		case t.Type == BYTES:
			t.Texts = append(t.Texts, string(f.Bytes))
		case t.Type == FP32:
			t.Floats, err = f.floats(t.Floats)
		case t.Type == FP64:
			t.Floats, err = f.doubles(t.Floats)
		default:
			t.Ints, err = f.ints(t.Ints)
		}
		return err
	})
	if err != nil {
		return err
	}
	n, err := elements(t.Name, shape, t.Len())
	if err != nil {
		return err
	}
	if t.Len() != n {
		return Invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, shape, n, t.Len())
	}
	t.Shape = withShape(shape)
	return t.checkInts()
}

func appendBytes(dst []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), v)
}

// appendString appends a text. As in proto3, an empty text is left out.
func appendString(dst []byte, number protowire.Number, v string) []byte {
	if v == "" {
		return dst
	}
	return protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), v)
}

// EncodeBool writes a ServerLiveResponse, ServerReadyResponse or ModelReadyResponse.
func EncodeBool(v bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), protowire.EncodeBool(v))
}

// EncodeServer writes a ServerMetadataResponse.
func EncodeServer(s *Server) []byte {
	b := appendString(appendString(nil, 1, s.Name), 2, s.Version)
	for _, extension := range s.Extensions {
		b = appendString(b, 3, extension)
	}
	return b
}

// EncodeMetadata writes a ModelMetadataResponse.
func EncodeMetadata(m *Metadata) []byte {
	b := appendString(nil, 1, m.Name)
	for _, version := range m.Versions {
		b = appendString(b, 2, version)
	}
	b = appendString(b, 3, m.Platform)
	for _, in := range m.Inputs {
		b = appendBytes(b, 4, encodeInfo(in))
	}
	for _, out := range m.Outputs {
		b = appendBytes(b, 5, encodeInfo(out))
	}
	return b
}

func encodeInfo(t TensorInfo) []byte { return appendTensor(nil, t.Name, t.Type, t.Shape) }

// appendTensor appends the common fields of all descriptions of tensors.
func appendTensor(b []byte, name string, datatype Datatype, shape []int) []byte {
	b = appendString(appendString(b, 1, name), 2, string(datatype))
	var lengths []byte
	for _, n := range shape {
		lengths = protowire.AppendVarint(lengths, uint64(int64(n)))
	}
	return appendBytes(b, 3, lengths)
}

// EncodeInfer writes a ModelInferResponse, whose scores are contents of the output, or follow it in binary.
func EncodeInfer(r *Response) []byte {
	b := appendString(appendString(appendString(nil, 1, r.Model), 2, r.Version), 3, r.ID)
	out := appendTensor(nil, r.Output, FP64, []int{len(r.Scores)})
	if r.Raw {
		return appendBytes(appendBytes(b, 5, out), 6, r.raw())
	}
	packed := appendBytes(nil, fieldOf[FP64], r.raw()) // packed doubles are little-endian
	return appendBytes(b, 5, appendBytes(out, 5, packed))
}

// IndexEntry is a version of a model in the index of the repository.
type IndexEntry struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"`            // READY or UNAVAILABLE
	Reason  string `json:"reason,omitempty"` // why it is not available, or not the newest file
}

// EncodeIndex writes Triton's RepositoryIndexResponse.
func EncodeIndex(entries []IndexEntry) []byte {
	var b []byte
	for _, e := range entries {
		one := appendString(appendString(appendString(appendString(nil, 1, e.Name), 2, e.Version), 3, e.State), 4,
			e.Reason)
		b = appendBytes(b, 1, one)
	}
	return b
}
