package booster

import (
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/param"
)

// Cost-effective gradient boosting: the gain of a split is reduced by what its feature costs (Peter, Diego,
// Hamprecht, Nadler, Cost efficient gradient boosting, NeurIPS 2017; LightGBM's cegb parameters). With t
// the tradeoff, a split of a leaf of n rows by a feature loses
//
//	t·cegb_penalty_split·n             for evaluating one more node
//	t·cegb_penalty_feature_coupled     unless the model splits on the feature already
//	t·cegb_penalty_feature_lazy·u      with u the rows of the leaf that have not needed it in any tree yet
//
// Once a split of the growing tree uses a feature, the feature costs nothing more, and the other leaves of
// the tree are searched again. (LightGBM instead adds the cost to the gain of their best split by that
// feature, although this gain is without cost, which favors the feature twice.) A row needs a feature if it
// passes a split by it, whether the row is in the bag or not. The zero value has no costs.
type costs struct {
	split   float64   // of a row; 0: none
	coupled []float64 // by column; nil: none
	lazy    []float64 // of a row, by column; nil: none

	used, usedNow []bool     // by column: finished trees split on it; finished trees or the growing one do
	paid          [][]uint64 // by column: a bit for each row that has needed the feature; nil if it is free
}

// costRange are the costs of features.
var costRange = byfeature.Range{Least: 0, Most: 1e30, Whole: false}

const groupCosts = "Costs of features"

func (p *GrowthParams) costTable() param.Table {
	return param.Table{
		{Name: "cegb_tradeoff", Group: groupCosts,
			Help:  "Factor on all costs, which are subtracted from gains of splits.",
			Value: bind.Float(&p.CEGBTradeoff, bind.AtLeast(0), bind.AtMost(costRange.Most))},
		{Name: "cegb_penalty_split", Group: groupCosts,
			Help:  "Cost of a split for each row of its leaf.",
			Value: bind.Float(&p.CEGBPenaltySplit, bind.AtLeast(0), bind.AtMost(costRange.Most))},
		{Name: "cegb_penalty_feature_coupled", Group: groupCosts,
			Help: "Cost of the first split by a feature in the model: a number for each feature, " +
				"separated by commas, or NAME:NUMBER for some.",
			Value: byFeatureValue{bind.Text(&p.CEGBPenaltyFeatureCoupled), costRange}},
		{Name: "cegb_penalty_feature_lazy", Group: groupCosts,
			Help: "Cost of a feature for each row that needs it, once for the model: a number for each feature, " +
				"with commas between, or NAME:NUMBER for some.",
			Value: byFeatureValue{bind.Text(&p.CEGBPenaltyFeatureLazy), costRange}},
	}
}

// newCosts returns the costs that p asks for.
func newCosts(p *Params, train Data) (c costs, err error) {
	list := func(name, text string) ([]float64, error) {
		given, err := byfeature.Of(name, text, costRange, 0, train.Meta.Features)
		numbers := byColumn(given, train.Values.Columns)
		for c := range numbers {
			numbers[c] = float64(numbers[c] * p.CEGBTradeoff)
		}
		return numbers, err
	}
	coupled, err := list("cegb_penalty_feature_coupled", p.CEGBPenaltyFeatureCoupled)
	if err != nil {
		return c, err
	}
	lazy, err := list("cegb_penalty_feature_lazy", p.CEGBPenaltyFeatureLazy)
	c = costs{split: float64(p.CEGBTradeoff * p.CEGBPenaltySplit), coupled: coupled, lazy: lazy}
	if err != nil || coupled == nil && lazy == nil {
		return c, err
	}
	columns := len(train.Values.Columns)
	c.used, c.usedNow = make([]bool, columns), make([]bool, columns)
	if lazy != nil {
		c.paid = make([][]uint64, columns)
		for column, cost := range lazy {
			if cost > 0 {
				c.paid[column] = make([]uint64, (train.Values.NumRows()+63)/64)
			}
		}
	}
	return c, nil
}

// any reports whether there are any costs.
func (c *costs) any() bool { return c.split > 0 || c.coupled != nil || c.lazy != nil }

func (c *costs) changed(gain float64, s *search, column int32) float64 { return gain - c.of(s, column) }

// of returns the cost of a split of a leaf by a column.
func (c *costs) of(s *search, column int32) float64 {
	cost := c.ofRows(s, column)
	if c.coupled != nil && !c.usedNow[column] {
		cost += c.coupled[column]
	}
	return cost
}

// ofRows is the part of the cost that grows with the rows of the leaf.
func (c *costs) ofRows(s *search, column int32) float64 {
	cost := float64(c.split * s.leaf.Rows)
	if c.lazy != nil && s.unpaid != nil {
		cost += float64(c.lazy[column] * s.unpaid[column])
	}
	return cost
}

// countUnpaid writes to the unpaid rows of searches, by column, the rows of their leaves that have not needed
// the column's feature yet, or an estimate.
func (g *grower) countUnpaid(searches []search, leaves ...*leaf) {
	columns := len(g.constraints.costs.lazy)
	if columns == 0 {
		return
	}
	units := make([]int64, len(leaves)*columns)
	for i, lf := range leaves {
		g.countUnpaidOf(lf, units[i*columns:][:columns])
	}
	g.part.Group().Sum(units)
	for i := range leaves {
		s := &searches[i]
		s.unpaid = reuse.Slice(s.unpaid, columns)
		for column, n := range units[i*columns:][:columns] {
			s.unpaid[column] = g.inRows(n)
		}
	}
}

// countUnpaidOf writes to units, by column, the unpaid rows that this peer has in a leaf.
func (g *grower) countUnpaidOf(lf *leaf, units []int64) {
	onPath := make([]bool, len(units))
	for _, column := range lf.above.columns() {
		onPath[column] = true
	}
	g.pool.Run(len(g.columns), func(_, i int) {
		column := g.columns[i]
		if paid := g.constraints.costs.paid[column]; paid != nil && !onPath[column] {
			units[column] = g.unpaidUnits(lf, paid)
		}
	})
}

// unpaidUnits returns the number of rows of a leaf whose bit in paid is 0, in units (see grower.units).
func (g *grower) unpaidUnits(lf *leaf, paid []uint64) int64 {
	unpaid, estimate := int64(0), 0.0
	for _, place := range lf.rows {
		row := g.active.rows[place]
		if paid[row>>6]>>(row&63)&1 != 0 {
			continue
		}
		if unpaid++; g.active.sparse {
			estimate += float64(g.active.rowsFor[place])
		}
	}
	if g.active.sparse {
		return inUnits(estimate)
	}
	return unpaid
}

// pay records that the growing tree splits on a column. If it is the first split on that column, the other
// leaves are searched again.
func (g *grower) pay(column int32) {
	c := &g.constraints.costs
	if c.coupled == nil || c.usedNow[column] {
		return
	}
	c.usedNow[column] = true
	if c.coupled[column] == 0 {
		return
	}
	split := int(^g.nodes[len(g.nodes)-1].left)
	g.searchAgain(func(i int) bool { return i != split && g.leaves[i].sums != nil })
}

// keepCosts records the features that the grower's finished tree has used. The leaf of a row is
// number[leafOf[row]].
func (g *grower) keepCosts(leafOf, number []int32) {
	c := &g.constraints.costs
	for i := range g.nodes {
		if c.used != nil {
			c.used[g.nodes[i].column] = true
		}
	}
	if c.lazy == nil {
		return
	}
	paths := g.pathColumns()
	g.pool.Run(len(c.paid), func(_, column int) {
		paid := c.paid[column]
		if paid == nil {
			return
		}
		for row, old := range leafOf {
			if paths[number[old]][column] {
				paid[row>>6] |= 1 << (row & 63)
			}
		}
	})
}

// pathColumns returns for each leaf which columns the path from the root to it splits on.
func (t *binTree) pathColumns() [][]bool {
	nodes, leaves := make([][]bool, len(t.nodes)), make([][]bool, len(t.nodes)+1)
	for i := range t.nodes {
		n := &t.nodes[i]
		if nodes[i] == nil {
			nodes[i] = make([]bool, len(t.matrix.Columns))
		}
		for _, child := range []int32{n.left, n.right} {
			below := append([]bool(nil), nodes[i]...)
			below[n.column] = true
			if child < 0 {
				leaves[^child] = below
			} else {
				nodes[child] = below
			}
		}
	}
	return leaves
}
