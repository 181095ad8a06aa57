package histogram

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// byRows hides a source's methods for columns.
type byRows struct{ dataset.Source }

// TestColumnsAndRowsHaveTheSameBins finds bins from columns and from rows, with and without sampling, and
// with categories, missing values and zeros.
func TestColumnsAndRowsHaveTheSameBins(t *testing.T) {
	const rows, features = 3000, 21
	rng := rand.New(rand.NewPCG(1, 2))
	values := randomRows(rng, rows, features)
	for _, row := range values {
		row[3] = float64(rng.IntN(40)) // a category
		if rng.IntN(9) == 0 {
			row[5] = math.NaN()
		}
	}
	src, err := dataset.FromRows(values, make([]float64, rows), []int{rows})
	require.NoError(t, err)
	for _, count := range []int{70, 2999, 3000, 200000} {
		for _, categorical := range []string{"", "3"} {
			p := defaultParams()
			p.SampleCount, p.Categorical = count, categorical
			byColumn, err := Read(t.Context(), src, p)
			require.NoError(t, err)
			require.Nil(t, byColumn.kept)
			byRow, err := Read(t.Context(), byRows{src}, p)
			require.NoError(t, err)
			require.NotNil(t, byRow.kept)
			require.Equal(t, byRow.Mapper.Features, byColumn.Mapper.Features)
			require.Equal(t, byRow.Mapper.Features, byColumn.Mapper.Features)
			require.Equal(t, byRow.Remarks, byColumn.Remarks)
			one, err := byColumn.Bin(t.Context(), src)
			require.NoError(t, err)
			other, err := byRow.Bin(t.Context(), byRows{src})
			require.NoError(t, err)
			require.Equal(t, other.Raw().Bins, one.Raw().Bins)
			require.Equal(t, other.NaNs, one.NaNs)
		}
	}
}

// infinite is a source that checks its values in Blocks, but not in Columns.
type infinite struct{ dataset.Columned }

func (s infinite) Columns(dst [][]float64, first int, rows []int) error {
	err := s.Columned.Columns(dst, first, rows)
	dst[0][1] = math.Inf(-1)
	return err
}

func (s infinite) Blocks(ctx context.Context, p dataset.Pass) (*dataset.Meta, error) {
	if p.Keep == nil {
		return nil, dataset.ErrValueFinite
	}
	return s.Columned.Blocks(ctx, p)
}

func TestInfiniteColumnsAreRefusedAsRowsAre(t *testing.T) {
	src, err := dataset.FromRows([][]float64{{1, 2}, {3, 4}}, []float64{0, 1}, []int{2})
	require.NoError(t, err)
	_, err = Read(t.Context(), infinite{src}, defaultParams())
	assert.ErrorIs(t, err, dataset.ErrValueFinite)
}
