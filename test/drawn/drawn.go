// Package drawn provides the seed of random tests, and says how long they may take.
package drawn

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// Long reports whether tests should run in their long form: test/long.sh sets LAMBDAMART_LONG.
func Long() bool { return os.Getenv("LAMBDAMART_LONG") != "" }

// Seed returns the value of LAMBDAMART_SEED, or 1. test.sh sets it to the day, so other cases are drawn every
// day.
func Seed() uint64 {
	seed, err := strconv.ParseUint(os.Getenv("LAMBDAMART_SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return seed
}

// Random returns a generator that depends on the seed and on the given number.
func Random(number int) *rand.Rand { return rand.New(rand.NewPCG(Seed(), uint64(number))) }
