package engine

import (
	"bytes"
	"encoding/json"
	"io"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Node is a split or a leaf of a tree, for templates of formats in which a split usually contains the nodes
// below it: a part for a Node then invokes itself for these. Frequently used values are fields, because method
// calls are slow in templates.
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

// Roots returns the roots of all trees. For a model without trees, it returns a leaf of value 0.
func Roots(e *tree.Ensemble) []Node {
	if len(e.Trees) == 0 {
		return []Node{Root(&tree.Tree{LeafValue: []float64{0}})}
	}
	roots := make([]Node, len(e.Trees))
	for i := range roots {
		roots[i] = Root(&e.Trees[i])
	}
	return roots
}

// Root returns the root of a tree.
func Root(t *tree.Tree) Node {
	if t.NumNodes() == 0 {
		return node(t, ^0)
	}
	return node(t, 0)
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

// Render executes a template with the delimiters « and », because the formats contain many braces. Templates
// may use json, which encodes a value as JSON; float, which encodes a number as JSON with a point or an
// exponent; and the given functions.
func Render(w io.Writer, text string, functions template.FuncMap, data any) error {
	ours := template.FuncMap{"json": toJSON, "float": float}
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
