package booster

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/peers"
	"github.com/lambdamart/lambdamart/training"
)

// sameModelSettings exercise different code paths of training. Each line is tried alone and combined with
// others.
const sameModelSettings = `
active_fraction=1
active_fraction=1 num_leaves=120 min_data_in_leaf=2
active_fraction=0.2 num_leaves=40
active_fraction=0.3 min_data_in_leaf=60 num_leaves=31
active_fraction=0.3 min_data_in_leaf=120 min_sum_hessian_in_leaf=0
lambda_l1=0.1 lambda_l2=0.5 min_gain_to_split=0.01
zero_as_missing=true min_data_in_leaf=40
use_missing=false
bagging_fraction=0.6 bagging_freq=2 feature_fraction=0.5 active_fraction=0.3
bagging_fraction=0.5 bagging_freq=1 bagging_by_query=false
max_bin=1000 min_data_in_bin=1 num_leaves=30 min_data_in_leaf=30
max_bin=5000 min_data_in_bin=1 active_fraction=0.2 zero_as_missing=true
learning_rates=0.4,0.1,0.2
boosting=dart drop_rate=0.5 skip_drop=0.2
boosting=dart skip_drop=0 uniform_drop=true max_drop=2
boosting=dart skip_drop=0 xgboost_dart_mode=true
patience=3 num_iterations=12 learning_rate=0.6 is_provide_training_metric=true
metric_freq=3 is_provide_training_metric=true
max_depth=3 num_leaves=100
lambdarank_target=err
objective=rank_xendcg
objective=yetirank
objective=regression
num_models=3 feature_fraction=0.5
num_models=2 model_objectives=lambdarank,query_rmse is_provide_training_metric=true
allow_constant=true min_gain_to_split=1e9
saved_feature_importance_type=1
feature_fraction=0.2 min_gain_to_split=4
num_leaves=2
num_leaves=3
min_data_in_leaf=300 num_leaves=31
min_gain_to_split=2 num_iterations=12
monotone_constraints=0:-1,1:1,2:1 num_leaves=30
monotone_constraints=0:1,1:-1 monotone_penalty=0.5
monotone_constraints=1,-1,0,1,1 monotone_constraints_method=intermediate num_leaves=40
monotone_constraints=1,1,-1,1,1 monotone_constraints_method=intermediate active_fraction=0.3 path_smooth=3
monotone_constraints=1,0,-1,1,1 monotone_constraints_method=intermediate active_fraction=0.3 categorical_feature=1
interaction_constraints=[0,1],[1,2,3,4] feature_fraction_bynode=0.7
feature_contri=0:0.5,2:2 min_data_in_leaf=40
max_delta_step=0.1
path_smooth=10 num_leaves=40 min_data_in_leaf=20
path_smooth=5 active_fraction=0.3 max_delta_step=0.5 monotone_constraints=1:1
extra_trees=true num_leaves=40
extra_trees=true feature_fraction_bynode=0.6 feature_fraction=0.8 active_fraction=0.4
grow_policy=depthwise num_leaves=60
grow_policy=depthwise num_leaves=50 max_depth=5 min_data_in_leaf=1
grow_policy=symmetric num_leaves=32
grow_policy=symmetric num_leaves=64 min_data_in_leaf=40 active_fraction=1
grow_policy=symmetric num_leaves=64 min_data_in_leaf=60 active_fraction=0.4
grow_policy=symmetric num_leaves=32 max_delta_step=0.5 feature_contri=1:0.5 interaction_constraints=[0,1],[1,2,3,4]
grow_policy=symmetric monotone_constraints=1,1,-1,1,1 monotone_constraints_method=intermediate extra_trees=true
grow_policy=symmetric monotone_constraints=1,1,-1,1,1 monotone_constraints_method=intermediate
grow_policy=symmetric categorical_feature=1,3 min_data_per_group=20 min_data_in_leaf=40 active_fraction=1
grow_policy=symmetric categorical_feature=1,3 max_cat_to_onehot=100 min_data_in_leaf=40 active_fraction=0.4
categorical_feature=1,3 min_data_per_group=20 num_leaves=30
categorical_feature=1,3 min_data_in_leaf=60 min_data_per_group=5 active_fraction=1
categorical_feature=1,3 min_data_per_group=10 min_data_in_leaf=40 active_fraction=0.4 cat_smooth=2 cat_l2=1
categorical_feature=1,3 max_cat_to_onehot=100 min_data_in_leaf=30
categorical_feature=1,3 path_smooth=5 extra_trees=true feature_fraction_bynode=0.7 min_data_per_group=20
categorical_feature=1 max_bin=1000 min_data_in_bin=1 min_data_per_group=5
lambdarank_position_bias_regularization=0.5
bagging_fraction=0.6 bagging_freq=1
`

// sameModelParams returns parameters that combine some settings; ok is false if they are incompatible.
func sameModelParams(t *testing.T, settings ...string) (p Params, ok bool) {
	p = smallParams()
	p.NumIterations = 6
	for _, line := range settings {
		all, err := param.ParseArgs(strings.Fields(line))
		require.NoError(t, err)
		if _, err := p.Table().Apply(all); err != nil {
			return p, false
		}
	}
	return p, p.Validate() == nil
}

// variation is a way to run training that must not change the model.
type variation struct {
	layout  string // of the columns: see data
	threads int
	peers   int
	stop    int // the run is interrupted after this round, and resumed with other counts
}

func drawVariation(rng *rand.Rand, p *Params) variation {
	layouts := []string{"bytes", "all"}
	switch {
	case p.MaxBin > 255:
		layouts = layouts[:1]
	case p.CategoricalFeature == "":
		layouts = append(layouts, "second")
	}
	if p.MaxBin <= 255 && !p.ExtraTrees && p.MaxCatToOnehot == defaultCategories().MaxCatToOnehot &&
		!(p.ZeroAsMissing && len(p.MonotoneConstraints) > 0) {
		// It adds bins, which would change draws and one-hot splits, and makes a side of missing values alone
		// one that may have values, to which constraints apply.
		layouts = append(layouts, "wide")
	}
	v := variation{layouts[rng.IntN(len(layouts))], 1 + rng.IntN(4), 1 + rng.IntN(4), 0}
	if canStop := p.NumModels == 1 && (p.Boosting != DART || v.peers == 1); canStop && rng.IntN(3) == 0 {
		v.stop = 1 + rng.IntN(4)
	}
	if v.peers == 4 && testing.Short() {
		v.peers = 3
	}
	return v
}

// data returns the sets in the layout of the variation.
func (v *variation) data(t *testing.T, p *Params, sets []Data, tables []*table) []Data {
	switch {
	case v.layout == "wide":
		sets = asWide(t, sets, tables...)
	case someSparse[v.layout] != nil:
		sets = asSparse(t, sets, someSparse[v.layout], tables...)
	default:
		sets = binned(t, p, tables...)
	}
	return sets
}

// train trains, and interrupts and resumes the run if the variation says so.
func (v *variation) train(t *testing.T, p Params, sets []Data) (o rankOutcome, err error) {
	p.NumThreads = v.threads
	path := filepath.Join(t.TempDir(), "c")
	run := func(size, last int) error {
		return peers.Run(size, func(g peers.Group) error {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, written := &training.Checkpoints{Path: path, Rounds: 1, Resume: training.IfPresent}, 0
			c.Event = func(e training.CheckpointEvent) {
				if written++; written == last && g.Rank() == size-1 { // canceling one peer ends all
					cancel()
				}
			}
			if v.stop == 0 {
				c = nil
			}
			got, err := trainWith(ctx, g, p, sets, c)
			if g.Rank() == 0 {
				o = got
			}
			return err
		})
	}
	if v.stop > 0 {
		first := 1 + v.peers%3
		if p.Boosting == DART {
			first = 1
		}
		if err := run(first, v.stop); err != nil {
			return o, err
		}
		p.NumThreads = 1 + v.threads%3
	}
	err = run(v.peers, 0)
	return o, err
}

// comparable returns an outcome without the section on binning, which differs if asWide adds bins.
func (v *variation) comparable(o rankOutcome) rankOutcome {
	if v.layout == "wide" {
		o.section = ""
	}
	return o
}

// TestModelIsTheSame: for all settings, each variation gives the model of one thread on one process, with
// dense
// byte columns in memory and no interruption.
func TestModelIsTheSame(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(sameModelSettings), "\n")
	variations, others := 2, 1
	if !testing.Short() {
		variations, others = 5, 3
	}
	for i, line := range lines {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		for n := range others + 1 {
			settings := []string{line}
			p, ok := sameModelParams(t, line)
			require.True(t, ok, line)
			for tries := 0; n > 0 && len(settings) == 1 && tries < 20; tries++ {
				other := lines[rng.IntN(len(lines))]
				if both, ok := sameModelParams(t, other, line); ok {
					p, settings = both, []string{other, line}
				}
			}
			t.Run(strings.Join(settings, " "), func(t *testing.T) {
				tables := peerTables(&p)
				sets := binned(t, &p, tables...)
				p.NumThreads = 1
				want, wantErr := trainOn(t, peers.Group{}, p, sets)
				for range variations {
					v := drawVariation(rng, &p)
					got, err := v.train(t, p, v.data(t, &p, sets, tables))
					if wantErr != nil {
						assert.ErrorContains(t, err, wantErr.Error(), "%+v", v)
						continue
					}
					require.NoError(t, err, "%+v", v)
					if v.comparable(got) != v.comparable(want) {
						t.Fatalf("%+v: another outcome: %s\nwanted: %s", v, got.rounds, want.rounds)
					}
				}
			})
		}
	}
}

// withoutBounds makes thresholds beyond all values, which asWide adds, infinite, and removes the feature
// ranges.
func withoutBounds(r *Result) {
	for i := range r.Model.Trees {
		for n, threshold := range r.Model.Trees[i].Threshold {
			if threshold >= 1e6 {
				r.Model.Trees[i].Threshold[n] = math.Inf(1)
			}
		}
	}
	for i := range r.Model.Features {
		r.Model.Features[i].Range = ""
	}
}
