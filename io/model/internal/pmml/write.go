package pmml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Write writes e, which must be valid. name is that of the output. The bytes depend on both only. A model
// without trees is written as one leaf of value 0.
//
// Errors are a [*engine.Refusal] for a model that PMML cannot hold, those of the kinds of this package, or those of w.
func Write(w io.Writer, e *tree.Ensemble, name string) error {
	d := &file{model: e}
	if err := d.check(name); err != nil {
		return fmt.Errorf("pmml: %w", err)
	}
	d.write(name)
	_, err := w.Write(d.Bytes())
	return err
}

// file is a file in progress.
type file struct {
	bytes.Buffer
	model  *tree.Ensemble
	kinds  []kind // of the features
	splits int    // of the tree in progress that have been written
}

// kind is the use of a feature.
type kind uint8

const (
	unused kind = iota
	number
	category
)

func (d *file) check(name string) error {
	if err := d.model.Validate(); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if err := Capabilities().Check(d.model); err != nil {
		return err
	}
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
	seen := map[string]bool{output: true}
	if err := checkText(output); err != nil {
		return fmt.Errorf("model_name: %w", err)
	}
	for i, f := range d.model.Features {
		err := checkText(f.Name)
		if err == nil && seen[f.Name] {
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
		seen[f.Name] = true
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

// members returns the categories that a split sends left: those that have a text, where the feature has
// texts.
func (d *file) members(t *tree.Tree, node int) []int {
	categories := t.CategoriesLeft(node)
	if texts := d.model.Dictionaries[int(t.Feature[node])]; texts != nil {
		known, _ := slices.BinarySearch(categories, len(texts))
		return categories[:known]
	}
	return categories
}

func (d *file) write(name string) {
	d.line(`<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">`)
	d.line(`<Header description="`, mark, `"/>`)
	d.line(`<DataDictionary>`)
	for i := range d.model.Features {
		d.field(i)
	}
	d.line(`</DataDictionary>`)
	d.line(`<MiningModel functionName="regression" algorithmName="LambdaMART">`)
	d.schema(d.kinds, true)
	d.line(`<Output><OutputField name="`, escape(name), `" optype="continuous" dataType="double" feature="predictedValue"/></Output>`)
	method := "sum"
	if d.model.Average {
		method = "average"
	}
	d.line(`<Segmentation multipleModelMethod="`, method, `">`)
	trees := d.model.Trees
	if len(trees) == 0 {
		trees = []tree.Tree{{LeafValue: []float64{0}}}
	}
	for i := range trees {
		d.tree(i, &trees[i])
	}
	d.line(`</Segmentation>`)
	d.line(`</MiningModel>`)
	d.line(`</PMML>`)
}

func (d *file) line(parts ...string) {
	for _, p := range parts {
		d.WriteString(p)
	}
	d.WriteByte('\n')
}

// escape returns a text for an attribute.
func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder does not fail
	return b.String()
}

// field writes the description of a feature.
func (d *file) field(feature int) {
	name, texts := escape(d.model.Features[feature].Name), d.model.Dictionaries[feature]
	switch {
	case d.kinds[feature] != category:
		d.line(`<DataField name="`, name, `" optype="continuous" dataType="double"/>`)
	case texts == nil:
		d.line(`<DataField name="`, name, `" optype="categorical" dataType="integer"/>`)
	default:
		d.line(`<DataField name="`, name, `" optype="categorical" dataType="string">`)
		for _, text := range texts {
			d.line(`<Value value="`, escape(text), `"/>`)
		}
		d.line(`</DataField>`)
	}
}

// schema lists the features in use, those of the whole model with their treatment.
func (d *file) schema(kinds []kind, treatment bool) {
	d.line(`<MiningSchema>`)
	for i, k := range kinds {
		if k == unused {
			continue
		}
		invalid := ""
		if treatment && k == category && d.model.Dictionaries[i] != nil {
			invalid = ` invalidValueTreatment="asMissing"`
		}
		d.line(`<MiningField name="`, escape(d.model.Features[i].Name), `"`, invalid, `/>`)
	}
	d.line(`</MiningSchema>`)
}

func (d *file) tree(number int, t *tree.Tree) {
	d.line(`<Segment id="`, strconv.Itoa(number), `"><True/>`)
	d.line(`<TreeModel functionName="regression" missingValueStrategy="defaultChild" splitCharacteristic="binarySplit">`)
	kinds := make([]kind, len(d.kinds))
	for node, f := range t.Feature {
		if !d.constant(t, node) {
			kinds[f] = d.kinds[f]
		}
	}
	d.schema(kinds, false)
	root := int32(0)
	if t.NumNodes() == 0 {
		root = ^root
	}
	d.splits = 0
	d.node(t, root, 0, `<True/>`)
	d.line(`</TreeModel>`)
	d.line(`</Segment>`)
}

// node writes a node, whose rows are those that the predicate is true for, and everything below it. The ids
// of the children of split k, in the order of the file, are 2k+1 and 2k+2.
func (d *file) node(t *tree.Tree, node int32, id int, predicate string) {
	if node < 0 {
		d.line(`<Node id="`, strconv.Itoa(id), `" score="`, text(t.LeafValue[^node]), `">`, predicate, `</Node>`)
		return
	}
	left := 2*d.splits + 1
	d.splits++
	missing := left + 1
	if t.Decision[node]&tree.Categorical == 0 && threshold.NaNLeft(t.Decision[node], t.Threshold[node]) {
		missing = left
	}
	d.line(`<Node id="`, strconv.Itoa(id), `" defaultChild="`, strconv.Itoa(missing), `">`, predicate)
	ofLeft, ofRight := d.predicates(t, int(node))
	d.node(t, t.Left[node], left, ofLeft)
	d.node(t, t.Right[node], left+1, ofRight)
	d.line(`</Node>`)
}

func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// predicates returns those of the children of a split.
func (d *file) predicates(t *tree.Tree, node int) (left, right string) {
	feature, cut := int(t.Feature[node]), t.Threshold[node]
	field := ` field="` + escape(d.model.Features[feature].Name) + `" `
	simple := func(operator string) string { return `<SimplePredicate` + field + `operator="` + operator + `"/>` }
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
	array := `<Array n="` + strconv.Itoa(len(words)) + `" type="` + kind + `">` + strings.Join(words, " ") + `</Array></SimpleSetPredicate>`
	set := `<SimpleSetPredicate` + field + `booleanOperator="`
	return set + `isIn">` + array, set + `isNotIn">` + array
}
