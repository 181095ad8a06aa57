package letor

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead: nothing makes the reader panic, what it accepts is what the naive
// reader reads, and it accepts all that the naive reader does.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample), uint8(0))
	for _, c := range badTexts {
		f.Add([]byte(c.text), uint8(7))
	}
	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		opts := Options{
			Workers:     1 + int(how&1),
			FeatureBase: int(how >> 1 & 1),
			KeepDocs:    how>>2&1 == 1,
			AllowNaN:    how>>3&1 == 1,
			blockSize:   1 + int(how>>4)*int(how>>4),
		}
		want, ok := naiveRows(text, opts)
		for _, r := range want {
			if n := len(r.feature); n > 0 && r.feature[n-1] > 1<<16 {
				t.Skip("naming so many columns takes long")
			}
		}
		path := filepath.Join(t.TempDir(), "data")
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

// FuzzNumber: numbers are what strconv makes of them, to the last bit.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "+1.5", ".5", "5.", "1e22", "1e23", "123456789012345678901234567890", "4.9e-324",
		"9007199254740993", "0.000000000000000000000000000000000001", "1e-400", "1e400", "nan", "-inf", "1e", "0x1", "1_0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		got, err := parseNumber(token)
		if !decimalForm.Match(token) || token[len(token)-1] == '\n' {
			require.True(t, err != nil || math.IsInf(got, 0) || math.IsNaN(got), "%q gives %v", token, got)
			return
		}
		require.NoError(t, err)
		want, _ := strconv.ParseFloat(string(token), 64)
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%q", token)
		text := append(append([]byte{}, token...), " \x00\x00\x00\x00\x00\x00\x00\x00"...)
		if fast, end, ok := plainNumber(text, 0); ok {
			require.Equal(t, len(token), end)
			require.Equal(t, math.Float64bits(want), math.Float64bits(fast), "%q", token)
		}
	})
}
