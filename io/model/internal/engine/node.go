package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Node is a split or a leaf of a tree, for templates of formats in which a split usually contains the nodes
// below it: a part for a Node then invokes itself for these. Frequently used values are fields, because
// method calls are slow in templates.
type Node struct {
	Tree   *tree.Tree
	IsLeaf bool
	Number int // of the split or leaf in its tree
	Index  int // in [Node.All]

	Value float64 // of a leaf

	// For a split: feature, threshold, and whether NaN goes left if the split is numeric.
	Feature int32
	Cut     float64
	NaNLeft bool
}

// node returns a split, or leaf ^number.
func node(t *tree.Tree, number int32) Node {
	if number < 0 {
		leaf := int(^number)
		return Node{Tree: t, IsLeaf: true, Number: leaf, Index: t.NumNodes() + leaf, Value: t.LeafValue[leaf]}
	}
	cut := t.Threshold[number]
	return Node{Tree: t, Number: int(number), Index: int(number), Feature: t.Feature[number], Cut: cut,
		NaNLeft: NaNLeft(t.Decision[number], cut)}
}

// Trees returns the trees of a model. Since formats have at least one tree, that of a model without trees
// is a leaf of value 0.
func Trees(e *tree.Ensemble) []tree.Tree {
	if len(e.Trees) == 0 {
		return []tree.Tree{Constant(0)}
	}
	return e.Trees
}

// Constant returns a tree that gives the score v to all rows.
func Constant(v float64) tree.Tree {
	var b Builder
	b.AddLeaf(Leaf{Value: v})
	return b.Finish()
}

// Roots returns the roots of [Trees].
func Roots(e *tree.Ensemble) []Node {
	trees := Trees(e)
	roots := make([]Node, len(trees))
	for i := range roots {
		roots[i] = node(&trees[i], trees[i].Root())
	}
	return roots
}

// All returns the nodes of a tree: its splits, and then its leaves.
func (n Node) All() []Node {
	var nodes []Node
	for i := range n.Tree.NumNodes() {
		nodes = append(nodes, node(n.Tree, int32(i)))
	}
	for i := range n.Tree.NumLeaves() {
		nodes = append(nodes, node(n.Tree, ^int32(i)))
	}
	return nodes
}

// Left returns the node for rows that satisfy the condition of a split.
func (n Node) Left() Node { return node(n.Tree, n.Tree.Left[n.Number]) }

// Right returns the node for other rows.
func (n Node) Right() Node { return node(n.Tree, n.Tree.Right[n.Number]) }

// Render executes a template with the delimiters « and », because the formats contain many braces.
// Templates may use json, which encodes a value as JSON; float, which encodes a number as JSON with a point
// or an exponent; decimal, which is [Decimal]; and the given functions.
func Render(w io.Writer, text string, functions template.FuncMap, data any) error {
	ours := template.FuncMap{"json": toJSON, "float": float, "decimal": Decimal}
	t := template.New("").Delims("«", "»").Funcs(ours).Funcs(functions)
	var out bytes.Buffer
	if err := template.Must(t.Parse(text)).Execute(&out, data); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

func toJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

func float(v float64) string { return string(document.AppendFloat(nil, v, 64)) }

// Decimal returns the shortest decimal that Java's Float.parseFloat reads back as v rounded to float32.
func Decimal(v float64) string {
	switch f := float64(float32(v)); {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	default:
		return strconv.FormatFloat(f, 'g', -1, 32)
	}
}

// ErrModel: what a file describes is not a model that can score rows.
var ErrModel = document.Kind(document.ErrFormat, "not a valid model")

// Read reads a model of a format from JSON or UBJSON. use fills the model from the outermost value. The
// ensemble is valid; see [tree.Ensemble.Validate]. Errors name the format, and wrap a [*document.Error].
func Read(format string, data []byte, use func(e *tree.Ensemble, root document.Cursor)) (*tree.Ensemble,
	error) {
	e := &tree.Ensemble{}
	d, err := document.Parse(data)
	if err == nil {
		use(e, d.Root())
		if err := e.Validate(); err != nil {
			d.Root().Fail(fmt.Errorf("%w: %w", ErrModel, err))
		}
		err = d.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	return e, nil
}

// Builder builds a tree node by node, for formats that do not store it as lists. The zero value is empty; the
// first node or leaf that is added is the root.
type Builder struct{ tree tree.Tree }

// Split is an internal node; see the fields of [tree.Tree].
type Split struct {
	Feature   int32
	Threshold float64
	Decision  tree.Decision
	Gain      float64
	Value     float64
	Weight    float64
}

// Leaf is a leaf; see the fields of [tree.Tree].
type Leaf struct {
	Value  float64
	Weight float64
}

// AddSplit adds an internal node and returns the number by which its parent refers to it. Set its children
// with Join.
func (b *Builder) AddSplit(s Split) int32 {
	to := &b.tree
	to.Feature = append(to.Feature, s.Feature)
	to.Threshold = append(to.Threshold, s.Threshold)
	to.Decision = append(to.Decision, s.Decision)
	to.Gain = append(to.Gain, s.Gain)
	to.InternalValue = append(to.InternalValue, s.Value)
	to.InternalWeight = append(to.InternalWeight, s.Weight)
	to.InternalCount = append(to.InternalCount, 0)
	to.Left, to.Right = append(to.Left, 0), append(to.Right, 0)
	return int32(len(to.Left) - 1)
}

// AddLeaf adds a leaf and returns the number by which its parent refers to it, which is negative.
func (b *Builder) AddLeaf(l Leaf) int32 {
	to := &b.tree
	to.LeafValue = append(to.LeafValue, l.Value)
	to.LeafWeight = append(to.LeafWeight, l.Weight)
	to.LeafCount = append(to.LeafCount, 0)
	return int32(-len(to.LeafValue))
}

// AddSet adds a set of categories and returns its number, which is the threshold of a categorical split.
func (b *Builder) AddSet(set []uint32) float64 { return AppendSet(&b.tree, set) }

// Bits returns a set of categories in the form of [tree.Tree].
func Bits(categories []int32) (set []uint32) {
	for _, category := range categories {
		for int(category/32) >= len(set) {
			set = append(set, 0)
		}
		set[category/32] |= 1 << (category % 32)
	}
	return set
}

// AppendSet adds a set of categories, in the form of [tree.Tree], to a tree and returns its number.
func AppendSet(t *tree.Tree, set []uint32) (number float64) {
	if t.CategoryStart == nil {
		t.CategoryStart = []int32{0}
	}
	t.Categories = append(t.Categories, set...)
	t.CategoryStart = append(t.CategoryStart, int32(len(t.Categories)))
	return float64(len(t.CategoryStart) - 2)
}

// Join sets the children of an internal node.
func (b *Builder) Join(node, left, right int32) {
	b.tree.Left[node], b.tree.Right[node] = left, right
}

// Finish returns the tree. It is valid if all internal nodes were joined, no node has two parents, and the
// features, thresholds and values are valid.
func (b *Builder) Finish() tree.Tree {
	b.tree.Shrinkage = 1
	return b.tree
}
