package parquet

import (
	"encoding/binary"
	"fmt"
)

// delta reads integers of the encoding DELTA_BINARY_PACKED (Encodings): the first value, then blocks of
// differences. A block has its smallest difference, and the amounts by which the others exceed it, in
// miniblocks with a bit width each. Sums wrap around.
type delta struct {
	data      []byte
	blockSize int // differences of a block
	perMini   int // of a miniblock
	total     int64
	left      int64 // values not read yet
	value     int64 // the last value read
	started   bool

	smallest int64
	widths   []byte // of the block's miniblocks not read yet
	mini     []int64
	memory   []int64
}

// mostInBlock bounds the differences of a block. Writers use 128 to 2,048.
const mostInBlock = 1 << 13

func newDelta(data []byte) (*delta, error) {
	d := &delta{data: data}
	blockSize, minis := d.uvarint(), d.uvarint()
	total := d.uvarint()
	d.value = d.varint()
	if d.data == nil || blockSize == 0 || blockSize > mostInBlock || minis == 0 || blockSize%minis != 0 ||
		blockSize/minis%8 != 0 || total > 1<<40 {
		return nil, fmt.Errorf("%w: the head of delta-encoded values", ErrDamaged)
	}
	d.blockSize, d.perMini = int(blockSize), int(blockSize/minis)
	d.total, d.left = int64(total), int64(total)
	return d, nil
}

// next fills dst.
func (d *delta) next(dst []int64) error {
	if int64(len(dst)) > d.left {
		return fmt.Errorf("%w: fewer delta-encoded values than rows", ErrDamaged)
	}
	for i := range dst {
		if d.started {
			if len(d.mini) == 0 {
				if err := d.begin(); err != nil {
					return err
				}
			}
			d.value += d.smallest + d.mini[0]
			d.mini = d.mini[1:]
		}
		d.started = true
		dst[i] = d.value
		d.left--
	}
	return nil
}

// begin reads the next miniblock, and the head of its block if it is the first one.
func (d *delta) begin() error {
	if len(d.widths) == 0 {
		d.smallest = d.varint()
		n := d.blockSize / d.perMini
		if len(d.data) < n {
			return fmt.Errorf("%w: a block of delta-encoded values ends too early", ErrDamaged)
		}
		d.widths, d.data = d.data[:n], d.data[n:]
	}
	width := int(d.widths[0])
	d.widths = d.widths[1:]
	size := d.perMini / 8 * width
	if width > 64 || size > len(d.data) {
		return fmt.Errorf("%w: a block of delta-encoded values ends too early", ErrDamaged)
	}
	if d.memory == nil {
		d.memory = make([]int64, d.perMini)
	}
	d.mini = d.memory
	unpack64(d.mini, d.data[:size], width)
	d.data = d.data[size:]
	return nil
}

// unpack64 reads numbers of width bits, lowest bits first.
func unpack64(dst []int64, data []byte, width int) {
	at := 0 // bit
	for i := range dst {
		v := uint64(0)
		for got := 0; got < width; {
			free := 8 - at%8
			take := min(free, width-got)
			part := uint64(data[at/8]>>(at%8)) & (1<<take - 1)
			v |= part << got
			got, at = got+take, at+take
		}
		dst[i] = int64(v)
	}
}

// rest returns the data after all blocks. All values must have been read. The last block has the
// widths of all its miniblocks, but only the data of those with values.
func (d *delta) rest() []byte { return d.data }

func (d *delta) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	d.advance(n)
	return v
}

func (d *delta) varint() int64 {
	v, n := binary.Varint(d.data)
	d.advance(n)
	return v
}

func (d *delta) advance(n int) {
	if n <= 0 {
		d.data = nil
		return
	}
	d.data = d.data[n:]
}
