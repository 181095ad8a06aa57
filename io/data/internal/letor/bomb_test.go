package letor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/letor"
)

// TestBombOfOneLine: a small compressed file with a line of 1 GiB is refused after a part of the line.
func TestBombOfOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it decompresses 256 MiB")
	}
	path := filepath.Join(t.TempDir(), "bomb.gz")
	f, err := os.Create(path)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	blanks := make([]byte, 1<<20)
	for i := range blanks {
		blanks[i] = '7'
	}
	for range 1 << 10 {
		_, err := z.Write(blanks)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	src, err := letor.Open(path, letor.Options{})
	require.NoError(t, err)
	defer src.Close()
	_, err = dataset.Scan(t.Context(), src, nil, func(int, dataset.Row) error { return nil })
	assert.ErrorIs(t, err, dataset.ErrLineLong)
}
