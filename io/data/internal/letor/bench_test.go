package letor

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// mslrLike returns text of about the given size with the shape of MSLR-WEB: 136 features per row, four of
// ten values zero, and the rest about half whole numbers and half six-digit decimals.
func mslrLike(size int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for row := 0; text.Len() < size; row++ {
		fmt.Fprintf(&text, "%d qid:%d", rng.IntN(5), row/120)
		for n := 1; n <= 136; n++ {
			text.WriteString(" " + strconv.Itoa(n) + ":")
			switch u := rng.Float64(); {
			case u < 0.4:
				text.WriteByte('0')
			case u < 0.7:
				text.WriteString(strconv.Itoa(int(rng.ExpFloat64() * rng.ExpFloat64() * 200)))
			default:
				text.WriteString(strconv.FormatFloat(rng.ExpFloat64()*rng.ExpFloat64()*10, 'f', 6, 64))
			}
		}
		text.WriteByte('\n')
	}
	return text.Bytes()
}

// BenchmarkScan reads a file with one worker, and reports bytes per second.
func BenchmarkScan(b *testing.B) {
	text := mslrLike(8 << 20)
	path := filepath.Join(b.TempDir(), "bench.txt")
	require.NoError(b, os.WriteFile(path, text, 0o666))
	f, err := Open(path, Options{Workers: 1})
	require.NoError(b, err)
	defer f.Close()
	rows, _, err := f.NumRows(context.Background())
	require.NoError(b, err)
	cases := []struct {
		name string
		keep func(int) bool
		want int
	}{
		{"all", nil, rows},
		{"none", func(int) bool { return false }, 0},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				seen := 0
				meta, err := dataset.Scan(context.Background(), f, c.keep, func(_ int, row dataset.Row) error {
					if len(row.Value) == 136 {
						seen++
					}
					return nil
				})
				if err != nil || seen != c.want || meta.NumRows() != rows || meta.NumFeatures() != 137 {
					b.Fatal(err, seen, meta.NumRows())
				}
			}
		})
	}
	b.Run("count", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			f, err := Open(path, Options{Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			if n, _, err := f.NumRows(context.Background()); n != rows || err != nil {
				b.Fatal(n, err)
			}
			f.Close()
		}
	})
}
