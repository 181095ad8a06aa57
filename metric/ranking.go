package metric

import (
	"iter"
	"slices"
	"strings"
)

// ranking is the beginning of a query's ranked list under a rule for ties.
//
// Ranks are divided into blocks. The documents of a block share its ranks: all orders of them are equally
// likely. If the order is certain, a block is one document. For example, with ties averaged and the scores 9,
// 5, 5, 5, 2:
//
//	rank    0 | 1   2   3 | 4
//	labels  3 | 0   1   1 | 2
//	ends    1 |         4 | 5
type ranking struct {
	labels []float64 // by rank; within a block, ascending
	ends   []int     // the rank after each block; empty if each block is one document
	// the first rank that documents of equal scores and different labels share; len(labels) if there is none
	firstTie int
}

// rank arranges documents, which are sorted by score, under a rule for ties. It overwrites r and may reorder
// documents with equal scores. labels and ids have an entry for each index of a document; ids is nil if there
// are none.
func (r *ranking) rank(docs []document, ties Ties, labels []float64, ids []string) {
	r.labels, r.ends, r.firstTie = r.labels[:0], r.ends[:0], len(docs)
	for first, end := 0, 0; first < len(docs); first = end {
		for end = first + 1; end < len(docs) && docs[end].key == docs[first].key; end++ {
		}
		if ties == ByDocument && end > first+1 && ids != nil {
			slices.SortFunc(docs[first:end], func(a, b document) int {
				return strings.Compare(ids[b.index], ids[a.index])
			})
		}
		for _, d := range docs[first:end] {
			r.labels = append(r.labels, labels[d.index])
		}
		if end > first+1 {
			r.tie(first, ties)
		}
		if ties == Averaged {
			r.ends = append(r.ends, end)
		}
	}
}

// tie arranges the labels from rank first to the last rank so far, whose documents have equal scores.
func (r *ranking) tie(first int, ties Ties) {
	block := r.labels[first:]
	if slices.Min(block) == slices.Max(block) {
		return
	}
	r.firstTie = min(r.firstTie, first)
	if ties == FileOrder || ties == ByDocument {
		return
	}
	slices.Sort(block)
}

// block is one block of a ranking, as far as a metric considers it.
type block struct {
	labels     []float64 // of all documents that share the block's ranks, ascending
	first, end int       // its ranks below the metric's cut-off: end - first may be less than len(labels)
}

// blocks returns the blocks that begin before rank depth.
func (r *ranking) blocks(depth int) iter.Seq[block] {
	return func(yield func(block) bool) {
		first := 0
		for number := 0; first < depth; number++ {
			end := first + 1
			if len(r.ends) > 0 {
				end = r.ends[number]
			}
			if !yield(block{r.labels[first:end], first, min(end, depth)}) {
				return
			}
			first = end
		}
	}
}
