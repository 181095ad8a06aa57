package checkpoint

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumbersComeBack(t *testing.T) {
	b := AppendSlice(Append([]byte(nil), int64(-3)), []float64{math.Inf(-1), math.Copysign(0, -1), 0x1p-1074})
	b = AppendSlice(AppendSlice(b, []int32(nil)), []float32{1.5})
	r := NewReader(b)
	assert.Equal(t, int64(-3), Read[int64](r))
	values := ReadSlice[float64](r)
	require.Len(t, values, 3)
	assert.True(t, math.Signbit(values[1]))
	assert.Equal(t, 0x1p-1074, values[2])
	assert.Nil(t, ReadSlice[int32](r))
	assert.Equal(t, []float32{1.5}, ReadSlice[float32](r))
	assert.NoError(t, r.Close())
}

// TestMissingNumbers: neither truncated input nor a length beyond its end makes the reader panic or
// allocate much.
func TestMissingNumbers(t *testing.T) {
	b := AppendSlice(nil, []float64{1, 2})
	for n := range len(b) {
		r := NewReader(b[:n])
		assert.Nil(t, ReadSlice[float64](r), n)
		assert.ErrorIs(t, r.Close(), ErrShort, n)
	}
	r := NewReader(Append(nil, uint64(math.MaxUint64)))
	assert.Nil(t, ReadSlice[float64](r))
	assert.True(t, r.Failed())
	assert.Zero(t, Read[int64](r))
	assert.ErrorIs(t, NewReader(b).Close(), ErrShort, "not read")
}
