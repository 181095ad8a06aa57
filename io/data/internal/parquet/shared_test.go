package parquet

import (
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deltaRun encodes n lengths (DELTA_BINARY_PACKED): a first length, and then a constant one, which takes
// almost no bytes.
func deltaRun(first, then, n int) []byte {
	uvarint := func(b []byte, v uint64) []byte {
		for ; v >= 0x80; v >>= 7 {
			b = append(b, byte(v)|0x80)
		}
		return append(b, byte(v))
	}
	zigzag := func(b []byte, v int) []byte { return uvarint(b, uint64(v<<1)^uint64(v>>63)) }
	const block, minis = mostInBlock, 1
	b := uvarint(nil, block)
	b = uvarint(b, minis)
	b = uvarint(b, uint64(n))
	b = zigzag(b, first)
	for left, from := n-1, first; left > 0; left -= block {
		if from != then { // the first difference is the smallest or the largest of the block
			low := min(0, then-from)
			b = zigzag(b, low)
			width := 0
			for 1<<width <= max(0, then-from)-low {
				width++
			}
			b = append(b, byte(width))
			packed := make([]byte, block*width/8)
			for i := range block {
				delta := -low
				if i == 0 {
					delta = then - from - low
				}
				for bit := range width {
					packed[(i*width+bit)/8] |= byte(delta>>bit&1) << ((i*width + bit) % 8)
				}
			}
			b, from = append(b, packed...), then
			continue
		}
		b = append(zigzag(b, 0), 0)
	}
	return b
}

// TestValuesThatShareTooMuch: values with a long common prefix are refused before they take memory quadratic
// in the page size.
func TestValuesThatShareTooMuch(t *testing.T) {
	const long, n = 1 << 16, 1 << 16 // 4 GiB of values
	page := append(deltaRun(0, long, n), deltaRun(long, 1, n)...)
	page = append(page, make([]byte, long+n)...)
	decode, err := deltaPrefixes(page, n)
	require.NoError(t, err)
	var dst values
	assert.ErrorIs(t, decode(&dst, n), ErrDamaged)

	page = append(deltaRun(0, long, n), deltaRun(long, 0, n)...) // equal values take no memory
	decode, err = deltaPrefixes(append(page, make([]byte, long)...), n)
	require.NoError(t, err)
	require.NoError(t, decode(&dst, n))
	assert.Len(t, dst.bytes[n-1], long)
}

// TestZstdPageOfAnotherLength: the error has the length, or that of the first bytes that are too many.
func TestZstdPageOfAnotherLength(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	packed := encoder.EncodeAll(make([]byte, 1000), nil)
	for size, found := range map[int64]int{1: 2, 900: 901, 999: 1000, 1000: 1000, 1001: 1000, 5000: 1000} {
		p := pages{codec: zstdCodec}
		plain, err := p.decompress(packed, size)
		if size == 1000 {
			assert.NoError(t, err)
			assert.Len(t, plain, 1000)
			continue
		}
		assert.ErrorIs(t, err, ErrDamaged)
		assert.ErrorContains(t, err, fmt.Sprintf("decompressing a page: %d bytes, not %d", found, size))
	}
}
