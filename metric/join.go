package metric

import (
	"maps"
	"slices"
)

// Join makes the list of a query of which a ranking and the judgments come from
// different places, as with TREC runs and qrels. docs and scores are the ranking;
// judged has labels by document id. Ranked documents without a judgment have
// label 0 and are counted; judged ones that are not ranked become Unranked. The
// list shares docs and scores.
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
