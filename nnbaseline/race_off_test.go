//go:build !race

package nnbaseline

const raceDetector = false
