package nnbaseline

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
)

// valueRows is the number of rows of a block.
const valueRows = 256

// Values holds the compressed feature values of rows: sign(x)·log1p(|x|) as float32, because raw
// values of one feature may differ by eight orders of magnitude.
//
// Rows are added in any order and with any number of features. They are stored in blocks of valueRows rows. A
// block is as wide as the widest row that it has received so far; finish makes
// all blocks as wide as the data.
type Values struct {
	mutex    sync.Mutex
	blocks   []*valueBlock
	rows     int
	features int
	room     *room // nil: any number of rows is kept
}

// bytes returns the memory of the values.
func (v *Values) bytes() int { return valueBytes(v.rows, v.features) }

// valueBytes returns the memory of this many rows and features, in whole blocks.
func valueBytes(rows, features int) int {
	return (rows + valueRows - 1) / valueRows * valueRows * features * 4
}

// valueBlock is valueRows rows, one after the other.
type valueBlock struct {
	mutex  sync.Mutex
	width  int
	values []float32 // valueRows × width
}

// NumRows returns the number of rows.
func (v *Values) NumRows() int { return v.rows }

// numFeatures returns the number of values of a row.
func (v *Values) numFeatures() int { return v.features }

// row returns the compressed values of a row. The slice must not be changed.
func (v *Values) row(row int) []float32 {
	b := v.blocks[row/valueRows]
	return b.values[row%valueRows*b.width:][:b.width]
}

// compress returns sign(x)·log1p(|x|). (Qin et al., Are neural rankers still
// outperformed by gradient boosted decision trees?, ICLR 2021, section 4.1.)
func compress(x float64) float32 {
	if x == 0 {
		return 0
	}
	return float32(math.Copysign(math.Log1p(math.Abs(x)), x))
}

// add stores one row. Several goroutines may add different rows at once.
func (v *Values) add(row dataset.Row) error {
	width := 0
	if n := len(row.Feature); n > 0 {
		width = int(row.Feature[n-1]) + 1
	}
	if width > maxFeatures {
		return fmt.Errorf("row %d has feature %d; networks take %d features, all of them in memory "+
			"for each row: number the features that occur from 0 on", row.Number, width-1, maxFeatures)
	}
	b, err := v.block(row.Number/valueRows, width)
	if err != nil {
		return err
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.widen(width)
	dst := b.values[row.Number%valueRows*b.width:][:b.width]
	for i, f := range row.Feature {
		if math.IsInf(row.Value[i], 0) {
			return &valueError{row.Number, strconv.Itoa(int(f)), isInfinite}
		}
		dst[f] = compress(row.Value[i])
	}
	return nil
}

// block returns the block of the given number. It makes that block and those before it if they do not exist
// yet, as wide as the widest row so far. width is the width of the row to be added. It is an error if there
// is not enough memory.
func (v *Values) block(number, width int) (*valueBlock, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.features = max(v.features, width)
	if err := v.room.check(max(len(v.blocks), number+1)*valueRows, v.features); err != nil {
		return nil, err
	}
	for len(v.blocks) <= number {
		v.blocks = append(v.blocks, &valueBlock{width: v.features, values: make([]float32, valueRows*v.features)})
	}
	return v.blocks[number], nil
}

// widen makes the block wide enough for rows of this many values.
func (b *valueBlock) widen(width int) {
	if width <= b.width {
		return
	}
	wider := make([]float32, valueRows*width)
	for row := range valueRows {
		copy(wider[row*width:], b.values[row*b.width:][:b.width])
	}
	b.width, b.values = width, wider
}

// finish gives all rows the same width.
func (v *Values) finish(rows, features int) error {
	v.rows, v.features = rows, max(features, v.features)
	if _, err := v.block(max(0, rows-1)/valueRows, v.features); err != nil {
		return err
	}
	for _, b := range v.blocks {
		b.widen(v.features)
	}
	return nil
}

// Fingerprint returns a text that identifies the values of all features, computed by this many workers (one
// for each processor if below 1). The text is the same on all machines. first is not used, and the rest is
// empty, because a network has weights for each feature, and peers cannot share the rows.
func (v *Values) Fingerprint(first, workers int) (numbers, text string, sums [2]uint64) {
	return "", fingerprint.Of(len(v.blocks), workers, func(h *fingerprint.Hash, part int) {
		for row := part * valueRows; row < min(v.rows, (part+1)*valueRows); row++ {
			h.Float32s(v.row(row))
		}
	}), sums
}
