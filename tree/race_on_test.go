//go:build race

package tree

// raceDetector: sync.Pool then drops some of what it is given, on purpose.
const raceDetector = true
