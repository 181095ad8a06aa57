package pairwise

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// manyPairs is a number of pairs that takes some ten seconds of a CPU.
const manyPairs = 1e10

// Load is the number of pairs of some data, all of which are added up in each round.
type Load struct {
	Pairs float64       // of all queries
	Most  float64       // of the query with most pairs
	Query dataset.Query // that query
}

// LoadOf returns the load of data, given the number of pairs of a query whose labels are not all equal.
func LoadOf(data *dataset.Meta, pairs func(labels []float64) float64) (l Load) {
	for i, q := range data.Queries {
		if !data.HasPairs(i) {
			continue
		}
		n := pairs(data.Labels[q.First : q.First+q.Len])
		if l.Pairs += n; n > l.Most {
			l.Most, l.Query = n, q
		}
	}
	return l
}

// Truncated returns the number of pairs of n documents of which one is among the first ranks.
func Truncated(n, truncation int) float64 { return float64(float64(min(n, truncation)) * float64(n)) }

// Remark returns a warning that rounds take long, with the advice, or an empty text if they do not. round is
// what a round is called.
func (l Load) Remark(round, advice string) string {
	if l.Pairs <= manyPairs {
		return ""
	}
	const pairsPerSecond = 5e8 // of one CPU, roughly
	return fmt.Sprintf("%s has %.2g pairs of documents, which take a CPU about %.0f seconds: query %s, of %s "+
		"documents, has %.2g of them; %s, or divide long queries", round, l.Pairs, l.Pairs/pairsPerSecond,
		l.Query.ID, wording.Thousands(l.Query.Len), l.Most, advice)
}
