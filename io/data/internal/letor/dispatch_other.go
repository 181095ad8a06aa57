//go:build !amd64 || purego

package letor

// hasUsual reports whether this CPU and build have usualFeatures.
var hasUsual = false

func usualFeatures(*byte, *int32, *float64, int, int, int) (count, end int) {
	panic("letor: no usualFeatures")
}
