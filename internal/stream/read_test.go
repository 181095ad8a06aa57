package stream

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestReadFileOfABomb: a small compressed file cannot make ReadFile allocate much memory.
func TestReadFileOfABomb(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := z.Write(make([]byte, 256<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	err = ReadFile(aid.File(t, "bomb.gz", bomb.Bytes()), func(r io.Reader, _ string) error {
		n, err := io.Copy(io.Discard, r)
		assert.Less(t, n, int64(140<<20))
		return err
	})
	assert.ErrorIs(t, err, ErrBomb)
	assert.ErrorContains(t, err, "bomb.gz: ")
}

// TestReaderOfABomb: a few compressed bytes cannot keep a reader busy for days.
func TestReaderOfABomb(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it decompresses 1 GiB")
	}
	// a frame with a window of 128 KiB, of blocks that repeat a byte (RFC 8878 §3.1.1.2)
	bomb := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3}
	for range 1 << 14 {
		bomb = append(bomb, 0x02, 0x00, 0x10, ' ') // 2^17 times
	}
	in, err := Open(aid.File(t, "bomb.zst", bomb), Options{}) // 64 KiB for 2 GiB
	require.NoError(t, err)
	defer in.Close()
	r, err := in.Reader()
	require.NoError(t, err)
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	assert.ErrorIs(t, err, ErrBomb)
	assert.Less(t, n, int64(1200<<20))
}

// TestUntilOverlaps: contexts of runs side by side, in the order in which each ends, leave none behind.
func TestUntilOverlaps(t *testing.T) {
	first, second := Until(t.Context()), Until(t.Context())
	first()
	second()
	assert.Nil(t, until.Load())
}

func TestChecksum(t *testing.T) {
	path := aid.File(t, "abc", "abc")
	size, sum, err := Checksum(t.Context(), path)
	require.NoError(t, err)
	assert.EqualValues(t, 3, size)
	assert.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sum,
		"FIPS 180-2, appendix B.1")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = Checksum(ended, path)
	assert.ErrorIs(t, err, context.Canceled)
	_, _, err = Checksum(t.Context(), path+"x")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
