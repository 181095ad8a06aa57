package booster

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/peers"
)

// asSparse bins tables with the bins of data, and makes the columns of the features sparse for which is
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
		require.True(t, bins.HasSparse())
		all = append(all, Data{Name: data[i].Name, Meta: s.meta, Values: bins})
	}
	return all
}

// someSparse are choices of sparse features.
var someSparse = map[string]func(feature int) bool{
	"all":    func(int) bool { return true },
	"second": func(f int) bool { return f%2 == 1 },
	"first":  func(f int) bool { return f == 0 },
}

// someThreads are the numbers of threads with which each choice is tried.
var someThreads = map[string][]int{"all": {1, 2, 7}, "second": {2}, "first": {1}}

// TestSparseColumnsDoNotChangeTheModel: sparse columns give the same bytes of the model as dense ones, by any
// number of threads.
func TestSparseColumnsDoNotChangeTheModel(t *testing.T) {
	all := map[string]func(p *Params){
		"zero is missing": func(p *Params) { p.ZeroAsMissing = true },
		"random cuts":     func(p *Params) { p.ExtraTrees = true },
		"fewer features":  func(p *Params) { p.FeatureFraction = 0.5 },
		"costly features": func(p *Params) { p.CEGBTradeoff, p.CEGBPenaltyFeatureLazy = 1, "0.001,0,0.002,0,0" },
		"forest":          func(p *Params) { p.Boosting, p.BaggingFraction, p.BaggingFreq = RF, 0.6, 1 },
		"dropped trees":   func(p *Params) { p.Boosting = DART },
		"large gradients": func(p *Params) { p.DataSampleStrategy = GOSS },
	}
	maps.Copy(all, layoutSettings())
	for name, set := range all {
		t.Run(name, func(t *testing.T) {
			p, tables, data, want := layoutCase(t, set)
			for name, is := range someSparse {
				sparse := asSparse(t, data, is, tables...)
				for _, p.NumThreads = range someThreads[name] {
					require.True(t, want == trained(t, p, sparse), "%s sparse, %d threads", name, p.NumThreads)
				}
			}
		})
	}
}

// TestSparseColumnsBesideCategories is the same where other features are categorical.
func TestSparseColumnsBesideCategories(t *testing.T) {
	p := shopParams()
	tables := []*table{shopTable(3, 3000, 20), shopTable(4, 400, 20)}
	data := binned(t, &p, tables...)
	for _, p.ActiveFraction = range []ActiveFraction{1, 0.3} {
		p.NumThreads = 1
		want := trained(t, p, data)
		sparse := asSparse(t, data, func(int) bool { return true }, tables...)
		for _, p.NumThreads = range []int{1, 2} {
			require.True(t, want == trained(t, p, sparse), "%d threads", p.NumThreads)
		}
	}
}

// TestRanksWithSparseColumns: any number of ranks gives the model of one process on dense columns.
func TestRanksWithSparseColumns(t *testing.T) {
	for name, set := range map[string]func(p *Params){
		"all rows": func(p *Params) { p.ActiveFraction, p.NumLeaves = 1, 30 },
		"few rows": rankSettings["few rows"],
	} {
		t.Run(name, func(t *testing.T) {
			p := smallParams()
			set(&p)
			p.NumIterations = 5
			tables := []*table{withNaN(randomTable(3, 1500), 4, 0.1), withNaN(randomTable(5, 400), 6, 0.2)}
			data := binned(t, &p, tables...)
			want, err := trainOn(t, peers.Group{}, p, data)
			require.NoError(t, err)
			sparse := asSparse(t, data, someSparse["second"], tables...)
			for _, size := range rankSizes() {
				require.NoError(t, peers.Run(size, func(g peers.Group) error {
					got, err := trainOn(t, g, p, sparse)
					if err == nil && got != want {
						return errors.New("another model")
					}
					return err
				}))
			}
		})
	}
}
