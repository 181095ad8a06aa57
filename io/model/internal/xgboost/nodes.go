package xgboost

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// nodes is a tree in the form of save_model: lists with one entry for each node. Splits and leaves share one
// numbering, and node 0 is the root.
type nodes struct {
	Left, Right []int32   // children; -1 in leaves
	Feature     []int32   // that a split compares
	Condition   []float32 // of a split: left if x < condition; of a leaf: its value
	DefaultLeft []int32   // 1 if NaN goes left
	Gain        []float32 // loss_changes
	Hessian     []float32 // sum_hessian
	Value       []float32 // base_weights
	Types       []int32   // split_type: 1 for a categorical split, which sends its categories right
	sets
	setOf    [][]int32 // the categories of each node; read only
	words    *int      // in the sets of the trees so far; read only
	deleted  int       // number of nodes that are no longer part of the tree
	weight   float64   // factor of the leaves
	features int       // number of features of the model
}

// readNodes reads one entry of "trees". After a fault, its lists may have any length.
func readNodes(c document.Cursor, features int, words *int) *nodes {
	param := c.Field("tree_param")
	vector := param.Optional("size_leaf_vector")
	if n := decimal(vector, math.MaxInt32); n > 1 {
		vector.Failf(document.ErrUnsupported, "leaves are vectors of %d", n)
	}
	n := c.Field("left_children").Len()
	if declared := decimal(param.Field("num_nodes"), math.MaxInt32); declared != n || n == 0 {
		param.Field("num_nodes").Failf(document.ErrLength, "%d, but there are %d", declared, n)
	}
	t := &nodes{
		Left:        c.Field("left_children").Int32s(n, -1, int32(n)-1),
		Right:       c.Field("right_children").Int32s(n, -1, int32(n)-1),
		Condition:   c.Field("split_conditions").Float32s(n),
		DefaultLeft: c.Field("default_left").Flags(n), // booleans before XGBoost 1.6
		Gain:        c.Field("loss_changes").Float32s(n),
		Hessian:     c.Field("sum_hessian").Float32s(n),
		Value:       c.Field("base_weights").Float32s(n),
		features:    features,
		words:       words,
		deleted:     decimal(param.Optional("num_deleted"), math.MaxInt32),
		weight:      1,
	}
	// The feature of a deleted node is the largest int32.
	t.Feature = c.Field("split_indices").Int32s(n, -1, math.MaxInt32)
	t.Types = make([]int32, n)
	if kinds := c.Optional("split_type"); kinds.Len() > 0 {
		t.Types = kinds.Int32s(n, 0, 1)
	}
	t.readSets(c)
	return t
}

// pending is a node that is still to be added, with its parent and its side.
type pending struct {
	node, parent int32
	isRight      bool
	separates    bool // NaN from the numbers that a categorical split sends left: see addSplit
	again        bool // the node, or one above it, is added a second time
}

// mostNodes limits the nodes of a tree in which some are added several times.
const mostNodes = 1 << 20

// tree makes a tree of the nodes below the root. c is their place in the file, for errors.
func (n *nodes) tree(c document.Cursor) tree.Tree {
	var t engine.Builder
	left, seen, reached := []int32{}, make([]bool, len(n.Left)), 0
	for todo := []pending{{parent: -1}}; len(todo) > 0 && c.Sound(); {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch once := !p.again && !p.separates; {
		case once && seen[p.node]:
			c.Failf(ErrFormat, "node %d has two parents, or is its own ancestor", p.node)
		case once:
			seen[p.node] = true
			reached++
		case len(left) > mostNodes:
			c.Failf(document.ErrUnsupported, "a tree of more than %d splits: those that send a missing value and "+
				"their categories to the same side have the nodes of that side twice", mostNodes)
		}
		number, below := n.add(&t, c, p)
		switch {
		case p.parent < 0:
		case !p.isRight:
			left[p.parent] = number
		default:
			t.Join(p.parent, left[p.parent], number)
		}
		if number >= 0 {
			left = append(left, 0)
		}
		todo = append(todo, below...)
	}
	if loose := len(n.Left) - reached; loose != n.deleted {
		c.Failf(ErrFormat, "%s without a parent, and %d deleted", wording.Count(loose, "node"), n.deleted)
	}
	return t.Finish()
}

// add adds one node without its children, and returns the places of these, the left one last.
func (n *nodes) add(t *engine.Builder, c document.Cursor, p pending) (number int32, below []pending) {
	node := p.node
	if (n.Left[node] < 0) != (n.Right[node] < 0) {
		c.Failf(ErrFormat, "node %d has one child", node)
	}
	if n.Left[node] < 0 || n.Right[node] < 0 {
		return t.AddLeaf(engine.Leaf{Value: float64(n.Condition[node]) * n.weight,
			Weight: float64(n.Hessian[node])}), nil
	}
	if f := n.Feature[node]; f < 0 || int(f) >= n.features {
		c.Failf(ErrFormat, "node %d compares feature %d of %d", node, f, n.features)
	}
	return n.addSplit(t, c, p)
}

// addSplit adds a split. XGBoost's categorical split sends its categories right, and a missing value to
// either side; ours sends its categories left, and all else right. If a missing value goes with the
// categories, a split of numbers from NaN follows on the other side, and the nodes that NaN reaches are added
// twice.
func (n *nodes) addSplit(t *engine.Builder, c document.Cursor, p pending) (number int32, below []pending) {
	node := p.node
	s := engine.Split{Feature: n.Feature[node], Decision: decision(n.DefaultLeft[node] == 1),
		Gain: float64(n.Gain[node]), Value: float64(n.Value[node]) * n.weight, Weight: float64(n.Hessian[node])}
	left := pending{node: n.Left[node], again: p.again}
	right := pending{node: n.Right[node], again: p.again}
	switch {
	case p.separates:
		s.Threshold, s.Decision, s.Gain = math.MaxFloat64, tree.MissingNaN, 0
		s.Value, s.Weight = float64(n.Value[left.node])*n.weight, float64(n.Hessian[left.node])
		right.again = true
	case n.Types[node] == 1:
		s.Threshold, s.Decision = n.addSetOf(t, c, node), tree.Categorical
		if left, right = right, left; n.DefaultLeft[node] == 0 {
			right = pending{node: node, separates: true, again: p.again}
		}
	default:
		cut, err := fromCondition(n.Condition[node])
		if err != nil {
			c.Fail(fmt.Errorf("node %d: %w", node, err))
		}
		s.Threshold = cut
	}
	number = t.AddSplit(s)
	left.parent, right.parent, right.isRight = number, number, true
	return number, []pending{right, left} // the left child and everything below it come first
}

// decision returns the decision type of XGBoost's splits: only NaN is missing.
func decision(defaultLeft bool) tree.Decision {
	if defaultLeft {
		return tree.MissingNaN | tree.DefaultLeft
	}
	return tree.MissingNaN
}

// fromCondition returns the threshold t for which x <= t if and only if
// fl32(x) < condition, for every float64 x.
func fromCondition(condition float32) (float64, error) {
	if condition != condition || math.IsInf(float64(condition), -1) {
		return 0, fmt.Errorf("%w: split condition %v", document.ErrNumber, condition)
	}
	return engine.Rounded(math.Nextafter32(condition, float32(math.Inf(-1)))), nil
}

// fromTree numbers the nodes of t as XGBoost does: level by level, with siblings next to each other.
func fromTree(t *tree.Tree) *nodes {
	n := &nodes{weight: 1, sets: sets{[]int32{}, []int32{}, []int32{}, []int32{}}} // JSON's [], not null
	for queue := []int32{t.Root()}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at < 0 {
			n.appendLeaf(t, ^at)
			continue
		}
		next := int32(len(n.Left) + len(queue)) // the children come after all nodes in the queue
		n.appendSplit(t, at, next)
		if t.Decision[at]&tree.Categorical != 0 { // the categories go right in XGBoost
			queue = append(queue, t.Right[at], t.Left[at])
		} else {
			queue = append(queue, t.Left[at], t.Right[at])
		}
	}
	return n
}

func (n *nodes) appendLeaf(t *tree.Tree, leaf int32) {
	value := float32(t.LeafValue[leaf])
	n.Left, n.Right = append(n.Left, -1), append(n.Right, -1)
	n.Feature, n.DefaultLeft = append(n.Feature, 0), append(n.DefaultLeft, 0)
	n.Condition, n.Value = append(n.Condition, value), append(n.Value, value)
	n.Gain, n.Hessian = append(n.Gain, 0), append(n.Hessian, clamp(t.LeafWeight[leaf]))
	n.Types = append(n.Types, 0)
}

// appendSplit adds an internal node whose left child will have number left.
func (n *nodes) appendSplit(t *tree.Tree, node, left int32) {
	cut := t.Threshold[node]
	condition, _ := engine.Below(cut)
	nanLeft, kind := int32(0), int32(0)
	if t.Decision[node]&tree.Categorical != 0 {
		condition, nanLeft, kind = 0, 1, 1
		n.sets.add(len(n.Left), t.CategoriesLeft(int(node)))
	} else if engine.NaNLeft(t.Decision[node], cut) {
		nanLeft = 1
	}
	n.Types = append(n.Types, kind)
	n.Left, n.Right = append(n.Left, left), append(n.Right, left+1)
	n.Feature, n.DefaultLeft = append(n.Feature, t.Feature[node]), append(n.DefaultLeft, nanLeft)
	n.Condition = append(n.Condition, clamp(float64(condition)))
	n.Value = append(n.Value, clamp(t.InternalValue[node]))
	n.Gain = append(n.Gain, clamp(t.Gain[node]))
	n.Hessian = append(n.Hessian, clamp(t.InternalWeight[node]))
}

// clamp rounds to a finite float32, because JSON has no other numbers. NaN becomes 0.
func clamp(x float64) float32 {
	if math.IsNaN(x) {
		return 0
	}
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}
