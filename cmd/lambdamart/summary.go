package main

import (
	"maps"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
)

// summary is what a report tells of data.
type summary struct {
	minDocs, medianDocs, maxDocs int // of a query
	labels                       []labelCount
	withoutPairs                 int // queries whose documents all have one grade
}

func summarize(meta *dataset.Meta) summary {
	var s summary
	var lengths []int
	counts := map[float64]int{}
	for _, q := range meta.Queries {
		labels := meta.Labels[q.First : q.First+q.Len]
		lengths = append(lengths, q.Len)
		for _, label := range labels {
			counts[label]++
		}
		if slices.Min(labels) == slices.Max(labels) {
			s.withoutPairs++
		}
	}
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		s.labels = append(s.labels, labelCount{number(label), counts[label]})
	}
	slices.Sort(lengths)
	if n := len(lengths); n > 0 {
		s.minDocs, s.medianDocs, s.maxDocs = lengths[0], lengths[n/2], lengths[n-1]
	}
	return s
}
