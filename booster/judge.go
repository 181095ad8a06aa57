package booster

import (
	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// judge measures how much a tree lowers the loss on queries that took no part in it. Each round draws its
// judging queries. The tree grows without them; once it is grown, the sums of its leaves over them tell what
// values that the other rows give would gain:
//
//	Σ over leaves  -(G·v + H·v²/2)        G, H: of the judging rows; v: value from the other rows
//
// The values of the tree itself are those of all rows (refit.go), so no row is lost.
type judge struct {
	on      bool   // in this round
	queries []bool // by query: whether it judges
	rows    rowSet // of these queries, in the bag or sample
}

// judging is the probability with which a query judges in a round.
const judging = 0.25

// draw draws the judging queries of a round. rows are those that the tree is fitted to.
func (j *judge) draw(key random.Key, data *dataset.Meta, rows *rowSet) {
	_, first := data.Part.First()
	j.queries = reuse.Slice(j.queries, len(data.Queries))
	for n := range j.queries {
		j.queries[n] = key.Float64(first+n) < judging
	}
	if rows.all {
		j.rows.setList(bagRows(j.rows.list[:0], data, j.queries))
		return
	}
	list, n := j.rows.list[:0], 0
	for _, row := range rows.list {
		for int(row) >= data.Queries[n].First+data.Queries[n].Len {
			n++
		}
		if j.queries[n] {
			list = append(list, row)
		}
	}
	j.rows.setList(list)
}

// leaveOut makes the tree grow without some rows, which are ascending and about this share of all. The sums
// of the others become estimates of the sums of all.
func (a *activation) leaveOut(rows []int32, share float64) {
	if a.Sparse {
		a.remove(rows, float32(1/(1-share)))
	} else {
		a.silence(rows)
	}
	a.Gradient = exact.ScaleOf(a.Gradient.Unit() / (1 - share))
	a.Hessian = exact.ScaleOf(a.Hessian.Unit() / (1 - share))
}

// silence sets the integers of rows to zero. The rows keep their places, so that bins are not copied.
func (a *activation) silence(rows []int32) {
	place := 0
	for _, row := range rows {
		if len(a.Rows) == 0 { // all rows of the data
			a.Packed[row] = 0
			continue
		}
		for a.Rows[place] < row {
			place++
		}
		a.Packed[place] = 0
	}
}

// remove removes rows. Each of the others then stands for this many times as many rows.
func (a *activation) remove(rows []int32, times float32) {
	kept, next := 0, 0
	for place, row := range a.Rows {
		for next < len(rows) && rows[next] < row {
			next++
		}
		if next < len(rows) && rows[next] == row {
			continue
		}
		a.Rows[kept], a.Packed[kept], a.RowsFor[kept] = row, a.Packed[place], a.RowsFor[place]*times
		kept++
	}
	a.Rows, a.Packed, a.RowsFor = a.Rows[:kept], a.Packed[:kept], a.RowsFor[:kept]
}

// gains returns what the grown tree gains on the judging queries with values from the other rows, and what
// these values gain on as many of the other rows. totals are those of all rows, number has the leaves'
// numbers ([grow.Grower.KeepMinimum]), and fine are the scales of the totals.
func (j *judge) gains(l *lambdas, totals *grow.Totals, number []int32, fine grow.Scales,
	eta float64) (honest, fitted float64) {
	judging := j.totals(l, len(totals.Sums), number, fine)
	others := totals.Without(&judging)
	values := l.grower.Values(&others)
	honest, fitted = gainOf(&judging, values, eta), gainOf(&others, values, eta)
	return honest, float64(fitted * float64(judging.AllRows()) / float64(max(1, others.AllRows())))
}

// totals returns the totals of the judging rows of all peers.
func (j *judge) totals(l *lambdas, leaves int, number []int32, fine grow.Scales) grow.Totals {
	byOld := refit(len(number), l.leafOf, &j.rows, l.gradients, fine, l.pool)
	byOld.AddUp(l.train.Meta.Part)
	all := grow.Totals{Scales: byOld.Scales, Sums: make([]binsum.Sum, leaves), Rows: make([]int64, leaves)}
	for old, leaf := range number {
		if leaf == grow.NoLeaf {
			continue
		}
		all.Sums[leaf] = all.Sums[leaf].Add(byOld.Sums[old])
		all.Rows[leaf] += byOld.Rows[old]
	}
	return all
}

// gainOf returns by how much leaf values, times eta, lower the loss of the rows, to second order.
func gainOf(t *grow.Totals, values []float64, eta float64) (gain float64) {
	for leaf, sum := range t.Sums {
		gradient, hessian := t.Float(sum)
		v := float64(eta * values[leaf])
		gain -= float64(gradient*v) + float64(float64(hessian*v)*v)/2
	}
	return gain
}
