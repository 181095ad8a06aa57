package booster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/histogram"
)

// asSparse bins tables with the bins of data, and makes the columns sparse of those features for which is
// returns true.
func asSparse(t testing.TB, data []Data, is func(feature int) bool, tables ...*table) []Data {
	t.Helper()
	m := &histogram.Mapper{Features: slices.Clone(data[0].Values.Mapper.Features)}
	for f := range m.Features {
		m.Features[f].Sparse = is(f) && !m.Features[f].IsCategorical()
	}
	var all []Data
	for i, s := range tables {
		bins, _, err := m.Bin(t.Context(), s)
		require.NoError(t, err)
		require.True(t, bins.Raw().Sparse.Ends != nil)
		all = append(all, Data{Name: data[i].Name, Meta: s.meta, Values: bins})
	}
	return all
}

// someSparse are functions that choose the sparse features.
var someSparse = map[string]func(feature int) bool{
	"all":    func(int) bool { return true },
	"second": func(f int) bool { return f%2 == 1 },
	"first":  func(f int) bool { return f == 0 },
}
