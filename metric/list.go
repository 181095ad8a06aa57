package metric

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// List is one query's ranked documents and their relevance. Entry i of Labels, Scores, Docs and
// Weights is about the same document. The order of the documents matters only as far as [Ties] says.
type List struct {
	Query   string    // id
	Labels  []float64 // relevance grades, one per document
	Scores  []float64 // one per document: the highest score has rank 0
	Docs    []string  // document ids; nil if there are none
	Weights []float64 // nil if all are 1; the query's weight is their mean
	Judged  []bool    // whether the qrels have a document; nil if they have all. Only judged@k and bpref differ.

	// Unranked are the labels of documents that were judged but not ranked, as TREC qrels have
	// them. They count in the ideal ranking and among the relevant documents, but have no rank.
	Unranked []float64

	// Pairs are those of the query that were given. Documents are numbered as in Labels, and then as in
	// Unranked.
	Pairs []dataset.Pair

	// More are all labels that metrics may name. Values are for the documents, and after them for the unranked
	// ones.
	More []dataset.Labels
}

// checkLengths returns an error unless each slice has one entry per document; Docs and Weights may be nil.
func (l *List) checkLengths() error {
	n := len(l.Labels)
	if len(l.Scores) != n || l.Docs != nil && len(l.Docs) != n || l.Weights != nil && len(l.Weights) != n ||
		l.Judged != nil && len(l.Judged) != n {
		return fmt.Errorf("query %s has %s, %s, %s, %s and %s of "+
			"judged documents; want one of each for a document, or no ids, weights and marks",
			l.Query, wording.Count(n, "label"), wording.Count(len(l.Scores), "score"),
			wording.Count(len(l.Docs), "document id"), wording.Count(len(l.Weights), "weight"),
			wording.Count(len(l.Judged), "mark"))
	}
	return nil
}

// WithLabels returns the list with the labels of that name in place of Labels and Unranked.
func (l *List) WithLabels(name string) (List, error) {
	if name == "" {
		return *l, nil
	}
	labels, err := (&dataset.Meta{More: l.More}).LabelsOf(name)
	if err != nil {
		return *l, err
	}
	if n := len(l.Labels) + len(l.Unranked); len(labels) != n {
		return *l, fmt.Errorf("query %s has %s %s for %s", l.Query, wording.Count(len(labels), "label"),
			name, wording.Count(n, "document"))
	}
	other, ranked := *l, len(l.Labels)
	other.Labels, other.Unranked = labels[:ranked:ranked], labels[ranked:]
	return other, nil
}

// weight returns the weight of the query: the mean of its documents' weights.
func (l *List) weight() float64 {
	if len(l.Weights) == 0 {
		return 1
	}
	sum := 0.0
	for _, weight := range l.Weights {
		sum += weight
	}
	return sum / float64(len(l.Weights))
}
