package lightgbm

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// WriteJSON writes e in the form of LightGBM's dump_model, without white space, and each tree on
// a line of its own. e must be valid. The bytes depend on e only. Feature names may have any
// characters but must be distinct. Errors are [*Error] or those of w.
func WriteJSON(w io.Writer, e *tree.Ensemble) error {
	if len(e.Features) == 0 {
		return &Error{Tree: -1, Err: fmt.Errorf("%w: the model has no features", ErrLength)}
	}
	trees := e.Trees
	if len(trees) == 0 {
		trees = []tree.Tree{emptyTree()}
	}
	out := document.NewJSON()
	out.Object(func() {
		out.Key("name").Text(firstLine)
		out.Key("version").Text("v3")
		out.Key("num_class").Int(1)
		out.Key("num_tree_per_iteration").Int(1)
		out.Key("label_index").Int(int64(e.LabelIndex))
		out.Key("max_feature_idx").Int(int64(len(e.Features) - 1))
		if e.Objective != "" {
			out.Key("objective").Text(e.Objective)
		}
		out.Key("average_output").Bool(e.Average)
		writeFeaturesJSON(out, e)
		out.Key("tree_info").Array(len(trees), func(i int) {
			out.Line()
			writeTreeJSON(out, i, &trees[i])
		})
		out.Key("feature_importances").Object(func() { writeImportancesJSON(out, e) })
	})
	_, err := w.Write(append(out.Bytes(), '\n'))
	return err
}

func writeFeaturesJSON(out *document.Writer, e *tree.Ensemble) {
	out.Key("feature_names").Array(len(e.Features), func(i int) { out.Text(e.Features[i].Name) })
	constrained := false
	for _, f := range e.Features {
		constrained = constrained || f.Monotone != 0
	}
	var monotone []int32
	for _, f := range e.Features {
		if constrained {
			monotone = append(monotone, int32(f.Monotone))
		}
	}
	out.Key("monotone_constraints").Int32s(monotone)
	out.Key("feature_infos").Object(func() {
		for _, f := range e.Features {
			if low, high, values, ok := parseRange(f.Range); ok {
				out.Key(f.Name).Object(func() {
					writeNumber(out.Key("min_value"), low)
					writeNumber(out.Key("max_value"), high)
					out.Key("values").Int32s(values)
				})
			}
		}
	})
}

// parseRange parses the range of a feature in the form of the model text. ok is false for "none"
// and everything else that is not a range.
func parseRange(text string) (low, high float64, values []int32, ok bool) {
	if bounds, closed := strings.CutPrefix(text, "["); closed {
		first, second, _ := strings.Cut(strings.TrimSuffix(bounds, "]"), ":")
		low, err1 := strconv.ParseFloat(first, 64)
		high, err2 := strconv.ParseFloat(second, 64)
		return low, high, nil, err1 == nil && err2 == nil
	}
	low, high = math.Inf(1), math.Inf(-1)
	for word := range strings.SplitSeq(text, ":") {
		v, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return 0, 0, nil, false
		}
		values = append(values, int32(v))
		low, high = min(low, float64(v)), max(high, float64(v))
	}
	return low, high, values, true
}

// writeNumber writes v, with the largest finite number in place of an infinite one and 0 in place
// of NaN, which JSON does not have.
func writeNumber(out *document.Writer, v float64) {
	if math.IsNaN(v) {
		v = 0
	}
	out.Float64(min(max(v, -math.MaxFloat64), math.MaxFloat64))
}

func writeTreeJSON(out *document.Writer, number int, t *tree.Tree) {
	out.Object(func() {
		out.Key("tree_index").Int(int64(number))
		out.Key("num_leaves").Int(int64(t.NumLeaves()))
		out.Key("num_cat").Int(int64(max(0, len(t.CategoryStart)-1)))
		writeNumber(out.Key("shrinkage"), t.Shrinkage)
		out.Key("tree_structure")
		if t.NumNodes() == 0 {
			writeLeafJSON(out, t, 0)
		} else {
			writeNodeJSON(out, t, 0)
		}
	})
}

var missingNames = map[tree.Decision]string{tree.MissingNone: "None", tree.MissingZero: "Zero",
	tree.MissingNaN: "NaN"}

// writeNodeJSON writes a node or leaf and everything below it.
func writeNodeJSON(out *document.Writer, t *tree.Tree, node int32) {
	if node < 0 {
		writeLeafJSON(out, t, ^node)
		return
	}
	out.Object(func() {
		d := t.Decision[node]
		out.Key("split_index").Int(int64(node))
		out.Key("split_feature").Int(int64(t.Feature[node]))
		writeNumber(out.Key("split_gain"), t.Gain[node])
		if d&tree.Categorical != 0 {
			out.Key("threshold").Text(setText(t.CategoriesLeft(int(node))))
			out.Key("decision_type").Text("==")
		} else {
			writeNumber(out.Key("threshold"), t.Threshold[node])
			out.Key("decision_type").Text("<=")
		}
		out.Key("default_left").Bool(d&tree.DefaultLeft != 0)
		out.Key("missing_type").Text(missingNames[d.Missing()])
		writeNumber(out.Key("internal_value"), t.InternalValue[node])
		writeNumber(out.Key("internal_weight"), t.InternalWeight[node])
		out.Key("internal_count").Int(t.InternalCount[node])
		writeNodeJSON(out.Key("left_child"), t, t.Left[node])
		writeNodeJSON(out.Key("right_child"), t, t.Right[node])
	})
}

// setText returns the categories of a set, separated by "||".
func setText(categories []int) string {
	words := make([]string, len(categories))
	for i, c := range categories {
		words[i] = strconv.Itoa(c)
	}
	return strings.Join(words, "||")
}

// writeLeafJSON writes a leaf. In LightGBM's dumps, the only leaf of a tree has neither a number
// nor a weight.
func writeLeafJSON(out *document.Writer, t *tree.Tree, leaf int32) {
	out.Object(func() {
		if t.NumNodes() > 0 {
			out.Key("leaf_index").Int(int64(leaf))
		}
		out.Key("leaf_value").Float64(t.LeafValue[leaf])
		if t.NumNodes() > 0 {
			writeNumber(out.Key("leaf_weight"), t.LeafWeight[leaf])
		}
		out.Key("leaf_count").Int(t.LeafCount[leaf])
		if l := t.Linear; l != nil {
			out.Key("leaf_const").Float64(l.Const[leaf])
			out.Key("leaf_features").Int32s(l.Feature[leaf])
			out.Key("leaf_coeff").Array(len(l.Coefficient[leaf]), func(i int) { out.Float64(l.Coefficient[leaf][i]) })
		}
	})
}

func writeImportancesJSON(out *document.Writer, e *tree.Ensemble) {
	listed := listedImportance(e)
	for i, f := range e.Features {
		if listed[i] > 0 {
			out.Key(f.Name).Int(int64(listed[i]))
		}
	}
}
