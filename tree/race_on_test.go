//go:build race

package tree

// raceDetector reports whether the race detector is on: sync.Pool then drops some of its entries on
// purpose.
const raceDetector = true
