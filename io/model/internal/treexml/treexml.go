// Package treexml reads the XML in which RankLib stores trees.
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
// RankLib rounds values to float32 and sends a row left if x <= threshold, a float32. It numbers
// features from 1, as LETOR files do: feature 5 becomes column 5, and column 0 is not used. A threshold
// becomes the float64 for which every float64 value goes to the same side (see Rounded in package threshold).
// The value of a leaf is its output times the weight of its tree.
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

// ErrModel is the kind of [fault.ErrFormat] for unexpected elements and text. The other kinds that occur are
// [fault.ErrTruncated], [fault.ErrNumber] and [fault.ErrDepth].
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

// Reader reads a document from its beginning to its end. It stores the first error (see [Reader.Err]); after
// it, it returns only empty values and zeros.
type Reader struct {
	decoder *xml.Decoder
	rules   Rules
	lines   int         // lines of the file before the XML
	trees   []tree.Tree // that are complete
	within  bool        // the reader is inside a tree
	most    int32       // largest feature so far
	err     error
}

// NewReader returns a reader of data, which begins after the given number of lines of its file.
func NewReader(data []byte, lines int, rules Rules) *Reader {
	return &Reader{decoder: xml.NewDecoder(bytes.NewReader(data)), rules: rules, lines: lines}
}

// Err returns the first fault, which is an [*Error].
func (r *Reader) Err() error { return r.err }

// Fail records err with the current place of the reader, if it is the first fault.
func (r *Reader) Fail(err error) {
	if r.err != nil {
		return
	}
	line, column := r.decoder.InputPos()
	number := -1
	if r.within {
		number = len(r.trees)
	}
	r.err = &Error{line + r.lines, column, number, err}
}

func (r *Reader) failf(kind error, format string, args ...any) {
	r.Fail(fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
}

// Next returns the next start or end of an element or the text between them, and nil at the end
// of the file. It skips comments and white space.
func (r *Reader) Next() xml.Token {
	for r.err == nil {
		token, err := r.decoder.Token()
		var syntax *xml.SyntaxError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
			r.Fail(fault.ErrTruncated)
		case err != nil:
			r.failf(ErrModel, "%v", err)
		}
		switch t := token.(type) {
		case xml.StartElement, xml.EndElement:
			return t
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 {
				return xml.CharData(bytes.Clone(text))
			}
		case xml.Directive:
			r.failf(ErrModel, "a document type")
		}
	}
	return nil
}

// Start reads the start of the element with the given name, which must come next.
func (r *Reader) Start(name string) xml.StartElement {
	token := r.Next()
	start, ok := token.(xml.StartElement)
	if !ok || start.Name.Local != name {
		r.unexpected(token, "<"+name+">")
	}
	return start
}

// End reads the end of the current element, which must come next.
func (r *Reader) End() {
	token := r.Next()
	if _, ok := token.(xml.EndElement); !ok {
		r.unexpected(token, "the end of the element")
	}
}

func (r *Reader) unexpected(token xml.Token, want string) {
	switch t := token.(type) {
	case nil:
		r.failf(fault.ErrTruncated, "want %s", want)
	case xml.StartElement:
		r.failf(ErrModel, "<%s>, want %s", fault.Clip(t.Name.Local), want)
	case xml.EndElement:
		r.failf(ErrModel, "</%s>, want %s", fault.Clip(t.Name.Local), want)
	case xml.CharData:
		r.failf(ErrModel, "%q, want %s", fault.Clip(string(t)), want)
	}
}

// Text reads the text of the current element and its end.
func (r *Reader) Text() string {
	switch t := r.Next().(type) {
	case xml.EndElement:
		return ""
	case xml.CharData:
		r.End()
		return string(t)
	default:
		r.unexpected(t, "text")
		return ""
	}
}

// Ensemble reads an ensemble element to its end. If there is no error, the model is valid and lacks only its
// objective.
func (r *Reader) Ensemble() *tree.Ensemble {
	r.Start("ensemble")
	for r.err == nil {
		token := r.Next()
		if _, end := token.(xml.EndElement); end {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "tree" {
			r.unexpected(token, "<tree>")
		}
		r.tree(start)
	}
	e := &tree.Ensemble{Trees: r.trees, Features: make([]tree.Feature, r.most+1)}
	for i := range e.Features {
		e.Features[i].Name = "Column_" + strconv.Itoa(i)
	}
	if err := e.Validate(); err != nil {
		r.failf(ErrModel, "%v", err)
	}
	return e
}

func (r *Reader) tree(start xml.StartElement) {
	if r.err != nil {
		return
	}
	r.within = true
	weight, given := Attribute(start, "weight")
	if !given {
		r.failf(ErrModel, "a tree without a weight")
	}
	w := r.float(weight)
	r.Start("split")
	var t assemble.Tree
	r.split(&t, w, 1)
	r.End()
	r.within = false
	r.trees = append(r.trees, t.Finish())
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
func (r *Reader) split(t *assemble.Tree, weight float64, depth int) int32 {
	if depth > maxDepth {
		r.failf(fault.ErrDepth, "more than %d levels", maxDepth)
	}
	token := r.Next()
	start, _ := token.(xml.StartElement)
	switch start.Name.Local {
	case "output":
		leaf := t.AddLeaf(assemble.Leaf{Value: r.float(r.Text()) * weight})
		r.End()
		return leaf
	case "feature":
	default:
		r.unexpected(token, "<feature> or <output>")
		return 0
	}
	node := t.AddSplit(assemble.Split{Feature: r.feature(), Threshold: r.threshold(), Decision: r.rules.NaN})
	var child [2]int32
	for i, side := range []string{"left", "right"} {
		start := r.Start("split")
		if pos, _ := Attribute(start, "pos"); pos != side {
			r.failf(ErrModel, "pos=%q, want %q", fault.Clip(pos), side)
		}
		child[i] = r.split(t, weight, depth+1)
	}
	t.Join(node, child[0], child[1])
	r.End()
	return node
}

func (r *Reader) feature() int32 {
	text := r.Text()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n >= maxFeatures {
		r.failf(fault.ErrNumber, "feature %q, want 1 to %d", fault.Clip(text), maxFeatures-1)
		return 0
	}
	r.most = max(r.most, int32(n))
	return int32(n)
}

func (r *Reader) threshold() float64 {
	r.Start("threshold")
	text := r.Text()
	f, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(f) {
		r.failf(fault.ErrNumber, "threshold %q", fault.Clip(text))
		return 0
	}
	return threshold.Rounded(float32(f))
}

// float returns the number of an output or a weight.
func (r *Reader) float(text string) float64 {
	bits := 64
	if r.rules.Float32 {
		bits = 32
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		r.failf(fault.ErrNumber, "%q", fault.Clip(text))
	}
	return v
}

// Finish checks that the rest of the file is empty.
func (r *Reader) Finish() {
	if token := r.Next(); token != nil {
		r.unexpected(token, "the end of the file")
	}
}
