package grow

import "github.com/lambdamart/lambdamart/internal/reuse"

// A row whose gradient and Hessian are both 0 adds nothing to any sum. All rows of a query without pairs are
// such idle rows; of queries of a shop, most have no click. If many rows are idle, the tree grows on the
// others, and idle rows are divided among the leaves only where they decide whether a side of a split has
// min_data_in_leaf rows.

// setRows fills g.rows with the places of all active rows: first those that have a gradient or a Hessian,
// then idle rows, if they are set apart. It returns the two parts.
func (g *Grower) setRows() (rows []int32, apart *idleRows) {
	n := g.active.number()
	g.memory.idle = g.memory.idle[:0]
	g.rows, g.spare = reuse.Slice(g.rows, n), reuse.Slice(g.spare, n)
	if g.active.Spread {
		return g.setSpread()
	}
	if !g.setsApart() {
		g.pool.Blocks(n, RowBlock, func(_, from, to int) {
			for place := from; place < to; place++ {
				g.rows[place] = int32(place)
			}
		})
		return g.rows, nil
	}
	busy := make([]int, len(g.active.busy)+1) // before each block
	for i, n := range g.active.busy {
		busy[i+1] = busy[i] + n
	}
	all := busy[len(busy)-1]
	g.pool.Blocks(n, RowBlock, func(_, from, to int) {
		g.divideBlock(from, to, busy[from/RowBlock], all)
	})
	return g.rows[:all], g.memory.newIdle(idleRows{rows: g.rows[all:]})
}

// setSpread is setRows for active rows that are spread over the data.
func (g *Grower) setSpread() (rows []int32, apart *idleRows) {
	if !g.setsApart() {
		copy(g.rows, g.active.Rows)
		return g.rows, nil
	}
	busy := 0
	for _, n := range g.active.busy {
		busy += n
	}
	rows, idle := g.rows[:0], g.rows[busy:busy]
	for _, row := range g.active.Rows {
		if g.active.Packed[row] != 0 {
			rows = append(rows, row)
		} else {
			idle = append(idle, row)
		}
	}
	return rows, g.memory.newIdle(idleRows{rows: idle})
}

// divideBlock writes a block of places to g.rows: those of rows that have a gradient or a Hessian behind the
// given number of such rows before, and the others behind all such rows.
func (g *Grower) divideBlock(from, to, before, all int) {
	rows, busy, idle := g.rows, before, all+from-before
	for i, packed := range g.active.Packed[from:to] {
		at := idle
		if packed != 0 {
			at = busy
		}
		rows[at] = int32(from + i)
		one := isBusy(packed)
		busy, idle = busy+one, idle+1-one
	}
}

// setsApart reports whether idle rows are set apart. They are not if they are few, or if rules need the rows
// of each leaf, or if other peers know only how many rows it has.
func (g *Grower) setsApart() bool {
	idle := g.active.number()
	for _, busy := range g.active.busy {
		idle -= busy
	}
	return g.Settings.Policy != ByLevel && !g.active.Sparse && g.part.Group().Size() == 1 && !g.needsRows() &&
		float64(idle) > g.Settings.LeastIdle*float64(g.active.number())
}

// known returns idle rows, after dividing those of all leaves above where this was not done before.
func (g *Grower) known(r *idleRows) []int32 {
	if p := r.parent; p != nil {
		rows := g.known(p)
		n := g.partition(rows, g.spare, &p.split)
		left, right := p.children[0], p.children[1]
		left.rows, left.parent = rows[:n], nil
		right.rows, right.parent = rows[n:], nil
	}
	return r.rows
}

// hasRows reports whether a leaf has at least this many rows.
func (g *Grower) hasRows(lf *leaf, least int) bool {
	return lf.count >= least || lf.idle != nil && lf.count+len(g.known(lf.idle)) >= least
}
