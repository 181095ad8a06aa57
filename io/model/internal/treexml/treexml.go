// Package treexml reads the XML in which RankLib and QuickRank store trees.
//
// An ensemble element holds trees, each with a weight and one split element. A split element
// is either a leaf, which has an output, or an internal node, which has a feature, a threshold
// and two splits, in this order:
//
//	<ensemble>
//	  <tree id="1" weight="0.1">
//	    <split>
//	      <feature>39</feature> <threshold>0.78125</threshold>
//	      <split pos="left"> <output>-0.64</output> </split>
//	      <split pos="right"> <output>1.7</output> </split>
//	    </split>
//	  </tree>
//	</ensemble>
//
// Both programs round values to float32 and send a row left if x <= threshold, a float32.
// They count features from 1, as LETOR files do: feature 5 becomes column 5, and column 0 is
// not used. A threshold becomes the float64 at which every float64 value goes to the same side
// as there (see Rounded in package threshold). The value of a leaf is its output times the
// weight of its tree.
//
// White space has no meaning. Elements that are not named here and document type declarations
// are refused.
package treexml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/assemble"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

const (
	maxDepth    = 5000    // of a tree
	maxFeatures = 1 << 20 // a file has only their numbers, but the model has an entry for each
)

// ErrModel is the kind of [fault.ErrFormat] for elements and text that the format does not have
// in their place. The other kinds that occur are [fault.ErrTruncated], [fault.ErrNumber] and
// [fault.ErrDepth].
var ErrModel = fault.Kind(fault.ErrFormat, "not a model")

// Error is a fault with its place.
type Error struct {
	Line, Column int // from 1, of the end of the faulty token; 0 if the whole tree is meant
	Tree         int // number of the tree, from 0; -1 outside of trees
	Err          error
}

func (e *Error) Error() string {
	text := ""
	if e.Line > 0 {
		text = fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	}
	if e.Tree >= 0 {
		text += fmt.Sprintf("tree %d: ", e.Tree)
	}
	return text + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Rules are the differences between the formats.
type Rules struct {
	Float32 bool          // outputs and weights are float32, as in RankLib; otherwise float64
	NaN     tree.Decision // the missing type and side of every split
}

// Reader reads a document from its beginning to its end.
type Reader struct {
	decoder *xml.Decoder
	rules   Rules
	lines   int         // lines of the file before the XML
	trees   []tree.Tree // that are complete
	within  bool        // the reader is inside a tree
	most    int32       // largest feature so far
}

// NewReader returns a reader of data, which begins after the given number of lines of its file.
func NewReader(data []byte, lines int, rules Rules) *Reader {
	return &Reader{decoder: xml.NewDecoder(bytes.NewReader(data)), rules: rules, lines: lines}
}

// Fail returns err with the current place of the reader.
func (r *Reader) Fail(err error) error {
	line, column := r.decoder.InputPos()
	number := -1
	if r.within {
		number = len(r.trees)
	}
	return &Error{line + r.lines, column, number, err}
}

func (r *Reader) failf(kind error, format string, args ...any) error {
	return r.Fail(fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
}

// Next returns the next start or end of an element or the text between them, and nil at the end
// of the file. It skips comments and white space.
func (r *Reader) Next() (xml.Token, error) {
	for {
		token, err := r.decoder.Token()
		var syntax *xml.SyntaxError
		switch {
		case err == io.EOF:
			return nil, nil
		case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
			return nil, r.Fail(fault.ErrTruncated)
		case err != nil:
			return nil, r.failf(ErrModel, "%v", err)
		}
		switch t := token.(type) {
		case xml.StartElement, xml.EndElement:
			return t, nil
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 {
				return xml.CharData(bytes.Clone(text)), nil
			}
		case xml.Directive:
			return nil, r.failf(ErrModel, "a document type")
		}
	}
}

// Start reads the start of the element with the given name, which must come next.
func (r *Reader) Start(name string) (xml.StartElement, error) {
	token, err := r.Next()
	if err != nil {
		return xml.StartElement{}, err
	}
	start, ok := token.(xml.StartElement)
	if !ok || start.Name.Local != name {
		return start, r.unexpected(token, "<"+name+">")
	}
	return start, nil
}

// End reads the end of the current element, which must come next.
func (r *Reader) End() error {
	token, err := r.Next()
	if err != nil {
		return err
	}
	if _, ok := token.(xml.EndElement); !ok {
		return r.unexpected(token, "the end of the element")
	}
	return nil
}

func (r *Reader) unexpected(token xml.Token, want string) error {
	switch t := token.(type) {
	case nil:
		return r.failf(fault.ErrTruncated, "want %s", want)
	case xml.StartElement:
		return r.failf(ErrModel, "<%s>, want %s", fault.Clip(t.Name.Local), want)
	case xml.EndElement:
		return r.failf(ErrModel, "</%s>, want %s", fault.Clip(t.Name.Local), want)
	case xml.CharData:
		return r.failf(ErrModel, "%q, want %s", fault.Clip(string(t)), want)
	}
	return r.failf(ErrModel, "want %s", want)
}

// Text reads the text of the current element and its end.
func (r *Reader) Text() (string, error) {
	token, err := r.Next()
	if err != nil {
		return "", err
	}
	switch t := token.(type) {
	case xml.EndElement:
		return "", nil
	case xml.CharData:
		return string(t), r.End()
	}
	return "", r.unexpected(token, "text")
}

// Ensemble reads an ensemble element, whose start has been read, to its end. The model that it
// returns is valid and lacks only its objective.
func (r *Reader) Ensemble() (*tree.Ensemble, error) {
	for {
		token, err := r.Next()
		if err != nil {
			return nil, err
		}
		if _, end := token.(xml.EndElement); end {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "tree" {
			return nil, r.unexpected(token, "<tree>")
		}
		if err := r.tree(start); err != nil {
			return nil, err
		}
	}
	e := &tree.Ensemble{Trees: r.trees, Features: make([]tree.Feature, r.most+1)}
	for i := range e.Features {
		e.Features[i].Name = "Column_" + strconv.Itoa(i)
	}
	if err := e.Validate(); err != nil {
		return nil, r.failf(ErrModel, "%v", err)
	}
	return e, nil
}

func (r *Reader) tree(start xml.StartElement) error {
	r.within = true
	weight, given := Attribute(start, "weight")
	if !given {
		return r.failf(ErrModel, "a tree without a weight")
	}
	w, err := r.float(weight)
	if err != nil {
		return err
	}
	if _, err := r.Start("split"); err != nil {
		return err
	}
	var t assemble.Tree
	if _, err := r.split(&t, w, 1); err != nil {
		return err
	}
	if err := r.End(); err != nil {
		return err
	}
	r.within = false
	r.trees = append(r.trees, t.Finish())
	return nil
}

// Attribute returns the value of an attribute, and reports whether it is there.
func Attribute(start xml.StartElement, name string) (string, bool) {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// split reads a split element, whose start has been read, to its end. It returns the number by
// which the parent refers to the node or leaf.
func (r *Reader) split(t *assemble.Tree, weight float64, depth int) (int32, error) {
	if depth > maxDepth {
		return 0, r.failf(fault.ErrDepth, "more than %d levels", maxDepth)
	}
	token, err := r.Next()
	if err != nil {
		return 0, err
	}
	start, _ := token.(xml.StartElement)
	switch start.Name.Local {
	case "output":
		return r.leaf(t, weight)
	case "feature":
	default:
		return 0, r.unexpected(token, "<feature> or <output>")
	}
	feature, err := r.feature()
	if err != nil {
		return 0, err
	}
	cut, err := r.threshold()
	if err != nil {
		return 0, err
	}
	node := t.AddSplit(assemble.Split{Feature: feature, Threshold: cut, Decision: r.rules.NaN})
	var child [2]int32
	for i, side := range []string{"left", "right"} {
		start, err := r.Start("split")
		if err != nil {
			return 0, err
		}
		if pos, _ := Attribute(start, "pos"); pos != side {
			return 0, r.failf(ErrModel, "pos=%q, want %q", fault.Clip(pos), side)
		}
		if child[i], err = r.split(t, weight, depth+1); err != nil {
			return 0, err
		}
	}
	t.Join(node, child[0], child[1])
	return node, r.End()
}

// leaf reads an output and the end of its split element.
func (r *Reader) leaf(t *assemble.Tree, weight float64) (int32, error) {
	text, err := r.Text()
	if err != nil {
		return 0, err
	}
	output, err := r.float(text)
	if err != nil {
		return 0, err
	}
	return t.AddLeaf(assemble.Leaf{Value: output * weight}), r.End()
}

func (r *Reader) feature() (int32, error) {
	text, err := r.Text()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n >= maxFeatures {
		return 0, r.failf(fault.ErrNumber, "feature %q, want 1 to %d", fault.Clip(text), maxFeatures-1)
	}
	r.most = max(r.most, int32(n))
	return int32(n), nil
}

func (r *Reader) threshold() (float64, error) {
	if _, err := r.Start("threshold"); err != nil {
		return 0, err
	}
	text, err := r.Text()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(f) {
		return 0, r.failf(fault.ErrNumber, "threshold %q", fault.Clip(text))
	}
	return threshold.Rounded(float32(f)), nil
}

// float reads an output or a weight.
func (r *Reader) float(text string) (float64, error) {
	bits := 64
	if r.rules.Float32 {
		bits = 32
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, r.failf(fault.ErrNumber, "%q", fault.Clip(text))
	}
	return v, nil
}

// Finish checks that the rest of the file is empty.
func (r *Reader) Finish() error {
	token, err := r.Next()
	if err == nil && token != nil {
		err = r.unexpected(token, "the end of the file")
	}
	return err
}
