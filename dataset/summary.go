package dataset

import (
	"cmp"
	"slices"
)

// Summary describes ranking data, for a look at it before training.
type Summary struct {
	Rows     int
	Queries  int
	Features int

	// Documents of the smallest query, the median one (the lower of two) and the largest.
	MinDocs, MedianDocs, MaxDocs int

	// Labels are the different labels, ascending, with the number of rows that have each.
	Labels []LabelCount

	// QueriesWithoutPairs is the number of queries whose labels are all equal. No order of their
	// documents is better than another, so a ranker learns nothing from them.
	QueriesWithoutPairs int

	// EmptyQueries is the number of queries without rows, which the source left out.
	EmptyQueries int
}

// LabelCount is the number of rows that have a label.
type LabelCount struct {
	Label float64
	Rows  int
}

// Summarize describes the data.
func (m *Meta) Summarize() Summary {
	s := Summary{
		Rows:         m.NumRows(),
		Queries:      len(m.Queries),
		Features:     m.NumFeatures(),
		Labels:       countLabels(m.Labels),
		EmptyQueries: m.EmptyQueries,
	}
	docs := make([]int, len(m.Queries))
	for i, q := range m.Queries {
		docs[i] = q.Len
		labels := m.Labels[q.First : q.First+q.Len]
		if slices.Min(labels) == slices.Max(labels) {
			s.QueriesWithoutPairs++
		}
	}
	if len(docs) > 0 {
		slices.Sort(docs)
		s.MinDocs, s.MedianDocs, s.MaxDocs = docs[0], docs[(len(docs)-1)/2], docs[len(docs)-1]
	}
	return s
}

func countLabels(labels []float64) []LabelCount {
	rows := map[float64]int{}
	for _, l := range labels {
		rows[l]++
	}
	counts := make([]LabelCount, 0, len(rows))
	for l, n := range rows {
		counts = append(counts, LabelCount{l, n})
	}
	slices.SortFunc(counts, func(a, b LabelCount) int { return cmp.Compare(a.Label, b.Label) })
	return counts
}
