package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// runs reads small integers of the hybrid of run lengths and bit packing (Encodings, RLE). A header
// h that is even precedes a value that is repeated h/2 times; one that is odd precedes
// (h-1)/2 groups of 8 values of width bits, lowest bits first.
type runs struct {
	data  []byte // with room for a load of 8 bytes behind it
	width int    // bits per value, 0 to 32

	left   int64 // values of the current run that were not read yet
	packed bool
	value  uint32 // of a run of equal values
	bit    int    // of data, where the next packed value begins
}

func newRuns(data []byte, width int) (*runs, error) {
	if width < 0 || width > 32 {
		return nil, fmt.Errorf("%w: values of %d bits", ErrDamaged, width)
	}
	if cap(data)-len(data) < room {
		data = append(make([]byte, 0, len(data)+room), data...)
	}
	return &runs{data: data, width: width}, nil
}

// room is the number of bytes behind packed values that may be loaded with the last ones.
const room = 8

// next fills dst.
func (r *runs) next(dst []uint32) error {
	for len(dst) > 0 {
		if r.left == 0 {
			if err := r.begin(); err != nil {
				return err
			}
			continue
		}
		n := int(min(r.left, int64(len(dst))))
		if r.packed {
			r.unpack(dst[:n])
		} else {
			for i := range dst[:n] {
				dst[i] = r.value
			}
		}
		r.left -= int64(n)
		dst = dst[n:]
	}
	return nil
}

// equal skips up to n equal values, and returns their number and their value. The number is 0
// if the next values are packed.
func (r *runs) equal(n int) (equal int, value uint32, err error) {
	if r.left == 0 && n > 0 {
		if err := r.begin(); err != nil {
			return 0, 0, err
		}
	}
	if r.packed {
		return 0, 0, nil
	}
	equal = int(min(r.left, int64(n)))
	r.left -= int64(equal)
	return equal, r.value, nil
}

// begin reads the header of a run.
func (r *runs) begin() error {
	r.data, r.bit = r.data[min((r.bit+7)/8, len(r.data)):], 0
	head, n := binary.Uvarint(r.data)
	if n <= 0 || head>>1 == 0 || head > math.MaxUint32 {
		return fmt.Errorf("%w: a run of values", ErrDamaged)
	}
	r.data = r.data[n:]
	r.left, r.packed = int64(head>>1), head&1 == 1
	if r.packed {
		r.left *= 8
		// The last group may end after its last value that is used.
		if bits := 8 * int64(len(r.data)); r.left*int64(r.width) > bits {
			r.left = bits / int64(r.width)
		}
		if r.left == 0 {
			return fmt.Errorf("%w: a run of values ends too early", ErrDamaged)
		}
		return nil
	}
	bytes := (r.width + 7) / 8
	if bytes > len(r.data) {
		return fmt.Errorf("%w: a run of values ends too early", ErrDamaged)
	}
	r.value = 0
	for i, b := range r.data[:bytes] {
		r.value |= uint32(b) << (8 * i)
	}
	r.data = r.data[bytes:]
	if uint64(r.value)>>r.width != 0 {
		return fmt.Errorf("%w: a value of more than %d bits", ErrDamaged, r.width)
	}
	return nil
}

// unpack reads packed values; begin has checked that the data has them. A value and the bits before it in its
// first byte have at most 39 bits, so one load of 8 bytes is enough.
func (r *runs) unpack(dst []uint32) {
	mask, bit, data := uint64(1)<<r.width-1, r.bit, r.data
	for i := range dst {
		at := bit >> 3
		dst[i] = uint32(binary.LittleEndian.Uint64(data[at:at+8]) >> (bit & 7) & mask)
		bit += r.width
	}
	r.bit = bit
}
