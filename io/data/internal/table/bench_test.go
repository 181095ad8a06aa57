package table

import (
	"context"
	"os"
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
)

// BenchmarkData reads the table named by BENCH_TABLE, with columns "label" and "query", with one worker.
// bench/timed makes such files.
func BenchmarkData(b *testing.B) {
	path := os.Getenv("BENCH_TABLE")
	if path == "" {
		b.Skip("BENCH_TABLE names no file")
	}
	for name, keep := range map[string]func(int) bool{"all": nil, "none": func(int) bool { return false }} {
		b.Run(name, func(b *testing.B) {
			d, err := Open(path, Options{Label: "name:label", Query: "name:query", Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			rows := 0
			for b.Loop() {
				meta, err := dataset.Scan(context.Background(), d, keep, func(int, dataset.Row) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
				rows += meta.NumRows()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}
