package booster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/param"
)

// quiet makes all grades equal in three of four queries, so that their rows are idle.
func quiet(data *table) *table {
	for n, q := range data.meta.Queries {
		if n%4 != 0 {
			clear(data.meta.Labels[q.First : q.First+q.Len])
		}
	}
	return data
}

// TestIdleRowsSetApartGiveTheSameModel trains with all idle rows set apart, and with none, on dense and on
// sparse columns. Large min_data_in_leaf makes them decide which splits are allowed.
func TestIdleRowsSetApartGiveTheSameModel(t *testing.T) {
	defer func(was float64) { leastIdle = was }(leastIdle)
	for _, line := range strings.Split(strings.TrimSpace(`
active_fraction=1 num_leaves=31 min_sum_hessian_in_leaf=0
active_fraction=1 num_leaves=60 min_data_in_leaf=1
active_fraction=1 num_leaves=31 min_data_in_leaf=100 min_sum_hessian_in_leaf=0
active_fraction=1 num_leaves=31 min_data_in_leaf=300 min_sum_hessian_in_leaf=0
active_fraction=1 min_data_in_leaf=60 bagging_fraction=0.6 bagging_freq=1
active_fraction=1 min_data_in_leaf=60 grow_policy=depthwise max_depth=4
active_fraction=1 min_data_in_leaf=60 monotone_constraints=1,-1,0,1,1 monotone_constraints_method=intermediate
active_fraction=1 min_data_in_leaf=60 path_smooth=3
active_fraction=1 min_data_in_leaf=60 grow_policy=symmetric num_leaves=32
active_fraction=1 categorical_feature=1,3 min_data_in_leaf=60 min_data_per_group=5
active_fraction=1 boosting=dart skip_drop=0 min_data_in_leaf=60
`), "\n") {
		t.Run(line, func(t *testing.T) {
			p := smallParams()
			p.NumIterations = 6
			settings, err := param.ParseArgs(strings.Fields(line))
			require.NoError(t, err)
			_, err = p.Table().Apply(settings)
			require.NoError(t, err)
			require.NoError(t, p.Validate(nil))
			tables := []*table{withNaN(randomTable(3, 1500), 4, 0.1), withNaN(randomTable(5, 400), 6, 0.2)}
			if p.CategoricalFeature != "" {
				tables = []*table{shopTable(3, 1500, 15), shopTable(5, 400, 15)}
			}
			quiet(tables[0])
			dense := binned(t, &p, tables...)
			for _, sets := range [][]Data{dense, asSparse(t, dense, someSparse["all"], tables...)} {
				leastIdle = 2
				want, err := trainOn(t, peers.Group{}, p, sets)
				require.NoError(t, err)
				for _, threads := range []int{1, 3} {
					leastIdle, p.NumThreads = 0, threads
					got, err := trainOn(t, peers.Group{}, p, sets)
					require.NoError(t, err)
					require.True(t, got == want, "another outcome with %d threads:\n%s\nwanted:\n%s", threads,
						got.rounds, want.rounds)
				}
			}
		})
	}
}
