package grow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// twinNode is a node of the tree of [naiveContraction], or a leaf, which has no children.
type twinNode struct {
	split
	left, right *twinNode
	leaf        int32 // number in the grown tree
}

// twinOf returns the part of a tree below an internal node, or ^leaf.
func twinOf(t *Tree, at int32) *twinNode {
	if at < 0 {
		return &twinNode{leaf: ^at}
	}
	n := t.Nodes[at]
	return &twinNode{split: n.split, left: twinOf(t, n.Left), right: twinOf(t, n.Right)}
}

// without returns the tree without a leaf, whose sibling takes the place of their parent.
func (n *twinNode) without(leaf int32) *twinNode {
	switch {
	case n.left == nil:
		return n
	case n.left.left == nil && n.left.leaf == leaf:
		return n.right
	case n.right.left == nil && n.right.leaf == leaf:
		return n.left
	}
	return &twinNode{split: n.split, left: n.left.without(leaf), right: n.right.without(leaf)}
}

// leafOf returns the leaf of a row.
func (n *twinNode) leafOf(t *Tree, row int) int32 {
	for n.left != nil {
		if n.goesRight(t.matrix.At(int32(row), n.Column), t.matrix.MissingBins[n.Column]) {
			n = n.right
		} else {
			n = n.left
		}
	}
	return n.leaf
}

// String renders the tree, with its leaves renumbered.
func (n *twinNode) render(number map[int32]int) string {
	if n.left == nil {
		return fmt.Sprint(number[n.leaf])
	}
	return fmt.Sprintf("(%s %d:%d:%v:%v %s)", n.left.render(number), n.Column, n.bin, n.missingRight, n.sides,
		n.right.render(number))
}

// contractionCase is a grown tree, before leaves are taken out.
type contractionCase struct {
	FittedRows
	g      *Grower
	scales Scales
	chosen []bool // by row: it is in the bag
}

// totals sums the rows of a tree's leaves anew.
func (c *contractionCase) totals(leafOf func(row int) int32) Totals {
	all := Totals{Scales: c.scales, Sums: make([]binsum.Sum, len(c.g.leaves)),
		Rows: make([]int64, len(c.g.leaves))}
	for row, in := range c.chosen {
		if in {
			leaf := leafOf(row)
			all.Rows[leaf]++
			all.Sums[leaf] = all.Sums[leaf].Add(binsum.Sum{Gradient: c.scales.Gradient.Round(c.Lambda[row]),
				Hessian: c.scales.Hessian.Round(c.Hessian[row])})
		}
	}
	return all
}

// naiveContraction is the twin of KeepMinimum: it takes one leaf out after the other, and sends all rows down
// the whole tree each time.
func (c *contractionCase) naiveContraction() (root *twinNode, totals Totals, removed []int32) {
	root = twinOf(&c.g.Tree, 0)
	sum := func() Totals {
		return c.totals(func(row int) int32 { return root.leafOf(&c.g.Tree, row) })
	}
	totals = sum()
	for leaf := range int32(len(c.g.leaves)) {
		if root.left != nil && c.g.rules.lacks(&totals, int(leaf)) {
			root, removed = root.without(leaf), append(removed, leaf)
			totals = sum()
		}
	}
	return root, totals, removed
}

// drawSplit draws a split of the grower's columns.
func drawSplit(rng *rand.Rand, g *Grower) (s split) {
	s.Column = int32(rng.IntN(len(g.matrix.Columns)))
	bins := g.matrix.Bins(s.Column).NumBins()
	s.bin = uint16(rng.IntN(bins))
	s.missingRight = g.matrix.MissingBins[s.Column] >= 0 && rng.IntN(2) == 0
	if g.IsCategorical(s.Column) {
		s.sides = allRight(bins)
		for bin := range s.sides.right {
			s.sides.right[bin] = uint8(rng.IntN(2))
		}
	}
	return s
}

// splitLeaf replaces a leaf of the grower by a split of two leaves.
func splitLeaf(g *Grower, number int, s split) {
	at, parent := int32(len(g.Nodes)), g.leaves[number]
	g.attach(parent.node, parent.right, at)
	g.Nodes = append(g.Nodes, node{split: s, Left: ^int32(number), Right: ^int32(len(g.leaves))})
	g.leaves[number] = leaf{node: at}
	g.leaves = append(g.leaves, leaf{node: at, right: true})
}

// drawTree fills the grower with a tree of random splits: of random leaves, in a chain, or level by level.
// Many leaves have few rows or none.
func drawTree(rng *rand.Rand, g *Grower, leaves int, shape string) {
	g.Nodes, g.leaves = nil, []leaf{{node: -1}}
	for len(g.leaves) < leaves {
		switch shape {
		case "chain":
			splitLeaf(g, len(g.leaves)-1, drawSplit(rng, g))
		case "symmetric":
			s := drawSplit(rng, g)
			for number := range g.leaves {
				if rng.IntN(8) > 0 { // the rules may forbid a split in a leaf
					splitLeaf(g, number, s)
				}
			}
		default:
			splitLeaf(g, rng.IntN(len(g.leaves)), drawSplit(rng, g))
		}
	}
}

// drawContraction draws a tree on data, a bag, gradients and rules.
func drawContraction(rng *rand.Rand, data *histogram.Matrix, pool *par.Pool) *contractionCase {
	rows := data.NumRows()
	c := &contractionCase{g: growerOn(data, pool), chosen: make([]bool, rows)}
	c.FittedRows = FittedRows{LeafOf: make([]int32, rows), Lambda: make([]float64, rows),
		Hessian: make([]float64, rows), InBag: func(row int32) bool { return c.chosen[row] }}
	for row := range rows {
		if size := math.Exp(1.5 * rng.NormFloat64()); row%10 != 0 {
			c.Lambda[row], c.Hessian[row] = size*rng.NormFloat64(), size*rng.Float64()
		}
	}
	share := []float64{1, 0.5, 0.3}[rng.IntN(3)]
	for row := range c.chosen {
		c.chosen[row] = rng.Float64() < share
	}
	width := exact.Width(rows)
	c.scales = Scales{exact.ScaleFor(max(slices.Max(c.Lambda), -slices.Min(c.Lambda)), width),
		exact.ScaleFor(slices.Max(c.Hessian), width)}
	drawTree(rng, c.g, 2+rng.IntN(1+rng.IntN(50)), []string{"random", "chain", "symmetric"}[rng.IntN(3)])
	c.g.rules.MinData = []int{0, 1, 5, 20, 60, 2 * rows}[rng.IntN(6)]
	c.g.rules.MinSumHessian = []float64{0, 0, 1e-3, 5}[rng.IntN(4)]
	for row := range c.LeafOf {
		c.LeafOf[row] = c.g.descend(0, data, row)
	}
	return c
}

// requireContracted takes leaves out of the tree of a case, and compares all that is left with the twin. It
// returns the number of leaves that are gone, and the heirs.
func (c *contractionCase) requireContracted(t *testing.T) (removed []int32, number []int32) {
	t.Helper()
	g := c.g
	want, wantTotals, removed := c.naiveContraction()
	newNumber := map[int32]int{}
	for leaf := range int32(len(g.leaves)) {
		if !slices.Contains(removed, leaf) {
			newNumber[leaf] = len(newNumber)
		}
	}
	got := c.totals(func(row int) int32 { return c.LeafOf[row] })
	number = g.KeepMinimum(&got, c.FittedRows)
	for row := range c.LeafOf {
		require.EqualValues(t, newNumber[want.leafOf(&g.Tree, row)], number[c.LeafOf[row]], "row %d", row)
	}
	require.Len(t, got.Sums, len(newNumber))
	for leaf, kept := range newNumber {
		require.Equal(t, wantTotals.Sums[leaf], got.Sums[kept])
		require.Equal(t, wantTotals.Rows[leaf], got.Rows[kept])
	}
	for _, leaf := range number {
		require.Less(t, int(leaf), len(newNumber))
	}
	requireTree(t, g, want.render(newNumber), len(newNumber))
	return removed, number
}

// requireTree requires that the grower's nodes form the given tree, and that its leaves know their places.
func requireTree(t *testing.T, g *Grower, want string, leaves int) {
	t.Helper()
	identity := map[int32]int{}
	for leaf := range leaves {
		identity[int32(leaf)] = leaf
	}
	require.Len(t, g.leaves, leaves)
	require.Len(t, g.Nodes, leaves-1)
	if leaves == 1 {
		require.Equal(t, want, "0")
		return
	}
	require.Equal(t, want, twinOf(&g.Tree, 0).render(identity))
	for i, n := range g.Nodes {
		for right, child := range map[bool]int32{false: n.Left, true: n.Right} {
			if child < 0 {
				require.Equal(t, []any{int32(i), right}, []any{g.leaves[^child].node, g.leaves[^child].right})
			} else {
				require.Greater(t, child, int32(i), "parents come first")
			}
		}
	}
}

// contractionData are data of each layout, of a few rows.
func contractionData(t *testing.T) map[string]*histogram.Matrix {
	shop, wide := usualBins(), usualBins()
	shop.Categorical, wide.MaxBin, wide.MinDataInBin = "1,3", 1000, 1
	values := randomValues(4, 600, 0.1)
	numbers := binsOf(t, usualBins(), values)[0]
	return map[string]*histogram.Matrix{
		"categories": binsOf(t, shop, shopValues(3, 600))[0], "numbers": numbers,
		"sparse": sparseOf(t, numbers, values)[0], "wide": binsOf(t, wide, values)[0],
	}
}

// TestContractionEqualsItsTwin compares KeepMinimum with its twin on random trees. Among them must be trees
// of which nothing remains, and trees in which a leaf was taken out after it had inherited the rows of
// others, which went down to several leaves.
func TestContractionEqualsItsTwin(t *testing.T) {
	const draws = 150
	for name, data := range contractionData(t) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(45, 1))
			pool := par.New(3)
			defer pool.Close()
			nothing, untouched, scattered := 0, 0, 0
			for range draws {
				c := drawContraction(rng, data, pool)
				removed, number := c.requireContracted(t)
				switch {
				case len(removed) == 0:
					untouched++
				case len(c.g.leaves) == 1:
					nothing++
				case slices.Index(number, NoLeaf) >= 0:
					scattered++
				}
			}
			assert.Greater(t, min(nothing, untouched, scattered), draws/20, "%d %d %d", nothing, untouched, scattered)
		})
	}
}
