package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// encoding is the encoding of the values of a page.
type encoding int32

const (
	plain           encoding = 0
	plainDictionary encoding = 2
	runLengths      encoding = 3
	deltaBinary     encoding = 5
	deltaLengths    encoding = 6
	deltaStrings    encoding = 7
	dictionary      encoding = 8
	byteStreams     encoding = 9
)

// values are those of a page as they are stored: integers and booleans, floats, or bytes.
type values struct {
	ints   []int64
	floats []float64
	bytes  [][]byte
}

// A decoder fills one slice of dst with the next n values of a page. dst is valid until the next call or the
// next page.
type decoder func(dst *values, n int) error

// newDecoder returns the decoder of a page without dictionary.
func newDecoder(c *Column, pg *page) (decoder, error) {
	switch pg.encoding {
	case plain:
		return plainDecoder(c, pg.data)
	case runLengths:
		if c.physical == boolean {
			return booleanRuns(pg.data)
		}
	case deltaBinary:
		if c.physical == int32Type || c.physical == int64Type {
			return deltaInts(c, pg.data)
		}
	case deltaLengths:
		if c.physical == byteArray {
			return deltaBytes(pg.data, pg.values)
		}
	case deltaStrings:
		if c.physical == byteArray || c.physical == fixedArray {
			return deltaPrefixes(pg.data, pg.values)
		}
	case byteStreams:
		if width := c.bytes(); width > 0 && c.physical != boolean {
			return plainDecoder(c, joinStreams(pg.data, width))
		}
	}
	return nil, fmt.Errorf("%w: encoding %d of %v", ErrUnsupported, pg.encoding, c.physical)
}

// bytes returns the length of a plain value, or 0 if lengths differ.
func (c *Column) bytes() int {
	switch c.physical {
	case int32Type, float:
		return 4
	case int64Type, double:
		return 8
	case int96:
		return 12
	case fixedArray:
		return c.width
	}
	return 0
}

// plainDecoder reads values that follow each other, little-endian.
func plainDecoder(c *Column, data []byte) (decoder, error) {
	switch c.physical {
	case boolean:
		return plainBooleans(data), nil
	case byteArray:
		return plainBytes(data), nil
	case int32Type, int64Type, int96, float, double, fixedArray:
		if c.bytes() < 1 {
			return nil, fmt.Errorf("%w: values of %d bytes", ErrDamaged, c.bytes())
		}
		return plainFixed(c, data), nil
	}
	return nil, fmt.Errorf("%w: columns of %v", ErrUnsupported, c.physical)
}

// plainFixed reads values of one length.
func plainFixed(c *Column, data []byte) decoder {
	width := c.bytes()
	return func(dst *values, n int) error {
		if n > len(data)/width {
			return errShort
		}
		now := data[:n*width]
		data = data[n*width:]
		switch c.physical {
		case int32Type:
			dst.ints = reuse.Slice(dst.ints, n)
			for i := range dst.ints {
				dst.ints[i] = c.widen(binary.LittleEndian.Uint32(now[4*i:]))
			}
		case int64Type:
			dst.ints = reuse.Slice(dst.ints, n)
			for i := range dst.ints {
				dst.ints[i] = int64(binary.LittleEndian.Uint64(now[8*i:]))
			}
		case float:
			dst.floats = reuse.Slice(dst.floats, n)
			for i := range dst.floats {
				dst.floats[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(now[4*i:])))
			}
		case double:
			dst.floats = reuse.Slice(dst.floats, n)
			copyDoubles(dst.floats, now)
		default:
			dst.bytes = reuse.Slice(dst.bytes, n)
			for i := range dst.bytes {
				dst.bytes[i] = now[i*width:][:width]
			}
		}
		return nil
	}
}

// copyDoubles reads the float64s of dst from data, four at a time.
func copyDoubles(dst []float64, data []byte) {
	double := func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	for len(dst) >= 4 && len(data) >= 32 {
		to, from := (*[4]float64)(dst), (*[32]byte)(data)
		to[0], to[1], to[2], to[3] = double(from[0:8]), double(from[8:16]), double(from[16:24]), double(from[24:32])
		dst, data = dst[4:], data[32:]
	}
	for i := range dst {
		dst[i] = double(data[8*i:])
	}
}

// errShort means that a page holds fewer values than its header states.
var errShort = fmt.Errorf("%w: a page has fewer values than rows", ErrDamaged)

// widen extends 32 bits to 64, with their sign if the column has signs.
func (c *Column) widen(v uint32) int64 {
	if c.unsigned {
		return int64(v)
	}
	return int64(int32(v))
}

func plainBooleans(data []byte) decoder {
	at := 0 // bit
	return func(dst *values, n int) error {
		if n > 8*len(data)-at {
			return errShort
		}
		dst.ints = reuse.Slice(dst.ints, n)
		for i := range dst.ints {
			dst.ints[i] = int64(data[at/8] >> (at % 8) & 1)
			at++
		}
		return nil
	}
}

// plainBytes reads values with their lengths before them.
func plainBytes(data []byte) decoder {
	return func(dst *values, n int) error {
		dst.bytes = reuse.Slice(dst.bytes, n)
		for i := range dst.bytes {
			if len(data) < 4 {
				return errShort
			}
			size := int64(binary.LittleEndian.Uint32(data))
			if size > int64(len(data)-4) {
				return errShort
			}
			dst.bytes[i], data = data[4:4+size], data[4+size:]
		}
		return nil
	}
}

// booleanRuns reads runs with their length before them.
func booleanRuns(data []byte) (decoder, error) {
	if len(data) < 4 {
		return nil, errShort
	}
	r, err := newRuns(data[4:], 1)
	var bits []uint32
	return func(dst *values, n int) error {
		bits, dst.ints = reuse.Slice(bits, n), reuse.Slice(dst.ints, n)
		err := r.next(bits)
		for i, bit := range bits {
			dst.ints[i] = int64(bit)
		}
		return err
	}, err
}

func deltaInts(c *Column, data []byte) (decoder, error) {
	d, err := newDelta(data)
	return func(dst *values, n int) error {
		dst.ints = reuse.Slice(dst.ints, n)
		err := d.next(dst.ints)
		if c.physical == int32Type { // sums wrap around at 32 bits
			for i, v := range dst.ints {
				dst.ints[i] = c.widen(uint32(v))
			}
		}
		return err
	}, err
}

// readLengths reads delta-encoded lengths of at most most values, and returns the data after them.
func readLengths(data []byte, most int64) (lengths []int64, rest []byte, err error) {
	d, err := newDelta(data)
	if err != nil {
		return nil, nil, err
	}
	if d.total > most {
		return nil, nil, fmt.Errorf("%w: %d lengths for %d values", ErrDamaged, d.total, most)
	}
	const step = 1 << 16 // a wrong total does not allocate more than that in vain
	for d.left > 0 {
		from := len(lengths)
		lengths = append(lengths, make([]int64, min(step, d.left))...)
		if err := d.next(lengths[from:]); err != nil {
			return nil, nil, err
		}
	}
	return lengths, d.rest(), nil
}

// deltaBytes reads all lengths and then the bytes.
func deltaBytes(data []byte, most int64) (decoder, error) {
	lengths, data, err := readLengths(data, most)
	if err != nil {
		return nil, err
	}
	return func(dst *values, n int) error {
		if n > len(lengths) {
			return errShort
		}
		dst.bytes = reuse.Slice(dst.bytes, n)
		for i, size := range lengths[:n] {
			if size < 0 || size > int64(len(data)) {
				return errShort
			}
			dst.bytes[i], data = data[:size], data[size:]
		}
		lengths = lengths[n:]
		return nil
	}, nil
}

// mostShared bounds the bytes of the values of a page of size bytes whose encoding shares prefixes. Values
// that share all of a long prefix take no room in the page, so their bytes can grow with the square of its
// size. Sorted URLs need about 60 times the page.
func mostShared(size int) int64 { return 16<<20 + 256*int64(size) }

// deltaPrefixes reads the length of the prefix that each value shares with the one before, and then the
// suffixes as deltaBytes does.
func deltaPrefixes(data []byte, most int64) (decoder, error) {
	left := mostShared(len(data))
	shared, data, err := readLengths(data, most)
	if err != nil {
		return nil, err
	}
	suffixes, err := deltaBytes(data, most)
	if err != nil {
		return nil, err
	}
	var last []byte
	return func(dst *values, n int) error {
		if n > len(shared) {
			return errShort
		}
		if err := suffixes(dst, n); err != nil {
			return err
		}
		for i, size := range shared[:n] {
			if size < 0 || size > int64(len(last)) {
				return errShort
			}
			if rest := int64(len(dst.bytes[i])); rest > 0 { // otherwise the value shares the memory of the one before
				left -= size + rest
			}
			if left < 0 {
				return fmt.Errorf("%w: its values have too many bytes in common", ErrDamaged)
			}
			last = append(last[:size:size], dst.bytes[i]...)
			dst.bytes[i] = last
		}
		shared = shared[n:]
		return nil
	}, nil
}

// joinStreams undoes the encoding BYTE_STREAM_SPLIT, which stores the first bytes of all values, then all
// second bytes, and so on.
func joinStreams(data []byte, width int) []byte {
	n := len(data) / width
	dst := make([]byte, n*width)
	for b := range width {
		for i := range n {
			dst[i*width+b] = data[b*n+i]
		}
	}
	return dst
}
