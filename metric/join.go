package metric

import (
	"maps"
	"slices"
)

// Join returns the list of a query whose ranking and judgments come from different places, as TREC
// runs and qrels do. docs and scores are the ranking; judged has the labels by document id. A
// ranked document without a judgment has the label 0; unjudged is the number of those. Judged
// documents that are not ranked become [List.Unranked]. The list shares docs and scores.
func Join(query string, docs []string, scores []float64, judged map[string]float64) (l List, unjudged int) {
	l = List{Query: query, Docs: docs, Scores: scores, Labels: make([]float64, len(docs))}
	ranked := make(map[string]struct{}, len(docs))
	for i, doc := range docs {
		label, known := judged[doc]
		if !known {
			unjudged++
		}
		l.Labels[i] = label
		ranked[doc] = struct{}{}
	}
	for _, doc := range slices.Sorted(maps.Keys(judged)) {
		if _, ok := ranked[doc]; !ok {
			l.Unranked = append(l.Unranked, judged[doc])
		}
	}
	return l, unjudged
}
