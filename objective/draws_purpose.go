package objective

// The purposes for which built-in objectives draw. Each has numbers of its own, so that the objectives of a
// weighted sum draw independently. Models are reproducible only if the values never change: do not renumber.
const (
	drawXENDCG   = 1
	drawTies     = 2
	drawPairs    = 3
	drawYetiRank = 1 << 20 // and the following, one for each permutation
)
