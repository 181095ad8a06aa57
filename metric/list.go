package metric

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
