package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShippedData generates the files of testdata/mslr-small again with the
// parameters in testdata/generate.sh.
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

// TestGradesHaveMSLRShares compares the shares of the grades with MSLR-WEB30K's over all folds.
func TestGradesHaveMSLRShares(t *testing.T) {
	want := [...]float64{0.51, 0.33, 0.13, 0.02, 0.01}
	var got [5]float64
	rows := 0.0
	for q := range 300 {
		for _, d := range simulateQuery(newRandom(4, q), 119) {
			got[grade(d.utility)]++
			rows++
		}
	}
	assert.InDelta(t, 119, rows/300, 12, "documents a query")
	for g := range want {
		assert.InDelta(t, want[g], got[g]/rows, 0.05, "grade %d", g)
	}
}

func TestColumnsFollowTheirDefinitions(t *testing.T) {
	q := query{idf: []float64{2, 3}}
	var d document
	d.length[body] = 10
	d.terms = [][numStreams]float64{{body: 4}, {body: 0}}
	d.fillColumns(q)
	for k, want := range map[kind]float64{
		coveredTerms: 1, coveredRatio: 0.5, streamLength: 10, idfSum: 5,
		termFrequency: 4, termFrequency + 1: 0, termFrequency + 2: 4, termFrequency + 3: 2, termFrequency + 4: 4,
		frequencyShare: 0.4, tfIDF: 8, tfIDF + 4: 16, allCovered: 0,
		vectorSpace: 16 / 11.40175425099138,              // √(13·10)
		bm25:        2 * 4 * 2.2 / (4 + 1.2*(0.25+0.01)), // b·10/750 = 0.01
	} {
		assert.InDelta(t, want, d.columns[column(k, body)], 1e-12, "kind %d", k)
	}
	assert.Equal(t, 136, numColumns)
}

func TestValuesAreWrittenAsMSLR(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 3: "3", 0.5: "0.5", 2.0 / 3: "0.666667", -25.25: "-25.25", 1e-9: "0", -1e-9: "0", 100: "100",
		1234567: "1234567",
	} {
		assert.Equal(t, want, string(appendValue(nil, value)))
	}
}

func TestRows(t *testing.T) {
	var made bytes.Buffer
	require.NoError(t, write(&made, options{queries: 2, docs: 3, seed: 1, firstQID: 7}))
	for line := range strings.Lines(made.String()) {
		fields := strings.Fields(line)
		require.Len(t, fields, 2+numColumns)
		assert.Contains(t, []string{"qid:7", "qid:8"}, fields[1])
	}
	assert.Error(t, write(io.Discard, options{queries: 0, docs: 1}))
	assert.Error(t, write(io.Discard, options{queries: 1, docs: 0}))
}
