package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// NumberColumn returns nil if the column can be read as numbers, and otherwise an error with the reason.
// Times cannot, because their numbers depend on the unit in which a program stores them.
func (c *Column) NumberColumn() error {
	if err := c.flat(); err != nil {
		return err
	}
	switch {
	case c.isTime():
		return fmt.Errorf("%w: column %q holds %s, whose numbers depend on the unit in which they are stored; "+
			"write numbers in a unit of your choice, such as days", ErrUnsupported, c.Name, c.Type())
	case c.isBytes() && c.meaning != decimalMeaning && c.meaning != float16Meaning:
		return fmt.Errorf("%w: column %q holds %s, not numbers", ErrUnsupported, c.Name, c.Type())
	case c.meaning == decimalMeaning && (c.isFloat() || c.physical == boolean):
		return fmt.Errorf("%w: column %q says that it has decimals, and holds %v", ErrDamaged, c.Name, c.physical)
	case c.meaning == float16Meaning && (c.physical != fixedArray || c.width != 2):
		return fmt.Errorf("%w: column %q says that it has FLOAT16, and holds %v of %d bytes", ErrDamaged, c.Name,
			c.physical, c.width)
	}
	return nil
}

// TextColumn returns nil if the column can be read as texts, and otherwise an error with the reason. Floats
// cannot, because one float can be written in many ways. Booleans are true and false, as most programs write
// them into text.
func (c *Column) TextColumn() error {
	if err := c.flat(); err != nil {
		return err
	}
	if c.isScaled() || c.meaning == intervalMeaning || c.meaning == periodMeaning {
		return fmt.Errorf("%w: column %q holds %s, not texts or integers", ErrUnsupported, c.Name, c.Type())
	}
	return nil
}

// IDColumn returns nil if the column can be read as the texts of ids, and otherwise an error with the reason.
// Besides texts and integers, ids may be whole numbers of any type.
func (c *Column) IDColumn() error {
	if c.isScaled() {
		return c.NumberColumn()
	}
	return c.TextColumn()
}

// HoldsBooleans reports whether the column holds true and false.
func (c *Column) HoldsBooleans() bool { return c.physical == boolean }

// HoldsTexts reports whether the column holds texts.
func (c *Column) HoldsTexts() bool { return c.TextColumn() == nil && c.isBytes() && !c.isTime() }

// isTime reports whether the column holds times of some kind.
func (c *Column) isTime() bool { return c.meaning.isTime() || c.physical == int96 }

// isBytes reports whether values are stored as bytes.
func (c *Column) isBytes() bool { return c.physical == byteArray || c.physical == fixedArray }

// isFloat reports whether values are stored as float32 or float64.
func (c *Column) isFloat() bool { return c.physical == float || c.physical == double }

// isScaled reports whether values are numbers that need not be whole.
func (c *Column) isScaled() bool {
	return c.isFloat() || c.meaning == decimalMeaning || c.meaning == float16Meaning
}

func (c *Column) flat() error {
	if c.nested {
		return fmt.Errorf("%w: column %q has %s", ErrUnsupported, c.Name, c.Type())
	}
	return nil
}

// numbers converts stored values to the nearest float64.
func (c *Column) numbers(dst []float64, v *values) error {
	switch {
	case c.meaning == decimalMeaning:
		return c.decimals(dst, v)
	case c.meaning == float16Meaning:
		for i := range dst {
			dst[i] = halfFloat(binary.LittleEndian.Uint16(v.bytes[i]))
		}
	case c.isFloat():
		if len(dst) > 0 && &dst[0] != &v.floats[0] {
			copy(dst, v.floats)
		}
	case c.unsigned:
		for i := range dst {
			dst[i] = float64(uint64(v.ints[i]))
		}
	default:
		for i := range dst {
			dst[i] = float64(v.ints[i])
		}
	}
	return nil
}

// decimals converts integers in units of 10^-scale.
func (c *Column) decimals(dst []float64, v *values) (err error) {
	for i := range dst {
		if dst[i], err = strconv.ParseFloat(c.unscaled(v, i)+"e"+strconv.Itoa(-c.scale), 64); err != nil {
			return fmt.Errorf("%w: a decimal: %w", ErrDamaged, err)
		}
	}
	return nil
}

// unscaled returns the digits of a decimal. Bytes are signed integers, big-endian.
func (c *Column) unscaled(v *values, i int) string {
	if c.isBytes() {
		return signed(v.bytes[i]).String()
	}
	return strconv.FormatInt(v.ints[i], 10)
}

// halfFloat returns the number that a float16 holds.
func halfFloat(bits uint16) float64 {
	sign := 1 - 2*int(bits>>15)
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	switch {
	case exponent == 0:
		return math.Copysign(math.Ldexp(fraction, -24), float64(sign))
	case exponent < 31:
		return math.Copysign(math.Ldexp(1024+fraction, exponent-25), float64(sign))
	case fraction == 0:
		return math.Inf(sign)
	}
	return math.NaN()
}

func signed(bytes []byte) *big.Int {
	v := new(big.Int).SetBytes(bytes)
	if len(bytes) > 0 && bytes[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return v
}

// texts converts stored values to texts. A text that equals the one before it shares its memory. last is the
// text before the first one.
func (c *Column) texts(dst []string, v *values, last string) {
	var text []byte
	for i := range dst {
		if text = c.appendText(text[:0], v, i); string(text) != last {
			last = string(text)
		}
		dst[i] = last
	}
}

// appendText appends the text of a value: bytes unchanged, decimal digits of integers, the usual form of
// dates and hours.
func (c *Column) appendText(dst []byte, v *values, i int) []byte {
	switch {
	case c.isScaled():
		return append(dst, c.scaledText(v, i)...)
	case c.physical == int96:
		return append(dst, int96Text(v.bytes[i])...)
	case c.meaning == uuidMeaning && len(v.bytes[i]) == 16:
		b := v.bytes[i]
		return fmt.Appendf(dst, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	case c.isBytes():
		return append(dst, v.bytes[i]...)
	case c.isTime():
		return append(dst, c.timeText(v.ints[i])...)
	case c.physical == boolean:
		return strconv.AppendBool(dst, v.ints[i] != 0)
	case c.unsigned:
		return strconv.AppendUint(dst, uint64(v.ints[i]), 10)
	}
	return strconv.AppendInt(dst, v.ints[i], 10)
}

// ErrNotWhole means that an id in a column of decimals or floats is not a whole number, or too large for all
// whole numbers of its size to be different in the column.
var ErrNotWhole = errors.New("not a whole number that its type holds exactly; write ids as integers or texts")

// CheckID returns an error if a text of an IDColumn is no id.
func (c *Column) CheckID(text string) error {
	if c.isScaled() && strings.Trim(text, "-0123456789") != "" {
		return ErrNotWhole
	}
	return nil
}

// scaledText returns the text of a decimal or a float: digits alone if it is a whole number that its type
// holds exactly, and otherwise a text that CheckID refuses.
func (c *Column) scaledText(v *values, i int) string {
	if c.meaning == decimalMeaning {
		return c.decimalText(v, i)
	}
	value, bits := 0.0, 53
	switch {
	case c.meaning == float16Meaning:
		value, bits = halfFloat(binary.LittleEndian.Uint16(v.bytes[i])), 11
	case c.physical == float:
		value, bits = v.floats[i], 24
	default:
		value = v.floats[i]
	}
	switch {
	case value != math.Trunc(value):
		return strconv.FormatFloat(value, 'g', -1, 64)
	case math.Abs(value) > math.Ldexp(1, bits):
		return strconv.FormatFloat(value, 'e', -1, 64)
	}
	return strconv.FormatInt(int64(value), 10)
}

// mostScale bounds the zeros before the digits of a decimal. Types have at most 76 digits.
const mostScale = 1000

// decimalText returns the digits of a decimal, without a fraction that is zero.
func (c *Column) decimalText(v *values, i int) string {
	digits := c.unscaled(v, i)
	if c.scale < 0 || c.scale > mostScale {
		return fmt.Sprintf("%se%d", digits, -c.scale)
	}
	digits, negative := strings.CutPrefix(digits, "-")
	if len(digits) <= c.scale {
		digits = strings.Repeat("0", c.scale+1-len(digits)) + digits
	}
	whole, fraction := digits[:len(digits)-c.scale], strings.TrimRight(digits[len(digits)-c.scale:], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	if negative {
		whole = "-" + whole
	}
	return whole
}
