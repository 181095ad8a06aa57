package scoring

import (
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/widened"
)

// These are for the external tests, which read data with package io/data.
const BatchRows = batchRows

var (
	ErrNoOutput = errNoOutput
	AppendIDs   = appendIDs
)

// SetMostNumbers sets mostNumbers until the test ends.
func SetMostNumbers(t *testing.T, n int) {
	before := mostNumbers
	mostNumbers = n
	t.Cleanup(func() { mostNumbers = before })
}

// TestBatchesOfWideRows: with a million features, a batch holds a few rows and not hundreds.
func TestBatchesOfWideRows(t *testing.T) {
	for features, most := range map[int]int{0: 256, 1: 256, 136: 256, 4096: 256, 1 << 14: 64, 1 << 20: 1,
		1 << 24: 1} {
		b := newBatches(Output{features: widened.Features{Total: features}})
		if b.most != most {
			t.Errorf("%d features: %d rows; want %d", features, b.most, most)
		}
	}
}

// TestWideRowsLeaveNoValues: a batch of wide rows is zero again after its rows were computed, although only
// the values that were set are cleared.
func TestWideRowsLeaveNoValues(t *testing.T) {
	const features = 1 << 16
	sum := func(dst, rows []float64, n int) error {
		for i := range n {
			dst[i] = 0
			for _, v := range rows[i*features : (i+1)*features] {
				dst[i] += v
			}
		}
		return nil
	}
	b := newBatches(Output{features: widened.Features{Total: features}, width: 1, compute: sum})
	for i := range 3*b.most + 1 {
		row := dataset.Row{Number: i, Feature: []int32{int32(i), int32(1000 + 7*i), features + 5},
			Value: []float64{1, float64(i), 100}}
		if err := b.add(row); err != nil {
			t.Fatal(err)
		}
	}
	_, results, err := b.take()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range results {
		if v != float64(1+i) {
			t.Fatalf("row %d: %v, want %d", i, v, 1+i)
		}
	}
}
