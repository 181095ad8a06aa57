package metric

import "math"

// document is the part of a document that sorting needs.
type document struct {
	key   uint64 // of its score, by keyOf
	index int    // in the query's input
}

// keyOf returns a number that falls as the score rises; equal scores, -0 and 0 among them, have equal keys.
// As integers, the bits of a float that is not negative rise as the float rises. The bits of a negative float
// fall as it rises, and are greater. So the bits below the sign bit are inverted if the float is not
// negative.
func keyOf(score float64) uint64 {
	bits := math.Float64bits(score + 0) // -0 + 0 is 0
	negative := uint64(int64(bits) >> 63)
	return bits ^ ^negative>>1
}

// fewCutoff is the largest cut-off for which the best documents are inserted into a short list. For
// larger ones a full sort takes less time.
const fewCutoff = 48

// sorter is memory for sorting.
type sorter struct {
	spare []document
	next  [256]int // of radixSort
}

// order returns the documents that the first k ranks may hold, sorted by score, the highest first, equal
// scores in the order of the input. If the documents at ranks k-1 and k have equal scores, all documents of
// that score are returned, so there may be more than k. k < 1 means all documents. No score is NaN. The
// result may use the memory of dst, whose content is lost.
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

// insertBest appends the k best documents to dst by an insertion sort that drops the last document when there
// are more than k. If n documents are in random order, about k·ln(n/k) of them are inserted after the first
// k.
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

// appendEdge appends to best the documents that have the score of its last one and are not in it. They come
// after that one in the input, since insertBest keeps the first of equal documents.
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

// radixSort sorts docs by key, byte by byte from the lowest, and keeps the order of equal ones.
// Bytes in which all keys agree are skipped; scores that came from float32 have at least three of
// them. The result is in the memory of docs or in what was s.spare; the other one becomes s.spare.
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

// sortByByte copies docs to dst, ordered by the byte of the key that begins at bit shift.
func (s *sorter) sortByByte(dst, docs []document, shift int) {
	next := &s.next // by byte: the index in dst of the next document with that byte
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
