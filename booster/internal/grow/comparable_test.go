package grow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/histogram"
)

// box holds, by column and bin, whether a row of the leaf can have the bin.
type box [][]bool

// boxes holds the boxes of a tree's leaves, computed by definition, and the path to each leaf.
type boxes struct {
	g     *Grower
	ways  [][]step // by leaf: the steps from the root
	boxes []box
}

func boxesOf(g *Grower, bins []int) *boxes {
	b := &boxes{g: g}
	var walk func(ref int32, way []step, own box)
	walk = func(ref int32, way []step, own box) {
		if ref < 0 {
			b.ways, b.boxes = append(b.ways, slices.Clone(way)), append(b.boxes, own)
			return
		}
		n := &g.Nodes[ref]
		for _, right := range []bool{false, true} {
			child := n.Left
			if right {
				child = n.Right
			}
			walk(child, append(way[:len(way):len(way)], step{ref, right}),
				own.side(n, right, g.matrix.MissingBins[n.Column]))
		}
	}
	all := make(box, len(bins))
	for column, n := range bins {
		all[column] = slices.Repeat([]bool{true}, n)
	}
	walk(0, nil, all)
	return b
}

// side returns the box of one child of a node whose box is b.
func (b box) side(n *node, right bool, missing int32) box {
	side := slices.Clone(b)
	side[n.Column] = slices.Clone(b[n.Column])
	for bin := range side[n.Column] {
		if n.goesRight(uint16(bin), missing) != right {
			side[n.Column][bin] = false
		}
	}
	return side
}

func (b box) isEmpty(column int) bool { return !slices.Contains(b[column], true) }

// bounds returns the bounds that all other leaves put on a leaf. Another leaf bounds it if the two overlap in
// all columns except the one that separates them, and that column is monotone.
func (b *boxes) bounds(leaf int) bincut.Bounds {
	bounds := bincut.Unbounded()
	for other, way := range b.ways {
		at := 0
		for other != leaf && way[at] == b.ways[leaf][at] {
			at++
		}
		n := &b.g.Nodes[way[at].node]
		d := b.g.constraints.monotone.Directions[n.Column]
		if other == leaf || d == 0 {
			continue
		}
		meet := true
		for column, own := range b.boxes[leaf] {
			both := false
			for bin := range own {
				both = both || own[bin] && b.boxes[other][column][bin]
			}
			meet = meet && (both || column == int(n.Column))
		}
		if otherAbove := way[at].right == (d > 0); meet {
			bounds = bounds.Narrow(b.value(other), !otherAbove)
		}
	}
	return bounds
}

func (b *boxes) value(leaf int) float64 {
	last := b.ways[leaf][len(b.ways[leaf])-1]
	if last.right {
		return b.g.Nodes[last.node].values[1]
	}
	return b.g.Nodes[last.node].values[0]
}

// randomTree fills a grower with a tree of random splits and values, in which rows can reach every leaf.
func randomTree(rng *rand.Rand, g *Grower, bins []int, leaves int) {
	g.Nodes, g.constraints.parents = g.Nodes[:0], nil
	type open struct {
		box
		parent int32
		right  bool
	}
	all := make(box, len(bins))
	for column, n := range bins {
		all[column] = slices.Repeat([]bool{true}, n)
	}
	frontier := []open{{all, -1, false}}
	for tries := 0; len(frontier) < leaves && tries < 1000; tries++ {
		number := rng.IntN(len(frontier))
		of := frontier[number]
		n := node{Left: ^int32(number), Right: ^int32(len(frontier))}
		n.Column, n.values = int32(rng.IntN(len(bins))), [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		n.bin, n.missingRight = uint16(rng.IntN(bins[n.Column])), rng.IntN(2) == 0 &&
			g.matrix.MissingBins[n.Column] >= 0
		if g.IsCategorical(n.Column) {
			n.sides = allRight(bins[n.Column])
			for bin := range n.sides.right {
				n.sides.right[bin] = uint8(rng.IntN(2))
			}
		}
		missing := g.matrix.MissingBins[n.Column]
		left, right := of.side(&n, false, missing), of.side(&n, true, missing)
		if left.isEmpty(int(n.Column)) || right.isEmpty(int(n.Column)) {
			continue
		}
		at := int32(len(g.Nodes))
		g.attach(of.parent, of.right, at)
		g.Nodes, g.constraints.parents = append(g.Nodes, n), append(g.constraints.parents, of.parent)
		frontier[number] = open{left, at, false}
		frontier = append(frontier, open{right, at, true})
	}
}

// growIntermediate grows a tree with the intermediate monotone method, on values some of which are missing or
// categories.
func growIntermediate(t *testing.T, seed uint64, rows int, change func(*trial)) *Grower {
	tr := usualTrial()
	tr.Monotone = Monotone{Directions: []int8{1, 0, -1, 1, 0}, Intermediate: true}
	tr.bins.Categorical, tr.bins.MaxBin, tr.NumLeaves = "1", 12, 31
	change(&tr)
	return tr.grow(t, seed, randomValues(seed, rows, 0.1))
}

// TestComparableLeavesAreThoseOfAllPairs compares the bounds by the leaves that are comparable with each leaf
// with the bounds computed from all pairs of leaves.
func TestComparableLeavesAreThoseOfAllPairs(t *testing.T) {
	bounded := 0
	for _, change := range []func(*trial){func(*trial) {}, zerosMissing} {
		g := growIntermediate(t, 3, 600, change)
		bins := make([]int, len(g.matrix.Columns))
		for column := range bins {
			bins[column] = g.matrix.Bins(int32(column)).NumBins()
		}
		for seed := range 100 {
			rng := rand.New(rand.NewPCG(uint64(seed), 2))
			randomTree(rng, g, bins, 2+rng.IntN(20))
			twin := boxesOf(g, bins)
			for leaf, way := range twin.ways {
				got := bincut.Unbounded()
				g.eachComparable(g.constraints.monotone.Directions, way[len(way)-1], int32(len(g.Nodes)-1),
					g.constraints.parents, func(c comparableLeaf) {
						value := g.Nodes[c.parent].values[0]
						if g.Nodes[c.parent].Right == c.ref {
							value = g.Nodes[c.parent].values[1]
						}
						got = got.Narrow(value, !c.above)
					})
				require.Equal(t, twin.bounds(leaf), got, "tree %d, leaf %d", seed, leaf)
				if got.Bounded() {
					bounded++
				}
			}
		}
	}
	assert.Greater(t, bounded, 1_000)
}

// TestIntermediateTreesAreThoseOfAllSearches checks that a grown tree keeps the monotone order for all pairs
// of leaves, and that it equals the tree grown by searching all leaves again after each split.
func TestIntermediateTreesAreThoseOfAllSearches(t *testing.T) {
	for name, change := range map[string]func(*trial){
		"all rows":  func(*trial) {},
		"sparse":    func(tr *trial) { tr.share = 0.3 },
		"smooth":    func(tr *trial) { tr.Smooth, tr.MaxStep = 10, 2 },
		"random":    func(tr *trial) { tr.Random = true },
		"zeros":     zerosMissing,
		"depthwise": func(tr *trial) { tr.Policy, tr.bins.MaxBin = ByDepth, 255 },
		"penalty":   func(tr *trial) { tr.Monotone.Penalty, tr.bins.MaxBin = 0.5, 255 },
	} {
		t.Run(name, func(t *testing.T) {
			bounded := 0
			for seed := range uint64(4) {
				g := growIntermediate(t, seed, 1500, change)
				bins := make([]int, len(g.matrix.Columns))
				for column := range bins {
					bins[column] = g.matrix.Bins(int32(column)).NumBins()
				}
				twin := boxesOf(g, bins)
				for leaf := range twin.ways {
					b := twin.bounds(leaf)
					require.Equal(t, b.Keep(twin.value(leaf)), twin.value(leaf))
					if b.Bounded() {
						bounded++
					}
				}
				nodes := slices.Clone(g.Nodes)
				growWithAllSearches(g)
				require.Equal(t, g.Nodes, nodes)
			}
			assert.Greater(t, bounded, 20)
		})
	}
}

func zerosMissing(tr *trial) { tr.bins.Missing = histogram.MissingZero }

// growWithAllSearches is grow, except that it searches every leaf that may be split again after each split.
func growWithAllSearches(g *Grower) {
	for place := range g.rows {
		g.rows[place] = int32(place)
	}
	g.Nodes, g.leaves, g.least = g.Nodes[:0], append(g.leaves[:0], g.root()), 0
	o := g.order.(*bestFirst)
	g.sums.search(family{left: &g.leaves[0]}, nil)
	for next := o.bestLeaf(); next >= 0 && len(g.leaves) < g.Settings.NumLeaves; next = o.bestLeaf() {
		g.split(next, nil)
		var open []*leaf
		for i := range g.leaves {
			if g.leaves[i].sums != nil {
				open = append(open, &g.leaves[i])
			}
		}
		g.sums.(*alone).again(open)
	}
	for i := range g.leaves {
		g.memory.release(&g.leaves[i])
	}
}
