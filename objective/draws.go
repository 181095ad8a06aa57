package objective

import "github.com/lambdamart/lambdamart/internal/random"

// Draws are random numbers that an objective may use for one query in one iteration. Each number is
// a hash of
//
//	(seed, iteration, number of the query, purpose, index)
//
// and nothing else: the same key gives the same number whenever and wherever it is requested, so the model
// does not depend on the number of threads, on the order in which queries are processed, or on which queries
// are left out by bagging. Numbers of different keys are independent for all practical purposes. There is no
// state to keep, and no call allocates.
type Draws struct {
	key random.Key
}

// Draws returns the random numbers for one purpose, such as the noise on scores or the choice of
// pairs. An objective that draws for several purposes, or several times for one (permutation 0, 1,
// 2, ...), numbers them as it likes: different purposes have different numbers.
func (q Query) Draws(purpose int) Draws {
	return Draws{random.New(q.Seed, random.Objective, q.Iteration).Key(q.before + q.Number).Key(purpose)}
}

// Uint64 returns 64 random bits. index is any number; for draws by document it is the document's
// index in the query.
func (d Draws) Uint64(index int) uint64 { return d.key.Uint64(index) }

// Uniform returns a number that is uniform on [0, 1), a multiple of 2^-53. It has the same key, and
// so the same randomness, as Uint64(index).
func (d Draws) Uniform(index int) float64 { return d.key.Float64(index) }
