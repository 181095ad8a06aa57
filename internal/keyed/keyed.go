// Package keyed draws random numbers by name instead of from a stream.
//
// A draw is a hash of (seed, purpose, round, index): the same key gives the
// same number whoever asks, in whatever order, on however many workers and
// machines. No generator has state.
package keyed

// Purpose keeps the draws of different decisions apart.
type Purpose uint64

// The decisions that are drawn. The values are part of what makes a model
// reproducible: do not renumber.
const (
	BinSample     Purpose = 1  // rows from which bins are found; index: row
	QueryBag      Purpose = 2  // queries in the bag; round: bag, index: query
	FeatureBag    Purpose = 3  // features of a tree; round: iteration, index: feature
	RoundGradient Purpose = 4  // stochastic rounding; round: iteration, index: row
	SignFlip      Purpose = 5  // of differences, in a randomization test; round: trial, index: 64 queries
	Resample      Purpose = 6  // of queries, in a bootstrap; round: resample, index: place in it
	TestVector    Purpose = 7  // values of an exported model's test vectors; round: row, index: draw
	NetworkWeight Purpose = 8  // first weights of a network; index: place among its weights and biases
	QueryOrder    Purpose = 9  // of training a network; round: epoch, index: place in it
	Dropout       Purpose = 10 // round: step and layer, index: row and unit
	DocumentPair  Purpose = 11 // of which a network learns; round: step, index: query and pair
	EqualGrades   Purpose = 12 // order of documents of one grade; round: step, index: row
	Objective     Purpose = 13 // of an objective; round: iteration, then keys of the query and of a purpose of its own
)

// Key is (seed, purpose, round), mixed: one Key serves all indexes.
type Key uint64

// New returns the key of a purpose in a round.
func New(seed uint64, purpose Purpose, round int) Key {
	k := mix(seed + golden)
	k = mix(k ^ (uint64(purpose) + golden))
	return Key(k).Key(round)
}

// Key returns the key of a number below k: one more level of the hash, which leaves all indexes free.
// No index of k itself gives the same draws.
func (k Key) Key(number int) Key { return Key(mix(uint64(k) ^ (uint64(number) + golden))) }

// Uint64 returns 64 random bits for the index.
func (k Key) Uint64(index int) uint64 { return mix(uint64(k) + uint64(index)*golden) }

// Float64 returns a uniform number in [0, 1), a multiple of 2^-53.
func (k Key) Float64(index int) float64 { return float64(float64(k.Uint64(index)>>11) * 0x1p-53) }

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// mix is the finalizer of SplitMix64, a bijection in which each input bit
// changes each output bit with probability about one half. (Steele, Lea, Flood:
// Fast splittable pseudorandom number generators, OOPSLA 2014; constants: Stafford's variant 13.)
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
