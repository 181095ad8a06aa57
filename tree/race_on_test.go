//go:build race

package tree

// raceDetector is true under the race detector, where sync.Pool drops some of its items at random.
const raceDetector = true
