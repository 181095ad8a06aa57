package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNumbersAreStrconvs writes numbers in many forms, with lengths around the limits of the methods: eight
// digits per load, 2^53, 10^22, 19 digits.
func TestNumbersAreStrconvs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30000 {
		for _, token := range numberForms(rng) {
			want, err := strconv.ParseFloat(token, 64)
			require.NoError(t, err)
			got, err := ParseNumber([]byte(token))
			require.NoError(t, err)
			require.Equal(t, math.Float64bits(want), math.Float64bits(got), token)
			fast, end, ok := PlainNumber([]byte(token+" \x00\x00\x00\x00\x00\x00\x00\x00"), 0)
			if ok && end == len(token) {
				require.Equal(t, math.Float64bits(want), math.Float64bits(fast), token)
			}
		}
	}
}

func numberForms(rng *rand.Rand) []string {
	x := math.Float64frombits(rng.Uint64())
	for math.IsNaN(x) || math.IsInf(x, 0) {
		x = math.Float64frombits(rng.Uint64())
	}
	digits := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
	point := rng.IntN(len(digits) + 1)
	return []string{
		strconv.FormatFloat(x, 'g', -1, 64),
		strconv.FormatFloat(x, 'e', rng.IntN(20), 64),
		strconv.FormatFloat(rng.NormFloat64()*100, 'f', rng.IntN(12), 64),
		strconv.Itoa(rng.IntN(1 << rng.IntN(31))),
		digits[:point] + "." + digits[point:],
		fmt.Sprintf("-%s.%se%d", digits, digits[point:], rng.IntN(60)-30),
	}
}

// TestUsualNumbersAreFast: numbers of the kinds in public collections take the fast path.
func TestUsualNumbersAreFast(t *testing.T) {
	for _, token := range []string{"0", "3", "-12", "1234567", "0.076923", "-22.240604", "8.",
		"1234567.1234567"} {
		_, end, ok := PlainNumber([]byte(token+"\n\x00\x00\x00\x00\x00\x00\x00\x00"), 0)
		assert.True(t, ok && end == len(token), token)
	}
}

func TestLoadedDigits(t *testing.T) {
	for n := range 9 {
		for _, after := range []byte{0, ' ', '.', '/', ':', '\n', 'e', 0x7f, 0x80, 0xba, 0xff} {
			text := append([]byte("98765432")[:n:n], after, '1', 0xff, '2', '3', '4', '5', '6')
			loaded := LoadDigits(text, 0)
			require.Equal(t, n, CountDigits(loaded), "%q", text)
			want, _ := strconv.ParseUint("0"+string(text[:n]), 10, 64)
			require.Equal(t, want, LeadingDigits(loaded, n), "%q", text)
		}
	}
}

// TestLargest: the largest float64 with fewer digits than it has is beyond the range, and means that number.
func TestLargest(t *testing.T) {
	for text, want := range map[string]float64{"1.79769313486232E+308": math.MaxFloat64,
		"-1.79769313486232E+308": -math.MaxFloat64, "1.797693134862316e+308": math.MaxFloat64,
		"179769313486232e294": math.MaxFloat64, "1.79769313486232000e308": math.MaxFloat64,
		"1.7976931348623157e308": math.MaxFloat64, "1.79769313486233e308": math.Inf(1), "1.8e308": math.Inf(1),
		"-1.79769313486232e309": math.Inf(-1), "1e400": math.Inf(1)} {
		got, err := ParseNumber([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
}

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
		got, err := ParseNumber(token)
		if !decimalForm.Match(token) || token[len(token)-1] == '\n' {
			require.True(t, err != nil || math.IsInf(got, 0) || math.IsNaN(got), "%q gives %v", token, got)
			return
		}
		require.NoError(t, err)
		want, _ := strconv.ParseFloat(string(token), 64)
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%q", token)
		text := append(append([]byte{}, token...), " \x00\x00\x00\x00\x00\x00\x00\x00"...)
		if fast, end, ok := PlainNumber(text, 0); ok && end == len(token) {
			require.Equal(t, math.Float64bits(want), math.Float64bits(fast), "%q", token)
		}
	})
}
