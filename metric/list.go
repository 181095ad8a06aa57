package metric

import "fmt"

// List is a query's ranked documents and what is known of their relevance. A
// document is one index in Labels, Scores, Docs and Weights.
type List struct {
	Query   string    // id
	Labels  []float64 // relevance grades
	Scores  []float64 // rank the documents, the highest first; as many as Labels
	Docs    []string  // ids; nil where there are none
	Weights []float64 // nil where all weigh 1

	// Unranked has the labels of documents that were judged but not ranked, as
	// they are found in TREC qrels: they count in the ideal ranking and among
	// the relevant documents, but take no rank.
	Unranked []float64
}

// checkLengths returns an error unless each slice has one entry a document, or may
// be nil and is.
func (l *List) checkLengths() error {
	n := len(l.Labels)
	if len(l.Scores) != n || l.Docs != nil && len(l.Docs) != n || l.Weights != nil && len(l.Weights) != n {
		return fmt.Errorf("metric: query %s has %d labels, %d scores, %d document ids and %d weights; want one of each for a document, or no ids and weights",
			l.Query, n, len(l.Scores), len(l.Docs), len(l.Weights))
	}
	return nil
}

// weight is the weight of the query: the mean of its documents'.
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
