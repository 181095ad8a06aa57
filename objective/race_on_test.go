//go:build race

package objective

// raceDetector: sync.Pool then drops some of what it is given, on purpose.
const raceDetector = true
