package rows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Decimal numbers in text become the nearest float64, fast for the forms that are common in ranking data. A
// decimal number is what strconv.ParseFloat accepts without hexadecimal numbers and underscores: digits with
// at most one point, an optional sign before them and an optional exponent after them.

// Padding is the number of bytes that must follow the last line of a text: the fast paths load up to
// 64 bytes at a time, and the last load may begin at the end of the line.
const Padding = 64

// powers are the powers of ten that a float64 represents exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// wholePowers are the powers of ten up to the eight digits of one load.
var wholePowers = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

const (
	eachByte = 0x0101010101010101
	zeros    = '0' * eachByte
)

// LoadDigits returns the eight bytes of text from i, the first one lowest, each less '0' if it is a digit.
func LoadDigits(text []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(text[i:i+8:i+8]) ^ zeros
}

// CountDigits returns how many of the loaded bytes are digits, up to the first one that is not.
// Bytes from 10 on set their high bit when 0x76 is added; a carry changes only bytes after the
// first one of them.
func CountDigits(loaded uint64) int {
	other := (loaded + 0x76*eachByte | loaded) & (0x80 * eachByte)
	return bits.TrailingZeros64(other) / 8
}

// LeadingDigits returns the number that the first n loaded digits form. n is at most 8.
//
// The digits are shifted so that zeros precede them. Then adjacent digits are joined to pairs, pairs to
// fours, and fours to eight.
func LeadingDigits(loaded uint64, n int) uint64 {
	d := loaded << (64 - 8*uint(n))
	d = d*10 + d>>8
	const low = 0x000000ff000000ff
	return ((d&low)*(100+1_000_000<<32) + (d>>16&low)*(1+10_000<<32)) >> 32
}

// PlainNumber reads a decimal number of the usual form at text[i:], with at most seven digits before the
// point and eight after it, and returns it with the place after it. ok is false if the text does not begin
// with such a number. The number is complete only if the byte at end ends a token, which the caller must
// check. [Padding] more bytes must follow the token.
//
// The digits are an integer below 10^15 and the power of ten is at most 10^8. Both are exact, so the one
// division rounds once, to the nearest float64.
func PlainNumber(text []byte, i int) (value float64, end int, ok bool) {
	negative := text[i] == '-'
	if negative {
		i++
	}
	loaded := LoadDigits(text, i)
	n := CountDigits(loaded)
	if n == 0 || n == 8 {
		return 0, 0, false
	}
	value = float64(LeadingDigits(loaded, n))
	i += n
	if text[i] == '.' {
		fraction := LoadDigits(text, i+1)
		m := CountDigits(fraction)
		value = float64(LeadingDigits(loaded, n)*wholePowers[m]+LeadingDigits(fraction, m)) / powers[m]
		i += 1 + m
	}
	if negative {
		value = -value
	}
	return value, i, true
}

// ErrNumber means that a token is not a decimal number.
var ErrNumber = errors.New("not a decimal number")

// ParseNumber converts a whole token. Numbers beyond the range of float64 become infinite, but for the
// largest float64 itself with 15 digits or more; "inf", "infinity" and "nan" in any case are accepted. The
// error is [ErrNumber].
func ParseNumber(token []byte) (float64, error) {
	if value, ok := short(token); ok {
		return value, nil
	}
	for _, c := range []byte("_xX") { // which strconv accepts
		if bytes.IndexByte(token, c) >= 0 {
			return 0, ErrNumber
		}
	}
	value, err := strconv.ParseFloat(string(token), 64)
	switch {
	case err == nil:
		return value, nil
	case !errors.Is(err, strconv.ErrRange):
		if word := strings.ToLower(string(token)); word == "-nan" || word == "+nan" {
			return math.NaN(), nil
		}
		return 0, ErrNumber
	case isLargest(token):
		return math.Copysign(math.MaxFloat64, value), nil
	}
	return value, nil
}

// short converts digits with at most one point, perhaps after a minus, that form an integer below 2^53. The
// integer and the power of ten are exact, so the one division rounds correctly (W. D. Clinger, How to read
// floating point numbers accurately, PLDI 1990).
func short(token []byte) (value float64, ok bool) {
	negative := len(token) > 0 && token[0] == '-'
	if negative {
		token = token[1:]
	}
	mantissa, digits, decimals := uint64(0), 0, 0
	for i, c := range token {
		switch {
		case c == '.' && digits == i: // the first point
			decimals = len(token) - 1 - i
			continue
		case c < '0' || c > '9' || mantissa >= 1<<53/10:
			return 0, false
		}
		mantissa, digits = mantissa*10+uint64(c-'0'), digits+1
	}
	if digits == 0 || decimals >= len(powers) {
		return 0, false
	}
	if value = float64(mantissa) / powers[decimals]; negative {
		value = -value
	}
	return value, true
}

// isLargest reports whether a number that is beyond the range of float64 is the largest float64, rounded up
// to 15 digits or more, as programs of .NET, spreadsheets and R write it.
func isLargest(token []byte) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(string(token)), "e")
	digits := len(strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "+-0"))
	if digits < 15 || digits > 18 {
		return false
	}
	number, _, err := big.ParseFloat(string(token), 10, 100, big.ToZero)
	largest, _, _ := big.ParseFloat("1.79769313486232e308", 10, 100, big.AwayFromZero)
	return err == nil && number.Abs(number).Cmp(largest) <= 0
}
