package binsum

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The benchmarks check their results, and report the time per unit of work.

const (
	benchRows    = 1 << 17
	benchColumns = 136 // as in MSLR; 17 MB of bins exceed the caches
)

// perUnit reports the mean time per unit if each iteration of the benchmark processes this many units.
func perUnit(b *testing.B, units int, name string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+name)
}

// buildAll adds rows to all tiles in the order of a grower: some hundred rows to one group after another.
func buildAll(x *Rows, tiles []Tile, rows []int32, values []int64) {
	var b Batch
	for part := range slices.Chunk(rows, BatchRows) {
		b.Take(x, part, 0, x.numTiles(), values)
		for at := 0; at < len(tiles); at += groupSize {
			b.Build(tiles[at:at+groupSize], Part{at, at + groupSize})
		}
	}
}

func sumOf(values []int64) (sum int64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// BenchmarkBuild adds rows to the histograms of all columns: all rows in order, and an eighth of the rows
// in random order, as in a small leaf.
func BenchmarkBuild(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := randomRows(rng, benchRows, benchColumns)
	values := randomValues(rng, benchRows)
	inOrder := firstRows(rng, benchRows, benchRows)
	slices.Sort(inOrder)
	sparse := firstRows(rng, benchRows, benchRows/8)
	for _, c := range []struct {
		name string
		rows []int32
	}{{"rows=inorder", inOrder}, {"rows=random", sparse}} {
		b.Run(c.name, func(b *testing.B) {
			tiles := make([]Tile, x.stride)
			for b.Loop() {
				buildAll(x, tiles, c.rows, values)
			}
			perUnit(b, len(c.rows)*benchColumns, "bin")
			want := int64(0)
			for _, r := range c.rows {
				want += values[r]
			}
			for column := range benchColumns { // enough bins that each column has its own byte
				at := x.fields[column].At
				// Sums are modulo 2^64.
				if got := sumOf(tiles[at][:]); got != want*int64(b.N) {
					b.Fatalf("column %d sums to %d instead of %d", column, got, want*int64(b.N))
				}
			}
		})
	}
}
