// Package random draws random numbers by key instead of from a stream.
//
// A draw is a hash of (seed, purpose, round, index). The same key gives the same number in any
// order of draws, for any number of workers and machines, since there is no generator with a state.
package random

// Purpose is the decision for which a number is drawn. Draws for different purposes are independent.
type Purpose uint64

// The purposes. Models are reproducible only if the values never change: do not renumber.
const (
	BinSample     Purpose = 1 // rows from which bins are found; index: row
	QueryBag      Purpose = 2 // queries in the bag; round: bag, index: query
	FeatureBag    Purpose = 3 // features of a tree; round: iteration, index: feature
	RoundGradient Purpose = 4 // stochastic rounding; round: iteration, index: row
	// signs of differences in a randomization test; round: trial, index: block of 64 queries
	SignFlip      Purpose = 5
	Resample      Purpose = 6  // queries of a bootstrap resample; round: resample, index: place in it
	TestVector    Purpose = 7  // values of the test vectors of an exported model; round: row, index: draw
	NetworkWeight Purpose = 8  // initial weights of a network; index: place among its weights and biases
	QueryOrder    Purpose = 9  // order of queries when a network is trained; round: epoch, index: place in it
	Dropout       Purpose = 10 // units that are dropped; round: step and layer, index: row and unit
	// pairs of documents from which a network learns; round: step, index: query and pair
	DocumentPair Purpose = 11
	EqualGrades  Purpose = 12 // order of documents of one grade; round: step, index: row
	// of an objective; round: iteration, then keys of the query and of a purpose of its own
	Objective      Purpose = 13
	ExplainedQuery Purpose = 50 // queries that an explanation of a model looks at; index: query
	// order in which values of a feature are exchanged; round: repetition, then a key of the feature, index: row
	Permutation Purpose = 51
	Fold        Purpose = 40 // order in which queries are dealt out to folds; index: query
	// points of a space of parameters; round: number of the point, index: parameter and draw
	SearchSpace Purpose = 41
	QueryShare  Purpose = 42 // queries of a small first training in a search; index: query
	TreeOrder   Purpose = 20 // order of the trees of a shuffled model; index: tree
	RowBag      Purpose = 21 // rows in a bag of single rows; round: bag, index: row
	// trees that dart leaves out; round: iteration, index: 0 for whether any is, then tree + 1
	DroppedTree Purpose = 23
	// features that a leaf may be split on; round: iteration, then a key of the leaf, index: feature
	LeafFeature Purpose = 24
	// thresholds of extremely randomized trees; round: iteration, then a key of the leaf, index: feature
	Threshold Purpose = 25
	// queries that judge a tree which grows without them; round: iteration, index: query
	Judge Purpose = 26
)

// Key is the hash of (seed, purpose, round), from which the numbers of all indexes are drawn.
type Key uint64

// New returns the key of a purpose in a round.
func New(seed uint64, purpose Purpose, round int) Key {
	k := mix(seed + golden)
	k = mix(k ^ (uint64(purpose) + golden))
	return Key(k).Key(round)
}

// Key returns a key derived from k and a number by one more level of the hash. All of its indexes are free,
// and no index of k itself gives the same draws.
func (k Key) Key(number int) Key { return Key(mix(uint64(k) ^ (uint64(number) + golden))) }

// From returns the key whose index i has the draw of k's index+i.
func (k Key) From(index int) Key { return k + Key(uint64(index)*golden) }

// Uint64 returns 64 random bits for the index.
func (k Key) Uint64(index int) uint64 { return mix(uint64(k) + uint64(index)*golden) }

// Float64 returns a uniform number in [0, 1), a multiple of 2^-53.
func (k Key) Float64(index int) float64 {
	bits := int64(k.Uint64(index) >> 11) // signed numbers become floats by one instruction
	return float64(float64(bits) * 0x1p-53)
}

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// mix is the finalizer of SplitMix64, a bijection in which each input bit changes each output bit
// with probability about one half. (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014; constants: Stafford's variant 13.)
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
