package pmml

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/nested"
	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

//go:embed pmml.tmpl
var template string

// Write writes e, which must be valid. name is the name of the output. The bytes depend on nothing else. A
// model without trees is written as one leaf of value 0.
//
// e must be one that [Capabilities] allow. Errors are of the kinds of this package, or come from w.
func Write(w io.Writer, e *tree.Ensemble, name string) error {
	d := &file{model: e}
	if err := d.check(name); err != nil {
		return fmt.Errorf("pmml: %w", err)
	}
	return nested.Write(w, template, d.functions(), d.parts(name))
}

// file is a file in progress.
type file struct {
	model  *tree.Ensemble
	kinds  []kind // of the features
	splits int    // of the tree in progress that have been written
}

// kind is how a feature is used.
type kind uint8

const (
	unused kind = iota
	number
	category
)

func (d *file) check(name string) error {
	if err := d.checkNames(name); err != nil {
		return err
	}
	d.kinds = make([]kind, len(d.model.Features))
	for i := range d.model.Trees {
		if err := d.checkTree(&d.model.Trees[i]); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	return nil
}

// checkNames checks the names of the features and the output, which share one space, and the texts of
// categories.
func (d *file) checkNames(output string) error {
	if err := checkText(output); err != nil {
		return fmt.Errorf("model_name: %w", err)
	}
	for i, f := range d.model.Features {
		err := checkText(f.Name)
		if err == nil && f.Name == output {
			err = fmt.Errorf("%w: %q: the output or another feature has it too", ErrName, fault.Clip(f.Name))
		}
		for _, text := range d.model.Dictionaries[i] {
			if err == nil && text != "" {
				err = checkText(text)
			}
			if err == nil && strings.ContainsAny(text, `"\`) {
				err = fmt.Errorf("%w: category %q: scorers read double quotes and backslashes in different ways", ErrName,
					fault.Clip(text))
			}
		}
		if err != nil {
			return fmt.Errorf("feature %d: %w", i, err)
		}
	}
	return nil
}

// checkText refuses texts that an attribute cannot hold.
func checkText(text string) error {
	inXML := func(r rune) bool {
		return r >= ' ' && r != 0xfffe && r != 0xffff ||
			strings.ContainsRune("\t\n\r", r)
	}
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text,
		func(r rune) bool { return !inXML(r) }) {
		return fmt.Errorf("%w: %q: it is empty, or has what XML cannot hold; features=FILE renames", ErrName,
			fault.Clip(text))
	}
	return nil
}

func (d *file) checkTree(t *tree.Tree) error {
	if depth := t.Depth(); depth > MaxDepth {
		return fmt.Errorf("%w: %d splits above a leaf, at most %d; train with max_depth", ErrDepth, depth, MaxDepth)
	}
	for node, feature := range t.Feature {
		if d.constant(t, node) {
			continue
		}
		k := number
		if t.Decision[node]&tree.Categorical != 0 {
			k = category
		}
		if d.kinds[feature] == number+category-k {
			return fmt.Errorf("%w: feature %d", ErrMixed, feature)
		}
		d.kinds[feature] = k
	}
	return nil
}

// constant reports whether a split sends all rows to one side.
func (d *file) constant(t *tree.Tree, node int) bool {
	if t.Decision[node]&tree.Categorical != 0 {
		return len(d.members(t, node)) == 0
	}
	return t.Threshold[node] == math.Inf(1) && threshold.NaNLeft(t.Decision[node], t.Threshold[node])
}

// members returns the categories that a split sends left, limited to those with a text if the feature has
// texts.
func (d *file) members(t *tree.Tree, node int) []int {
	categories := t.CategoriesLeft(node)
	if texts := d.model.Dictionaries[int(t.Feature[node])]; texts != nil {
		known, _ := slices.BinarySearch(categories, len(texts))
		return categories[:known]
	}
	return categories
}

// field is a feature.
type field struct {
	Name                     string
	Used, Category, HasTexts bool
	Texts                    []string // of categories
}

// parts returns the values that the template uses, by name.
func (d *file) parts(output string) map[string]any {
	method := "sum"
	if d.model.Average {
		method = "average"
	}
	fields := make([]field, len(d.kinds))
	for i, k := range d.kinds {
		texts := d.model.Dictionaries[i]
		fields[i] = field{d.name(i), k != unused, k == category, texts != nil, nil}
		for _, text := range texts {
			fields[i].Texts = append(fields[i].Texts, escape(text))
		}
	}
	return map[string]any{
		"Fields": fields, "Output": escape(output), "Method": method, "Roots": nested.Roots(d.model),
	}
}

func (d *file) functions() map[string]any {
	return map[string]any{"used": d.used, "first": d.first, "children": d.children, "number": text}
}

func (d *file) name(feature int) string { return escape(d.model.Features[feature].Name) }

// escape returns a text for an attribute.
func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder does not fail
	return b.String()
}

// used returns the names of the features that a tree uses, in order.
func (d *file) used(root nested.Node) []string {
	var features []int
	for node, f := range root.Tree.Feature {
		if !d.constant(root.Tree, node) {
			features = append(features, int(f))
		}
	}
	slices.Sort(features)
	var names []string
	for _, f := range slices.Compact(features) {
		names = append(names, d.name(f))
	}
	return names
}

// numbered is a node with its number in its tree, and the predicate that is true for its rows.
type numbered struct {
	nested.Node
	ID        int
	Predicate string
}

// first returns the root of a tree, whose nodes are written next.
func (d *file) first(root nested.Node) numbered {
	d.splits = 0
	return numbered{root, 0, "<True/>"}
}

// siblings are the children of a split, and the number of the one that missing values go to.
type siblings struct {
	Left, Right numbered
	Missing     int
}

// children returns the children of the next split in the order of the file. Those of split k have the numbers
// 2k+1 and 2k+2.
func (d *file) children(n numbered) siblings {
	id := 2*d.splits + 1
	d.splits++
	left, right := d.predicates(n.Tree, n.Number)
	s := siblings{numbered{n.Left(), id, left}, numbered{n.Right(), id + 1, right}, id + 1}
	if n.Tree.Decision[n.Number]&tree.Categorical == 0 && n.NaNLeft {
		s.Missing = id
	}
	return s
}

func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// predicates returns the predicates of a split's children.
func (d *file) predicates(t *tree.Tree, node int) (left, right string) {
	feature, cut := int(t.Feature[node]), t.Threshold[node]
	field := ` field="` + d.name(feature) + `" `
	simple := func(operator string) string {
		return `<SimplePredicate` + field + `operator="` + operator + `"/>`
	}
	compared := func(operator string, v float64) string {
		return `<SimplePredicate` + field + `operator="` + operator + `" value="` + text(v) + `"/>`
	}
	switch {
	case d.constant(t, node) && t.Decision[node]&tree.Categorical != 0:
		return `<False/>`, `<True/>`
	case d.constant(t, node):
		return `<True/>`, `<False/>`
	case t.Decision[node]&tree.Categorical != 0:
		return d.sets(field, feature, d.members(t, node))
	case cut == math.Inf(1):
		return simple("isNotMissing"), simple("isMissing")
	case cut == math.Inf(-1):
		return compared("lessThan", -math.MaxFloat64), compared("greaterOrEqual", -math.MaxFloat64)
	}
	return compared("lessOrEqual", cut), compared("greaterThan", cut)
}

// sets returns the predicates of a set of categories and of all others.
func (d *file) sets(field string, feature int, categories []int) (left, right string) {
	kind, texts := "int", d.model.Dictionaries[feature]
	if texts != nil {
		kind = "string"
	}
	words := make([]string, len(categories))
	for i, c := range categories {
		if words[i] = strconv.Itoa(c); texts != nil {
			words[i] = `"` + escape(texts[c]) + `"`
		}
	}
	array := `<Array n="` + strconv.Itoa(len(words)) + `" type="` + kind + `">` + strings.Join(words, " ") +
		`</Array></SimpleSetPredicate>`
	set := `<SimpleSetPredicate` + field + `booleanOperator="`
	return set + `isIn">` + array, set + `isNotIn">` + array
}
