package parquet

import (
	"fmt"
	"math/big"
	"strconv"
)

// NumberColumn returns nil if the column can be read as numbers, and otherwise an error with the reason.
func (c *Column) NumberColumn() error {
	if err := c.flat(); err != nil {
		return err
	}
	switch {
	case c.physical == byteArray && !c.decimal, c.physical == fixedArray && !c.decimal, c.physical == int96:
		return fmt.Errorf("%w: column %q holds %v, not numbers", ErrUnsupported, c.Name, c.physical)
	case c.decimal && (c.physical == float || c.physical == double || c.physical == boolean):
		return fmt.Errorf("%w: column %q says that it has decimals, and holds %v", ErrDamaged, c.Name, c.physical)
	}
	return nil
}

// TextColumn returns nil if the column can be read as texts, and otherwise an error with the reason. Floats
// cannot, because one float can be written in many ways.
func (c *Column) TextColumn() error {
	if err := c.flat(); err != nil {
		return err
	}
	switch {
	case c.decimal, c.physical == float, c.physical == double, c.physical == boolean, c.physical == int96:
		return fmt.Errorf("%w: column %q holds %v, not texts or integers", ErrUnsupported, c.Name, c.physical)
	}
	return nil
}

func (c *Column) flat() error {
	if c.nested {
		return fmt.Errorf("%w: column %q is nested or repeated", ErrUnsupported, c.Name)
	}
	return nil
}

// numbers converts stored values to the nearest float64.
func (c *Column) numbers(dst []float64, v *values) error {
	switch {
	case c.decimal:
		return c.decimals(dst, v)
	case c.physical == float || c.physical == double:
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

// decimals converts integers in units of 10^-scale. Bytes are signed integers, big-endian.
func (c *Column) decimals(dst []float64, v *values) (err error) {
	for i := range dst {
		unscaled := ""
		if c.physical == byteArray || c.physical == fixedArray {
			unscaled = signed(v.bytes[i]).String()
		} else {
			unscaled = strconv.FormatInt(v.ints[i], 10)
		}
		if dst[i], err = strconv.ParseFloat(unscaled+"e"+strconv.Itoa(-c.scale), 64); err != nil {
			return fmt.Errorf("%w: a decimal: %w", ErrDamaged, err)
		}
	}
	return nil
}

func signed(bytes []byte) *big.Int {
	v := new(big.Int).SetBytes(bytes)
	if len(bytes) > 0 && bytes[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return v
}

// texts converts stored values to texts: bytes unchanged, integers to decimal digits. A text that equals the
// one before it shares its memory. last is the text before the first one.
func (c *Column) texts(dst []string, v *values, last string) {
	if c.physical == byteArray || c.physical == fixedArray {
		for i := range dst {
			if string(v.bytes[i]) != last {
				last = string(v.bytes[i])
			}
			dst[i] = last
		}
		return
	}
	for i := range dst {
		if i == 0 || v.ints[i] != v.ints[i-1] {
			last = c.integer(v.ints[i], last)
		}
		dst[i] = last
	}
}

// integer returns the text of an integer: last, if it is equal.
func (c *Column) integer(v int64, last string) string {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], v, 10)
	if c.unsigned {
		text = strconv.AppendUint(digits[:0], uint64(v), 10)
	}
	if string(text) == last {
		return last
	}
	return string(text)
}
