// Package ranklib reads and writes the LambdaMART and MART models of RankLib, which Elasticsearch
// and OpenSearch load as model/ranklib.
//
// # The format
//
// Lines that begin with #, the first of which names the kind of model, an empty line, and XML. White space
// has no meaning, and a document type is ignored; other elements are refused:
//
//	## LambdaMART
//	## No. of trees = 1
//
//	<ensemble>
//	<tree id="1" weight="0.1">
//	<split>
//	<feature>39</feature>
//	<threshold>0.78125</threshold>
//	<split pos="left">
//	<output>-0.64</output>
//	</split>
//	<split pos="right">
//	<output>1.7</output>
//	</split>
//	</split>
//	</tree>
//	</ensemble>
//
// # How RankLib scores
//
// Values, thresholds, outputs and weights are float32. A row goes left if x <= threshold; NaN and absent
// values count as 0. After each tree, output·weight is added to the score, which is rounded to float32.
// Features are ordinals from 1: in a file for RankLib, the feature numbers of LETOR data; in a search engine,
// the positions in the feature set.
//
// # What a model becomes
//
// Ordinal n is column n of the model, so the model scores LETOR files unchanged; column 0 is not used. (Files
// written here may use another numbering, see below.) Every row reaches the same leaves as in RankLib, except
// where RankLib rounds decimals of text directly to float32, and we to float64 first: decimals that are
// closer to the midpoint of two float32 than float64 can resolve.
//
// Leaves are output·weight, exactly, and sums are float64: for n trees, scores differ from RankLib's by at
// most n·2^-24·Σ|leaf|. Rounding the sum to float32 after each tree gives RankLib's scores exactly. Gains
// and counts are not in the file and are zero. Other kinds of models, such as Random Forests, are refused by
// name.
//
// # What is written
//
// The XML is not indented, because the loader of older plug-ins does not support indentation. Weights are 1.
// If column 0 is not ordinal 0 (see [Write]), the file contains a line "## Ordinal of column 0 = 1", which
// RankLib ignores and Read uses.
package ranklib

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Kinds of faults, to be found with [errors.Is]. A file that violates the format is
// ErrFormat of package io/model.
var (
	// ErrUnsupported: the model is of a kind that is not read.
	ErrUnsupported = document.Kind(document.ErrUnsupported, "unsupported kind of model")
	// ErrModel: an element or text is not the one that the format has there.
	ErrModel = document.Kind(document.ErrFormat, "not a model")
	// ErrOrdinal: a column would have an ordinal below 1.
	ErrOrdinal = document.Kind(document.ErrFormat, "ordinals count from 1")
)

// Is reports whether data, the content of a file, looks like a model of RankLib.
func Is(data []byte) bool {
	text := document.TrimLeft(data)
	return bytes.HasPrefix(text, []byte("##")) || bytes.HasPrefix(text, []byte("<ensemble"))
}

// objectives maps the kinds of models that are read to LightGBM's names for their objectives. A
// file without a header is read too.
var objectives = map[string]string{"LambdaMART": "lambdarank", "MART": "regression", "": ""}

// Read reads the content of a file. The ensemble is valid; see [tree.Ensemble.Validate]. Errors wrap the
// kinds of this package or of package document, and name the line and column where the faulty text ends.
func Read(data []byte) (*tree.Ensemble, error) {
	h, err := readHeader(data)
	if err != nil {
		return nil, fmt.Errorf("ranklib: line %d, column 1: %w", h.lines+1, err)
	}
	objective, known := objectives[h.kind]
	if !known {
		return nil, fmt.Errorf("ranklib: line 1, column 1: %w %q; LambdaMART and MART are read", ErrUnsupported,
			h.kind)
	}
	d := xml.NewDecoder(bytes.NewReader(h.body))
	var x ensemble
	if err = d.Decode(&x); err == nil && len(bytes.TrimSpace(h.body[d.InputOffset():])) > 0 {
		err = errors.New("more after the ensemble")
	}
	if err != nil {
		line, column := d.InputPos()
		return nil, fmt.Errorf("ranklib: line %d, column %d: %w", h.lines+line, column, classified(err))
	}
	e := &tree.Ensemble{Objective: objective, Features: []tree.Feature{{Name: "Column_0"}}}
	for i, item := range x.Trees {
		for node, ordinal := range item.Feature {
			column := int(ordinal) - h.firstOrdinal
			if column < 0 {
				return nil, fmt.Errorf("ranklib: tree %d: %w: ordinal %d, but the first column has %d", i, ErrOrdinal,
					ordinal, h.firstOrdinal)
			}
			for len(e.Features) <= column {
				e.Features = append(e.Features, tree.Feature{Name: "Column_" + strconv.Itoa(len(e.Features))})
			}
			item.Feature[node] = int32(column)
		}
		e.Trees = append(e.Trees, item.Tree)
	}
	if err := e.Validate(); err != nil {
		return nil, fmt.Errorf("ranklib: %w: %w", ErrModel, err)
	}
	return e, nil
}

// classified gives errors of package xml a kind.
func classified(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case err == io.EOF || errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
		return fmt.Errorf("%w: an element is not closed, or is missing", document.ErrTruncated)
	case errors.Is(err, document.ErrFormat):
		return err
	}
	return fmt.Errorf("%w: %w", ErrModel, err)
}

// The elements of the file. Elements that a format has once are lists, so that a second one is found.
type (
	ensemble struct {
		XMLName xml.Name  `xml:"ensemble"`
		Trees   []element `xml:"tree"`
		nothing
	}
	element struct{ tree.Tree }
	split   struct {
		Side      string    `xml:"pos,attr"`
		Feature   []ordinal `xml:"feature"`
		Threshold []number  `xml:"threshold"`
		Output    []number  `xml:"output"`
		Splits    []split   `xml:"split"`
		nothing
	}

	// nothing refuses other elements, and text beside the elements.
	nothing struct {
		Text  blank   `xml:",chardata"`
		Other unknown `xml:",any"`
	}
	unknown struct{}
	blank   struct{}
	ordinal int32
	number  float64
)

func (unknown) UnmarshalXML(_ *xml.Decoder, start xml.StartElement) error {
	return fmt.Errorf("%w: <%s>, which it does not have here", ErrModel, document.Clip(start.Name.Local))
}

func (*blank) UnmarshalText(text []byte) error {
	if text = bytes.TrimSpace(text); len(text) > 0 {
		return fmt.Errorf("%w: %q beside the elements", ErrModel, document.Clip(string(text)))
	}
	return nil
}

// maxFeatures limits the features: a file has only their numbers, but the model has an entry for each.
const maxFeatures = 1 << 20

func (o *ordinal) UnmarshalText(text []byte) error {
	word := string(bytes.TrimSpace(text))
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 1 || n >= maxFeatures {
		return fmt.Errorf("%w: feature %q, want 1 to %d", document.ErrNumber, document.Clip(word), maxFeatures-1)
	}
	*o = ordinal(n)
	return nil
}

func (n *number) UnmarshalText(text []byte) error {
	word := string(bytes.TrimSpace(text))
	v, err := strconv.ParseFloat(word, 32)
	if err != nil || math.IsNaN(v) {
		return fmt.Errorf("%w: %q", document.ErrNumber, document.Clip(word))
	}
	*n = number(v)
	return nil
}

// UnmarshalXML reads a tree, whose features are still ordinals.
func (x *element) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	var item struct {
		Weight *number `xml:"weight,attr"`
		Splits []split `xml:"split"`
		nothing
	}
	if err := d.DecodeElement(&item, &start); err != nil {
		return err
	}
	if item.Weight == nil || len(item.Splits) != 1 {
		return fmt.Errorf("%w: a tree has a weight and one split", ErrModel)
	}
	var b engine.Builder
	if _, err := item.Splits[0].add(&b, float64(*item.Weight)); err != nil {
		return err
	}
	x.Tree = b.Finish()
	return nil
}

// add adds a split or a leaf with all below it, and returns the number by which its parent refers to it.
func (s *split) add(b *engine.Builder, weight float64) (int32, error) {
	counts := [4]int{len(s.Feature), len(s.Threshold), len(s.Splits), len(s.Output)}
	switch {
	case counts == [4]int{0, 0, 0, 1}:
		return b.AddLeaf(engine.Leaf{Value: float64(s.Output[0]) * weight}), nil
	case counts != [4]int{1, 1, 2, 0} || s.Splits[0].Side != "left" || s.Splits[1].Side != "right":
		return 0, fmt.Errorf("%w: a split has an output, or a feature, a threshold, and splits with pos=left and "+
			"pos=right", ErrModel)
	}
	node := b.AddSplit(engine.Split{Feature: int32(s.Feature[0]),
		Threshold: engine.Rounded(float32(s.Threshold[0]))})
	left, err := s.Splits[0].add(b, weight)
	if err != nil {
		return 0, err
	}
	right, err := s.Splits[1].add(b, weight)
	b.Join(node, left, right)
	return node, err
}

// header is the part of a file before the XML.
type header struct {
	kind         string // kind of the model; empty without a header
	firstOrdinal int    // ordinal of column 0
	body         []byte // the XML
	lines        int    // number of lines of the header
}

// firstOrdinalKey begins a header line that only this package writes; it gives the ordinal of column 0.
const firstOrdinalKey = "Ordinal of column 0"

func readHeader(data []byte) (h header, err error) {
	for h.body = data; ; h.lines++ {
		line, rest, more := bytes.Cut(h.body, []byte("\n"))
		line = bytes.TrimSpace(line)
		if !more || len(line) > 0 && line[0] != '#' {
			return h, nil
		}
		text := strings.TrimSpace(strings.TrimLeft(string(line), "#"))
		if h.kind == "" {
			h.kind = document.Clip(text)
		}
		if value, ours := strings.CutPrefix(text, firstOrdinalKey+" = "); ours {
			if h.firstOrdinal, err = strconv.Atoi(value); err != nil || h.firstOrdinal < 0 {
				return h, fmt.Errorf("%w: %q", document.ErrNumber, document.Clip(value))
			}
		}
		h.body = rest
	}
}

// Capabilities are what RankLib can represent.
var Capabilities = engine.Capabilities{Engine: "RankLib", MissingIsZero: true, Float32: true}

//go:embed ranklib.tmpl
var text string

// Write writes e, which must be valid, as a LambdaMART model, so that every finite float32 value takes the
// same path as in e. Thresholds become the largest float32 that is not larger, within the finite numbers.
// Leaves are rounded to float32, so scores differ by at most (n+1)·2^-24·Σ|leaf| for n trees.
//
// The bytes depend on e and first only, the ordinal of column 0: 0 for models trained on LETOR files, whose
// feature 5 is column 5, and 1 for models whose columns are the features of a feature set in order. A model
// without trees is written as one leaf of value 0.
//
// e must be one that [Capabilities] allow. Errors wrap [ErrOrdinal], or come from w.
func Write(w io.Writer, e *tree.Ensemble, first int) error {
	if err := checkOrdinals(e, first); err != nil {
		return err
	}
	most := 1
	for i := range e.Trees {
		most = max(most, e.Trees[i].NumLeaves())
	}
	return engine.Render(w, text, template.FuncMap{
		"feature": func(f int32) int { return int(f) + first },
		"cut":     cut, "next": func(i int) int { return i + 1 },
	}, map[string]any{"Roots": engine.Roots(e), "Leaves": most, "FirstOrdinal": first})
}

func checkOrdinals(e *tree.Ensemble, first int) error {
	for i := range e.Trees {
		for _, f := range e.Trees[i].Feature {
			if int(f)+first < 1 {
				return fmt.Errorf("ranklib: tree %d: %w: column %d (%q) would be ordinal %d; for a model that was not "+
					"trained on a LETOR file, feature_base=1 makes column 0 ordinal 1", i, ErrOrdinal, f,
					e.Features[f].Name, int(f)+first)
			}
		}
	}
	return nil
}

// cut returns the largest float32 that is not above a threshold, within the finite numbers.
func cut(t float64) string {
	return engine.Decimal(float64(min(max(engine.AtMost(t), -math.MaxFloat32), math.MaxFloat32)))
}

// ByName returns e with every used feature moved to the column given by its name, which must be the ordinal
// of the feature in the feature set of an engine, because the engine knows features only by ordinal. The
// names must be distinct. e is not changed.
func ByName(e *tree.Ensemble) (*tree.Ensemble, error) {
	names := []string{"0"}
	for _, i := range e.UsedFeatures() {
		name := e.Features[i].Name
		ordinal, err := strconv.Atoi(name)
		if err != nil || ordinal < 1 || ordinal > maxFeatures || strconv.Itoa(ordinal) != name {
			return nil, fmt.Errorf("%q: RankLib's features are numbers, 1 to %d, in the order of the feature set",
				name, maxFeatures)
		}
		for len(names) <= ordinal {
			names = append(names, strconv.Itoa(len(names)))
		}
	}
	return e.Matched(names)
}
