package grow

import "github.com/lambdamart/lambdamart/internal/binsum"

// memory keeps the memory of sums between leaves and trees.
type memory struct {
	bins int                // of all columns
	free []binsum.Histogram // not in use by a leaf
}

// acquire returns memory for the sums of a leaf. Its content is unspecified.
func (m *memory) acquire() binsum.Histogram {
	n := len(m.free)
	if n == 0 {
		return make(binsum.Histogram, m.bins)
	}
	sums := m.free[n-1]
	m.free = m.free[:n-1]
	return sums
}

// release frees the memory of a leaf's sums for other leaves.
func (m *memory) release(lf *leaf) {
	m.recycle(lf)
	if lf.children != nil { // made in advance, but not used
		m.release(&lf.children[0])
		m.release(&lf.children[1])
		lf.children = nil
	}
}

// recycle frees the memory of a leaf's own sums.
func (m *memory) recycle(lf *leaf) {
	if lf.sums != nil {
		m.free = append(m.free, lf.sums)
		lf.sums = nil
	}
}

// drop releases the sums of a leaf that was searched and has no split.
func (m *memory) drop(lf *leaf) {
	if lf.best.gain <= 0 {
		m.release(lf)
	}
}
