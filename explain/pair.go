package explain

import (
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// Pair explains why one document is above another document of its query.
type Pair struct {
	Query      string   `json:"query"`
	Document   Document `json:"document"`
	Against    Document `json:"against"`
	Difference float64  `json:"difference"` // of the scores

	// Shares has the shares of all features, the largest first; they sum to Difference. Columns has the same
	// for each column of a model with query context.
	Shares  []Share `json:"shares"`
	Columns []Share `json:"columns,omitempty"`

	// Changes has the changes of one feature of one document that swap the two, the smallest first.
	Changes []Change `json:"changes"`
}

// Pair explains why document is above or below against, in query number n of d.Meta. The error is an
// [ErrUnknown].
func (d *Data) Pair(n int, document, against string) (*Pair, error) {
	q := d.Meta.Queries[n]
	documents := d.ranked(q)
	a, err := find(documents, document)
	if err != nil {
		return nil, err
	}
	b, err := find(documents, against)
	if err != nil {
		return nil, err
	}
	p := &Pair{Query: q.ID, Document: a, Against: b, Difference: a.Score - b.Score}
	p.Shares = d.pairShares(d.used(), a.row, b.row, d.of)
	if d.Model.QueryContext() != nil {
		p.Columns = d.pairShares(d.Model.UsedFeatures(), a.row, b.row, d.ofColumns)
	}
	p.Changes = d.changes(q, a, b)
	return p, nil
}

// pairShares returns the contributions of some features or columns to the difference of the scores of two
// rows, the largest first. of returns the contributions to the score of a row.
func (d *Data) pairShares(numbers []int, a, b int, of func(row int) []float64) []Share {
	list, up, down := make([]Share, len(numbers)), of(a), of(b)
	for i, n := range numbers {
		name, share := d.Model.Features[n].Name, metric.Value(up[n]-down[n])
		against := metric.Value(d.row(b)[n])
		list[i] = Share{name, metric.Value(d.row(a)[n]), &against, share}
	}
	slices.SortStableFunc(list, func(a, b Share) int { return bySize(b.Share, a.Share) })
	return list
}

// find returns the document with that name.
func find(documents []Document, name string) (Document, error) {
	names := make([]string, len(documents))
	for i, document := range documents {
		if names[i] = document.ID; names[i] == name {
			return document, nil
		}
	}
	return Document{}, unknown("document", name, names)
}
