package histogram

// Sum is the gradient and the Hessian of a row, or of the rows in a bin or a
// leaf, as integers on the scales of their iteration.
type Sum struct {
	Gradient, Hessian int64
}

// Add returns s + t.
func (s Sum) Add(t Sum) Sum { return Sum{s.Gradient + t.Gradient, s.Hessian + t.Hessian} }

// Sub returns s - t.
func (s Sum) Sub(t Sum) Sum { return Sum{s.Gradient - t.Gradient, s.Hessian - t.Hessian} }

// Group holds the sums of GroupSize columns, by column and bin. It fits a
// first-level cache, and a uint8 cannot index beyond it.
type Group [GroupSize][256]Sum

// Histogram holds the sums of one leaf: a Group for each group of columns.
type Histogram []Group

// Build sets dst to the sums of the given rows in the columns of a group.
// gradients holds one Sum for each row of the matrix.
func (x *Matrix) Build(dst *Group, group int, rows []int32, gradients []Sum) {
	*dst = Group{}
	for _, r := range rows {
		g := gradients[r]
		bins := x.group(r, group)
		for c := range dst {
			s := &dst[c][uint8(bins>>(8*c))]
			s.Gradient += g.Gradient
			s.Hessian += g.Hessian
		}
	}
}

// buildNaive is the meaning of Build, and its oracle.
func (x *Matrix) buildNaive(dst *Group, group int, rows []int32, gradients []Sum) {
	*dst = Group{}
	for _, r := range rows {
		for c := range dst {
			bin := x.bins[int(r)*x.stride+group*GroupSize+c]
			dst[c][bin] = dst[c][bin].Add(gradients[r])
		}
	}
}

// Subtract turns a parent's sums into those of one child, given the other
// child's: dst -= sibling.
func (dst *Group) Subtract(sibling *Group) {
	for c := range dst {
		d, s := &dst[c], &sibling[c]
		for b := range d {
			d[b].Gradient -= s[b].Gradient
			d[b].Hessian -= s[b].Hessian
		}
	}
}
