package booster

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
)

// Forced splits are the first splits of every tree, from a file in LightGBM's form:
//
//	{"feature": 3, "threshold": 0.5, "left": {"feature": "age", "threshold": 7}, "right": {…}}
//
// They are made breadth first, before any other split. Rows with a missing value go left, as in LightGBM. A
// forced split that does not gain, or that leaves a side with less than min_data_in_leaf or
// min_sum_hessian_in_leaf, is left out together with the splits below it. (LightGBM then leaves out all later
// forced splits, and does not check the rows of sides.)
type forced struct {
	column      int32
	bin         uint16
	left, right *forced
}

// forcedNode is a node of the file.
type forcedNode struct {
	Feature   json.RawMessage `json:"feature"`
	Threshold *float64        `json:"threshold"`
	Left      *forcedNode     `json:"left"`
	Right     *forcedNode     `json:"right"`
}

// readForced reads the forced splits of a file, and returns a fingerprint of its content.
func readForced(path string, p *Params, train Data) (root *forced, print string, err error) {
	if path == "" {
		return nil, "", nil
	}
	text, err := byfeature.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("forcedsplits_filename: %w", err)
	}
	root, err = parseForced(text, p, train)
	if err != nil {
		return nil, "", fmt.Errorf("forcedsplits_filename=%s: %w", path, err)
	}
	print = fingerprint.Of(1, 1, func(h *fingerprint.Hash, _ int) { h.Bytes(text) })
	return root, print, nil
}

func parseForced(text []byte, p *Params, train Data) (*forced, error) {
	var node forcedNode
	switch err := byfeature.DecodeJSON(text, &node); {
	case errors.Is(err, byfeature.ErrMore):
		return nil, errors.New("more than one JSON object; all splits hang below the first one")
	case err != nil:
		return nil, fmt.Errorf("want a JSON object with feature, threshold, left and right: %w", err)
	}
	left := p.NumLeaves - 1
	return node.resolve(train, &left)
}

// resolve returns the split of a node and the splits below it. left is the number of splits that are still
// allowed.
func (n *forcedNode) resolve(train Data, left *int) (*forced, error) {
	if n == nil {
		return nil, nil
	}
	if *left--; *left < 0 {
		return nil, errors.New("more splits than num_leaves allows; raise num_leaves")
	}
	f, err := byfeature.FindJSON(n.Feature, train.Meta.Features)
	if err != nil {
		return nil, err
	}
	name, column := train.Meta.Features[f], train.Values.ColumnOf[int32(f)]
	switch {
	case column < 0:
		return nil, fmt.Errorf("feature %s does not vary; leave its split out", name)
	case train.Values.Bins(column).IsCategorical():
		return nil, fmt.Errorf("feature %s is categorical; only splits of numbers can be forced", name)
	case n.Threshold == nil || math.IsNaN(*n.Threshold) || math.IsInf(*n.Threshold, 0):
		return nil, fmt.Errorf("feature %s: want a threshold, which is a finite number", name)
	}
	bins := train.Values.Bins(column)
	split := &forced{column: column, bin: bins.Bin(*n.Threshold)}
	if int(split.bin) >= len(bins.UpperBounds)-1 {
		return nil, fmt.Errorf("feature %s: no value is above the threshold %v, so that all rows would go left",
			name, *n.Threshold)
	}
	if split.left, err = n.Left.resolve(train, left); err != nil {
		return nil, err
	}
	split.right, err = n.Right.resolve(train, left)
	return split, err
}

// columns appends the columns of a split and of the splits below it.
func (f *forced) columns(dst []int32) []int32 {
	if f == nil {
		return dst
	}
	return f.right.columns(f.left.columns(append(dst, f.column)))
}

// withForced adds the columns of forced splits to the columns that a tree may split on.
func (s *constraints) withForced(columns []int32) []int32 {
	if s.forced == nil {
		return columns
	}
	columns = s.forced.columns(columns)
	slices.Sort(columns)
	return slices.Compact(columns)
}

// grow makes the forced splits of a tree whose root has been searched.
func (f *forced) grow(g *grower) {
	type planned struct {
		leaf  int
		split *forced
	}
	queue := []planned{{0, f}}
	for ; len(queue) > 0 && len(g.leaves) < g.numLeaves; queue = queue[1:] {
		next := queue[0]
		if next.split == nil || !g.force(next.leaf, next.split) {
			continue
		}
		right := len(g.leaves)
		g.split(next.leaf, nil)
		queue = append(queue, planned{next.leaf, next.split.left}, planned{right, next.split.right})
	}
}

// force makes a forced split the best one of a leaf, and reports whether the rules allow it.
func (g *grower) force(number int, f *forced) bool {
	lf := &g.leaves[number]
	if lf.sums == nil {
		return false
	}
	searches := make([]search, 1)
	s := &searches[0]
	g.begin(searches, lf)
	best := g.fromOwner(f.column, 1, func(int) split {
		best, cut := g.fixedSplit(s, lf, &split{column: f.column, bin: f.bin})
		if best.gain <= 0 {
			return best
		}
		return g.withSides(s, lf, best, &cut)
	})[0]
	before := lf.best
	if lf.best = best; best.gain > 0 {
		g.keepEnough([]*leaf{lf})
	}
	if lf.best.gain > 0 {
		return true
	}
	lf.best = before
	return false
}
