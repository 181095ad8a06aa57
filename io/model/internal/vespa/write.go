package vespa

import (
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Write writes e, which must be valid, with each tree on a line of its own. The bytes depend on e
// only. A model without trees is written as one leaf of value 0.
//
// Errors are a [*engine.Refusal] for a model that Vespa cannot hold, [ErrName], [ErrDepth], or those of w.
func Write(w io.Writer, e *tree.Ensemble) error {
	if err := checkWritable(e); err != nil {
		return err
	}
	trees := e.Trees
	if len(trees) == 0 {
		trees = []tree.Tree{{LeafValue: []float64{0}}}
	}
	out := document.NewJSON()
	out.Object(func() {
		out.Key("form").Text(mark)
		out.Key("objective").Text("lambdarank")
		out.Key("feature_names").Array(len(e.Features), func(i int) { out.Text(e.Features[i].Name) })
		out.Key("feature_infos").Object(func() {})
		out.Key("pandas_categorical").Array(0, nil)
		out.Key("tree_info").Array(len(trees), func(i int) {
			out.Line()
			out.Object(func() {
				out.Key("tree_structure")
				writeNode(out, &trees[i], root(&trees[i]))
			})
		})
	})
	_, err := w.Write(append(out.Bytes(), '\n'))
	return err
}

func checkWritable(e *tree.Ensemble) error {
	if err := e.Validate(); err != nil {
		return fmt.Errorf("vespa: %w", err)
	}
	if err := Capabilities().Check(e); err != nil {
		return fmt.Errorf("vespa: %w", err)
	}
	if err := checkNames(e.Features); err != nil {
		return err
	}
	for i := range e.Trees {
		if d := e.Trees[i].Depth(); d > MaxDepth {
			return fmt.Errorf("vespa: tree %d: %w: %d splits above a leaf, at most %d; train with max_depth", i,
				ErrDepth, d, MaxDepth)
		}
	}
	return nil
}

// root returns the number of the first node, or of the only leaf.
func root(t *tree.Tree) int32 {
	if t.NumNodes() == 0 {
		return ^0
	}
	return 0
}

func writeNode(out *document.Writer, t *tree.Tree, node int32) {
	out.Object(func() {
		if node < 0 {
			out.Key("leaf_value").Float64(t.LeafValue[^node])
			return
		}
		out.Key("split_feature").Int(int64(t.Feature[node]))
		out.Key("threshold").Float64(above(t.Threshold[node]))
		out.Key("decision_type").Text("<")
		out.Key("default_left").Bool(threshold.NaNLeft(t.Decision[node], t.Threshold[node]))
		writeNode(out.Key("left_child"), t, t.Left[node])
		writeNode(out.Key("right_child"), t, t.Right[node])
	})
}

// above returns the c with x < c if and only if x <= t: the next float64 above t, or the largest if
// there is none.
func above(t float64) float64 { return min(math.Nextafter(t, math.Inf(1)), math.MaxFloat64) }
