package data

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/histogram"
)

// TestScratch: bins that take a large part of memory are stored in a file, and are the same as bins in
// memory, for training data and other sets.
func TestScratch(t *testing.T) {
	const rows, features = 6000, 130
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for row := range rows {
		fmt.Fprintf(&text, "%d qid:%d", rng.IntN(3), row/20)
		for f := range features {
			fmt.Fprintf(&text, " %d:%d", f+1, rng.IntN(100))
		}
		text.WriteByte('\n')
	}
	path := folder(t, map[string]string{"a.txt": text.String()})
	load := func(scratch string) (prints []string) {
		l := NewLoader(histogram.BinParams{MaxBin: 255, MinDataInBin: 1, SampleCount: 500},
			LoadOptions{Scratch: scratch, Workers: 1})
		first, err := l.Training(ctx, Input{Path: path("a.txt")})
		require.NoError(t, err)
		other, err := l.Add(ctx, "valid", Input{Path: path("a.txt")})
		require.NoError(t, err)
		for _, bins := range []*histogram.Matrix{first.Bins, other.Bins} {
			bounds, sums := bins.Fingerprint(0, 1)
			prints = append(prints, fmt.Sprint(bounds, sums))
		}
		require.NoError(t, l.Close())
		return prints
	}
	want := load("")
	before := debug.SetMemoryLimit(-1)
	t.Setenv("GOMEMLIMIT", "set")
	debug.SetMemoryLimit(rows * features * 3)
	defer debug.SetMemoryLimit(before)
	assert.Equal(t, want, load(t.TempDir()))

	l := NewLoader(histogram.BinParams{MaxBin: 255, MinDataInBin: 1, SampleCount: 500},
		LoadOptions{Scratch: path("none"), Workers: 1})
	defer l.Close()
	_, err := l.Training(ctx, Input{Path: path("a.txt")})
	assert.ErrorContains(t, err, "none")
}
