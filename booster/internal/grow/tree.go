package grow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/walk"
	"github.com/lambdamart/lambdamart/tree"
)

// walkBlock is the number of rows that a worker sends down a tree at a time.
const walkBlock = 1 << 12

// Tree is a growing or finished tree whose splits compare the bins of a matrix.
type Tree struct {
	matrix      *histogram.Matrix // describes the columns
	categorical []bool            // by column of the matrix; nil if none is
	pool        *par.Pool
	Nodes       []node

	walk    walk.Tree     // the nodes, for sending rows down
	walkers []walk.Memory // by worker
}

// node is an internal node of the growing tree.
type node struct {
	split
	Left, Right int32 // an internal node, or ^leaf
}

// NewTree returns a tree without nodes.
func NewTree(matrix *histogram.Matrix, pool *par.Pool) Tree {
	return Tree{matrix: matrix, categorical: categoricalColumns(matrix), pool: pool}
}

// FindLeaves writes to dst, for each row of data, the number of the leaf in which it ends. It sends rows down
// the grown tree by their bins, which decide every split as their values do (package histogram).
func (t *Tree) FindLeaves(dst []int32, data *histogram.Matrix) {
	nodes := make([]walk.Node, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		nodes[i] = walk.Node{Column: n.Column, Cut: n.cut(t.matrix), Left: n.Left, Right: n.Right}
	}
	t.walk.Set(t.matrix, nodes)
	t.walkers = reuse.Slice(t.walkers, t.pool.Workers())
	t.pool.Blocks(len(dst), min(walkBlock, BlockOf(len(dst))), func(worker, from, to int) {
		t.walk.Leaves(dst[from:to], data, from, &t.walkers[worker])
	})
}

// descend returns the number of the leaf in which a row of data ends that starts at an internal node, or at
// ^leaf. Tests compare FindLeaves with it.
func (t *Tree) descend(at int32, data *histogram.Matrix, row int) int32 {
	for at >= 0 {
		n := &t.Nodes[at]
		if n.goesRight(data.At(int32(row), n.Column), t.matrix.MissingBins[n.Column]) {
			at = n.Right
		} else {
			at = n.Left
		}
	}
	return ^at
}

// IsCategorical reports whether a column is categorical.
func (t *Tree) IsCategorical(column int32) bool {
	return t.categorical != nil && t.categorical[column]
}

// parents returns the parents of the internal nodes, -1 for the root.
func (t *Tree) parents() []int32 {
	parents := make([]int32, len(t.Nodes))
	parents[0] = -1
	for i, n := range t.Nodes {
		for _, child := range []int32{n.Left, n.Right} {
			if child >= 0 {
				parents[child] = int32(i)
			}
		}
	}
	return parents
}

// Load copies the nodes of a finished tree of a model with this many features to t. It returns an error if
// the bins do not have the tree's thresholds.
func (t *Tree) Load(fitted *tree.Tree, features int) error {
	if err := fitted.Validate(features); err != nil {
		return err
	}
	t.Nodes = t.Nodes[:0]
	for i, feature := range fitted.Feature {
		column := t.matrix.ColumnOf[feature]
		if column < 0 {
			return fmt.Errorf("feature %d does not vary", feature)
		}
		n := node{Left: fitted.Left[i], Right: fitted.Right[i]}
		n.Column = column
		if err := n.load(fitted, i, t.matrix.Bins(column)); err != nil {
			return fmt.Errorf("no bin of feature %d %w", feature, err)
		}
		if n.decision(t.matrix) != fitted.Decision[i] {
			return fmt.Errorf("a split of feature %d that cannot be", feature)
		}
		t.Nodes = append(t.Nodes, n)
	}
	return nil
}

// load sets n to the split of node i of a finished tree.
func (n *node) load(fitted *tree.Tree, i int, bins *histogram.FeatureBins) (err error) {
	if categorical := fitted.Decision[i]&tree.Categorical != 0; categorical != bins.IsCategorical() {
		return errors.New("stands for what the split compares: one is of categories, and the other of numbers")
	}
	if bins.IsCategorical() {
		n.sides, err = sidesOfSet(fitted, i, bins)
		return err
	}
	bin, found := slices.BinarySearch(bins.UpperBounds, fitted.Threshold[i])
	if !found {
		return fmt.Errorf("ends at %v", fitted.Threshold[i])
	}
	n.bin, n.missingRight = uint16(bin), fitted.Decision[i]&tree.DefaultLeft == 0
	return nil
}

// NodeTotals returns the sums and rows of the internal nodes, from the totals of the leaves. A node comes
// before its children in t.Nodes, so a loop from the end adds up the children first.
func (t *Tree) NodeTotals(totals *Totals) (sums []binsum.Sum, rows []int64) {
	sums, rows = make([]binsum.Sum, len(t.Nodes)), make([]int64, len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		for _, child := range []int32{t.Nodes[i].Left, t.Nodes[i].Right} {
			if child < 0 {
				sums[i] = sums[i].Add(totals.Sums[^child])
				rows[i] += totals.Rows[^child]
			} else {
				sums[i] = sums[i].Add(sums[child])
				rows[i] += rows[child]
			}
		}
	}
	return sums, rows
}

// attach makes node at the left or the right child of a parent, unless this is -1.
func (t *Tree) attach(parent int32, right bool, at int32) {
	switch {
	case parent < 0:
	case right:
		t.Nodes[parent].Right = at
	default:
		t.Nodes[parent].Left = at
	}
}
