package decimal

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var decimalForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// FuzzNumber: numbers equal strconv's, to the last bit.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "+1.5", ".5", "5.", "1e22", "1e23", "123456789012345678901234567890",
		"4.9e-324",
		"9007199254740993", "0.000000000000000000000000000000000001", "1e-400", "1e400", "nan", "-inf", "1e", "0x1",
		"1_0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		got, err := Parse(token)
		if !decimalForm.Match(token) || token[len(token)-1] == '\n' {
			require.True(t, err != nil || math.IsInf(got, 0) || math.IsNaN(got), "%q gives %v", token, got)
			return
		}
		require.NoError(t, err)
		want, _ := strconv.ParseFloat(string(token), 64)
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%q", token)
		text := append(append([]byte{}, token...), " \x00\x00\x00\x00\x00\x00\x00\x00"...)
		if fast, end, ok := Plain(text, 0); ok && end == len(token) {
			require.Equal(t, math.Float64bits(want), math.Float64bits(fast), "%q", token)
		}
	})
}
