package elastic

import (
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Write writes e, which must be valid, with each tree on a line of its own. The bytes depend on e only. A
// model without trees is written as one leaf of value 0.
//
// Errors are a [*engine.Refusal] for a model that Elasticsearch cannot hold, [ErrName], or those of w.
func Write(w io.Writer, e *tree.Ensemble) error {
	if err := checkWritable(e); err != nil {
		return err
	}
	trees := e.Trees
	if len(trees) == 0 {
		trees = []tree.Tree{{LeafValue: []float64{0}}}
	}
	out := document.NewJSON()
	head := func() {
		out.Key("target_type").Text("regression")
		out.Key("feature_names").Array(len(e.Features), func(i int) { out.Text(e.Features[i].Name) })
	}
	out.Object(func() {
		out.Key("trained_model").Object(func() {
			out.Key("ensemble").Object(func() {
				head()
				out.Key("trained_models").Array(len(trees), func(i int) {
					out.Line()
					out.Object(func() {
						out.Key("tree").Object(func() {
							head()
							writeTree(out, &trees[i])
						})
					})
				})
				out.Key("aggregate_output").Object(func() { out.Key("weighted_sum").Object(func() {}) })
			})
		})
	})
	_, err := w.Write(append(out.Bytes(), '\n'))
	return err
}

func checkWritable(e *tree.Ensemble) error {
	if err := e.Validate(); err != nil {
		return fmt.Errorf("elastic: %w", err)
	}
	if err := Capabilities().Check(e); err != nil {
		return fmt.Errorf("elastic: %w", err)
	}
	return checkNames(e.Features)
}

// writeTree writes the splits of a tree and then its leaves: leaf l is node NumNodes+l.
func writeTree(out *document.Writer, t *tree.Tree) {
	nodes := t.NumNodes()
	child := func(c int32) int64 {
		if c < 0 {
			return int64(nodes) + int64(^c)
		}
		return int64(c)
	}
	out.Key("tree_structure").Array(nodes+t.NumLeaves(), func(i int) {
		out.Object(func() {
			out.Key("node_index").Int(int64(i))
			if i >= nodes {
				out.Key("leaf_value").Float64(t.LeafValue[i-nodes])
				return
			}
			out.Key("decision_type").Text("lte")
			out.Key("left_child").Int(child(t.Left[i]))
			out.Key("right_child").Int(child(t.Right[i]))
			out.Key("split_feature").Int(int64(t.Feature[i]))
			out.Key("threshold").Float64(finite(t.Threshold[i]))
			out.Key("default_left").Bool(threshold.NaNLeft(t.Decision[i], t.Threshold[i]))
		})
	})
}

// finite returns the finite number nearest to a threshold.
func finite(t float64) float64 { return max(-math.MaxFloat64, min(t, math.MaxFloat64)) }
