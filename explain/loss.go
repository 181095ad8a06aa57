package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// Loss is the difference between the best nDCG, 1, and the nDCG of an order. For a query without a relevant
// document, whose nDCG no order changes, it has no parts.
type Loss struct {
	Total    float64 `json:"total"`    // 1 - nDCG
	Pairs    []Lost  `json:"pairs"`    // the largest costs first; with Tied and Unsplit they sum to Total
	Features []Blame `json:"features"` // the largest costs first; with Ties and Unsplit they sum to Total

	// Tied is what documents with equal scores lose against their best order, if the convention averages over
	// their orders.
	Tied float64 `json:"tied"`

	Ties float64 `json:"ties"` // Tied and the costs of pairs for which no feature is responsible

	// Unsplit is what pairs lose that are not in Pairs and Features, because the query has more than a million
	// misplaced pairs: those at the first ranks are split.
	Unsplit float64 `json:"unsplit,omitempty"`
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

// loss splits the loss of an order by misplaced pairs, and these by features. value is the nDCG of the order.
//
// The documents are moved into the best order one after the other, from the first rank down: each moves up
// past adjacent documents of lower grades. Every misplaced pair is exchanged once, at two adjacent ranks,
// which gains (gain of the better one - gain of the other) · (difference of the two discounts). So the costs
// are not negative and sum to the loss. The cost of a pair is divided among the features that put the worse
// document above, in proportion to their contributions to the difference of the scores.
//
// If the convention averages over the orders of documents with equal scores, these share the mean of their
// discounts: they are no pairs, and what the means lose is [Loss.Tied]. Documents with equal scores and
// grades share their costs, so that the order of rows does not matter.
func (d *Data) loss(documents []Document, value float64) Loss {
	loss := Loss{Total: 1 - value, Pairs: []Lost{}, Features: []Blame{}}
	m := d.moves(d.arranged(documents))
	ideal, tied, lost := 0.0, 0.0, 0.0
	for rank, place := range m.best {
		gain := d.gain(m.order[place])
		ideal += float64(gain * m.discounts[rank])
		tied += float64(gain * (m.discounts[rank] - m.shared[rank]))
		lost += float64((gain - d.gain(m.order[rank])) * m.shared[rank])
	}
	if c := &d.options.Convention; ideal <= 0 || c.Short == metric.ShortZero && len(m.order) < d.options.Cutoff {
		return loss
	}
	loss.Tied = tied / ideal
	loss.Total, loss.Ties = loss.Tied, loss.Tied // not 1 - value, whose rounding errors would be a loss
	blame, split := make([]float64, d.Model.NumFeatures()), 0.0
	exchanges, all := m.exchanges(d, ideal)
	for _, pair := range exchanges {
		if pair.cost <= 0 {
			continue
		}
		above, below := &m.order[pair.above], &m.order[pair.below]
		loss.Total += pair.cost
		split += pair.cost
		loss.Pairs = append(loss.Pairs, Lost{above.ID, below.ID, pair.cost})
		loss.Ties += d.blame(blame, above.row, below.row, pair.cost)
	}
	if !all {
		loss.Unsplit = max(0, lost/ideal-split)
		loss.Total += loss.Unsplit
	}
	slices.SortStableFunc(loss.Pairs, func(a, b Lost) int { return cmp.Compare(b.Cost, a.Cost) })
	loss.Features = d.blamed(blame)
	return loss
}

// gain returns the gain of a document by the convention, which has checked the labels.
func (d *Data) gain(document Document) float64 {
	if document.Label < 0 {
		return 0
	}
	return d.options.Convention.Gain.Of(document.Label)
}

// discounts returns the discounts of the ranks, 0 below the cut-off.
func (d *Data) discounts(ranks int) []float64 {
	discounts := make([]float64, ranks)
	if cutoff := d.options.Cutoff; cutoff > 0 {
		ranks = min(ranks, cutoff)
	}
	for rank := range ranks {
		discounts[rank] = d.options.Convention.Discount.At(rank)
	}
	return discounts
}

// arranged returns documents, which are in the order of scores and then of the file, with those of equal
// scores as the convention ranks them, or, if it averages over their orders, by label.
func (d *Data) arranged(documents []Document) []Document {
	order := slices.Clone(documents)
	slices.SortStableFunc(order, func(a, b Document) int {
		if byScore := cmp.Compare(b.Score, a.Score); byScore != 0 {
			return byScore
		}
		switch d.options.Convention.Ties {
		case metric.Averaged:
			return cmp.Compare(b.Label, a.Label)
		case metric.Pessimistic:
			return cmp.Compare(a.Label, b.Label)
		case metric.ByDocument:
			return cmp.Compare(b.ID, a.ID)
		}
		return 0
	})
	return order
}

// shared returns the discount that a document at each rank has: the mean over the documents with its score if
// the convention averages over their orders.
func (d *Data) shared(order []Document, discounts []float64) []float64 {
	shared := slices.Clone(discounts)
	if d.options.Convention.Ties != metric.Averaged {
		return shared
	}
	for first, end := 0, 0; first < len(order); first = end {
		sum := 0.0
		for end = first; end < len(order) && order[end].Score == order[first].Score; end++ {
			sum += discounts[end]
		}
		if order[first].Label == order[end-1].Label { // all of them: their order does not matter
			continue
		}
		for rank := first; rank < end; rank++ {
			shared[rank] = sum / float64(end-first)
		}
	}
	return shared
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

// Losses is the average loss of the loaded queries that count.
type Losses struct {
	Queries  int     `json:"queries"`
	Total    float64 `json:"total"`             // 1 - mean nDCG
	Unsplit  float64 `json:"unsplit,omitempty"` // the mean of [Loss.Unsplit]
	Features []Blame `json:"features"`
	Worst    []Worst `json:"worst"` // the queries with the largest losses, at most ten
}

// Worst is a query with a large loss.
type Worst struct {
	Query     string  `json:"query"`
	Documents int     `json:"documents"`
	Loss      float64 `json:"loss"`
}

// losses splits the mean loss of all queries by features. If ctx is canceled, the error is its cause.
func (d *Data) losses(ctx context.Context) (*Losses, error) {
	judged, err := d.judge(d.Scores)
	if err != nil {
		return nil, err
	}
	all := &Losses{Queries: judged.Queries - judged.LeftOut, Total: 1 - judged.Mean}
	blame := make([]float64, d.Model.NumFeatures())
	done := d.options.counter("losses of queries", len(d.Meta.Queries))
	for n, q := range d.Meta.Queries {
		if done(1); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if math.IsNaN(judged.PerQuery[n]) {
			continue
		}
		loss, share := d.loss(d.ranked(q), judged.PerQuery[n]), 1/judged.Weight
		if judged.Weights != nil {
			share *= judged.Weights[n]
		}
		all.Unsplit += float64(loss.Unsplit * share)
		all.Worst = append(all.Worst, Worst{q.ID, q.Len, loss.Total})
		for _, b := range loss.Features {
			blame[b.number] += float64(b.Cost * share)
		}
	}
	all.Features = d.blamed(blame)
	slices.SortStableFunc(all.Worst, func(a, b Worst) int { return cmp.Compare(b.Loss, a.Loss) })
	all.Worst = all.Worst[:min(10, len(all.Worst))]
	return all, nil
}
