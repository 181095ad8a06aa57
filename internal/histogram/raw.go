package histogram

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/par"
)

// ErrRaw means that bins or bounds, such as those read from a file, were not made by this package.
var ErrRaw = errors.New("not bins")

// FromRaw makes a matrix from what [Matrix.Raw] returned for a matrix with the bins of m. The matrix keeps
// all slices, which must not change as long as it is used. The error matches [ErrRaw] if the lengths do not
// fit, or if a row has a bin that its column does not have. workers goroutines check the bins, GOMAXPROCS if
// it is 0.
func FromRaw(m *Mapper, r Raw, workers int) (*Matrix, error) {
	x := newMatrix(m, 0)
	fits := x.Stride == 0 && len(r.Bins) == 0 && r.Rows >= 0 ||
		x.Stride > 0 && len(r.Bins)%x.Stride == 0 && len(r.Bins)/x.Stride == r.Rows
	if !fits {
		return nil, fmt.Errorf("%w: %d bytes for %d rows of %d bytes", ErrRaw, len(r.Bins), r.Rows, x.Stride)
	}
	if len(r.NaNs) != len(m.Features) {
		return nil, fmt.Errorf("%w: NaN counts of %d features; there are %d", ErrRaw, len(r.NaNs), len(m.Features))
	}
	for f, n := range r.NaNs {
		if n < 0 || n > int64(r.Rows) {
			return nil, fmt.Errorf("%w: feature %d is NaN in %d of %d rows", ErrRaw, f, n, r.Rows)
		}
	}
	if err := x.checkSparse(r.Sparse, r.Rows); err != nil {
		return nil, err
	}
	x.rows, x.NaNs, x.bins, x.sparse = r.Rows, r.NaNs, r.Bins, r.Sparse
	if len(r.Bins) == 0 && !x.hasSparse() {
		return x, nil
	}
	if row := x.firstBad(workers); row >= 0 {
		return nil, fmt.Errorf("%w: row %d has a bin that its column lacks", ErrRaw, row)
	}
	return x, nil
}

// rawBlock is the number of rows that a worker checks at a time.
const rawBlock = 1 << 12

// firstBad returns the first row with a bin that its column does not have, or -1.
func (x *Matrix) firstBad(workers int) int {
	last, joint := x.largestBytes(), x.jointColumns()
	bad := make([]int, (x.rows+rawBlock-1)/rawBlock)
	pool := par.New(workers)
	defer pool.Close()
	pool.Blocks(x.rows, rawBlock, func(_, from, to int) {
		at := &bad[from/rawBlock]
		*at = -1
		for row := from; row < to && *at < 0; row++ {
			if exceeds(x.Row(row), last) || x.exceedsIn(joint, int32(row)) || x.badSparse(row) {
				*at = row
			}
		}
	})
	for _, row := range bad {
		if row >= 0 {
			return row
		}
	}
	return -1
}

// largestBytes returns the bytes of a row in which every column has its last bin, as one integer for each
// group. The lower byte of a wide column is 255, since it may have any value.
func (x *Matrix) largestBytes() []uint64 {
	last := make([]uint64, x.Stride/GroupSize)
	for c, f := range x.Fields {
		if f.Sparse {
			continue
		}
		limit := uint64(x.Bins(int32(c)).NumBins()-1) << f.Shift
		if f.Wide {
			limit |= 255
		}
		last[f.At/GroupSize] |= limit << (f.At % GroupSize * 8)
	}
	return last
}

// jointColumns returns the columns that share their byte with others, and those that have two bytes.
func (x *Matrix) jointColumns() []int32 {
	columnsIn := make([]int, x.Stride) // of each byte
	for _, f := range x.Fields {
		if !f.Sparse {
			columnsIn[f.At]++
		}
	}
	var joint []int32
	for c, f := range x.Fields {
		if !f.Sparse && (columnsIn[f.At] > 1 || f.Wide) {
			joint = append(joint, int32(c))
		}
	}
	return joint
}

// exceedsIn reports whether a row has a bin, in one of the given columns, that the column does not have. It
// checks columns for which exceeds is not enough: a field of a shared byte, or the bin of two bytes, can be
// too large although no byte is above its largest value.
func (x *Matrix) exceedsIn(columns []int32, row int32) bool {
	for _, c := range columns {
		if int(x.At(row, c)) >= x.Bins(c).NumBins() {
			return true
		}
	}
	return false
}

// exceeds reports whether any byte of row is above the corresponding byte of last. It compares four bytes at
// once, each in 16 bits: 256 + last - bin has the bit of 256 if bin <= last.
func exceeds(row []uint8, last []uint64) bool {
	const low, high = 0x00ff00ff00ff00ff, 0x0100010001000100
	kept := uint64(high)
	for i, l := range last {
		b := binary.LittleEndian.Uint64(row[i*GroupSize:])
		kept &= (l&low | high) - b&low
		kept &= (l>>8&low | high) - b>>8&low
	}
	return kept != high
}
