package explain

import (
	"cmp"
	"slices"
)

// Loss is the difference between the best nDCG, 1, and the nDCG of an order.
type Loss struct {
	Total    float64 `json:"total"`    // 1 - nDCG of the order that is shown
	Pairs    []Lost  `json:"pairs"`    // the largest costs first; they sum to Total
	Features []Blame `json:"features"` // the largest costs first; with Ties they sum to Total
	Ties     float64 `json:"ties"`     // of pairs with equal contributions, for which no feature is responsible
}

// Lost is a misplaced pair: a document above one of a higher grade.
type Lost struct {
	Above string  `json:"above"`
	Below string  `json:"below"`
	Cost  float64 `json:"cost"`
}

// Blame is a feature's part of a loss.
type Blame struct {
	Feature string  `json:"feature"`
	Cost    float64 `json:"cost"`

	number int // of the feature
}

// loss splits the loss of an order by misplaced pairs, and these by features.
//
// The documents are moved into the best order one after the other, from the first rank down: each moves up
// past adjacent documents of lower grades. Every misplaced pair is exchanged once, at two adjacent ranks,
// which gains (gain of the better one - gain of the other) · (difference of the two discounts). So the costs
// are not negative and sum to the loss. The cost of a pair is divided among the features that put the worse
// document above, in proportion to their contributions to the difference of the scores.
func (d *Data) loss(documents []Document) Loss {
	c := d.options.Convention
	gain := func(document Document) float64 { return c.Gain.Of(document.Label) }
	discount := func(rank int) float64 { // rank from 0
		if d.options.Cutoff > 0 && rank >= d.options.Cutoff {
			return 0
		}
		return c.Discount.At(rank)
	}
	best := slices.Clone(documents)
	slices.SortStableFunc(best, func(a, b Document) int { return cmp.Compare(b.Label, a.Label) })
	ideal := 0.0
	for rank, document := range best {
		ideal += float64(gain(document) * discount(rank))
	}
	loss := Loss{Pairs: []Lost{}, Features: []Blame{}}
	if ideal <= 0 {
		return loss
	}
	blame := make([]float64, d.Model.NumFeatures())
	order := slices.Clone(documents)
	for i := range order {
		for at := i; at > 0 && order[at-1].Label < order[at].Label; at-- {
			above, below := order[at-1], order[at]
			cost := (gain(below) - gain(above)) * (discount(at-1) - discount(at)) / ideal
			order[at-1], order[at] = below, above
			if cost <= 0 {
				continue
			}
			loss.Total += cost
			loss.Pairs = append(loss.Pairs, Lost{above.ID, below.ID, cost})
			loss.Ties += d.blame(blame, above.row, below.row, cost)
		}
	}
	slices.SortStableFunc(loss.Pairs, func(a, b Lost) int { return cmp.Compare(b.Cost, a.Cost) })
	loss.Features = d.blamed(blame)
	return loss
}

// blame divides the cost of a pair among features, and returns the part for which no feature is responsible.
func (d *Data) blame(dst []float64, above, below int, cost float64) float64 {
	up, down, sum := d.of(above), d.of(below), 0.0
	for f := range up {
		sum += max(up[f]-down[f], 0)
	}
	if !(sum > 0) {
		return cost
	}
	for f := range up {
		dst[f] += float64(cost * max(up[f]-down[f], 0) / sum)
	}
	return 0
}

// blamed returns the features that have a part of the cost.
func (d *Data) blamed(cost []float64) []Blame {
	list := []Blame{}
	for f, v := range cost {
		if v > 0 {
			list = append(list, Blame{d.Model.Features[f].Name, v, f})
		}
	}
	slices.SortStableFunc(list, func(a, b Blame) int { return cmp.Compare(b.Cost, a.Cost) })
	return list
}

// Losses is the average loss of the loaded queries.
type Losses struct {
	Queries  int     `json:"queries"`
	Total    float64 `json:"total"` // mean of 1 - nDCG; queries without a relevant document lose nothing
	Features []Blame `json:"features"`
	Worst    []Worst `json:"worst"` // the queries with the largest losses, at most ten
}

// Worst is a query with a large loss.
type Worst struct {
	Query     string  `json:"query"`
	Documents int     `json:"documents"`
	Loss      float64 `json:"loss"`
}

// losses splits the mean loss of all queries by features.
func (d *Data) losses() Losses {
	n := float64(len(d.Meta.Queries))
	all := Losses{Queries: len(d.Meta.Queries)}
	blame := make([]float64, d.Model.NumFeatures())
	for _, q := range d.Meta.Queries {
		loss := d.loss(d.ranked(q))
		all.Total += loss.Total / n
		all.Worst = append(all.Worst, Worst{q.ID, q.Len, loss.Total})
		for _, b := range loss.Features {
			blame[b.number] += b.Cost / n
		}
	}
	all.Features = d.blamed(blame)
	slices.SortStableFunc(all.Worst, func(a, b Worst) int { return cmp.Compare(b.Loss, a.Loss) })
	all.Worst = all.Worst[:min(10, len(all.Worst))]
	return all
}
