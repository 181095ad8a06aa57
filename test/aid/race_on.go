//go:build race

package aid

// RaceDetector is true under the race detector, where sync.Pool drops some of its items at random.
const RaceDetector = true
