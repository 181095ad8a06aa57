package stream

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReadFile: any bytes either have the content that the standard library's gzip reads or are an error.
// Headers with reserved flags are excluded: RFC 1952 §2.3.1.2 requires an error, but the standard library
// accepts them.
func FuzzReadFile(f *testing.F) {
	for _, content := range packed(f) {
		f.Add(content[:min(100, len(content))])
		f.Add(append(bytes.Clone(content), content...))
	}
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, stored []byte) {
		require.NoError(t, os.WriteFile(path, stored, 0o666))
		var content []byte
		err := ReadFile(path, func(r io.Reader, _ string) (err error) {
			content, err = io.ReadAll(r)
			return err
		})
		if err != nil {
			require.ErrorContains(t, err, path)
		}
		_, format, _ := peekFormat(bytes.NewReader(stored))
		switch {
		case format == plain:
			require.NoError(t, err)
			require.True(t, bytes.Equal(stored, content))
		case format == gzipped && !hasReservedFlags(stored):
			z, wrong := gzip.NewReader(bytes.NewReader(stored))
			var want []byte
			if wrong == nil {
				want, wrong = io.ReadAll(z)
			}
			require.Equal(t, wrong == nil, err == nil, "%v, %v", wrong, err)
			if err == nil {
				require.True(t, bytes.Equal(want, content))
			}
		}
	})
}

// hasReservedFlags reports whether the header of a gzip member has any of the three reserved flags.
func hasReservedFlags(stored []byte) bool {
	for _, member := range bytes.Split(stored, []byte("\x1f\x8b\x08"))[1:] {
		if len(member) > 0 && member[0] >= 1<<5 {
			return true
		}
	}
	return false
}
