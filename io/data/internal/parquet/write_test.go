package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestWriter: files are read back equal, for all divisions into pages and row groups. test/check_tables.py
// checks that other programs can read them.
func TestWriter(t *testing.T) {
	numbers := []float64{0, math.Copysign(0, -1), 0.1, -1e300, 5e-324, math.NaN(), math.Inf(1)}
	for _, size := range [][2]int{{1, 1}, {20, 100}, {1 << 20, 64 << 20}} {
		for _, rows := range []int{0, 1, 2, 1000} {
			var b bytes.Buffer
			w, err := NewWriter(&b, []Field{{Name: "label"}, {Name: "qid", Text: true}, {Name: "a b, ü"}})
			require.NoError(t, err)
			w.pageBytes, w.groupBytes = size[0], size[1]
			var first, third []float64
			var second []string
			for i := range rows {
				first, third = append(first, numbers[i%len(numbers)]), append(third, float64(i))
				second = append(second, strings.Repeat("x", i%3)+fmt.Sprint(i/7))
				require.NoError(t, w.Add([]float64{first[i], third[i]}, second[i:]))
			}
			require.NoError(t, w.Close())
			f := open(t, b.Bytes())
			assertColumn(t, f.Numbers(f.Find("label")), first)
			assertColumn(t, f.Texts(f.Find("qid")), second)
			assertColumn(t, f.Numbers(f.Find("a b, ü")), third)
		}
	}
}

// assertColumn compares the values of a column bit for bit.
func assertColumn[T float64 | string](t *testing.T, r *Reader[T], want []T) {
	t.Helper()
	got, null, err := readAll(r, 64)
	require.NoError(t, err)
	assert.NotContains(t, null, true)
	assert.Equal(t, bits(want), bits(got))
}

func bits[T any](values []T) (all []string) {
	for _, v := range values {
		if number, ok := any(v).(float64); ok {
			all = append(all, fmt.Sprintf("%x", math.Float64bits(number)))
		} else {
			all = append(all, fmt.Sprint(v))
		}
	}
	return all
}

var errFull = errors.New("full")

func TestWriterFails(t *testing.T) {
	whole := 0
	for room := 0; room == 0 || room < whole; room++ {
		err := writeRows(&aid.Full{Room: room, Err: errFull})
		require.ErrorIs(t, err, errFull, "room for %d bytes", room)
		var b bytes.Buffer
		require.NoError(t, writeRows(&b))
		whole = b.Len()
	}
}

func writeRows(out io.Writer) error {
	w, err := NewWriter(out, []Field{{Name: "a"}})
	if err != nil {
		return err
	}
	w.groupBytes = 64
	for i := range 20 {
		w.Add([]float64{float64(i)}, nil) // Close returns the first error
	}
	return w.Close()
}
