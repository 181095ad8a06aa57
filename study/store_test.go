package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
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

// entryIn returns the place of a job in a new folder, and what is said about its file.
func entryIn(t testing.TB) (e *jobEntry, said *bytes.Buffer) {
	s := &Store{Folder: t.TempDir(), Program: "test"}
	log, said := logged()
	return &jobEntry{filepath.Join(s.Folder, "kept"), "key", &results{s, "study", log}}, said
}

// logged returns a logger and what is logged, a line for each message.
func logged() (*slog.Logger, *bytes.Buffer) {
	said := new(bytes.Buffer)
	return slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug})), said
}

// TestStoreReadsWhatItWrites: a file without a result of the job is not used, which is said.
func TestStoreReadsWhatItWrites(t *testing.T) {
	e, said := entryIn(t)
	want := anyResult{"<a> & \u2028 \"b\"\n", []float64{0, 1.0 / 3, math.MaxFloat64, 5e-324}}
	var got anyResult
	complete := func() bool { return got.Name != "" }
	require.False(t, e.load(&got, complete))
	require.NoError(t, e.save(want))
	require.Error(t, e.save(math.NaN()), "a failed write leaves the file")
	require.True(t, e.load(&got, complete))
	assert.Equal(t, want, got)
	require.Empty(t, said.String())
	got.Name = ""
	require.False(t, e.load(&struct{}{}, complete))
	assert.Contains(t, said.String(), "level=WARN msg=\""+e.file()+
		": not a result of this study: it is not complete: it is done again\"\n")
	e.key = "other"
	require.False(t, e.load(&got, complete))
	assert.Contains(t, said.String(), "it is of another study")
}

// TestResultsOfAnotherVersionAreRefused: a study does not begin in a folder with results in another format,
// even if they are of another study. Other files do not matter.
func TestResultsOfAnotherVersionAreRefused(t *testing.T) {
	s := &Store{Folder: t.TempDir(), Program: "test"}
	for name, text := range map[string]string{"train.json": `{"format":1,"key":""}`,
		"fold1.0123456789abcdef.json": `{"format":4,"key":""}`, "fold2.0123456789abcdef.json": "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(s.Folder, name), []byte(text), 0o666))
	}
	log, _ := logged()
	_, err := s.open(log, func(io.Writer) {})
	require.NoError(t, err)
	old := filepath.Join(s.Folder, "fold3.0123456789abcdef.json")
	require.NoError(t, os.WriteFile(old, []byte(`{"format":1,"key":""}`), 0o666))
	_, err = s.open(log, func(io.Writer) {})
	assert.EqualError(t, err, old+": not a result of this study: format 1: another version of the program "+
		"wrote it (this one has format 4, since 2026-11-27); give another output, or remove the folder, and the "+
		"study runs again")
}

// TestResultsOfAnotherBuildAreSaid: a study says that results of another build are there, unless some are its
// own. Results of builds that did not write their names are of another one.
func TestResultsOfAnotherBuildAreSaid(t *testing.T) {
	old := &Store{Folder: t.TempDir(), Program: `v1 "a"`}
	remark := func(program string) string {
		log, said := logged()
		_, err := (&Store{Folder: old.Folder, Program: program}).open(log, func(io.Writer) {})
		require.NoError(t, err)
		return said.String()
	}
	assert.Empty(t, remark("v2"), "an empty folder")
	e := &jobEntry{filepath.Join(old.Folder, "a.0123456789abcdef"), "key", &results{Store: old}}
	require.NoError(t, e.save(1))
	assert.Empty(t, remark(old.Program))
	want := old.Folder + " has 1 results of another build of the program"
	assert.Contains(t, remark("v2"), want)
	require.NoError(t, os.WriteFile(e.file(), fmt.Appendf(nil, `{"format":%d,"key":""}`, storeFormat), 0o666))
	assert.Contains(t, remark(old.Program), want)
}

// TestDamagedResults: a stored result with any changed byte is not used, unless the byte is outside of
// values.
func TestDamagedResults(t *testing.T) {
	e, _ := entryIn(t)
	want := anyResult{"fold", []float64{0.25, 0.5}}
	require.NoError(t, e.save(want))
	text, err := os.ReadFile(e.file())
	require.NoError(t, err)
	refused := 0
	for at := range text {
		for bit := range 8 {
			damaged := append([]byte(nil), text...)
			damaged[at] ^= 1 << bit
			var got anyResult
			if e.decode(damaged, &got) != nil {
				refused++
				continue
			}
			require.Equal(t, want, got, "byte %d, bit %d", at, bit)
		}
	}
	assert.Greater(t, refused, 8*len(text)*9/10)
	other := bytes.Replace(text, []byte("0.25"), []byte("0.26"), 1)
	require.ErrorContains(t, e.decode(other, &anyResult{}), "it is damaged: its checksum does not fit")
	for end := range len(text) - 1 { // without only the final line feed it is complete
		require.Error(t, e.decode(text[:end], &anyResult{}), end)
	}
}

// FuzzStoredResult: a file is refused, or has the result whose checksum it states.
func FuzzStoredResult(f *testing.F) {
	e, _ := entryIn(f)
	require.NoError(f, e.save(anyResult{"fold", []float64{0.25, 0.5}}))
	text, err := os.ReadFile(e.file())
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"format": 4, "key": "key"}`))
	f.Add(fmt.Appendf(nil, `{"format": 4, "key": "key", "sha256": "%s", "result": null}`,
		checksum([]byte("null"))))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got any
		if e.decode(text, &got) != nil {
			return
		}
		var stated storedResult
		require.NoError(t, json.Unmarshal(text, &stated))
		require.True(t, json.Valid(stated.Result))
		require.Equal(t, checksum(stated.Result), stated.SHA256)
	})
}

// TestNullable: values are read back bit for bit.
func TestNullable(t *testing.T) {
	for text, values := range map[string]nullable{"[]": {}, "[null]": {math.NaN()},
		"[0.1,null,-0,1e-7]": {0.1, math.NaN(), math.Copysign(0, -1), 1e-7}} {
		written, err := json.Marshal(values)
		require.NoError(t, err)
		assert.Equal(t, text, string(written))
		var read nullable
		require.NoError(t, json.Unmarshal(written, &read))
		require.Len(t, read, len(values))
		for i := range values {
			assert.Equal(t, math.IsNaN(values[i]), math.IsNaN(read[i]))
			assert.True(t, math.IsNaN(values[i]) || math.Float64bits(values[i]) == math.Float64bits(read[i]))
		}
	}
	_, err := json.Marshal(nullable{math.Inf(1)})
	assert.Error(t, err)
	assert.Error(t, json.Unmarshal([]byte(`["x"]`), &nullable{}))
}
