package scoring

import (
	"testing"

	"github.com/lambdamart/lambdamart/internal/widened"
)

// TestBatchesOfWideRows: with a million features, a batch holds a few rows and not hundreds.
func TestBatchesOfWideRows(t *testing.T) {
	for features, most := range map[int]int{0: 256, 1: 256, 136: 256, 4096: 256, 1 << 14: 64, 1 << 20: 1,
		1 << 24: 1} {
		b := newBatches(Output{features: widened.Features{Total: features}})
		if b.most != most || len(b.rows) != most*features {
			t.Errorf("%d features: %d rows in %d values; want %d rows", features, b.most, len(b.rows), most)
		}
	}
}
