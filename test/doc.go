// Package test holds tests that need more than one package: that the command's output has the same bytes for
// every number of threads and every CPU (same_bytes_test.go), that the compiler fuses no product with a sum
// (fused_test.go), that the Go library leaves reads our models (leaves_test.go), and, in Python, that models,
// bins, trees and quality agree with those of other programs (check_*.py, which ./test.sh runs). Its folder
// kill has a test that kills the command; long.sh runs tests that take hours.
package test
