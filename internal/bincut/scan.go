package bincut

// scan returns the best cut of a column whose missing values go to one side. right and rows are their
// packed sum and their number if they go right, and 0 if they go left or if there are none. keep selects one
// of several equal gains.
func (lf *Leaf) scan(c *Column, right int64, rows int, keep tie) Cut {
	if c.Counts == nil && lf.limits.LambdaL1 == 0 {
		return lf.scanSums(c.Sums, int(c.Missing), right, keep)
	}
	return lf.scanByRules(c, right, rows, keep)
}

// scanSums is scan without counts and λ1. It divides only where a cut may be the best one so far: if
// a < below·b, rounded, the rounded quotient a/b is less than both, since below is less than both by more
// than all roundings. Hessians and gradients of packed sums are below 2^32, so that
// their differences are exact.
func (lf *Leaf) scanSums(sums []int64, missing int, right int64, keep tie) Cut {
	const mask, margin = 1<<32 - 1, 1 - 0x1p-48
	gradient, hessian := float64(lf.total>>32), float64(lf.total&mask)
	least, lambda := lf.limits.MinHessian, lf.limits.LambdaL2
	both, bin, best := lf.floor, -1, int64(0)
	below := float64(both * margin)
	for b := len(sums) - 1; b > 0; b-- {
		s := sums[b]
		if b == missing {
			s = 0
		}
		if s == 0 && keep == lastBin {
			continue
		}
		right += s
		hr := float64(right & mask)
		if hr < least {
			continue
		}
		hl := hessian - hr
		if hl < least {
			break
		}
		gr := float64(right >> 32)
		gl := gradient - gr
		hl, hr = hl+lambda, hr+lambda
		top, bottom := float64(float64(gl*gl)*hr)+float64(float64(gr*gr)*hl), float64(hl*hr)
		if top < float64(below*bottom) {
			continue
		}
		if gain := top / bottom; gain > both || gain == both && keep == firstBin && bin >= 0 {
			both, bin, best = gain, b-1, right
			below = float64(both * margin)
		}
	}
	return Cut{Both: both, Bin: int32(bin), Right: best}
}

// scanByRules is scan with all rules. Tests compare scanSums with it.
func (lf *Leaf) scanByRules(c *Column, right int64, rows int, keep tie) Cut {
	const mask = 1<<32 - 1
	l, both, bin := lf.limits, lf.floor, -1
	total, best := lf.total, int64(0)
	sums, missing := c.Sums, int(c.Missing) // the compiler proves indexes of a local slice
	for b := len(sums) - 1; b > 0; b-- {
		if b != missing {
			s := sums[b]
			right += s
			if c.Counts != nil {
				rows += int(c.Counts[b])
			} else if s == 0 && keep == lastBin {
				continue
			}
		}
		if c.Counts != nil {
			if rows < l.MinData {
				continue
			}
			if c.Rows-rows < l.MinData {
				break
			}
		}
		rest := total - right
		hr, hl := float64(right&mask), float64(rest&mask)
		if hr < l.MinHessian {
			continue
		}
		if hl < l.MinHessian {
			break
		}
		gl, gr := float64(rest>>32), float64(right>>32)
		if l.LambdaL1 != 0 {
			gl, gr = l.shrinkBoth(gl, gr)
		}
		if gain := l.fallBoth(gl, hl, gr, hr); gain > both || gain == both && keep == firstBin && bin >= 0 {
			both, bin, best = gain, b-1, right
		}
	}
	return Cut{Both: both, Bin: int32(bin), Right: best, Counted: c.Counts != nil}
}

// scanBothSides returns the best cut of a column with missing values: first with these on the left, keeping
// the larger bin of equal gains, and then on the right, keeping the smaller one.
func (lf *Leaf) scanBothSides(c *Column) Cut {
	toLeft := lf.scan(c, 0, 0, lastBin)
	toRight := lf.scan(c, c.Sums[c.Missing], c.count(int(c.Missing)), firstBin)
	if toRight.Both > toLeft.Both {
		toRight.MissingRight = true
		return toRight
	}
	return toLeft
}
