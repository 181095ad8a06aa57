// Package drawn gives tests their seed and tells them how long they may take.
package drawn

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// Long reports whether the long forms of tests run: test/long.sh sets LAMBDAMART_LONG.
func Long() bool { return os.Getenv("LAMBDAMART_LONG") != "" }

// Seed is LAMBDAMART_SEED, or 1. test.sh sets it to the day, so that other cases are drawn every day.
func Seed() uint64 {
	seed, err := strconv.ParseUint(os.Getenv("LAMBDAMART_SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return seed
}

// Random returns the draws of the seed that a number tells apart from others of the seed.
func Random(number int) *rand.Rand { return rand.New(rand.NewPCG(Seed(), uint64(number))) }
