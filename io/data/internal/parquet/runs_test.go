package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// hybrid writes at least n values of width bits in runs of equal values and of packed values, chosen at
// random, as the page Encodings describes.
func hybrid(rng *rand.Rand, width, n int, draw func() uint32) (data []byte, values []uint32) {
	for len(values) < n {
		if rng.IntN(2) == 0 {
			v, count := draw(), 1+rng.IntN(30)
			data = binary.AppendUvarint(data, uint64(count)<<1)
			for i := range (width + 7) / 8 {
				data = append(data, byte(v>>(8*i)))
			}
			values = append(values, slices.Repeat([]uint32{v}, count)...)
			continue
		}
		groups := 1 + rng.IntN(1+rng.IntN(40))
		data = binary.AppendUvarint(data, uint64(groups)<<1|1)
		bits := make([]byte, groups*width)
		for i := range 8 * groups {
			v := draw()
			values = append(values, v)
			for b := range width {
				at := i*width + b
				bits[at/8] |= byte(v>>b&1) << (at % 8)
			}
		}
		data = append(data, bits...)
	}
	return data, values
}

// inPieces reads n values, some at a time.
func inPieces(rng *rand.Rand, n int, read func(from, to int) error) (err error) {
	for from := 0; from < n && err == nil; {
		to := min(n, from+1+rng.IntN(100))
		err = read(from, to)
		from = to
	}
	return err
}

// TestRunsOfAllWidths: values equal those written bit by bit, however many are read at a time.
func TestRunsOfAllWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := range 33 {
		for range 20 {
			data, want := hybrid(rng, width, 200, func() uint32 { return uint32(rng.Uint64N(1 << width)) })
			r, err := newRuns(data, width)
			require.NoError(t, err)
			got := make([]uint32, len(want))
			require.NoError(t, inPieces(rng, len(got), func(from, to int) error { return r.next(got[from:to]) }))
			require.Equal(t, want, got, "width %d", width)
		}
	}
}

// TestLookAtAllWidths: indexes of every width are looked up in a small dictionary, however many at a time,
// and an index beyond the dictionary is detected.
func TestLookAtAllWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	dictionary := make([]float64, 700)
	for i := range dictionary {
		dictionary[i] = rng.Float64()
	}
	for width := range 33 {
		known := min(1<<width, len(dictionary))
		for trial := range 20 {
			seed, wrong := rng.Uint64(), 0
			made := func() (data []byte, places []uint32, draws int) {
				same := rand.New(rand.NewPCG(seed, 1))
				data, places = hybrid(same, width, 200, func() uint32 {
					if draws++; draws == wrong {
						return 1<<(width-1) + 350 // valid without its first bit
					}
					return uint32(same.IntN(known))
				})
				return data, places, draws
			}
			data, places, draws := made()
			if trial%2 == 1 && 1<<width > len(dictionary) { // ten bits or more: one of the last is wrong, or any
				wrong = draws - rng.IntN([]int{1, draws}[trial/2%2])
				data, places, _ = made()
			}
			r, err := newRuns(data, width)
			require.NoError(t, err)
			got := make([]float64, len(places))
			err = inPieces(rng, len(got), func(from, to int) error { return look(got[from:to], dictionary, r) })
			if wrong > 0 {
				require.ErrorIs(t, err, ErrDamaged, "width %d", width)
				continue
			}
			require.NoError(t, err)
			for i, place := range places {
				require.Equal(t, dictionary[place], got[i], "width %d", width)
			}
		}
	}
}
