package lightgbm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// numbers parses exactly n numbers, separated by spaces. It allocates no more than a text of this length can
// hold. A run of spaces counts as one, because LightGBM ends the lists of linear leaves with a space and
// separates leaves by two.
func numbers[T any](text string, n int, parse func(string) (T, error)) ([]T, error) {
	values, count, column := make([]T, 0, min(n, len(text)/2+1)), 0, 1
	for word := range strings.SplitSeq(text, " ") {
		if word != "" {
			count++
		}
		if word != "" && count <= n {
			v, err := parse(word)
			if err != nil {
				return nil, fmt.Errorf("%w: value %d, %q at byte %d of the value: %w",
					document.ErrNumber, count, document.Clip(word), column, err)
			}
			values = append(values, v)
		}
		column += len(word) + 1
	}
	if count != n {
		return nil, fmt.Errorf("%w: %s, want %d", document.ErrLength, wording.Count(count, "value"), n)
	}
	return values, nil
}

// Causes of a document.ErrNumber.
var (
	errSyntax = errors.New("not a number")
	errRange  = errors.New("out of range")
)

func parseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, errRange
	case s == "-nan": // as C++ streams print some NaN
		return math.NaN(), nil
	}
	return 0, errSyntax
}

// Parsers of whole numbers.
var (
	parseCount    = bounded[int64](0, math.MaxInt64)
	parseInt32    = bounded[int32](math.MinInt32, math.MaxInt32)
	parseByte     = bounded[uint8](0, math.MaxUint8)
	parseDecision = bounded[tree.Decision](0, math.MaxUint8)
	parseSign     = bounded[int8](-1, 1)
	parseWord     = bounded[uint32](0, math.MaxUint32)
)

// bounded returns the parser of whole numbers from low to high.
func bounded[T ~int8 | ~int32 | ~int64 | ~uint8 | ~uint32](low, high int64) func(s string) (T, error) {
	return func(s string) (T, error) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, errSyntax
		}
		if err != nil || v < low || v > high {
			return 0, errRange
		}
		return T(v), nil
	}
}

// list parses the list of n numbers under a required key.
func list[T any](f *fields, key string, n int, parse func(string) (T, error)) []T {
	if f.err != nil {
		return nil
	}
	fd, given := f.byKey[key]
	if !given {
		f.fail(field{key: key, line: f.line}, document.ErrMissing)
		return nil
	}
	values, err := numbers(fd.value, n, parse)
	if err != nil {
		f.fail(fd, err)
	}
	return values
}

// listOrZeros is like list, for an optional key; it returns n zeros if the key is absent.
func listOrZeros[T any](f *fields, key string, n int, parse func(string) (T, error)) []T {
	if !f.has(key) {
		return make([]T, n)
	}
	return list(f, key, n, parse)
}

// one parses the single number under a required key.
func one[T any](f *fields, key string, parse func(string) (T, error)) (v T) {
	if values := list(f, key, 1, parse); f.err == nil {
		v = values[0]
	}
	return v
}

// oneOr is like one, for an optional key; it returns absent if the key is absent.
func oneOr[T any](f *fields, key string, absent T, parse func(string) (T, error)) T {
	if !f.has(key) {
		return absent
	}
	return one(f, key, parse)
}
