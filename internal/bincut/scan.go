package bincut

// scan returns the best cut of a column without missing values.
func (lf *Leaf) scan(c *Column) Cut {
	const mask = 1<<32 - 1
	l, both, bin := lf.limits, lf.floor, -1
	total, right, best, rightRows := lf.total, int64(0), int64(0), 0
	sums := c.Sums // the compiler proves indexes of a local slice
	for b := len(sums) - 1; b > 0; b-- {
		s := sums[b]
		right += s
		if c.Counts != nil {
			rightRows += int(c.Counts[b])
			if rightRows < l.MinData {
				continue
			}
			if c.Rows-rightRows < l.MinData {
				break
			}
		} else if s == 0 {
			continue
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
		if gain := l.fallBoth(gl, hl, gr, hr); gain > both {
			both, bin, best = gain, b-1, right
		}
	}
	return Cut{Both: both, Bin: int32(bin), Right: best, Counted: c.Counts != nil}
}

// scanBesideMissing returns the best cut of a column with missing values. It goes over the bins once
// and tries each threshold with the missing values on the left and on the right. It is one long
// function because calls would take longer than the rest.
func (lf *Leaf) scanBesideMissing(c *Column) Cut {
	const mask = 1<<32 - 1
	l, floor := lf.limits, lf.floor
	bestL, bestR, binL, binR := floor, floor, -1, -1
	sumL, sumR := int64(0), int64(0)
	total, right, rows := lf.total, int64(0), 0 // right: the bins from b on, without missing values
	missing, missingRows := c.Sums[c.Missing], c.count(int(c.Missing))
	sums := c.Sums // the compiler proves indexes of a local slice
	for b := len(sums) - 1; b > 0; b-- {
		if b != int(c.Missing) {
			if c.Counts != nil {
				rows += int(c.Counts[b])
			} else if sums[b] == 0 && b < len(sums)-1 {
				if binR == b { // b-1 has the same sides, and is the smaller bin
					binR--
				}
				continue
			}
			right += sums[b]
		}
		rest, both := total-right, right+missing
		hl, hr := float64(rest&mask), float64(right&mask)
		if hl < l.MinHessian {
			break
		}
		if hr >= l.MinHessian && c.allows(rows, l.MinData) {
			gl, gr := float64(rest>>32), float64(right>>32)
			if l.LambdaL1 != 0 {
				gl, gr = l.shrinkBoth(gl, gr)
			}
			if gain := l.fallBoth(gl, hl, gr, hr); gain > bestL {
				bestL, binL, sumL = gain, b-1, right
			}
		}
		rest -= missing
		hl, hr = float64(rest&mask), float64(both&mask)
		if hl >= l.MinHessian && hr >= l.MinHessian && c.allows(rows+missingRows, l.MinData) {
			gl, gr := float64(rest>>32), float64(both>>32)
			if l.LambdaL1 != 0 {
				gl, gr = l.shrinkBoth(gl, gr)
			}
			if gain := l.fallBoth(gl, hl, gr, hr); gain > floor && gain >= bestR {
				bestR, binR, sumR = gain, b-1, both
			}
		}
	}
	counted := c.Counts != nil
	if bestR > bestL {
		return Cut{Both: bestR, Bin: int32(binR), Right: sumR, MissingRight: true, Counted: counted}
	}
	return Cut{Both: bestL, Bin: int32(binL), Right: sumL, Counted: counted}
}
