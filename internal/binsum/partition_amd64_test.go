//go:build !purego

package binsum

import "testing"

// TestPartitionWithoutWideVectors repeats tests of partitions with AVX2 on CPUs with AVX-512. Other CPUs have
// run them already.
func TestPartitionWithoutWideVectors(t *testing.T) {
	if !hasWideVectors {
		return
	}
	hasWideVectors = false
	defer func() { hasWideVectors = true }()
	t.Run("columns", TestColumnEqualsNaive)
	t.Run("slices", TestPartitionStaysWithinItsSlices)
}
