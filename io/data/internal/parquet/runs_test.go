package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hybrid writes values of width bits in runs of equal values and of packed values, chosen at random, as the
// page Encodings describes.
func hybrid(rng *rand.Rand, width, n int) (data []byte, values []uint32) {
	for len(values) < n {
		if rng.IntN(2) == 0 {
			v, count := rng.Uint32N(1<<min(width, 31)), 1+rng.IntN(30)
			data = binary.AppendUvarint(data, uint64(count)<<1)
			for i := range (width + 7) / 8 {
				data = append(data, byte(v>>(8*i)))
			}
			for range count {
				values = append(values, v)
			}
			continue
		}
		groups := 1 + rng.IntN(5)
		data = binary.AppendUvarint(data, uint64(groups)<<1|1)
		bits := make([]byte, groups*width)
		for i := range 8 * groups {
			v := rng.Uint32N(1 << min(width, 31))
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

// TestRunsOfAllWidths: values equal those written bit by bit, however many are read at a time, both as
// numbers and as dictionary indexes.
func TestRunsOfAllWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := range 33 {
		for range 20 {
			data, want := hybrid(rng, width, 200)
			r, err := newRuns(data, width)
			require.NoError(t, err)
			got := make([]uint32, len(want))
			for from := 0; from < len(got); {
				to := min(len(got), from+1+rng.IntN(50))
				require.NoError(t, r.next(got[from:to]))
				from = to
			}
			require.Equal(t, want, got, "width %d", width)
			if width <= 16 {
				checkLook(t, rng, data, width, want)
			}
		}
	}
}

func checkLook(t *testing.T, rng *rand.Rand, data []byte, width int, want []uint32) {
	dictionary := make([]float64, 1<<width)
	for i := range dictionary {
		dictionary[i] = rng.Float64()
	}
	r, err := newRuns(data, width)
	require.NoError(t, err)
	got := make([]float64, len(want))
	for from := 0; from < len(got); {
		to := min(len(got), from+1+rng.IntN(50))
		require.NoError(t, look(got[from:to], dictionary, r))
		from = to
	}
	largest := uint32(0)
	for i, place := range want {
		require.Equal(t, dictionary[place], got[i])
		largest = max(largest, place)
	}
	r, err = newRuns(data, width)
	require.NoError(t, err)
	assert.ErrorIs(t, look(got, dictionary[:largest], r), ErrDamaged, "one place is beyond the dictionary")
}

// pack writes a run of values, whose number is a multiple of eight, with width bits each.
func pack(values []uint32, width int) []byte {
	data := binary.AppendUvarint(nil, uint64(len(values)/8)<<1|1)
	bits := make([]byte, len(values)/8*width)
	for i, v := range values {
		for b := range width {
			at := i*width + b
			bits[at/8] |= byte(v>>b&1) << (at % 8)
		}
	}
	return append(data, bits...)
}

// TestLookAtAllWidths: packed indexes of every width are looked up in a small dictionary, however many at a
// time, and an index beyond the dictionary is detected.
func TestLookAtAllWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	dictionary := make([]float64, 700)
	for i := range dictionary {
		dictionary[i] = rng.Float64()
	}
	for width := range 33 {
		for range 10 {
			places := make([]uint32, 8*(1+rng.IntN(40)))
			known := uint64(min(1<<width, len(dictionary)))
			for i := range places {
				places[i] = uint32(rng.Uint64N(known))
			}
			lookInPieces(t, rng, dictionary, places, width, nil)
			if 1<<width > len(dictionary) { // ten bits or more
				places[rng.IntN(len(places))] = 1<<(width-1) + 350 // valid without its first bit
				lookInPieces(t, rng, dictionary, places, width, ErrDamaged)
			}
		}
	}
}

// lookInPieces looks up indexes, some at a time, and requires the right values or an error.
func lookInPieces(t *testing.T, rng *rand.Rand, dictionary []float64, places []uint32, width int,
	want error) {
	r, err := newRuns(pack(places, width), width)
	require.NoError(t, err)
	got := make([]float64, len(places))
	for from := 0; from < len(got) && err == nil; {
		to := min(len(got), from+1+rng.IntN(100))
		err = look(got[from:to], dictionary, r)
		from = to
	}
	require.ErrorIs(t, err, want, "width %d", width)
	for i, place := range places {
		if want == nil {
			require.Equal(t, dictionary[place], got[i], "width %d", width)
		}
	}
}
