package letor

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead: no input makes the reader panic, and it accepts the same texts as the naive reader, with the
// same rows.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample), uint8(0))
	for _, c := range badTexts {
		f.Add([]byte(c.text), uint8(7))
	}
	path := filepath.Join(f.TempDir(), "data") // shared, because making a folder is slow
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

// FuzzCompanions: no input makes the readers of companion files panic. If they accept a file, it fits the
// rows and its numbers equal a naive reader's; otherwise the error names the file.
func FuzzCompanions(f *testing.F) {
	for _, query := range []string{"", "2\n1\n", "3", "0\r\n2\r\n\n 0\n1", "1099511627775\n1099511627775\n"} {
		f.Add([]byte(query), []byte("1\n0\n2.5e-1\n"), uint8(0))
		f.Add([]byte(query), []byte("\ufeff-1\n\n .5 \r\n1e3"), uint8(1))
		f.Add([]byte(query), []byte("1\n2\n0"), uint8(2))
		f.Add([]byte(query), []byte("top\n3\ntop\n"), uint8(3))
		f.Add([]byte(query), []byte("1\n2\n"), uint8(0)) // one weight per query
	}
	folder, endings := f.TempDir(), []string{".weight", ".init", ".label.buy", ".position"}
	for _, ending := range endings {
		require.NoError(f, os.WriteFile(filepath.Join(folder, "plain"+ending), []byte("0 1:1\n1 1:2\n2 1:3\n"),
			0o666))
		require.NoError(f, os.WriteFile(filepath.Join(folder, "queries"+ending),
			[]byte("0 qid:a 1:1\n1 qid:a 1:2\n2 qid:b 1:3\n"), 0o666))
	}
	f.Fuzz(func(t *testing.T, query, other []byte, which uint8) {
		ending := endings[which%4]
		path := filepath.Join(folder, "queries"+ending)
		if len(query) > 0 {
			path = filepath.Join(folder, "plain"+ending)
			require.NoError(t, os.WriteFile(path+".query", query, 0o666))
		}
		require.NoError(t, os.WriteFile(path+ending, other, 0o666))
		_, meta, err := readScan(t, path, Options{Workers: 1, More: []string{"buy"}})
		if err != nil {
			require.ErrorContains(t, err, path)
			return
		}
		require.Equal(t, 3, meta.NumRows())
		found := map[string][]float64{".weight": meta.Weights, ".init": meta.InitialScores}[ending]
		if ending == ".label.buy" {
			found = meta.More[0].Values
		}
		if lines := naiveNumbers(other); ending != ".position" && len(lines) == 3 {
			require.Equal(t, lines, found)
		}
	})
}

// naiveNumbers returns the numbers of a companion file, one per line, or nil if they do not fit three rows.
func naiveNumbers(content []byte) (all []float64) {
	for line := range strings.Lines(string(bytes.TrimPrefix(content, []byte("\ufeff")))) {
		if line = strings.Trim(line, " \t\r\n"); line == "" {
			continue
		}
		v, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil
		}
		all = append(all, v)
	}
	return all
}
