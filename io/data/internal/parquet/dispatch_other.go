//go:build !amd64 || purego

package parquet

// hasLookEights reports whether this CPU and build have lookEights.
var hasLookEights = false

func lookEights(_, _ *float64, _ int, _ *byte, _, _ int) (done int) {
	panic("parquet: no lookEights")
}
