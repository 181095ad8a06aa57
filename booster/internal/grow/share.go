package grow

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Peers grow a tree together: each one sums the gradients of its own rows, and all add up these sums, so that
// each of them has the histograms of all rows. As these are integers, all peers find the same best splits
// without exchanging them:
//
//	each peer     builds the sums of its rows of the child with the smaller Hessian
//	all peers     add up these sums, and the numbers of rows (Sum)
//	each peer     subtracts them from the parent's for the other child, and finds the best splits of both
//	all peers     count rows by bins, where min_data_in_leaf may forbid a best split (keepEnough, countAll)
//
// # Batches of leaves
//
// Leaf by leaf, waiting for the network would take most of the time. But the leaves that will be split next
// are nearly known: without new leaves, they are the best leaves that the tree has, and new leaves can only
// displace some of them. So the children of up to batchLeaves of these leaves are made and searched together,
// and kept until the leaf is split. A few leaves are searched in vain, because better children come before
// them. The tree is the same.
const batchLeaves = 8

// shared finds sums from the rows of all peers, for several leaves at a time.
type shared struct {
	g        *Grower
	spans    []bincut.Span // where the columns of the tree are in a histogram, ascending
	message  []int64
	weights  []int64 // by active row: how many rows it stands for, in the units of Active.units
	searches []search
}

// setColumns sets the columns of the next tree.
func (s *shared) setColumns(columns []int32) {
	s.spans = s.spans[:0]
	for _, c := range columns {
		from, to := s.g.bins.ColumnRange(c)
		if n := len(s.spans); n > 0 && s.spans[n-1].To == from {
			s.spans[n-1].To = to
		} else {
			s.spans = append(s.spans, bincut.Span{From: from, To: to})
		}
	}
}

func (s *shared) search(f family) { s.again(s.sumAll([]family{f})) }

func (s *shared) sum(families []family) {
	for batch := range slices.Chunk(families, batchLeaves) {
		s.sumAll(batch)
	}
}

// ahead makes and searches the children of the leaves that will probably be split next, unless they are
// already made, or the split of a leaf may change the rules of others.
func (s *shared) ahead(lf *leaf, likely func() []*leaf) *[2]leaf {
	g := s.g
	if g.constraints.revises() {
		return nil
	}
	if lf.children == nil && len(g.leaves)+1 < g.Settings.NumLeaves {
		var made []family
		for _, parent := range likely() {
			parent.children = new([2]leaf)
			g.divide(parent, parent.children)
			f := family{parent, &parent.children[0], &parent.children[1]}
			g.constraints.children(parent, f.left, f.right)
			made = append(made, f)
		}
		g.Watch.Lap(g.Watch.Partition)
		s.again(s.sumAll(made))
	}
	children := lf.children
	lf.children = nil
	return children
}

// sumAll finds the sums and the numbers of rows of the children of some leaves, and returns the children that
// may be split.
func (s *shared) sumAll(families []family) (searched []*leaf) {
	g := s.g
	s.message = s.message[:0]
	var built []family // left is the child that is built from its rows
	for _, f := range families {
		if f.parent != nil {
			if f.right.sum.Hessian < f.left.sum.Hessian { // the numbers of rows of all peers are not yet known
				f.left, f.right = f.right, f.left
			}
			if !g.promising(f.left) && !g.promising(f.right) {
				g.memory.recycle(f.parent)
				continue
			}
			f.right.sums, f.parent.sums = f.parent.sums, nil
		}
		f.left.sums = g.memory.acquire()
		g.sumAll(f.left, nil, nil, nil, nothing)
		built = append(built, f)
		s.appendOf(f)
	}
	if len(built) == 0 {
		return nil
	}
	g.Watch.Lap(g.Watch.Histogram)
	g.part.Group().Sum(s.message)
	rest := s.message
	for _, f := range built {
		rest = s.take(f, rest)
		for _, lf := range []*leaf{f.left, f.right} {
			switch {
			case lf == nil:
			case g.splittable(lf):
				searched = append(searched, lf)
			default:
				g.memory.release(lf)
			}
		}
	}
	g.Watch.Lap(g.Watch.Split)
	return searched
}

// appendOf appends to the message the sums of the left child and the number of its rows, and the rows of both
// children in the units of Active.units, if they are needed.
func (s *shared) appendOf(f family) {
	g := s.g
	s.appendSums(f.left.sums)
	left, right := int64(0), int64(0)
	if g.needsRows() {
		left = g.active.units(f.left.rows)
		if f.right != nil {
			right = g.active.units(f.right.rows)
		}
	}
	s.message = append(s.message, int64(len(f.left.rows)), left, right)
}

// take sets the sums and the rows of two children, of which the right one has the parent's sums, to what all
// peers have appended, and returns the rest of the message.
func (s *shared) take(f family, message []int64) (rest []int64) {
	message = s.takeSums(f.left.sums, message)
	rows, rest := message[:3], message[3:]
	f.left.count, f.left.about = int(rows[0]), s.g.active.inRows(rows[1])
	if f.right == nil {
		return rest
	}
	f.right.count, f.right.about = f.parent.count-f.left.count, s.g.active.inRows(rows[2])
	for _, span := range s.spans {
		subtract(f.right.sums[span.From:span.To], f.left.sums[span.From:])
	}
	return rest
}

// appendSums appends the sums in the columns of the tree to the message.
func (s *shared) appendSums(sums binsum.Histogram) {
	for _, span := range s.spans {
		s.message = append(s.message, sums[span.From:span.To]...)
	}
}

// takeSums sets the columns of the tree to the beginning of a message, and returns the rest.
func (s *shared) takeSums(sums binsum.Histogram, message []int64) (rest []int64) {
	for _, span := range s.spans {
		message = message[copy(sums[span.From:span.To], message):]
	}
	return message
}

func subtract(from, sums []int64) {
	sums = sums[:len(from)]
	for i, v := range sums {
		from[i] -= v
	}
}

func (s *shared) again(leaves []*leaf) {
	g := s.g
	if len(leaves) == 0 {
		return
	}
	s.searches = reuse.Slice(s.searches, len(leaves))
	g.begin(s.searches, leaves...)
	g.pool.Run(len(leaves)*len(g.groups), func(worker, task int) {
		i := task / len(g.groups)
		g.searchGroup(worker, &s.searches[i], leaves[i], &g.groups[task%len(g.groups)])
	})
	for i, lf := range leaves {
		lf.best = g.choose(&s.searches[i], lf, func(*bincut.Column, *split) bool { return true })
	}
	s.countAll(leaves, g.keepEnough(leaves))
	for _, lf := range leaves {
		g.memory.drop(lf)
	}
	g.Watch.Lap(g.Watch.Split)
}

// countAll chooses the best splits of the leaves at these places again, by the numbers of their rows in the
// bins of all columns. Counting the rows of one column after the other would take more messages.
func (s *shared) countAll(leaves []*leaf, places []int) {
	g := s.g
	if len(places) == 0 {
		return
	}
	counts := g.memory.acquire()
	s.message, s.weights = s.message[:0], reuse.Slice(s.weights, len(g.active.Packed))
	for _, i := range places {
		rows := leaves[i].rows
		for n, row := range rows {
			s.weights[row] = g.active.units(rows[n : n+1])
		}
		g.eachChunk(func(worker int, c chunk) {
			g.builders[worker].Sum(g.bins, counts, nil, c.parts, rows, s.weights, nil, nil, func(int) {})
		})
		s.appendSums(counts)
	}
	g.part.Group().Sum(s.message)
	rest := s.message
	for _, i := range places {
		lf := leaves[i]
		rest = s.takeSums(counts, rest)
		lf.best = g.choose(&s.searches[i], lf, func(c *bincut.Column, best *split) bool {
			from, to := g.bins.ColumnRange(best.Column)
			g.active.setCounts(c, counts[from:to])
			return g.limits.allows(best, c)
		})
	}
	g.memory.free = append(g.memory.free, counts)
}
