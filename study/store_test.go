package study

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type anyResult struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

func TestStoreReadsWhatItWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	want := anyResult{"<a> & \u2028 \"b\"\n", []float64{0, 1.0 / 3, math.MaxFloat64, 5e-324}}
	require.NoError(t, writeResult(path, "key", want))
	var got anyResult
	require.NoError(t, readResult(path, "key", &got))
	assert.Equal(t, want, got)
	require.ErrorIs(t, readResult(path, "other", &got), ErrKey)
	require.ErrorIs(t, readResult(path+"x", "key", &got), fs.ErrNotExist)
	require.ErrorIs(t, decodeResult([]byte(`{"key": "key", "sha256": "", "result": {}}`), "key", &got), ErrFormat)
	require.Error(t, writeResult(path, "key", math.NaN()))
	require.NoError(t, readResult(path, "key", &got), "a failed write leaves the file")
}

// TestResultsOfAnotherVersionAreRefused: a study does not begin in a folder with results in another format, even
// if they are of another study. Other files do not matter.
func TestResultsOfAnotherVersionAreRefused(t *testing.T) {
	s := &Store{Folder: t.TempDir(), Program: "test"}
	for name, text := range map[string]string{"train.json": `{"format":1,"key":""}`,
		"fold1.0123456789abcdef.json": `{"format":2,"key":""}`, "fold2.0123456789abcdef.json": "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(s.Folder, name), []byte(text), 0o666))
	}
	_, err := s.open(func(io.Writer) {})
	require.NoError(t, err)
	old := filepath.Join(s.Folder, "fold3.0123456789abcdef.json")
	require.NoError(t, os.WriteFile(old, []byte(`{"format":1,"key":""}`), 0o666))
	_, err = s.open(func(io.Writer) {})
	require.ErrorIs(t, err, ErrFormat)
	assert.EqualError(t, err, old+": not a result of this study: format 1: another version of the program wrote it "+
		"(this one has format 2, since 2026-11-26); give another output, or remove the folder, and the study runs again")
}

// TestDamagedResults: a stored result with any changed byte is not used, unless the byte is white space.
func TestDamagedResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	want := anyResult{"fold", []float64{0.25, 0.5}}
	require.NoError(t, writeResult(path, "key", want))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := 0
	for at := range text {
		for bit := range 8 {
			damaged := append([]byte(nil), text...)
			damaged[at] ^= 1 << bit
			var got anyResult
			if decodeResult(damaged, "key", &got) != nil {
				refused++
				continue
			}
			require.Equal(t, want, got, "byte %d, bit %d", at, bit)
		}
	}
	assert.Greater(t, refused, 8*len(text)*9/10)
	for end := range len(text) - 1 { // without only the final line feed it is complete
		require.Error(t, decodeResult(text[:end], "key", &anyResult{}), end)
	}
}

// FuzzStoredResult: a file is refused, or has the result whose checksum it states.
func FuzzStoredResult(f *testing.F) {
	path := filepath.Join(f.TempDir(), "kept.json")
	require.NoError(f, writeResult(path, "key", anyResult{"fold", []float64{0.25, 0.5}}))
	text, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"format": 2, "key": "key"}`))
	f.Add([]byte(`{"format": 2, "key": "key", "sha256": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "result": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got any
		if err := decodeResult(text, "key", &got); err != nil {
			return
		}
		var stated storedResult
		require.NoError(t, json.Unmarshal(text, &stated))
		require.True(t, json.Valid(stated.Result))
		require.False(t, errors.Is(decodeResult(text, "other", &got), nil))
	})
}
