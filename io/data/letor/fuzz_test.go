package letor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead: nothing makes the reader panic, what it accepts is what the naive reader reads, and it
// accepts all that the naive reader does.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample), uint8(0))
	for _, c := range badTexts {
		f.Add([]byte(c.text), uint8(7))
	}
	path := filepath.Join(f.TempDir(), "data") // one for all executions, since a folder takes longer than a text
	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		opts := Options{
			Workers:     1 + int(how&1),
			FeatureBase: int(how >> 1 & 1),
			KeepDocs:    how>>2&1 == 1,
			blockSize:   1 + int(how>>4)*int(how>>4),
		}
		want, ok := naiveRows(text, opts)
		for _, r := range want {
			if n := len(r.feature); n > 0 && r.feature[n-1] > 1<<12 {
				t.Skip("naming this many columns takes long")
			}
		}
		require.NoError(t, os.WriteFile(path, text, 0o666))
		if ok {
			_, ok = naiveMeta(want, opts)
		}
		if ok {
			agree(t, path, text, opts)
			return
		}
		file, err := Open(path, opts)
		require.NoError(t, err)
		file.Close()
		_, _, err = readScan(t, path, opts)
		require.Error(t, err)
	})
}
