// Package decimal converts decimal numbers in text to the nearest float64, fast for the forms that are common
// in ranking data.
//
// A decimal number is what strconv.ParseFloat accepts without hexadecimal numbers and underscores: digits
// with at most one point, an optional sign before them and an optional exponent after them.
package decimal

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
)

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

// Load returns the eight bytes of text from i, the first one lowest, each less '0' if it is a digit.
func Load(text []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(text[i:i+8:i+8]) ^ zeros
}

// CountDigits returns how many of the loaded bytes are digits, up to the first one that is not.
// Bytes from 10 on set their high bit when 0x76 is added; a carry changes only bytes after the
// first one of them.
func CountDigits(loaded uint64) int {
	other := (loaded + 0x76*eachByte | loaded) & (0x80 * eachByte)
	return bits.TrailingZeros64(other) / 8
}

// Leading returns the number that the first n loaded digits form. n is at most 8.
//
// The digits are shifted so that zeros precede them. Then adjacent digits are joined to pairs, pairs to
// fours, and fours to eight.
func Leading(loaded uint64, n int) uint64 {
	d := loaded << (64 - 8*uint(n))
	d = d*10 + d>>8
	const low = 0x000000ff000000ff
	return ((d&low)*(100+1_000_000<<32) + (d>>16&low)*(1+10_000<<32)) >> 32
}

// Plain reads a decimal number of the usual form at text[i:], with at most seven digits before the point and
// eight after it, and returns it with the place after it. ok is false if the text does not begin with such a
// number. The number is complete only if the byte at end ends a token, which the caller must check. [Padding]
// more bytes must follow the token.
//
// The digits are an integer below 10^15 and the power of ten is at most 10^8. Both are exact, so the one
// division rounds once, to the nearest float64.
func Plain(text []byte, i int) (value float64, end int, ok bool) {
	negative := text[i] == '-'
	if negative {
		i++
	}
	loaded := Load(text, i)
	n := CountDigits(loaded)
	if n == 0 || n == 8 {
		return 0, 0, false
	}
	value = float64(Leading(loaded, n))
	i += n
	if text[i] == '.' {
		fraction := Load(text, i+1)
		m := CountDigits(fraction)
		value = float64(Leading(loaded, n)*wholePowers[m]+Leading(fraction, m)) / powers[m]
		i += 1 + m
	}
	if negative {
		value = -value
	}
	return value, i, true
}

// ErrNumber means that a token is not a decimal number.
var ErrNumber = errors.New("not a decimal number")

// Parse converts a whole token. Numbers beyond the range of float64 become infinite, but for the largest
// float64 itself with 15 digits or more; "inf" and
// "nan" are accepted. The error is [ErrNumber].
func Parse(token []byte) (float64, error) {
	d, ok := readDecimal(token)
	if !ok {
		return parseWord(token)
	}
	if d.mantissa < 1<<53 && -22 <= d.exponent && d.exponent <= 22 {
		return d.value(), nil
	}
	// the form is right; beyond the range it is infinite, as it should be
	value, _ := strconv.ParseFloat(string(token), 64)
	if math.IsInf(value, 0) && d.isLargest() {
		return math.Copysign(math.MaxFloat64, value), nil
	}
	return value, nil
}

// isLargest reports whether a number that is beyond the range of float64 is the largest float64, rounded up
// to 15 digits or more, as programs of .NET, spreadsheets and R write it.
func (d decimal) isLargest() bool {
	digits := len(strconv.FormatUint(d.mantissa, 10))
	if digits < 15 || digits > 18 || digits+d.exponent != 309 {
		return false
	}
	largest := uint64(179769313486232)
	for range digits - 15 {
		largest *= 10
	}
	return d.mantissa <= largest
}

// parseWord converts a token without digits.
func parseWord(token []byte) (float64, error) {
	negative := len(token) > 0 && token[0] == '-'
	if negative || len(token) > 0 && token[0] == '+' {
		token = token[1:]
	}
	switch lower(token) {
	case "nan":
		return math.NaN(), nil
	case "inf", "infinity":
		if negative {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	}
	return 0, ErrNumber
}

// lower returns a short token in lower case.
func lower(token []byte) string {
	if len(token) > len("infinity") {
		return ""
	}
	b := make([]byte, len(token))
	for i, c := range token {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return string(b)
}

// decimal is the number ±mantissa · 10^exponent. If mantissa is above maxMantissa, digits may have been
// dropped, and the exponent is wrong too.
type decimal struct {
	mantissa uint64
	exponent int
	negative bool
}

// value returns the nearest float64, provided that the mantissa and the power of ten are exact: a single
// multiplication or division then rounds correctly (W. D. Clinger, How to read floating point numbers
// accurately, PLDI 1990).
func (d decimal) value() float64 {
	v := float64(d.mantissa)
	if d.exponent < 0 {
		v /= powers[-d.exponent]
	} else {
		v *= powers[d.exponent]
	}
	if d.negative {
		return -v
	}
	return v
}

// maxMantissa is the largest mantissa to which one more digit can be appended without overflow.
const maxMantissa = (math.MaxUint64 - 9) / 10

// readDecimal parses a token, and reports whether it is a decimal number.
func readDecimal(token []byte) (d decimal, ok bool) {
	i := 0
	if i < len(token) && (token[i] == '-' || token[i] == '+') {
		d.negative = token[i] == '-'
		i++
	}
	digits, point := 0, false
	for ; i < len(token); i++ {
		c := token[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if d.mantissa > maxMantissa {
			continue
		}
		d.mantissa = d.mantissa*10 + uint64(c-'0')
		if point {
			d.exponent--
		}
	}
	if digits == 0 {
		return d, false
	}
	if i == len(token) {
		return d, true
	}
	return d, d.readExponent(token[i:])
}

// readExponent reads "e", a sign and digits.
func (d *decimal) readExponent(token []byte) bool {
	if token[0] != 'e' && token[0] != 'E' {
		return false
	}
	token = token[1:]
	sign := 1
	if len(token) > 0 && (token[0] == '-' || token[0] == '+') {
		if token[0] == '-' {
			sign = -1
		}
		token = token[1:]
	}
	exponent := 0
	for _, c := range token {
		if c < '0' || c > '9' {
			return false
		}
		exponent = min(exponent*10+int(c-'0'), 1<<20) // far beyond float64, and no overflow
	}
	d.exponent += sign * exponent
	return len(token) > 0
}
