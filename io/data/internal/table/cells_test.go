//go:build linux

package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/test/aid"
)

// anyNumber returns a cell, usually of the form that plainCells reads.
func anyNumber(rng *rand.Rand) string {
	digits := func(n int) string { return fmt.Sprintf("%020d", rng.Uint64())[20-n:] }
	switch rng.IntN(100) {
	case 0:
		unusual := []string{"1e-3", "nan", "NA", "", " 7", "7 ", "+1", "1.2.3", "--1", "-", ".", "-.", "1-2", "x",
			`"1,5"`, `"8"`, `8"`, "inf", "\u00e9", "/", ":", "1\r", "0x1", "..", "1.-2", "-5-", "123456789012345"}
		return unusual[rng.IntN(len(unusual))]
	case 1:
		return []string{"-0", ".5", "-.25", "8.", "-0.000000", "00012"}[rng.IntN(6)]
	}
	text := []string{"", "-"}[rng.IntN(2)] + digits(1+rng.IntN(8)*rng.IntN(2))
	if rng.IntN(2) == 0 {
		text += "." + digits(1+rng.IntN(9))
	}
	return text
}

// randomColumns returns features, two of which may be in each other's place and one may be ignored.
func randomColumns(rng *rand.Rand) *columns {
	n := 1 + rng.IntN(40)
	c := &columns{role: rng.Perm(n), dictionaries: make([]*dictionary, n)}
	if rng.IntN(4) > 0 {
		slices.Sort(c.role)
	}
	i, k := rng.IntN(n), rng.IntN(n)
	c.role[i], c.role[k] = c.role[k], c.role[i]
	if rng.IntN(3) == 0 {
		c.role[i] = ignoredColumn
	}
	return c
}

// randomLine returns a line of about n cells.
func randomLine(rng *rand.Rand, n int, separator string) string {
	cells := make([]string, max(1, n+rng.IntN(80)/78-rng.IntN(80)/78))
	for i := range cells {
		cells[i] = anyNumber(rng)
	}
	return strings.Join(cells, separator) + "\n"
}

func TestPlainCellsAreThoseOfGo(t *testing.T) {
	if !hasAssembly {
		t.Skip("this CPU or build has no assembly")
	}
	defer func() { hasAssembly = true }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(7, 8))
	pages := aid.GuardedPages(t, 1)
	for range 20_000 {
		c := randomColumns(rng)
		separator := []string{",", "\t"}[rng.IntN(2)]
		line := randomLine(rng, len(c.role), separator)
		text := pages[len(pages)-len(line)-rows.Padding:]
		clear(text[copy(text, line):])
		var parsers [2]*cells
		var errs [2]error
		for i := range parsers {
			hasAssembly = i == 1
			parsers[i] = newCells(c, separator[0])
			parsers[i].Open(&rows.Text{Bytes: text, Size: len(line), FirstLine: 1})
			require.NotPanics(t, func() { errs[i] = parsers[i].Features() }, "%q", line)
		}
		want, got := parsers[0], parsers[1]
		require.Equal(t, errs[0], errs[1], "%q", line)
		if errs[0] == nil {
			require.Equal(t, want.at, got.at, "%q", line)
			require.Equal(t, allBits(want.row.Value), allBits(got.row.Value), "%q", line)
		}
	}
}

// allBits returns the bits of all values, which tell -0 from 0.
func allBits(values []float64) []uint64 {
	bits := make([]uint64, len(values))
	for i, v := range values {
		bits[i] = math.Float64bits(v)
	}
	return bits
}
