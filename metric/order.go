package metric

import "math"

// document is what ranking needs to know of one.
type document struct {
	key   uint64 // of its score, by keyOf
	index int    // in the input of its query
}

// keyOf returns numbers that ascend as scores descend; equal scores, -0 and 0
// among them, have equal keys. The bits of floats that are not negative ascend as
// integers do, those of negative ones descend above them: so the former are
// inverted below the sign.
func keyOf(score float64) uint64 {
	bits := math.Float64bits(score + 0) // -0 + 0 is 0
	negative := uint64(int64(bits) >> 63)
	return bits ^ ^negative>>1
}

// fewCutoff is the largest cut-off for which documents are inserted into a
// short list. Beyond it a full sort takes less time.
const fewCutoff = 48

// sorter is memory for sorting.
type sorter struct {
	spare []document
	next  [256]int // of radixSort
}

// order writes to dst the documents that the first k ranks may hold: sorted by
// score, the highest first, equal scores in the order of the input. Where the
// scores of documents at ranks k-1 and k are equal, all documents of that score
// are in dst, so that dst may be longer than k. k < 1 means all documents.
// No score is NaN. dst is used as memory and returned for reuse.
func (s *sorter) order(dst []document, scores []float64, k int) []document {
	if k >= 1 && k <= fewCutoff && k < len(scores) {
		return appendEdge(insertBest(dst[:0], scores, k), scores)
	}
	dst = dst[:0]
	for i, score := range scores {
		dst = append(dst, document{keyOf(score), i})
	}
	if len(dst) <= shortList {
		insertionSort(dst)
		return dst
	}
	return s.radixSort(dst)
}

// insertBest appends the k best documents to dst, an insertion sort that lets
// the last one fall out. Of documents in random order, k·ln(n/k) are inserted.
func insertBest(dst []document, scores []float64, k int) []document {
	for i, score := range scores {
		key := keyOf(score)
		if len(dst) < k {
			dst = append(dst, document{})
		} else if key >= dst[k-1].key {
			continue
		}
		at := len(dst) - 1
		for ; at > 0 && dst[at-1].key > key; at-- {
			dst[at] = dst[at-1]
		}
		dst[at] = document{key, i}
	}
	return dst
}

// appendEdge appends to best, which is full, the documents that have the score
// of its last one and are not in it. insertBest keeps the first of equal ones.
func appendEdge(best []document, scores []float64) []document {
	last := best[len(best)-1]
	for i := last.index + 1; i < len(scores); i++ {
		if key := keyOf(scores[i]); key == last.key {
			best = append(best, document{key, i})
		}
	}
	return best
}

// shortList is the largest number of documents that are sorted by insertion.
const shortList = 24

func insertionSort(docs []document) {
	for i, d := range docs {
		for ; i > 0 && docs[i-1].key > d.key; i-- {
			docs[i] = docs[i-1]
		}
		docs[i] = d
	}
}

// radixSort sorts docs by key and keeps the order of equal ones: byte by byte,
// from the lowest. Bytes that all keys have in common cost nothing; scores that
// came from float32 have three of them. It returns the sorted documents, in docs
// or in what was s.spare.
func (s *sorter) radixSort(docs []document) []document {
	s.spare = append(s.spare[:0], docs...)
	varying := uint64(0) // bits in which keys differ
	for _, d := range docs {
		varying |= d.key ^ docs[0].key
	}
	for shift := 0; shift < 64; shift += 8 {
		if byte(varying>>shift) != 0 {
			s.sortByByte(s.spare, docs, shift)
			docs, s.spare = s.spare, docs
		}
	}
	return docs
}

// sortByByte copies docs to dst, ordered by the byte of the key above shift bits.
func (s *sorter) sortByByte(dst, docs []document, shift int) {
	next := &s.next // place in dst of the next document with that byte
	clear(next[:])
	for _, d := range docs {
		next[byte(d.key>>shift)]++
	}
	sum := 0
	for value, count := range next {
		next[value], sum = sum, sum+count
	}
	for _, d := range docs {
		value := byte(d.key >> shift)
		dst[next[value]] = d
		next[value]++
	}
}
