package nnbaseline

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
)

const (
	magic   = "\x8bLMN\r\n\x1a\n"
	version = 1

	prefaceSize = 28
	maxHeader   = 1 << 26 // bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the JSON object of a model file.
type header struct {
	Ranker        string            `json:"ranker"`
	Features      []feature         `json:"features"`
	NaN           string            `json:"nan"`
	HiddenLayers  []int             `json:"hidden_layers"`
	Normalization string            `json:"normalization"`
	Parameters    map[string]string `json:"parameters"`
}

// Write writes the model in the format that the package's documentation describes.
func (m *Model) Write(w io.Writer) error {
	n := m.network
	text, err := json.Marshal(header{
		Ranker: m.ranker, Features: m.inputs.features, NaN: m.inputs.nan,
		HiddenLayers: n.widths[1 : len(n.widths)-1], Normalization: n.normalization, Parameters: m.parameters,
	})
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	buffered.Write(preface(len(text), len(n.weights)+len(n.running))) // Flush returns the errors
	sum := crc32.New(castagnoli)
	body := io.MultiWriter(buffered, sum)
	body.Write(text)
	for _, values := range [][]float32{n.weights, n.running} {
		if err := binary.Write(body, binary.LittleEndian, values); err != nil {
			return err
		}
	}
	buffered.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return buffered.Flush()
}

// preface returns the bytes of a file before its header.
func preface(headerBytes, values int) []byte {
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(headerBytes))
	b = binary.LittleEndian.AppendUint64(b, uint64(values))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// IsModel reports whether a file with these first bytes, at least 8, is a model of this package.
func IsModel(prefix []byte) bool { return bytes.HasPrefix(prefix, []byte(magic)) }

// params returns the parameters that the header has.
func (h *header) params() *Params {
	return &Params{Ranker: h.Ranker, NaN: h.NaN, HiddenLayers: h.HiddenLayers, Normalization: h.Normalization}
}

// check returns an error for a header that does not describe a model.
func (h *header) check() error {
	table := h.params().Table()
	for _, name := range []string{"ranker", "nan", "hidden_layers", "normalization"} {
		if err := table.Find(name).Value.Check(); err != nil {
			return fault(ErrInvalid, "%s=%s %v", name, table.Find(name).Value, err)
		}
	}
	if len(h.Features) == 0 || len(h.Features) > maxFeatures || len(h.HiddenLayers) > maxHidden {
		return fault(ErrInvalid, "%d features and %d hidden layers", len(h.Features), len(h.HiddenLayers))
	}
	for f, feature := range h.Features {
		if !isFinite(feature.Mean) || !isFinite(feature.Scale) || feature.Scale < 0 {
			return fault(ErrInvalid, "feature %d (%q): mean %v, scale %v", f, feature.Name, feature.Mean,
				feature.Scale)
		}
	}
	return nil
}

func isFinite(x float64) bool { return x-x == 0 }

// network returns the network of the header with values.
func (h *header) network(values []float32) (*network, error) {
	s := h.params().shape(len(h.Features))
	weights, running := s.counts()
	if want := weights + running; len(values) != want {
		return nil, fault(ErrInvalid, "%d values for layers of %v units, which have %d", len(values), s.widths,
			want)
	}
	n := &network{shape: s, weights: values[:weights:weights], running: values[weights:]}
	n.layers = s.layers(n.weights, n.running)
	if !n.finite() {
		return nil, fault(ErrInvalid, "a value is NaN or infinite")
	}
	for _, l := range n.layers {
		for _, v := range l.variance {
			if v < 0 {
				return nil, fault(ErrInvalid, "a variance is %v", v)
			}
		}
	}
	return n, nil
}

// decodeFloats returns the values that bytes hold.
func decodeFloats(b []byte) []float32 {
	values := make([]float32, len(b)/4)
	binary.Decode(b, binary.LittleEndian, values) // cannot fail: b is long enough
	return values
}
