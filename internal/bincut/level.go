package bincut

import "github.com/lambdamart/lambdamart/internal/binsum"

// Level adds up the gains of the cuts of one column over the leaves of a level, to find one cut that splits
// all of these leaves. A leaf in which the rules do not allow a cut would not be split by it, and adds
// nothing. The rules are as for single leaves, except that Limits.MinGain must be 0.
//
// If rows are not counted, a side certainly has min_data_in_leaf rows if its Hessian is at least Certain. A
// cut with a smaller side adds its gain, or nothing if that is negative, so sums are upper bounds.
type Level struct {
	Certain float64

	toLeft, toRight []float64 // by bin after which the column is cut, and by the side of missing values
	beside          bool      // some leaf has missing values
}

// Begin starts the sums of a column of this many bins.
func (l *Level) Begin(bins int) {
	l.toLeft, l.toRight = append(l.toLeft[:0], make([]float64, bins)...),
		append(l.toRight[:0], make([]float64, bins)...)
	l.beside = false
}

// Best returns the cut with the largest sum, by the rules of [Leaf.Cut] for missing values and equal sums.
// Its Both is the sum; its Bin is -1 if no sum is above 0.
func (l *Level) Best() Cut {
	best := Cut{Bin: -1}
	for bin := len(l.toLeft) - 2; bin >= 0; bin-- {
		if l.toLeft[bin] > best.Both {
			best = Cut{Both: l.toLeft[bin], Bin: int32(bin)}
		}
	}
	if !l.beside {
		return best
	}
	for bin, sum := range l.toRight[:len(l.toRight)-1] {
		if sum > best.Both {
			best = Cut{Both: sum, Bin: int32(bin), MissingRight: true}
		}
	}
	return best
}

// Add adds the gains of the cuts of a leaf's column.
func (l *Level) Add(lf *Leaf, c *Column) {
	l.add(l.toLeft, lf, c, 0, 0)
	if c.Missing >= 0 {
		l.beside = l.beside || !c.isEmpty(c.Missing)
		l.add(l.toRight, lf, c, c.Sums[c.Missing], c.count(int(c.Missing)))
	}
}

// add is like Add, for missing values on one side. right and rows are their packed sum and number if they go
// right, and otherwise 0.
func (l *Level) add(to []float64, lf *Leaf, c *Column, right int64, rows int) {
	const mask = 1<<32 - 1
	limits, total, certain, floor := lf.limits, lf.total, l.Certain, lf.floor
	if c.Counts != nil {
		certain = 0
	}
	sums := c.Sums // the compiler proves indexes of a local slice
	to = to[:len(sums)]
	for b := len(sums) - 1; b > 0; b-- {
		if b != int(c.Missing) {
			right += sums[b]
			rows += c.count(b)
		}
		rest := total - right
		hr, hl := float64(right&mask), float64(rest&mask)
		if hr < limits.MinHessian || !c.allows(rows, limits.MinData) {
			continue
		}
		if hl < limits.MinHessian {
			break
		}
		gl, gr := float64(rest>>32), float64(right>>32)
		if limits.LambdaL1 != 0 {
			gl, gr = limits.shrinkBoth(gl, gr)
		}
		gain := limits.fallBoth(gl, hl, gr, hr) - floor
		if min(hl, hr) < certain {
			gain = max(gain, 0)
		}
		to[b-1] += gain
	}
}

// AddValued is like Add, for a leaf whose gains depend on the values of the sides.
func (l *Level) AddValued(r *Valued, c *Column, q Request) {
	s := valuedScan{valued: r, column: c, request: q, level: l}
	s.run()
	l.beside = l.beside || s.beside
}

// addCut adds the gain of a cut to the sums of a side of missing values.
func (l *Level) addCut(to []float64, bin int, gain float64, counted bool, total, right int64) {
	hl, hr := binsum.Unpack(total-right).Hessian, binsum.Unpack(right).Hessian
	if !counted && float64(min(hl, hr)) < l.Certain {
		gain = max(gain, 0)
	}
	to[bin] += gain
}

// After returns the cut after the bin q.Only, even if it does not gain. Its Bin is -1 if MinHessian does
// not allow it.
func (lf *Leaf) After(c *Column, q Request) Cut {
	right := c.after(q)
	ls, rs := binsum.Unpack(lf.total-right), binsum.Unpack(right)
	hl, hr := float64(ls.Hessian), float64(rs.Hessian)
	if hl < lf.limits.MinHessian || hr < lf.limits.MinHessian {
		return Cut{Bin: -1}
	}
	gl, gr := lf.limits.shrinkBoth(float64(ls.Gradient), float64(rs.Gradient))
	return Cut{Both: lf.limits.fallBoth(gl, hl, gr, hr), Bin: q.Only, Right: right, MissingRight: q.MissingRight}
}

// after returns the packed sum of the rows that the cut after a bin sends right.
func (c *Column) after(q Request) (right int64) {
	for b := int(q.Only) + 1; b < len(c.Sums); b++ {
		if b != int(c.Missing) {
			right += c.Sums[b]
		}
	}
	if q.MissingRight {
		right += c.Sums[c.Missing]
	}
	return right
}
