package histogram

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// canceling is a source that cancels the context at the end of a pass.
type canceling struct {
	dataset.Source
	cancel func()
}

func (c *canceling) Blocks(ctx context.Context, p dataset.Pass) (*dataset.Meta, error) {
	defer c.cancel()
	return c.Source.Blocks(ctx, p)
}

// TestFindingBinsCanBeCanceled: finding bins takes seconds on large data, so it must notice the cancellation.
func TestFindingBinsCanBeCanceled(t *testing.T) {
	d, err := dataset.FromRows([][]float64{{1, 2}, {3, 4}}, []float64{0, 1}, []int{2})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Read(ctx, &canceling{d, cancel}, BinParams{MaxBin: 255, MinDataInBin: 1, SampleCount: 1000})
	assert.ErrorIs(t, err, context.Canceled)
}
