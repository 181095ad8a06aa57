package pairwise

// Stop reports whether sums are no longer needed; nil: they are. It is asked now and then while the pairs of
// a query are added. Once it reports true, the sums have no meaning.
type Stop func() bool

// stretchPairs is a number of pairs that takes some hundredths of a second. Usual queries have fewer, so that
// Stop is not asked within them. Tests make it small.
var stretchPairs = 1 << 24

// stretch returns the number of documents whose pairs with all n documents are added between two questions.
func stretch(n int) int { return max(1, stretchPairs/max(1, n)) }

// At reports whether to stop before the pairs of document i, counting from 0, with n documents.
func (s Stop) At(i, n int) bool { return s != nil && i > 0 && i%stretch(n) == 0 && s() }
