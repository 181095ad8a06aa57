package pmml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/assemble"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/treexml"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrChanged: the file is not what lambdamart writes.
var ErrChanged = fault.Kind(fault.ErrFormat, "changed")

// Is reports whether data, the content of a file or its beginning, looks like what [Write] has written.
func Is(data []byte) bool {
	data = document.TrimLeft(data)
	return bytes.HasPrefix(data, []byte("<PMML")) && bytes.Contains(data, []byte(mark))
}

// Read reads a model that [Write] has written; PMML has many ways to say the same, and others are refused.
// The ensemble is valid and scores as the file does.
func Read(r io.Reader) (*tree.Ensemble, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	p := &reader{Reader: treexml.NewReader(text, 0, treexml.Rules{}), e: &tree.Ensemble{}, number: map[string]int32{}, byText: map[int]map[string]int{}, budget: maxWords}
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("pmml: %w", err)
	}
	if err := p.e.Validate(); err != nil {
		return nil, &Error{"model", err}
	}
	var again bytes.Buffer
	if err := Write(&again, p.e, p.output); err != nil {
		return nil, err
	}
	if line, err := fault.Changed(text, again.Bytes(), ErrChanged); err != nil {
		return nil, &Error{fmt.Sprintf("line %d", line), err}
	}
	return p.e, nil
}

// maxWords bounds the sets of categories, in 32-bit words.
const maxWords = 1 << 24

// reader reads a file. It is content with little, since Read compares all with what is written again.
type reader struct {
	*treexml.Reader
	e      *tree.Ensemble
	number map[string]int32       // of features, by name
	byText map[int]map[string]int // categories by their texts, of features that have been read in a set
	output string
	budget int // words that sets of categories may still take
}

func (p *reader) read() error {
	for {
		token, err := p.Next()
		if err != nil || token == nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := p.element(start); err != nil {
				return err
			}
		}
	}
}

// element reads the start of an element outside of trees, and whole trees.
func (p *reader) element(start xml.StartElement) error {
	switch start.Name.Local {
	case "DataField":
		name, _ := treexml.Attribute(start, "name")
		p.number[name] = int32(len(p.e.Features))
		p.e.Features = append(p.e.Features, tree.Feature{Name: name})
		if kind, _ := treexml.Attribute(start, "dataType"); kind == "string" {
			p.dictionary(nil)
		}
	case "Value":
		text, _ := treexml.Attribute(start, "value")
		p.dictionary([]string{text})
	case "OutputField":
		p.output, _ = treexml.Attribute(start, "name")
	case "Segmentation":
		method, _ := treexml.Attribute(start, "multipleModelMethod")
		p.e.Average = method == "average"
	case "Node":
		var t assemble.Tree
		if _, err := p.node(start, &t, nil, 0); err != nil {
			return err
		}
		p.e.Trees = append(p.e.Trees, t.Finish())
	}
	return nil
}

// dictionary adds texts to those of the last feature.
func (p *reader) dictionary(texts []string) {
	if p.e.Dictionaries == nil {
		p.e.Dictionaries = map[int][]string{}
	}
	last := len(p.e.Features) - 1
	p.e.Dictionaries[last] = append(p.e.Dictionaries[last], texts...)
	if p.e.Dictionaries[last] == nil {
		p.e.Dictionaries[last] = []string{}
	}
}

// node reads a node, whose start has been read, to its end. It returns the number by which its parent refers
// to it. side is the split whose left side the predicate of the node is; nil if it is of no split, or the
// right side.
func (p *reader) node(start xml.StartElement, t *assemble.Tree, side *assemble.Split, depth int) (number int32, err error) {
	if depth > MaxDepth {
		return 0, p.Fail(fault.ErrDepth)
	}
	if err := p.predicate(t, side); err != nil {
		return 0, err
	}
	if score, isLeaf := treexml.Attribute(start, "score"); isLeaf {
		v, err := p.parse(score)
		if err != nil {
			return 0, err
		}
		return t.AddLeaf(assemble.Leaf{Value: v}), p.End()
	}
	missing, _ := treexml.Attribute(start, "defaultChild")
	return p.children(t, missing, depth+1)
}

// children reads the two children of a node, and the end of the node.
func (p *reader) children(t *assemble.Tree, missing string, depth int) (node int32, err error) {
	node = t.AddSplit(assemble.Split{})
	var split assemble.Split
	var numbers [2]int32
	for i, side := range []*assemble.Split{&split, nil} {
		start, err := p.Start("Node")
		if err != nil {
			return 0, err
		}
		if numbers[i], err = p.node(start, t, side, depth); err != nil {
			return 0, err
		}
		if id, _ := treexml.Attribute(start, "id"); i == 0 && id == missing && split.Decision&tree.Categorical == 0 {
			split.Decision |= tree.DefaultLeft
		}
	}
	t.SetSplit(node, split)
	t.Join(node, numbers[0], numbers[1])
	return node, p.End()
}

func (p *reader) parse(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return 0, p.Fail(fmt.Errorf("%w: %q", fault.ErrNumber, fault.Clip(text)))
	}
	return v, nil
}

// predicate reads a predicate to its end. It sets the split that the predicate is the left side of, if there
// is one.
func (p *reader) predicate(t *assemble.Tree, side *assemble.Split) error {
	token, err := p.Next()
	if err != nil {
		return err
	}
	start, ok := token.(xml.StartElement)
	switch {
	case !ok:
		return p.Fail(fmt.Errorf("%w: a predicate is missing", treexml.ErrModel))
	case start.Name.Local == "SimpleSetPredicate":
		return p.set(start, t, side)
	case side != nil:
		if err := p.simple(start, t, side); err != nil {
			return err
		}
	}
	return p.End()
}

// simple sets the split by a predicate without content.
func (p *reader) simple(start xml.StartElement, t *assemble.Tree, s *assemble.Split) (err error) {
	s.Decision = tree.MissingNaN
	if start.Name.Local == "True" {
		s.Threshold = math.Inf(1)
		return nil
	}
	if start.Name.Local == "False" {
		s.Decision = tree.Categorical
		s.Threshold, _ = t.AddSet(nil, &p.budget)
		return nil
	}
	if s.Feature, err = p.feature(start); err != nil {
		return err
	}
	switch operator, _ := treexml.Attribute(start, "operator"); operator {
	case "isNotMissing":
		s.Threshold = math.Inf(1)
	case "lessThan":
		s.Threshold = math.Inf(-1)
	default:
		cut, _ := treexml.Attribute(start, "value")
		s.Threshold, err = p.parse(cut)
	}
	return err
}

// feature returns the number of the feature that a predicate names.
func (p *reader) feature(start xml.StartElement) (int32, error) {
	field, _ := treexml.Attribute(start, "field")
	number, known := p.number[field]
	if !known {
		return 0, p.Fail(fmt.Errorf("%w: %q is not a DataField", treexml.ErrModel, fault.Clip(field)))
	}
	return number, nil
}

// set reads a set of categories and the end of its predicate, and sets the split if there is one.
func (p *reader) set(start xml.StartElement, t *assemble.Tree, s *assemble.Split) error {
	if _, err := p.Start("Array"); err != nil {
		return err
	}
	list, err := p.Text()
	if err != nil {
		return err
	}
	if s == nil {
		return p.End()
	}
	if s.Feature, err = p.feature(start); err != nil {
		return err
	}
	categories, err := p.categories(int(s.Feature), list)
	if err != nil {
		return err
	}
	var ok bool
	if s.Threshold, ok = t.AddSet(categories, &p.budget); !ok {
		return p.Fail(fmt.Errorf("%w: the sets of categories take more than %d MB", fault.ErrNumber, 4*maxWords>>20))
	}
	s.Decision = tree.Categorical
	return p.End()
}

// categories returns the categories that an Array lists, by their numbers or by their texts.
func (p *reader) categories(feature int, list string) (categories []int, err error) {
	if texts := p.e.Dictionaries[feature]; texts != nil {
		if p.byText[feature] == nil {
			p.byText[feature] = numbered(texts)
		}
		return among(p.byText[feature], list), nil
	}
	for word := range strings.FieldsSeq(list) {
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil || n < 0 {
			return nil, p.Fail(fmt.Errorf("%w: %q", fault.ErrNumber, fault.Clip(word)))
		}
		categories = append(categories, int(n))
	}
	return categories, nil
}

// numbered returns the place of each text.
func numbered(texts []string) map[string]int {
	number := make(map[string]int, len(texts))
	for i, text := range texts {
		number[text] = i
	}
	return number
}

// among returns the numbers of the texts that a list has in quotes. Others are left out.
func among(number map[string]int, list string) (numbers []int) {
	for i, part := range strings.Split(list, `"`) {
		if n, known := number[part]; known && i%2 == 1 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
