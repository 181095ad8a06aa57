// Package test holds the proofs that need more than one package: that the
// command's output is the same bytes for every number of threads and every CPU
// (same_bytes_test.go), and, in Python, that models, bins, trees and quality
// agree with real LightGBM (check_*.py, which ./test.sh runs).
package test
