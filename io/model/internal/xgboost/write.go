package xgboost

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Capabilities returns what XGBoost, which loads JSON, and the search engines, which load dumps, can
// represent.
func Capabilities(form Form) engine.Capabilities {
	c := engine.Capabilities{Engine: "XGBoost", Float32: true}
	if form == JSON {
		c.Categorical, c.MaxCategory = true, MaxCategory
	} else {
		c.Engine = "The LTR plugins' form of XGBoost's dump"
	}
	return c
}

// Notes returns remarks on the written file for the user.
func Notes(e *tree.Ensemble, _ int) []string {
	if len(e.CategoricalFeatures()) == 0 {
		return nil
	}
	return []string{"the file has categorical splits, which XGBoost loads, and which the LTR plugins of " +
		"Elasticsearch and OpenSearch do not know"}
}

// Deviates returns a function that reports whether XGBoost sends a value of a feature to another side than e
// at some split: a number between -1 and 0, which is category 0 in e and none in XGBoost.
func Deviates(e *tree.Ensemble) func(feature int, x float64) bool {
	all := e.CategoricalFeatures()
	return func(feature int, x float64) bool { return x > -1 && x < 0 && all[feature] }
}

// Write writes e, which must be valid, so that every float32 value and NaN takes the same path as in e.
// Thresholds become the smallest float32 above them. Thresholds beyond the largest float32 become this
// number, which alone then goes right. Leaves are rounded to float32, so scores differ by at most
// (n+1)·2^-24·Σ|leaf| for n trees.
//
// The form is JSON or Dump. The bytes depend only on e and the form. Nodes are numbered level by level, as in
// XGBoost. A model without trees is written as one leaf of value 0. The base score is 0.
//
// e must be one that [Capabilities] allow. Errors wrap [engine.ErrName] for names that are empty or contain
// one of []<, or come from w.
func Write(w io.Writer, e *tree.Ensemble, form Form) error {
	if err := engine.CheckNames(e.Features, nameFault); err != nil {
		return fmt.Errorf("xgboost: %w", err)
	}
	trees := engine.Trees(e)
	numbered := make([]*nodes, len(trees))
	for i := range trees {
		numbered[i] = fromTree(&trees[i])
	}
	if form == Dump {
		return writeDump(w, e.FeatureNames(), numbered)
	}
	return writeModel(w, e.FeatureNames(), numbered)
}

// nameFault tells what is wrong with a name of a feature.
func nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case strings.ContainsAny(name, "[]<"):
		return "XGBoost takes no name with one of []<"
	}
	return ""
}

//go:embed xgboost.tmpl
var model string

// writeModel writes the model as save_model of XGBoost 1.7 writes it, which XGBoost 3.x reads too. Each tree
// is on a line of its own. Elasticsearch requires a type for each feature, "float", and reads leaf values
// from base_weights. With the objective rank:ndcg, the score is the sum of the leaves.
func writeModel(w io.Writer, names []string, trees []*nodes) error {
	return engine.Render(w, model, template.FuncMap{"floats": floats}, map[string]any{
		"Names": names, "Types": types(trees, len(names)),
		"Trees": trees, "Classes": make([]int, len(trees)),
	})
}

// types returns the types of the features: c for one with a categorical split.
func types(trees []*nodes, features int) []string {
	all := slices.Repeat([]string{"float"}, features)
	for _, t := range trees {
		for _, node := range t.Nodes {
			all[t.Feature[node]] = "c"
		}
	}
	return all
}

// floats returns numbers as JSON with a point or an exponent: XGBoost refuses integers in their place.
func floats(list []float32) string {
	return string(document.FormatList(list, appendFloat))
}

func appendFloat(b []byte, v float32) []byte { return document.AppendFloat(b, float64(v), 32) }

// noParent is XGBoost's number for the parent of the root.
const noParent = math.MaxInt32

// Parents returns the parent of each node.
func (n *nodes) Parents() []int32 {
	parents := make([]int32, len(n.Left))
	parents[0] = noParent
	for node := range n.Left {
		if n.Left[node] >= 0 {
			parents[n.Left[node]], parents[n.Right[node]] = int32(node), int32(node)
		}
	}
	return parents
}

// writeDump writes the trees with the keys that Elasticsearch and OpenSearch know; they refuse others. It
// names no objective, so that engines return the scores unchanged. Each tree is on a line of its own.
func writeDump(w io.Writer, names []string, trees []*nodes) error {
	var b []byte
	separator := "[\n"
	for _, t := range trees {
		b = t.appendDump(append(b, separator...), names, 0, 0)
		separator = ",\n"
	}
	_, err := w.Write(append(b, "]\n"...))
	return err
}

// appendDump appends a node and everything below it.
func (n *nodes) appendDump(b []byte, names []string, node int32, depth int) []byte {
	value := appendFloat(nil, n.Condition[node])
	left, right := n.Left[node], n.Right[node]
	if left < 0 {
		return fmt.Appendf(b, `{"nodeid":%d,"leaf":%s}`, node, value)
	}
	missing := right
	if n.DefaultLeft[node] == 1 {
		missing = left
	}
	name, _ := json.Marshal(names[n.Feature[node]]) // every string has a JSON form
	b = fmt.Appendf(b, `{"nodeid":%d,"depth":%d,"split":%s,"split_condition":%s,"yes":%d,"no":%d,"missing":%d,`+
		`"children":[`, node, depth, name, value, left, right, missing)
	b = n.appendDump(b, names, left, depth+1)
	b = n.appendDump(append(b, ','), names, right, depth+1)
	return append(b, "]}"...)
}
