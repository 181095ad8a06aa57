package explain

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// mostExchanges is how many misplaced pairs of a query are looked at. A query of n documents may have n²/2.
var mostExchanges = 1 << 20 // a variable for tests

// moves are the moves of documents from their order into the best one, by label.
type moves struct {
	order     []Document
	best      []int32   // places in order: the best order
	rank      []int32   // of each place of order in the best order
	discounts []float64 // of the ranks
	shared    []float64 // the same, of documents with equal scores as the convention shares them
}

func (d *Data) moves(order []Document) *moves {
	m := &moves{order: order, best: make([]int32, len(order)), rank: make([]int32, len(order)),
		discounts: d.discounts(len(order))}
	m.shared = d.shared(order, m.discounts)
	for i := range m.best {
		m.best[i] = int32(i)
	}
	slices.SortStableFunc(m.best, func(a, b int32) int { return cmp.Compare(order[b].Label, order[a].Label) })
	for rank, place := range m.best {
		m.rank[place] = int32(rank)
	}
	return m
}

// exchange is the exchange of a misplaced pair, given by places in the order.
type exchange struct {
	above, below int32
	cost         float64 // its part of the ideal DCG
}

// exchanges returns the exchanges that bring the order into the best one; those at the first ranks, and all
// is false, if there are more than mostExchanges.
//
// The documents that have moved are in the best order among themselves. So the document that another one
// passes at a rank is found by counting, and no document has to be moved.
func (m *moves) exchanges(d *Data, ideal float64) (list []exchange, all bool) {
	ranks, every, all := m.ranks()
	moved := newCounts(len(m.order))
	for i := range m.order {
		rank := int(m.rank[i])
		to := moved.below(rank)
		first, _ := slices.BinarySearch(ranks, int32(to+1))
		end, _ := slices.BinarySearch(ranks, int32(i+1))
		for k := end - 1; k >= first; k-- {
			at := int(ranks[k])
			e := exchange{above: m.best[moved.find(at-1)], below: int32(i)}
			e.cost = (d.gain(m.order[i]) - d.gain(m.order[e.above])) * (m.shared[at-1] - m.shared[at]) / ideal
			list = append(list, e)
		}
		moved.add(rank)
	}
	if every {
		d.even(m.order, list)
	}
	return list, all
}

// ranks returns the ranks at which documents are exchanged with the one above. If there are more than
// mostExchanges of them, every is false: then they are the first ranks at which an exchange costs something,
// and all reports whether these are all such ranks.
func (m *moves) ranks() (ranks []int32, every, all bool) {
	counts, total := m.countExchanges()
	every = total <= mostExchanges
	sum := 0
	for at := 1; at < len(m.order); at++ {
		if counts[at] == 0 || !every && m.shared[at-1] == m.shared[at] {
			continue
		}
		if sum += counts[at]; sum > mostExchanges {
			return ranks, false, false
		}
		ranks = append(ranks, int32(at))
	}
	return ranks, every, true
}

// countExchanges returns the number of exchanges at each rank, and their sum.
func (m *moves) countExchanges() (counts []int, total int) {
	counts = make([]int, len(m.order)+1)
	moved := newCounts(len(m.order))
	for i := range m.order { // from place i up to the place that it has among the documents that have moved
		to := moved.below(int(m.rank[i]))
		counts[to+1]++
		counts[i+1]--
		total += i - to
		moved.add(int(m.rank[i]))
	}
	for at := 1; at < len(counts); at++ {
		counts[at] += counts[at-1]
	}
	return counts, total
}

// even gives the exchanges between documents that are alike the mean of their costs.
func (d *Data) even(order []Document, list []exchange) {
	alike, sizes := d.alike(order)
	if len(sizes) == len(order) {
		return
	}
	costs := map[[2]int]float64{}
	for _, e := range list {
		costs[[2]int{alike[e.above], alike[e.below]}] += e.cost
	}
	for i := range list {
		a, b := alike[list[i].above], alike[list[i].below]
		if pairs := sizes[a] * sizes[b]; pairs > 1 {
			list[i].cost = costs[[2]int{a, b}] / float64(pairs)
		}
	}
}

// alike numbers the documents so that those whose order the convention averages over and whose labels are
// equal have one number, and returns how many have each.
func (d *Data) alike(order []Document) (number, sizes []int) {
	number = make([]int, len(order))
	for i := range order {
		same := i > 0 && d.options.Convention.Ties == metric.Averaged &&
			order[i].Score == order[i-1].Score && order[i].Label == order[i-1].Label
		if !same {
			sizes = append(sizes, 0)
		}
		number[i] = len(sizes) - 1
		sizes[number[i]]++
	}
	return number, sizes
}

// counts counts members of a set of numbers below n (a Fenwick tree).
type counts struct {
	sums []int32 // sums[i] is the members among the last (i & -i) numbers below i
	top  int     // the largest power of two up to n
}

func newCounts(n int) *counts {
	c := &counts{sums: make([]int32, n+1), top: 1}
	for 2*c.top <= n {
		c.top *= 2
	}
	return c
}

func (c *counts) add(number int) {
	for i := number + 1; i < len(c.sums); i += i & -i {
		c.sums[i]++
	}
}

// below returns how many members are below the number.
func (c *counts) below(number int) int {
	n := int32(0)
	for i := number; i > 0; i -= i & -i {
		n += c.sums[i]
	}
	return int(n)
}

// find returns the member that has n members below it.
func (c *counts) find(n int) int {
	left, at := int32(n), 0
	for step := c.top; step > 0; step /= 2 {
		if next := at + step; next < len(c.sums) && c.sums[next] <= left {
			at, left = next, left-c.sums[next]
		}
	}
	return at
}
