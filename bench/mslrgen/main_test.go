package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShippedData generates the files of testdata/mslr-small again with the parameters in
// testdata/generate.sh. Any change of a column, a grade or a number's form makes other bytes.
func TestShippedData(t *testing.T) {
	for name, o := range map[string]options{
		"train": {queries: 60, docs: 40, seed: 1, firstQID: 1},
		"vali":  {queries: 20, docs: 40, seed: 2, firstQID: 61},
		"test":  {queries: 20, docs: 40, seed: 3, firstQID: 81},
	} {
		t.Run(name, func(t *testing.T) {
			var made bytes.Buffer
			require.NoError(t, write(&made, o))
			shipped := unzip(t, filepath.Join("..", "..", "testdata", "mslr-small", name+".txt.gz"))
			require.True(t, bytes.Equal(made.Bytes(), shipped),
				"run testdata/generate.sh, or undo the change that made other bytes")
		})
	}
}

func unzip(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	return text
}

func TestRefusals(t *testing.T) {
	assert.Error(t, write(io.Discard, options{queries: 0, docs: 1}))
	assert.Error(t, write(io.Discard, options{queries: 1, docs: 0}))
}
