package solr

import (
	"slices"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Deviation is a range of float32 values that Solr sends to another side than the model, because no number in
// the file makes Solr cut at the threshold of the model.
type Deviation struct {
	Feature   int
	Threshold float64 // of the model
	Above, To float32 // the values x with Above < x <= To
}

// Deviations lists the thresholds of e that Solr cannot reproduce, once each, in the order of the trees.
func Deviations(e *tree.Ensemble) []Deviation {
	var list []Deviation
	seen := map[Deviation]bool{}
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, cut := range t.Threshold {
			y, ok := engine.Slack(cut)
			if ok || t.Decision[node]&tree.Categorical != 0 {
				continue
			}
			want, have := engine.AtMost(cut), engine.SlackCut(y)
			d := Deviation{int(t.Feature[node]), cut, min(want, have), max(want, have)}
			if !seen[d] {
				list = append(list, d)
				seen[d] = true
			}
		}
	}
	return list
}

// Deviates returns a function that reports whether Solr sends a value of a feature to another side than e at
// some split.
func Deviates(e *tree.Ensemble) func(feature int, x float64) bool {
	all := Deviations(e)
	return func(feature int, x float64) bool {
		return slices.ContainsFunc(all, func(d Deviation) bool {
			return feature == d.Feature && float64(d.Above) < x && x <= float64(d.To)
		})
	}
}
