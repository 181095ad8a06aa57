//go:build unix

package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPipeAmongParts: a named pipe in a folder of parts would be waited for, perhaps for ever.
func TestPipeAmongParts(t *testing.T) {
	dir := filesIn(t, "a.csv")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "b.csv"), 0o666))
	_, err := Open(dir, Options{})
	assert.ErrorIs(t, err, ErrNoFile)
	assert.ErrorContains(t, err, "b.csv: a part of a table is a file")
}

// TestPartsAreOpenOncePerPass: a part of many is opened when a pass comes to it, and not for each block, so
// it is read to its end even if its name is removed meanwhile.
func TestPartsAreOpenOncePerPass(t *testing.T) {
	dir := t.TempDir()
	const rowsOfPart = 50
	for part := range mostOpen + 1 {
		text := "label,qid,a\n" + strings.Repeat(fmt.Sprintf("1,%d,2\n", part), rowsOfPart)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.csv", part)), []byte(text), 0o666))
	}
	d, err := Open(dir, Options{blockSize: 20, Workers: 1})
	require.NoError(t, err)
	defer d.Close()
	meta, err := dataset.Scan(t.Context(), d, nil, func(_ int, row dataset.Row) error {
		if row.Number%rowsOfPart == 0 {
			return os.Remove(filepath.Join(dir, fmt.Sprintf("%02d.csv", row.Number/rowsOfPart)))
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, (mostOpen+1)*rowsOfPart, meta.NumRows())
}
