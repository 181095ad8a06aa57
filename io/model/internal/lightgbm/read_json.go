package lightgbm

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// ReadJSON reads a model from the JSON of dump_model. The ensemble is valid: see
// [tree.Ensemble.Validate]. Errors wrap a [*document.Error].
func ReadJSON(data []byte) (*tree.Ensemble, error) {
	e, err := engine.Read("lightgbm", data, func(e *tree.Ensemble, root document.Cursor) {
		j := jsonReader{root: root, ensemble: e}
		j.header()
		j.features()
		j.trees()
	})
	if err != nil {
		return nil, err
	}
	return e, setDictionaries(e, nil)
}

// jsonReader reads one document, which stores the first error.
type jsonReader struct {
	root     document.Cursor
	ensemble *tree.Ensemble
	words    int // length of all sets of categories so far
}

func (j *jsonReader) header() {
	if !j.root.Has("tree_info") {
		j.root.Failf(errFormat, "no \"tree_info\", as dump_model writes it")
	}
	if version := j.root.Optional("version"); version.Sound() {
		switch version.Text() {
		case "v2", "v3", "v4":
		default:
			version.Fail(fmt.Errorf("%w %q, want v2, v3 or v4", ErrVersion, document.Clip(version.Text())))
		}
	}
	for _, key := range []string{"num_class", "num_tree_per_iteration"} {
		c := j.root.Optional(key)
		if n := c.Int(0, math.MaxInt32); n > 1 {
			c.Failf(ErrMulticlass, "%d, only 1 is supported", n)
		}
	}
	j.ensemble.LabelIndex = int(j.root.Optional("label_index").Int(0, math.MaxInt64))
	j.ensemble.Objective = j.root.Optional("objective").Text()
	j.ensemble.Average = j.root.Optional("average_output").Bool()
	j.ensemble.PandasCategorical = j.root.Optional("pandas_categorical").JSON()
}

func (j *jsonReader) features() {
	names := j.root.Field("feature_names")
	last := j.root.Field("max_feature_idx")
	if n := names.Len(); last.Int(0, math.MaxInt32) != int64(n)-1 {
		names.Failf(document.ErrLength, "%s, want max_feature_idx+1 = %d", wording.Count(n, "name"),
			last.Int(0, math.MaxInt32)+1)
	}
	for _, name := range names.Texts() {
		j.ensemble.Features = append(j.ensemble.Features, tree.Feature{Name: name, Range: "none"})
	}
	j.ranges(j.root.Optional("feature_infos"))
	if monotone := j.root.Optional("monotone_constraints"); monotone.Len() > 0 {
		for i, sign := range monotone.Int32s(len(j.ensemble.Features), -1, 1) {
			j.ensemble.Features[i].Monotone = int8(sign)
		}
	}
}

// ranges reads feature_infos, whose keys are feature names.
func (j *jsonReader) ranges(infos document.Cursor) {
	byName := make(map[string]string, infos.Len())
	infos.Entries(func(name string, c document.Cursor) { byName[name] = rangeOf(c) })
	for i := range j.ensemble.Features {
		f := &j.ensemble.Features[i]
		if text, ok := byName[f.Name]; ok {
			f.Range = text
		}
	}
}

// rangeOf returns the range of a feature in the form of the model text.
func rangeOf(c document.Cursor) string {
	values := c.Field("values")
	if values.Len() == 0 {
		return "[" + shortest(c.Field("min_value").Float64()) + ":" + shortest(c.Field("max_value").Float64()) + "]"
	}
	return joined(values.Int32s(values.Len(), math.MinInt32, math.MaxInt32), ":")
}

func shortest(v float64) string { return string(appendFloat(nil, v)) }

var (
	treeInfoKeys  = []string{"tree_index", "num_leaves", "num_cat", "shrinkage", "tree_structure"}
	jsonSplitKeys = []string{"split_index", "split_feature", "split_gain", "threshold", "decision_type",
		"default_left", "missing_type",
		"internal_value", "internal_weight", "internal_count", "left_child", "right_child"}
	jsonLeafKeys = []string{"leaf_index", "leaf_value", "leaf_weight", "leaf_count", "leaf_const",
		"leaf_features", "leaf_coeff"}
)

func (j *jsonReader) trees() {
	j.root.Field("tree_info").Elements(func(i int, c document.Cursor) {
		c.Known(treeInfoKeys)
		c.Optional("tree_index").Is(int64(i))
		t := j.tree(c)
		if !c.Sound() {
			return
		}
		if err := t.Validate(len(j.ensemble.Features)); err != nil {
			c.Fail(err)
		}
		j.ensemble.Trees = append(j.ensemble.Trees, *t)
	})
}

// tree reads a tree. It counts the leaves before it allocates memory for them.
func (j *jsonReader) tree(c document.Cursor) *tree.Tree {
	root := c.Field("tree_structure")
	leaves := countLeaves(root)
	c.Field("num_leaves").Is(int64(leaves))
	if !c.Sound() {
		return nil
	}
	b := jsonTree{words: &j.words}
	b.makeRoom(leaves)
	b.node(root)
	if b.constants > 0 && b.constants < leaves {
		root.Failf(errFormat, "%d of %s have a leaf_const", b.constants, wording.Count(leaves, "leaf"))
	}
	if b.tree.Shrinkage = 1; c.Has("shrinkage") {
		b.tree.Shrinkage = c.Field("shrinkage").Float64()
	}
	b.addCategories()
	return &b.tree
}

// countLeaves returns the number of leaves below a node; a leaf has one, itself.
func countLeaves(c document.Cursor) int {
	if !c.Has("split_index") {
		return 1
	}
	return countLeaves(c.Field("left_child")) + countLeaves(c.Field("right_child"))
}

// jsonTree is a tree under construction. Nodes and leaves are stored under the numbers in the file.
type jsonTree struct {
	tree       tree.Tree
	nodes      []bool     // which nodes have been read
	leaves     []bool     // which leaves have been read
	categories [][]uint32 // the set of each categorical node
	words      *int       // length of all sets of the model
	constants  int        // number of linear leaves
}

func (b *jsonTree) makeRoom(leaves int) {
	n := leaves - 1
	b.nodes, b.leaves, b.categories = make([]bool, n), make([]bool, leaves), make([][]uint32, n)
	b.tree = tree.Tree{
		Feature: make([]int32, n), Threshold: make([]float64, n), Decision: make([]tree.Decision, n),
		Gain: make([]float64, n),
		Left: make([]int32, n), Right: make([]int32, n),
		InternalValue: make([]float64, n), InternalWeight: make([]float64, n), InternalCount: make([]int64, n),
		LeafValue: make([]float64, leaves), LeafWeight: make([]float64, leaves), LeafCount: make([]int64, leaves),
	}
}

// node reads a node or leaf and everything below it, and returns the number by which its parent
// refers to it.
func (b *jsonTree) node(c document.Cursor) int32 {
	if !c.Has("split_index") {
		return ^b.leaf(c)
	}
	c.Known(jsonSplitKeys)
	t, node := &b.tree, claim(c.Field("split_index"), b.nodes)
	if !c.Sound() {
		return 0
	}
	t.Feature[node] = int32(c.Field("split_feature").Int(0, math.MaxInt32))
	t.Gain[node] = c.Optional("split_gain").Float64()
	t.InternalValue[node] = c.Optional("internal_value").Float64()
	t.InternalWeight[node] = c.Optional("internal_weight").Float64()
	t.InternalCount[node] = c.Optional("internal_count").Int(0, math.MaxInt64)
	b.decision(c, node)
	t.Left[node] = b.node(c.Field("left_child"))
	t.Right[node] = b.node(c.Field("right_child"))
	return node
}

// claim reads the number of a node or leaf and marks it as used, which it must not be yet.
func claim(c document.Cursor, filled []bool) int32 {
	n := int32(c.Int(0, int64(len(filled))-1))
	if c.Sound() {
		if filled[n] {
			c.Failf(errFormat, "%d is there twice", n)
		}
		filled[n] = true
	}
	return n
}

func (b *jsonTree) decision(c document.Cursor, node int32) {
	var d tree.Decision
	if c.Field("default_left").Bool() {
		d |= tree.DefaultLeft
	}
	switch missing := c.Field("missing_type"); missing.Text() {
	case "None":
	case "Zero":
		d |= tree.MissingZero
	case "NaN":
		d |= tree.MissingNaN
	default:
		missing.Failf(errFormat, "missing type %q", document.Clip(missing.Text()))
	}
	threshold := c.Field("threshold")
	switch decision := c.Field("decision_type"); decision.Text() {
	case "<=":
		b.tree.Threshold[node] = threshold.Float64()
	case "==":
		d |= tree.Categorical
		b.categories[node] = b.set(threshold)
	default:
		decision.Failf(errFormat, "decision type %q", document.Clip(decision.Text()))
	}
	b.tree.Decision[node] = d
}

// maxWords limits the memory for all sets of categories of a model, because a single large number makes a
// large set.
const maxWords = 1 << 24

// set reads a set of categories.
func (b *jsonTree) set(c document.Cursor) []uint32 {
	set := []uint32{}
	for text := range strings.SplitSeq(c.Text(), "||") {
		if text == "" {
			continue
		}
		category, err := strconv.ParseUint(text, 10, 31)
		word := int(category / 32)
		if err != nil || *b.words+word >= maxWords {
			c.Failf(document.ErrNumber, "category %q", document.Clip(text))
			return nil
		}
		if more := word + 1 - len(set); more > 0 {
			set = append(set, make([]uint32, more)...)
		}
		set[word] |= 1 << (category % 32)
	}
	*b.words += len(set)
	return set
}

// addCategories numbers the sets in the order of their nodes, as in the text.
func (b *jsonTree) addCategories() {
	t := &b.tree
	for node, set := range b.categories {
		if set == nil {
			continue
		}
		t.Threshold[node] = engine.AppendSet(t, set)
	}
}

func (b *jsonTree) leaf(c document.Cursor) int32 {
	c.Known(jsonLeafKeys)
	leaf := int32(0)
	if c.Has("leaf_index") || len(b.leaves) > 1 {
		leaf = claim(c.Field("leaf_index"), b.leaves)
	}
	if !c.Sound() {
		return 0
	}
	b.tree.LeafValue[leaf] = c.Field("leaf_value").Float64()
	b.tree.LeafWeight[leaf] = c.Optional("leaf_weight").Float64()
	b.tree.LeafCount[leaf] = c.Optional("leaf_count").Int(0, math.MaxInt64)
	if constant := c.Optional("leaf_const"); constant.Sound() {
		b.linear(c, leaf, constant)
		b.constants++
	}
	return leaf
}

func (b *jsonTree) linear(c document.Cursor, leaf int32, constant document.Cursor) {
	if b.tree.Linear == nil {
		n := len(b.leaves)
		b.tree.Linear = &tree.LinearLeaves{Const: make([]float64, n), Feature: make([][]int32, n),
			Coefficient: make([][]float64, n)}
	}
	features := c.Field("leaf_features")
	b.tree.Linear.Const[leaf] = constant.Float64()
	b.tree.Linear.Feature[leaf] = features.Int32s(features.Len(), 0, math.MaxInt32)
	b.tree.Linear.Coefficient[leaf] = c.Field("leaf_coeff").Float64s(features.Len())
}
