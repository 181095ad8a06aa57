package histogram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/lambdamart/lambdamart/internal/par"
)

// ErrRaw says that stored bins or bounds cannot have come from this package.
var ErrRaw = errors.New("not bins")

// Raw returns the bins of all rows as they lie in memory: those of [Matrix.Row], row
// after row. They belong to the matrix.
func (x *Matrix) Raw() []uint8 { return x.bins }

// FromRaw makes a matrix of bins that [Matrix.Raw] returned once, for rows that m
// binned; nans is what [Matrix.NaNs] returned. It keeps both, which must not change
// as long as the matrix is used. It fails with [ErrRaw] if their numbers do not fit,
// or if a bin is not one of its column.
func FromRaw(m *Mapper, rows int, nans []int64, bins []uint8, workers int) (*Matrix, error) {
	x := newMatrix(m, 0)
	fits := x.stride == 0 && len(bins) == 0 ||
		x.stride > 0 && len(bins)%x.stride == 0 && len(bins)/x.stride == rows
	if !fits {
		return nil, fmt.Errorf("%w: %d bytes for %d rows of %d bytes", ErrRaw, len(bins), rows, x.stride)
	}
	if len(nans) != len(m.Features) {
		return nil, fmt.Errorf("%w: NaN counts of %d features; there are %d", ErrRaw, len(nans), len(m.Features))
	}
	for f, n := range nans {
		if n < 0 || n > int64(rows) {
			return nil, fmt.Errorf("%w: feature %d is NaN in %d of %d rows", ErrRaw, f, n, rows)
		}
	}
	x.rows, x.nans, x.bins = rows, nans, bins
	if row := x.firstBad(workers); row >= 0 {
		return nil, fmt.Errorf("%w: row %d has a bin that its column lacks", ErrRaw, row)
	}
	return x, nil
}

// rawBlock is the number of rows that a worker checks at a time.
const rawBlock = 1 << 12

// firstBad returns the first row with a bin that its column lacks, -1 if there is
// none.
func (x *Matrix) firstBad(workers int) int {
	last := make([]uint64, x.stride/GroupSize)
	columnsIn := make([]int, x.stride) // of each byte
	for _, f := range x.fields {
		columnsIn[f.At]++
	}
	var mixed []int32 // columns that share a byte
	for c, f := range x.fields {
		limit := uint64(x.Bins(int32(c)).NumBins()-1) << f.Shift
		last[f.At/GroupSize] |= limit << (f.At % GroupSize * 8)
		if columnsIn[f.At] > 1 {
			mixed = append(mixed, int32(c))
		}
	}
	pool := par.New(workers)
	defer pool.Close()
	bad := make([]int, (x.rows+rawBlock-1)/rawBlock)
	pool.Blocks(x.rows, rawBlock, func(_, from, to int) {
		bad[from/rawBlock] = -1
		for row := from; row < to; row++ {
			if exceeds(x.Row(row), last) || x.exceedsIn(mixed, int32(row)) {
				bad[from/rawBlock] = row
				break
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

// exceedsIn tells whether a row has a bin in one of the columns that the column
// lacks. No value of a shared byte is above that of the last bins of all its
// columns, and yet one of its fields may be.
func (x *Matrix) exceedsIn(columns []int32, row int32) bool {
	for _, c := range columns {
		if int(x.At(row, c)) >= x.Bins(c).NumBins() {
			return true
		}
	}
	return false
}

// exceeds tells whether any byte of row is above the byte of last in its place.
// It compares four bytes at once, each in 16 bits of its own: 256 + last - bin
// keeps the bit of 256 if bin <= last.
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

// NewFeatureBins returns the bins with the given upper bounds, which it keeps, of
// a feature whose sampled values reach from min to max. It fails with [ErrRaw] if
// a feature cannot have them.
func NewFeatureBins(upperBounds []float64, missing Missing, min, max float64) (FeatureBins, error) {
	f := FeatureBins{UpperBounds: upperBounds, Missing: missing, Min: min, Max: max}
	n := len(upperBounds)
	if n < 1 || f.NumBins() > 255 || !math.IsInf(upperBounds[n-1], 1) {
		return FeatureBins{}, fmt.Errorf("%w: %d upper bounds; wanted 1 to 255, the last one +Inf", ErrRaw, n)
	}
	for i, u := range upperBounds[:n-1] {
		if math.IsInf(u, 0) || !(u < upperBounds[i+1]) {
			return FeatureBins{}, fmt.Errorf("%w: upper bound %v before %v", ErrRaw, u, upperBounds[i+1])
		}
	}
	if !(min <= max) || math.IsInf(min, 0) || math.IsInf(max, 0) {
		return FeatureBins{}, fmt.Errorf("%w: values from %v to %v", ErrRaw, min, max)
	}
	if missing > MissingNaN || missing == MissingZero && n < 3 {
		return FeatureBins{}, fmt.Errorf("%w: missing type %d with %d upper bounds", ErrRaw, missing, n)
	}
	f.Zero = uint8(sort.SearchFloat64s(upperBounds, 0))
	f.lookup = newLookup(&f)
	return f, nil
}

// Difference tells how the bins of o differ from those of m: "feature 3 has 5
// bins instead of 255". It returns "" if all are the same.
func (m *Mapper) Difference(o *Mapper) string {
	if len(m.Features) != len(o.Features) {
		return fmt.Sprintf("%d features instead of %d", len(o.Features), len(m.Features))
	}
	for f := range m.Features {
		if d := m.Features[f].difference(&o.Features[f]); d != "" {
			return fmt.Sprintf("feature %d has %s", f, d)
		}
	}
	return ""
}

func (f *FeatureBins) difference(o *FeatureBins) string {
	if f.Missing != o.Missing {
		return fmt.Sprintf("missing values of type %d instead of %d", o.Missing, f.Missing)
	}
	if f.NumBins() != o.NumBins() {
		return fmt.Sprintf("%d bins instead of %d", o.NumBins(), f.NumBins())
	}
	for b, u := range f.UpperBounds {
		if o.UpperBounds[b] != u {
			return fmt.Sprintf("bin %d up to %v instead of %v", b, o.UpperBounds[b], u)
		}
	}
	if f.Min != o.Min || f.Max != o.Max {
		return fmt.Sprintf("values from %v to %v instead of %v to %v", o.Min, o.Max, f.Min, f.Max)
	}
	return ""
}
