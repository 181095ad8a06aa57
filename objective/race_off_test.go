//go:build !race

package objective

const raceDetector = false
