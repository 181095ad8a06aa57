//go:build unix

package outofcore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mappedFile returns a file of pseudorandom bytes, and its mapping.
func mappedFile(t *testing.T, size int) (*os.File, []byte) {
	content := make([]byte, size)
	for i, state := 0, uint32(1); i < size; i++ {
		state = state*1664525 + 1013904223
		content[i] = byte(state >> 24)
	}
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, unix.Munmap(mapped)); f.Close() })
	return f, mapped
}

// TestEach: every part of a file is read with the mapping's content, in pieces of whole units. Pieces
// within the held bytes are the mapping itself; others are copies. The same is true if the file is read
// through the page cache.
func TestEach(t *testing.T) {
	const size = 2*pieceSize + 4321
	f, mapped := mappedFile(t, size)
	x := NewFile(f, mapped)
	for _, cached := range []bool{false, true} {
		if cached {
			useCache(f)
		}
		for _, held := range []int{0, 4096, pieceSize + 5, size + 1} {
			x.Hold(held)
			x.TouchSeldom(mapped[3:])
			for _, part := range [][]byte{mapped, mapped[:1], mapped[size-1:], mapped[4095:4097], mapped[777 : pieceSize+10_000], mapped[5:5]} {
				for _, unit := range []int{1, 136, 3 * pieceSize} {
					seen := 0
					x.Each(part, unit, func(piece []byte) {
						require.Equal(t, part[seen:][:len(piece)], piece)
						if seen+len(piece) < len(part) {
							assert.Zero(t, len(piece)%unit)
						}
						if len(piece) > 0 {
							assert.Equal(t, x.offset(part)+seen+len(piece) <= held, &piece[0] == &part[seen], "held")
						}
						seen += len(piece)
					})
					assert.Equal(t, len(part), seen)
				}
			}
		}
	}
}

// TestErrors: reading bytes beyond a truncated file's end, or a closed file, is an error that names the
// file.
func TestErrors(t *testing.T) {
	f, mapped := mappedFile(t, 100_000)
	x := NewFile(f, mapped)
	failure := func() (e *Error) {
		defer func() { e, _ = recover().(*Error) }()
		x.Each(mapped, 1, func([]byte) {})
		return nil
	}
	assert.Nil(t, failure())
	require.NoError(t, os.Truncate(f.Name(), 50_000))
	for range 2 {
		e := failure()
		require.NotNil(t, e)
		assert.Same(t, f, e.File)
		assert.ErrorContains(t, e, f.Name())
		f.Close()
	}
}

// TestNil: a nil File passes the bytes themselves.
func TestNil(t *testing.T) {
	bytes := []byte{1, 2, 3}
	Reader(nil).Each(bytes, 2, func(piece []byte) { assert.Same(t, &bytes[0], &piece[0]) })
}
