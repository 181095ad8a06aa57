package metric

// document is what ranking needs to know of one.
type document struct {
	score float64 // ranks it
	label float64 // judges it
	index int     // in the input of its query
}

// fewCutoff is the largest cut-off for which documents are inserted into a
// short list. Beyond it a full sort takes less time.
const fewCutoff = 48

// order writes to dst the documents that the first k ranks may hold: sorted by
// score, the highest first, equal scores in the order of the input. Where the
// scores of documents at ranks k-1 and k are equal, all documents of that score
// are in dst, so that dst may be longer than k. k < 1 means all documents.
// No score is NaN. dst and spare are used as memory and returned for reuse.
func order(dst, spare []document, labels, scores []float64, k int) (sorted, unused []document) {
	if k < 1 || k > fewCutoff || k >= len(scores) {
		dst = dst[:0]
		for i, score := range scores {
			dst = append(dst, document{score, labels[i], i})
		}
		return mergeSort(dst, spare)
	}
	return appendEdge(insertBest(dst[:0], labels, scores, k), labels, scores), spare
}

// insertBest appends the k best documents to dst, an insertion sort that lets
// the last one fall out. Of documents in random order, k·ln(n/k) are inserted.
func insertBest(dst []document, labels, scores []float64, k int) []document {
	for i, score := range scores {
		if len(dst) < k {
			dst = append(dst, document{})
		} else if score <= dst[k-1].score {
			continue
		}
		at := len(dst) - 1
		for ; at > 0 && dst[at-1].score < score; at-- {
			dst[at] = dst[at-1]
		}
		dst[at] = document{score, labels[i], i}
	}
	return dst
}

// appendEdge appends to best, which is full, the documents that have the score
// of its last one and are not in it. insertBest keeps the first of equal ones.
func appendEdge(best []document, labels, scores []float64) []document {
	last := best[len(best)-1].score
	present := 0
	for i := len(best) - 1; i >= 0 && best[i].score == last; i-- {
		present++
	}
	for i, score := range scores {
		if score != last {
			continue
		}
		if present--; present < 0 {
			best = append(best, document{score, labels[i], i})
		}
	}
	return best
}

// runLength is the length of the pieces that mergeSort sorts by insertion.
const runLength = 12

// mergeSort sorts docs by score, the highest first, and keeps the order of equal
// ones. It returns the sorted documents and the memory that is left: one is
// docs, the other spare, which it enlarges if need be.
func mergeSort(docs, spare []document) (sorted, unused []document) {
	n := len(docs)
	for first := 0; first < n; first += runLength {
		insertionSort(docs[first:min(first+runLength, n)])
	}
	if n <= runLength {
		return docs, spare
	}
	if cap(spare) < n {
		spare = make([]document, n)
	}
	spare = spare[:n]
	for width := runLength; width < n; width *= 2 {
		for first := 0; first < n; first += 2 * width {
			middle, end := min(first+width, n), min(first+2*width, n)
			merge(spare[first:end], docs[first:middle], docs[middle:end])
		}
		docs, spare = spare, docs
	}
	return docs, spare
}

func insertionSort(docs []document) {
	for i, d := range docs {
		for ; i > 0 && docs[i-1].score < d.score; i-- {
			docs[i] = docs[i-1]
		}
		docs[i] = d
	}
}

// merge fills dst from two sorted pieces; of equal documents, those of a first.
// len(dst) is len(a) + len(b).
func merge(dst, a, b []document) {
	for len(a) > 0 && len(b) > 0 {
		if a[0].score < b[0].score {
			dst[0], b = b[0], b[1:]
		} else {
			dst[0], a = a[0], a[1:]
		}
		dst = dst[1:]
	}
	copy(dst[copy(dst, a):], b)
}
