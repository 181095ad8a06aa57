package binned

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// BenchmarkOpen maps and verifies a file of 136 features that is in the page cache,
// and reports bytes per second.
func BenchmarkOpen(b *testing.B) {
	const rows, features, docs = 1 << 17, 136, 64
	rng := rand.New(rand.NewPCG(1, 1))
	meta := &dataset.Meta{Features: dataset.ColumnNames(features), Labels: make([]float64, rows)}
	for first := 0; first < rows; first += docs {
		meta.Queries = append(meta.Queries, dataset.Query{ID: "q", First: first, Len: docs})
	}
	m := &histogram.Mapper{}
	for range features {
		bounds := make([]float64, 255)
		for i := range bounds {
			bounds[i] = float64(i)
		}
		f, err := histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: append(bounds[:254], math.Inf(1)),
			Missing: histogram.MissingNone, Min: 0, Max: 300})
		if err != nil {
			b.Fatal(err)
		}
		m.Features = append(m.Features, f)
	}
	bins := make([]byte, rows*features)
	for i := range bins {
		bins[i] = byte(rng.UintN(255))
	}
	matrix, err := histogram.FromRaw(m, histogram.Raw{Rows: rows, NaNs: make([]int64, features), Bins: bins}, 0)
	if err != nil {
		b.Fatal(err)
	}
	set := &Set{Meta: meta, Bins: matrix, Params: histogram.BinParams{MaxBin: 255, MinDataInBin: 3,
		SampleCount: 200000}}
	path := filepath.Join(b.TempDir(), "set.bin")
	if err := stream.WriteFile(path, set.Write); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(rows * features)
	for b.Loop() {
		f, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if f.Bins.NumRows() != rows || f.Bins.At(rows-1, features-1) != uint16(bins[len(bins)-1]) {
			b.Fatal("other bins")
		}
		f.Close()
	}
}
