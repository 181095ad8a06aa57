//go:build race

package objective

// raceDetector is true under the race detector, where sync.Pool drops some of its items at random.
const raceDetector = true
