//go:build linux

package letor

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/test/aid"
)

// randomValue returns a value, usually in the most common form.
func randomValue(rng *rand.Rand) string {
	digits := func(n int) string { return fmt.Sprint(rng.Uint64())[:n] }
	switch rng.IntN(60) {
	case 0:
		unusual := []string{"1e-3", "nan", ".5", "+1", "1.2.3", "--1", "-", "", "1:2", "3#", "4\r", "5\t", "x",
			"1-2", "0x1", "\u00e9", "-.5", "/", ":", "123456789.123456789", "0.0000000001"}
		return unusual[rng.IntN(len(unusual))]
	case 1:
		return "-0"
	case 2:
		return digits(1+rng.IntN(7)) + "."
	}
	text := []string{"", "-"}[rng.IntN(2)] + digits(1+rng.IntN(8)*rng.IntN(2))
	if rng.IntN(2) == 0 {
		text += "." + digits(1+rng.IntN(9))
	}
	return text
}

// randomFeatures returns the features of a row with its line end, usually in ascending order.
func randomFeatures(rng *rand.Rand) string {
	var text strings.Builder
	number := 0
	for range rng.IntN(40) {
		number += 1 + rng.IntN(3)*rng.IntN(2)
		if rng.IntN(100) == 0 {
			number += rng.IntN(2 * maxFeature)
		}
		fmt.Fprintf(&text, "%d:%s ", max(0, number-rng.IntN(80)/79), randomValue(rng))
		if rng.IntN(100) == 0 {
			text.WriteString([]string{" ", "1", "\t", "#", "007:1 ", "000000123:4 "}[rng.IntN(6)])
		}
	}
	return strings.TrimSuffix(text.String(), " ") + []string{"\n", " \n", "\r\n", " # 1:2\n"}[rng.IntN(4)]
}

func TestUsualFeaturesAreThoseOfGo(t *testing.T) {
	if !hasUsual {
		t.Skip("this CPU or build has no assembly")
	}
	defer func() { hasUsual = true }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(7, 8))
	pages := aid.GuardedPages(t, 1)
	for range 20_000 {
		line := randomFeatures(rng)
		text := pages[len(pages)-len(line)-rows.Padding:]
		clear(text[copy(text, line):])
		base := rng.IntN(2)
		var parsers [2]*parser
		var errs [2]error
		for i := range parsers {
			hasUsual = i == 1
			parsers[i] = newParser(parser{prefixes: packPrefixes(), base: base})
			p := parsers[i]
			p.feature, p.value = p.feature[:9], p.value[:9]
			p.text, p.size = text, len(line)
			require.NotPanics(t, func() { errs[i] = p.features() }, "%q", line)
		}
		want, got := parsers[0], parsers[1]
		require.Equal(t, errs[0], errs[1], "%q", line)
		if errs[0] == nil {
			require.Equal(t, want.at, got.at, "%q", line)
			require.Equal(t, want.feature[:want.count], got.feature[:got.count], "%q", line)
			require.True(t, slices.Equal(bitsOf(want.value[:want.count]), bitsOf(got.value[:got.count])), "%q", line)
		}
	}
}
