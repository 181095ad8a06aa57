package metric

import "slices"

// ranking is the beginning of a query's ranked list, as a rule for ties has it.
//
// Ranks are divided into blocks. A block's documents share its ranks: any order
// of them is as likely as any other. Where the order is certain, a block is one
// document.
type ranking struct {
	labels   []float64 // by rank; within a block, the highest first
	ends     []int     // the rank after each block; empty if each block is one document
	firstTie int       // first rank at which documents of equal scores and different labels compete; else len(labels)
}

// rank arranges sorted documents by the rule ties. It writes over r.
func (r *ranking) rank(docs []document, ties Ties) {
	r.labels, r.ends, r.firstTie = r.labels[:0], r.ends[:0], len(docs)
	for first, end := 0, 0; first < len(docs); first = end {
		for end = first; end < len(docs) && docs[end].score == docs[first].score; end++ {
			r.labels = append(r.labels, docs[end].label)
		}
		if end > first+1 {
			r.tie(first, ties)
		}
		if ties == Averaged {
			r.ends = append(r.ends, end)
		}
	}
}

// tie arranges the labels from rank first on, whose documents have equal scores.
func (r *ranking) tie(first int, ties Ties) {
	block := r.labels[first:]
	if slices.Min(block) == slices.Max(block) {
		return
	}
	r.firstTie = min(r.firstTie, first)
	if ties == FileOrder {
		return
	}
	slices.Sort(block)
	if ties == Averaged {
		slices.Reverse(block)
	}
}
