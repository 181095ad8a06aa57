package search

import (
	"bytes"
	"encoding/json"
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

// ReadSolr reads the content of a file. The ensemble is valid. Every float32 value takes the same path as in
// Solr. Leaf values are float32 numbers multiplied by the weight of their tree; to get Solr's scores exactly,
// round each sum to float32. Errors are [*SolrError].
func ReadSolr(text []byte) (*tree.Ensemble, error) {
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, &SolrError{at(decoder), wrap(err)}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, &SolrError{at(decoder), fmt.Errorf("%w: more text after the model", ErrSolr)}
	}
	e, err := f.ensemble()
	if err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, &SolrError{Err: err}
	}
	return e, nil
}

// IsSolr reports whether data, the content of a file, looks like a model for Solr: a JSON object that
// names Solr's class.
func IsSolr(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(class))
}

func at(d *json.Decoder) string { return fmt.Sprintf("byte %d", d.InputOffset()) }

// wrap turns an error of encoding/json into an ErrSolr.
func wrap(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%w: %s at %q (byte %d)", ErrSolr, kind.Value, kind.Field, kind.Offset)
	case errors.Is(err, document.ErrNumber):
		return err
	}
	return fmt.Errorf("%w: %w", ErrSolr, err)
}

// The types of the JSON form.
type (
	file struct {
		Class    string        `json:"class"`
		Name     string        `json:"name"`
		Store    string        `json:"store"`
		Features []featureItem `json:"features"`
		Params   params        `json:"params"`
	}
	featureItem struct {
		Name string `json:"name"`
	}
	params struct {
		NullIsZero *bool      `json:"isNullSameAsZero"`
		Trees      []treeItem `json:"trees"`
	}
	treeItem struct {
		Weight *number `json:"weight"`
		Root   *node   `json:"root"`
	}
	node struct {
		Feature   *string `json:"feature"`
		Threshold *number `json:"threshold"`
		Missing   string  `json:"missing"`
		Left      *node   `json:"left"`
		Right     *node   `json:"right"`
		Value     *number `json:"value"`
	}
)

// number is a float32, written as a JSON number or as a string.
type number float32

func (n *number) UnmarshalJSON(text []byte) error {
	s := string(text)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil || math.IsNaN(v) {
		return fmt.Errorf("%w: %.40q", document.ErrNumber, s)
	}
	*n = number(v)
	return nil
}

// ensemble turns the JSON form into a model.
func (f *file) ensemble() (*tree.Ensemble, error) {
	if f.Class != class {
		return nil, &SolrError{"class", fmt.Errorf("%w: %.100q; only %s is read", ErrSolr, f.Class, class)}
	}
	b := builder{features: map[string]int32{}, sides: f.Params.NullIsZero != nil && !*f.Params.NullIsZero}
	e := &tree.Ensemble{}
	for i, feature := range f.Features {
		if _, twice := b.features[feature.Name]; twice || feature.Name == "" {
			return nil, &SolrError{fmt.Sprintf("features[%d]", i), fmt.Errorf("%w: %q is empty or given twice", engine.ErrName,
				feature.Name)}
		}
		b.features[feature.Name] = int32(i)
		e.Features = append(e.Features, tree.Feature{Name: feature.Name})
	}
	if len(e.Features) == 0 || len(f.Params.Trees) == 0 {
		return nil, &SolrError{Err: fmt.Errorf("%w: %d features and %d trees; Solr wants one of each", ErrSolr,
			len(e.Features), len(f.Params.Trees))}
	}
	for i, item := range f.Params.Trees {
		t, err := b.tree(fmt.Sprintf("params.trees[%d]", i), item)
		if err != nil {
			return nil, err
		}
		e.Trees = append(e.Trees, t)
	}
	return e, nil
}

// builder makes trees of nested nodes, which it numbers in the order of the file.
type builder struct {
	features map[string]int32 // column of each name
	sides    bool             // splits name the side of missing values
	weight   float32          // of the current tree
	t        engine.Builder   // the current tree
}

func (b *builder) tree(place string, item treeItem) (t tree.Tree, err error) {
	if item.Weight == nil || item.Root == nil {
		return t, &SolrError{place, fmt.Errorf("%w: a tree has a weight and a root", ErrSolr)}
	}
	b.t, b.weight = engine.Builder{}, float32(*item.Weight)
	if _, err := b.node(item.Root); err != nil {
		err.Place = strings.TrimSuffix(place+".root."+err.Place, ".")
		return t, err
	}
	return b.t.Finish(), nil
}

// node adds n and everything below it, and returns the number by which its parent refers to it.
// Places of errors are relative to n.
func (b *builder) node(n *node) (int32, *SolrError) {
	if n.Feature == nil {
		return b.leaf(n)
	}
	if n.Threshold == nil || n.Left == nil || n.Right == nil || n.Value != nil {
		return 0, &SolrError{"", fmt.Errorf("%w: a split has a feature, a threshold, left and right, and no value",
			ErrSolr)}
	}
	feature, known := b.features[*n.Feature]
	if !known {
		return 0, &SolrError{"", fmt.Errorf("%w: %.100q is not among the model's features; Solr would score 0 for "+
			"the tree", engine.ErrName, *n.Feature)}
	}
	decision, err := b.decision(n.Missing)
	if err != nil {
		return 0, &SolrError{"missing", err}
	}
	number := b.t.AddSplit(engine.Split{Feature: feature,
		Threshold: float64(engine.SlackCut(float32(*n.Threshold))), Decision: decision})
	left, located := b.node(n.Left)
	if located != nil {
		return 0, located.below("left")
	}
	right, located := b.node(n.Right)
	if located != nil {
		return 0, located.below("right")
	}
	b.t.Join(number, left, right)
	return number, nil
}

// below puts a step of the path before the place. Very long paths are truncated.
func (e *SolrError) below(step string) *SolrError {
	const longest = 1000
	switch {
	case e.Place == "":
		e.Place = step
	case len(e.Place) < longest:
		e.Place = step + "." + e.Place
	case !strings.HasPrefix(e.Place, "..."):
		e.Place = "..." + e.Place
	}
	return e
}

func (b *builder) leaf(n *node) (int32, *SolrError) {
	if n.Value == nil || n.Left != nil || n.Right != nil {
		return 0, &SolrError{"", fmt.Errorf("%w: a node without a feature is a leaf, with a value and without children",
			ErrSolr)}
	}
	return b.t.AddLeaf(engine.Leaf{Value: float64(b.weight * float32(*n.Value))}), nil
}

func (b *builder) decision(missing string) (tree.Decision, error) {
	switch {
	case !b.sides: // Solr reads the side but does not use it
		return tree.MissingNone, nil
	case missing == "left":
		return tree.MissingNaN | tree.DefaultLeft, nil
	case missing == "right":
		return tree.MissingNaN, nil
	}
	return 0, fmt.Errorf("%w: missing is %.40q, want left or right on every split where isNullSameAsZero is "+
		"false", ErrSolr, missing)
}
