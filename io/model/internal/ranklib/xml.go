package ranklib

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

const (
	maxDepth    = 5000    // of a tree
	maxFeatures = 1 << 20 // a file has only their numbers, but the model has an entry for each
)

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

// reader reads the XML from its beginning to its end. It keeps the first error; after it, it returns only empty
// values and zeros.
type reader struct {
	decoder *xml.Decoder
	lines   int         // lines of the file before the XML
	trees   []tree.Tree // that are complete
	within  bool        // the reader is inside a tree
	most    int32       // largest feature so far
	err     error
}

// fail records a fault at the current place of the reader, if it is the first one.
func (r *reader) fail(kind error, format string, args ...any) {
	if r.err != nil {
		return
	}
	line, column := r.decoder.InputPos()
	number := -1
	if r.within {
		number = len(r.trees)
	}
	r.err = &Error{line + r.lines, column, number, fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))}
}

// next returns the next start or end of an element or the text between them, and nil at the end
// of the file. It skips comments and white space.
func (r *reader) next() xml.Token {
	for r.err == nil {
		token, err := r.decoder.Token()
		var syntax *xml.SyntaxError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
			r.fail(document.ErrTruncated, "an element is not closed")
		case err != nil:
			r.fail(ErrModel, "%v", err)
		}
		switch t := token.(type) {
		case xml.StartElement, xml.EndElement:
			return t
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 {
				return xml.CharData(bytes.Clone(text))
			}
		case xml.Directive:
			r.fail(ErrModel, "a document type")
		}
	}
	return nil
}

// start reads the start of the element with the given name, which must come next.
func (r *reader) start(name string) xml.StartElement {
	token := r.next()
	start, ok := token.(xml.StartElement)
	if !ok || start.Name.Local != name {
		r.unexpected(token, "<"+name+">")
	}
	return start
}

// end reads the end of the current element, which must come next.
func (r *reader) end() {
	token := r.next()
	if _, ok := token.(xml.EndElement); !ok {
		r.unexpected(token, "the end of the element")
	}
}

func (r *reader) unexpected(token xml.Token, want string) {
	switch t := token.(type) {
	case nil:
		r.fail(document.ErrTruncated, "want %s", want)
	case xml.StartElement:
		r.fail(ErrModel, "<%s>, want %s", document.Clip(t.Name.Local), want)
	case xml.EndElement:
		r.fail(ErrModel, "</%s>, want %s", document.Clip(t.Name.Local), want)
	case xml.CharData:
		r.fail(ErrModel, "%q, want %s", document.Clip(string(t)), want)
	}
}

// text reads the text of the current element and its end.
func (r *reader) text() string {
	switch t := r.next().(type) {
	case xml.EndElement:
		return ""
	case xml.CharData:
		r.end()
		return string(t)
	default:
		r.unexpected(t, "text")
		return ""
	}
}

// ensemble reads an ensemble element and the end of the file. If there is no error, the model is valid and
// lacks only its objective.
func (r *reader) ensemble() *tree.Ensemble {
	r.start("ensemble")
	for r.err == nil {
		token := r.next()
		if _, end := token.(xml.EndElement); end {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "tree" {
			r.unexpected(token, "<tree>")
		}
		r.tree(start)
	}
	if token := r.next(); token != nil {
		r.unexpected(token, "the end of the file")
	}
	e := &tree.Ensemble{Trees: r.trees, Features: make([]tree.Feature, r.most+1)}
	for i := range e.Features {
		e.Features[i].Name = "Column_" + strconv.Itoa(i)
	}
	if err := e.Validate(); err != nil {
		r.fail(ErrModel, "%v", err)
	}
	return e
}

func (r *reader) tree(start xml.StartElement) {
	if r.err != nil {
		return
	}
	r.within = true
	weight, given := attribute(start, "weight")
	if !given {
		r.fail(ErrModel, "a tree without a weight")
	}
	w := r.float(weight)
	r.start("split")
	var t engine.Builder
	r.split(&t, w, 1)
	r.end()
	r.within = false
	r.trees = append(r.trees, t.Finish())
}

// attribute returns the value of an attribute, and reports whether it is there.
func attribute(start xml.StartElement, name string) (string, bool) {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// split reads a split element, whose start has been read, to its end. It returns the number by
// which the parent refers to the node or leaf.
func (r *reader) split(t *engine.Builder, weight float64, depth int) int32 {
	if depth > maxDepth {
		r.fail(document.ErrDepth, "more than %d levels", maxDepth)
	}
	token := r.next()
	start, _ := token.(xml.StartElement)
	switch start.Name.Local {
	case "output":
		leaf := t.AddLeaf(engine.Leaf{Value: r.float(r.text()) * weight})
		r.end()
		return leaf
	case "feature":
	default:
		r.unexpected(token, "<feature> or <output>")
		return 0
	}
	node := t.AddSplit(engine.Split{Feature: r.feature(), Threshold: r.threshold()})
	var child [2]int32
	for i, side := range []string{"left", "right"} {
		start := r.start("split")
		if pos, _ := attribute(start, "pos"); pos != side {
			r.fail(ErrModel, "pos=%q, want %q", document.Clip(pos), side)
		}
		child[i] = r.split(t, weight, depth+1)
	}
	t.Join(node, child[0], child[1])
	r.end()
	return node
}

func (r *reader) feature() int32 {
	text := r.text()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n >= maxFeatures {
		r.fail(document.ErrNumber, "feature %q, want 1 to %d", document.Clip(text), maxFeatures-1)
		return 0
	}
	r.most = max(r.most, int32(n))
	return int32(n)
}

func (r *reader) threshold() float64 {
	r.start("threshold")
	text := r.text()
	f, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(f) {
		r.fail(document.ErrNumber, "threshold %q", document.Clip(text))
		return 0
	}
	return engine.Rounded(float32(f))
}

// float returns the number of an output or a weight.
func (r *reader) float(text string) float64 {
	v, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		r.fail(document.ErrNumber, "%q", document.Clip(text))
	}
	return v
}
