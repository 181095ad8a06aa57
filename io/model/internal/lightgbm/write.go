package lightgbm

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Versions of the text that are written.
const (
	V3 = "v3" // of LightGBM 3, which LightGBM 4 reads as well
	V4 = "v4" // of LightGBM 4; leaves refuses it
)

// Write writes e in version [V3]. The bytes depend only on e, which must be valid (see
// [tree.Ensemble.Validate]). Feature names must have the form of [wording.FeatureName], so that LightGBM can
// read them back. (The library leaves also refuses names with equals signs.)
// Errors are [*Error] or those of w.
//
// To replace a file atomically, write a new one and rename it.
func Write(w io.Writer, e *tree.Ensemble) error { return WriteVersion(w, e, V3) }

// WriteVersion is like [Write], for the version [V3] or [V4]. They differ only in the header.
func WriteVersion(w io.Writer, e *tree.Ensemble, version string) error {
	if err := checkWritable(e); err != nil {
		return &Error{Tree: -1, Err: err}
	}
	trees := engine.Trees(e)
	// LightGBM expects the sizes of all trees before the first tree.
	texts, sizes := make([][]byte, len(trees)), make([]int, len(trees))
	var text []byte
	for i := range trees {
		text = appendTree(text[:0], i, &trees[i])
		texts[i], sizes[i] = bytes.Clone(text), len(text)
	}
	out := bufio.NewWriter(w)
	writeHeader(out, e, version, sizes)
	for i := range texts {
		out.Write(texts[i])
		texts[i] = nil // makes room for what w keeps
	}
	out.WriteString(endOfTrees + "\n")
	writeSections(out, e)
	return out.Flush() // a bufio.Writer keeps its first error
}

// checkWritable returns an error if LightGBM, leaves or we could not read the file.
func checkWritable(e *tree.Ensemble) error {
	if err := e.Validate(); err != nil {
		return err
	}
	if len(e.Features) == 0 {
		return fmt.Errorf("%w: the model has no features", document.ErrLength)
	}
	for i, feature := range e.Features {
		if feature.Name == "" || feature.Name != wording.FeatureName(feature.Name) {
			return fmt.Errorf("%w: feature %d, %q: it is empty or has a blank or a control character",
				ErrName, i, document.Clip(feature.Name))
		}
		if strings.ContainsFunc(feature.Range, breaksName) {
			return fmt.Errorf("%w: range of feature %d, %q", ErrName, i, document.Clip(feature.Range))
		}
	}
	if strings.ContainsFunc(e.Objective, func(r rune) bool { return r != ' ' && breaksName(r) }) {
		return fmt.Errorf("%w: objective %q", ErrName, document.Clip(e.Objective))
	}
	if strings.Contains("\n"+e.Parameters+"\n", "\n"+endOfParameters+"\n") {
		return fmt.Errorf("%w: the parameters have a line %q", errFormat, endOfParameters)
	}
	if strings.ContainsAny(e.PandasCategorical, "\r\n") {
		return fmt.Errorf("%w: pandas_categorical has more than one line", errFormat)
	}
	return nil
}

// breaksName reports whether a text that contains r cannot be read back.
func breaksName(r rune) bool { return r <= ' ' || r == '=' || r == 0x7f }

func writeHeader(out *bufio.Writer, e *tree.Ensemble, version string, sizes []int) {
	fmt.Fprintf(out, "%s\nversion=%s\nnum_class=1\nnum_tree_per_iteration=1\n", firstLine, version)
	fmt.Fprintf(out, "label_index=%d\nmax_feature_idx=%d\n", e.LabelIndex, len(e.Features)-1)
	if e.Objective != "" {
		fmt.Fprintf(out, "objective=%s\n", e.Objective)
	}
	if e.Average {
		out.WriteString("average_output\n")
	}
	writeFeatures(out, e.Features)
	out.Write(appendList(nil, "tree_sizes", sizes, appendInt))
	out.WriteByte('\n')
}

func writeFeatures(out *bufio.Writer, features []tree.Feature) {
	write := func(key string, add func([]byte, tree.Feature) []byte) {
		out.Write(appendList(nil, key, features, add))
	}
	write("feature_names", func(b []byte, f tree.Feature) []byte { return append(b, f.Name...) })
	if slices.ContainsFunc(features, func(f tree.Feature) bool { return f.Monotone != 0 }) {
		write("monotone_constraints", func(b []byte, f tree.Feature) []byte { return appendInt(b, f.Monotone) })
	}
	write("feature_infos",
		func(b []byte, f tree.Feature) []byte { return append(b, cmp.Or(f.Range, constant)...) })
}

// appendTree appends the text of a tree, including the two blank lines at its end.
func appendTree(b []byte, number int, t *tree.Tree) []byte {
	b = append(b, treePrefix...)
	b = strconv.AppendInt(b, int64(number), 10)
	b = append(b, '\n')
	b = appendOne(b, "num_leaves", t.NumLeaves())
	b = appendOne(b, "num_cat", max(0, len(t.CategoryStart)-1))
	b = appendList(b, "split_feature", t.Feature, appendInt)
	b = appendList(b, "split_gain", t.Gain, appendFloat)
	b = appendList(b, "threshold", t.Threshold, appendFloat)
	b = appendList(b, "decision_type", t.Decision, appendInt)
	b = appendList(b, "left_child", t.Left, appendInt)
	b = appendList(b, "right_child", t.Right, appendInt)
	b = appendList(b, "leaf_value", t.LeafValue, appendFloat)
	b = appendList(b, "leaf_weight", t.LeafWeight, appendFloat)
	b = appendList(b, "leaf_count", t.LeafCount, appendInt)
	b = appendList(b, "internal_value", t.InternalValue, appendFloat)
	b = appendList(b, "internal_weight", t.InternalWeight, appendFloat)
	b = appendList(b, "internal_count", t.InternalCount, appendInt)
	if len(t.CategoryStart) > 1 {
		b = appendList(b, "cat_boundaries", t.CategoryStart, appendInt)
		b = appendList(b, "cat_threshold", t.Categories, appendInt)
	}
	b = appendLinear(b, t.Linear)
	b = appendList(b, "shrinkage", []float64{t.Shrinkage}, appendFloat)
	return append(b, "\n\n"...)
}

func appendLinear(b []byte, linear *tree.LinearLeaves) []byte {
	if linear == nil {
		return appendOne(b, "is_linear", 0)
	}
	counts := make([]int, len(linear.Feature))
	for leaf := range counts {
		counts[leaf] = len(linear.Feature[leaf])
	}
	b = appendOne(b, "is_linear", 1)
	b = appendList(b, "leaf_const", linear.Const, appendFloat)
	b = appendList(b, "num_features", counts, appendInt)
	b = appendList(b, "leaf_features", slices.Concat(linear.Feature...), appendInt)
	return appendList(b, "leaf_coeff", slices.Concat(linear.Coefficient...), appendFloat)
}

func appendOne(b []byte, key string, value int) []byte {
	return appendList(b, key, []int{value}, appendInt)
}

func appendList[T any](b []byte, key string, values []T, add func([]byte, T) []byte) []byte {
	b = append(append(b, key...), '=')
	return append(document.AppendJoined(b, values, " ", add), '\n')
}

func appendInt[T int | int8 | int32 | int64 | uint32 | tree.Decision](b []byte, v T) []byte {
	return strconv.AppendInt(b, int64(v), 10)
}

// appendFloat appends the shortest decimal that reads back as v. Infinity, the threshold that
// separates missing values from all others, is "inf" in LightGBM.
func appendFloat(b []byte, v float64) []byte {
	if math.IsInf(v, 1) {
		return append(b, "inf"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// writeSections writes the sections after "end of trees".
func writeSections(out *bufio.Writer, e *tree.Ensemble) {
	out.WriteString("\n" + importances + "\n")
	out.Write(importanceLines(e))
	if text := allParameters(e); text != "" {
		out.WriteString("\n" + parameters + "\n" + text + "\n" + endOfParameters + "\n")
	}
	if text := e.Pandas(); text != "" {
		out.WriteString("\n" + pandas + text + "\n")
	}
}

// importanceByGain is the line of the parameters that makes the file list feature importance by gain:
// LightGBM's parameter saved_feature_importance_type. Without it, numbers of splits are listed.
const importanceByGain = "[saved_feature_importance_type: 1]"

// listedImportance returns the importance of each feature in the list. As in LightGBM, gains are truncated to
// whole numbers, and features with 0 are not listed.
func listedImportance(e *tree.Ensemble) []float64 {
	kind := tree.BySplit
	if slices.Contains(strings.Split(e.Parameters, "\n"), importanceByGain) {
		kind = tree.ByGain
	}
	listed := e.Importance(kind)
	for i := range listed {
		listed[i] = math.Trunc(listed[i])
	}
	return listed
}

// importanceLines lists the features that splits use, the most important first. Ties are
// in the order of the columns.
func importanceLines(e *tree.Ensemble) []byte {
	listed := listedImportance(e)
	order := make([]int, 0, len(listed))
	for i, importance := range listed {
		if importance > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(listed[b], listed[a]) })
	var b bytes.Buffer
	for _, i := range order {
		fmt.Fprintf(&b, "%s=%.0f\n", e.Features[i].Name, listed[i])
	}
	return b.Bytes()
}
