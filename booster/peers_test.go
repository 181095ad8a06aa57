package booster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/peers"
	"github.com/lambdamart/lambdamart/training"
)

// divided returns the part of each set that a rank has. Boundaries are those of dataset.ShareOut.
func divided(g peers.Group, all []Data) []Data {
	var parts []Data
	for _, d := range all {
		from, to := dataset.ShareOut(d.Meta.Queries, g)
		meta := dataset.PartOf(d.Meta, g, from, to)
		first := meta.Part.FirstRow
		parts = append(parts, Data{Name: d.Name, Meta: meta, Values: d.Values.Rows(first, first+meta.NumRows())})
	}
	return parts
}

// rankOutcome is what must not depend on the number of ranks.
type rankOutcome struct {
	model   string
	rounds  string
	section string // of the model's parameters
}

func trainOn(t testing.TB, g peers.Group, p Params, all []Data) (o rankOutcome, err error) {
	return trainWith(context.Background(), g, p, all, nil)
}

// trainWith trains with checkpoints.
func trainWith(ctx context.Context, g peers.Group, p Params, all []Data,
	c *training.Checkpoints) (o rankOutcome, err error) {
	all = slices.Clone(all)
	if g.Size() > 1 {
		all = divided(g, all)
	}
	options := Options{Options: training.Options{Round: func(r training.Round) {
		o.rounds += fmt.Sprint(r.Number, r.Leaves)
		for _, e := range r.Evaluations {
			e.Result.PerQuery = nil
			o.rounds += fmt.Sprintf(" %s %v", e.Set, e.Result.Mean)
		}
		o.rounds += "\n"
	}}}
	options.Checkpoints = c
	r, err := Train(ctx, p, all[0], all[1:], options)
	if err != nil {
		return o, err
	}
	o.section = r.Model.Parameters
	o.model = string(bytesOf(r.Model)) + fmt.Sprint(r.Rounds, r.Kept, r.Stopped, r.Best, r.BestValue)
	return o, nil
}

// rankSettings are settings that take different ways through training.
var rankSettings = map[string]func(p *Params){
	"all rows":    func(p *Params) { p.ActiveFraction = 1 },
	"large trees": func(p *Params) { p.ActiveFraction, p.NumLeaves, p.MinDataInLeaf = 1, 120, 2 },
	"sparse":      func(p *Params) { p.ActiveFraction, p.NumLeaves = 0.2, 40 },
	"few rows":    func(p *Params) { p.ActiveFraction, p.MinDataInLeaf, p.NumLeaves = 0.3, 60, 31 },
	"l1": func(p *Params) {
		p.LambdaL1, p.LambdaL2, p.MinGainToSplit, p.ActiveFraction = 0.1, 0.5,
			0.01, 1
	},
	"zeros missing": func(p *Params) { p.ZeroAsMissing, p.MinDataInLeaf = true, 40 },
	"bags": func(p *Params) {
		p.BaggingFraction, p.BaggingFreq, p.FeatureFraction, p.ActiveFraction = 0.6, 2, 0.5, 0.3
	},
	"many bins": func(p *Params) { p.MaxBin, p.MinDataInBin, p.NumLeaves, p.MinDataInLeaf = 1000, 1, 30, 30 },
	"bins, sparse": func(p *Params) {
		p.MaxBin, p.MinDataInBin, p.ActiveFraction, p.ZeroAsMissing = 5000, 1, 0.2,
			true
	},
	"bags of rows": func(p *Params) { p.BaggingFraction, p.BaggingFreq, p.BaggingByQuery = 0.5, 1, false },
	"rates":        func(p *Params) { p.LearningRates = []float64{0.4, 0.1, 0.2} },
	"goss":         func(p *Params) { p.DataSampleStrategy, p.LearningRate = GOSS, 0.5 },
	"dart":         func(p *Params) { p.Boosting, p.DropRate = DART, 0.5 },
	"forest":       func(p *Params) { p.Boosting, p.BaggingFraction, p.BaggingFreq = RF, 0.6, 1 },
	"stops": func(p *Params) {
		p.Patience, p.NumIterations, p.LearningRate, p.IsTrainingMetric = 3, 60,
			0.6, true
	},
	"depth":    func(p *Params) { p.MaxDepth, p.NumLeaves, p.ActiveFraction = 3, 100, 1 },
	"err":      func(p *Params) { p.LambdarankTarget = "err" },
	"noise":    func(p *Params) { p.LambdarankNoise = 0.3 },
	"xendcg":   func(p *Params) { p.Objective = "rank_xendcg" },
	"yetirank": func(p *Params) { p.Objective = "yetirank" },
	"ensemble": func(p *Params) { p.NumModels, p.FeatureFraction, p.ActiveFraction = 3, 0.5, 0.4 },
	"mixed ensemble": func(p *Params) {
		p.NumModels, p.ModelObjectives, p.IsTrainingMetric = 2, []string{"lambdarank", "query_rmse"}, true
	},
	"monotone": func(p *Params) { p.MonotoneConstraints, p.NumLeaves = "0:-1,1:1,2:1", 30 },
	"monotone, sparse": func(p *Params) {
		p.MonotoneConstraints, p.MonotonePenalty, p.ActiveFraction, p.MinDataInLeaf = "0:1,1:-1", 0.5, 0.3, 40
	},
	"interactions":  func(p *Params) { p.InteractionConstraints, p.NumLeaves = "[0,1],[1,2,3]", 30 },
	"contributions": func(p *Params) { p.FeatureContri, p.MinDataInLeaf = "0:0.5,2:2", 40 },
	"steps": func(p *Params) {
		p.MaxDeltaStep, p.MonotoneConstraints, p.ActiveFraction = 0.1, "3:1",
			0.4
	},
	"two leaves":     func(p *Params) { p.NumLeaves = 2 },
	"three leaves":   func(p *Params) { p.NumLeaves, p.ActiveFraction = 3, 1 },
	"huge min_data":  func(p *Params) { p.MinDataInLeaf, p.ActiveFraction, p.NumLeaves = 300, 0.4, 31 },
	"no more splits": func(p *Params) { p.MinGainToSplit, p.NumIterations = 2, 60 },
}

// steeredRankSettings are more of them, of growth and with data of their own (rankTables).
var steeredRankSettings = map[string]func(p *Params){
	"smooth": func(p *Params) { p.PathSmooth, p.NumLeaves, p.MinDataInLeaf = 10, 40, 20 },
	"smooth, sparse": func(p *Params) {
		p.PathSmooth, p.ActiveFraction, p.NumLeaves, p.MaxDeltaStep, p.MonotoneConstraints = 5, 0.3, 40, 0.5, "1:1"
	},
	"random": func(p *Params) { p.ExtraTrees, p.NumLeaves = true, 40 },
	"random, by node": func(p *Params) {
		p.ExtraTrees, p.FeatureFractionByNode, p.ActiveFraction, p.FeatureFraction, p.NumLeaves = true, 0.6, 0.4,
			0.8, 40
	},
	"by node": func(p *Params) {
		p.FeatureFractionByNode, p.NumLeaves, p.InteractionConstraints = 0.5, 40, "[0,1],[1,2,3,4]"
	},
	"intermediate": func(p *Params) {
		p.MonotoneConstraints, p.MonotoneConstraintsMethod, p.NumLeaves = "1,-1,0,1,1", MonotoneIntermediate, 40
	},
	"intermediate, sparse": func(p *Params) {
		p.MonotoneConstraints, p.MonotoneConstraintsMethod, p.ActiveFraction, p.PathSmooth,
			p.MonotonePenalty = "1,1,-1,1,1", MonotoneIntermediate, 0.3, 3, 0.5
	},
	"advanced": func(p *Params) {
		p.MonotoneConstraints, p.MonotoneConstraintsMethod, p.NumLeaves = "1,-1,0,1,1", MonotoneAdvanced, 40
	},
	"advanced, sparse": func(p *Params) {
		p.MonotoneConstraints, p.MonotoneConstraintsMethod, p.ActiveFraction, p.PathSmooth,
			p.CategoricalFeature = "1,0,-1,1,1", MonotoneAdvanced, 0.3, 3, "1"
	},
	"costs": func(p *Params) {
		p.CEGBPenaltySplit, p.CEGBPenaltyFeatureCoupled, p.NumLeaves = 1e-4,
			"2,1,1,1,3", 30
	},
	"split costs": func(p *Params) { p.CEGBPenaltySplit, p.ActiveFraction, p.NumLeaves = 1e-4, 0.3, 30 },
	"lazy costs": func(p *Params) {
		p.CEGBPenaltyFeatureLazy, p.ActiveFraction, p.CEGBTradeoff = "0:0.01,2:0.02,4:0.001", 0.3, 0.5
	},
	"all costs": func(p *Params) {
		p.CEGBPenaltyFeatureLazy, p.CEGBPenaltyFeatureCoupled, p.PathSmooth,
			p.ActiveFraction = "0:0.01,2:0.02,4:0.001", "1:2", 2, 1
	},
	"depthwise": func(p *Params) { p.GrowPolicy, p.NumLeaves, p.ActiveFraction = Depthwise, 60, 0.5 },
	"depthwise, depth": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.MaxDepth, p.MinDataInLeaf = Depthwise, 50,
			5, 1
	},
	"forced": func(p *Params) { p.ForcedSplitsFilename, p.NumLeaves = forcedForRanks, 20 },
	"forced, few rows": func(p *Params) {
		p.ForcedSplitsFilename, p.MinDataInLeaf,
			p.ActiveFraction = forcedForRanks, 150, 0.5
	},
	"forced, costs": func(p *Params) {
		p.ForcedSplitsFilename, p.CEGBPenaltyFeatureLazy, p.NumLeaves = forcedForRanks, "0:0.01", 5
	},
	"categories": func(p *Params) { p.CategoricalFeature, p.MinDataPerGroup, p.NumLeaves = "1,3", 20, 30 },
	"categories, large": func(p *Params) {
		p.CategoricalFeature, p.MinDataInLeaf, p.MinDataPerGroup, p.ActiveFraction = "1,3", 60, 5, 1
	},
	"categories, sparse": func(p *Params) {
		p.CategoricalFeature, p.MinDataPerGroup, p.MinDataInLeaf, p.ActiveFraction, p.CatSmooth, p.CatL2 = "1,3",
			10, 40, 0.4, 2, 1
	},
	"categories one by one": func(p *Params) {
		p.CategoricalFeature, p.MaxCatToOnehot, p.MinDataInLeaf = "1,3",
			100, 30
	},
	"categories, steered": func(p *Params) {
		p.CategoricalFeature, p.PathSmooth, p.ExtraTrees, p.FeatureFractionByNode, p.MinDataPerGroup = "1,3", 5,
			true, 0.7, 20
	},
	"symmetric": func(p *Params) { p.GrowPolicy, p.NumLeaves = Symmetric, 32 },
	"symmetric, few rows": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.MinDataInLeaf,
			p.ActiveFraction = Symmetric, 64, 40, 1
	},
	"symmetric, sparse": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.MinDataInLeaf,
			p.ActiveFraction = Symmetric, 64, 60, 0.4
	},
	"symmetric, steered": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.ActiveFraction, p.MonotoneConstraints, p.PathSmooth,
			p.FeatureFractionByNode = Symmetric, 64, 0.3, "0:1,2:-1", 3, 0.7
		p.MaxDeltaStep, p.FeatureContri, p.InteractionConstraints, p.LambdaL1 = 0.5, "1:0.5", "[0,1],[1,2,3,4]", 0.1
	},
	"symmetric, intermediate": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.MonotoneConstraints, p.MonotoneConstraintsMethod, p.ExtraTrees = Symmetric, 32,
			"1,1,-1,1,1", MonotoneIntermediate, true
	},
	"symmetric, categories": func(p *Params) {
		p.GrowPolicy, p.CategoricalFeature, p.MinDataPerGroup, p.NumLeaves, p.MinDataInLeaf,
			p.ActiveFraction = Symmetric, "1,3", 20, 32, 40, 1
	},
	"symmetric, categories, sparse": func(p *Params) {
		p.GrowPolicy, p.CategoricalFeature, p.MaxCatToOnehot, p.NumLeaves, p.MinDataInLeaf,
			p.ActiveFraction = Symmetric, "1,3", 100, 32, 40, 0.4
	},
	"symmetric, categories, steered": func(p *Params) {
		p.GrowPolicy, p.CategoricalFeature, p.MinDataPerGroup, p.NumLeaves, p.PathSmooth, p.ExtraTrees = Symmetric,
			"1,3", 20, 32, 3, true
		p.MonotoneConstraints, p.MonotoneConstraintsMethod = "1,0,0,0,-1", MonotoneIntermediate
	},
	"symmetric, advanced": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.MonotoneConstraints, p.MonotoneConstraintsMethod = Symmetric, 32, "1,1,-1,1,1",
			MonotoneAdvanced
	},
	"symmetric, costs": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.ActiveFraction, p.CEGBPenaltyFeatureLazy = Symmetric, 32, 0.4,
			"0:0.01,2:0.02,4:0.001"
		p.CEGBPenaltyFeatureCoupled, p.FeatureContri, p.CEGBPenaltySplit = "1:3,3:2", "0:0.7,4:0", 1e-5
	},
	"regression": func(p *Params) { p.Objective = "regression" },
	"constant":   func(p *Params) { p.AllowConstant, p.MinGainToSplit = true, 1e9 },
	"gains":      func(p *Params) { p.SavedFeatureImportanceType = 1 },
	"settings": func(p *Params) {
		p.NumModels, p.ModelSettings = 2, []string{"num_leaves=5", "objective=query_rmse feature_fraction=0.5"}
	},
	"positions": func(p *Params) { p.LambdarankPositionBiasRegularization = 0.5 },
	"positions, bags": func(p *Params) {
		p.LambdarankPositionBiasRegularization, p.BaggingFraction, p.BaggingFreq = 0.1, 0.6, 1
	},
	"unbiased": func(p *Params) { p.LambdarankUnbiased, p.BaggingFraction, p.BaggingFreq = true, 0.6, 1 },
}

// forcedForRanks names the file of forced splits of the rank settings; they are a path, and a split that does
// not gain.
const forcedForRanks = "testdata/forced.json"

// rankTables returns training data and validation sets that the settings need: with categories, with
// positions, or plain.
func rankTables(p *Params) []*table {
	switch {
	case p.CategoricalFeature != "":
		return []*table{shopTable(3, 1500, 15), shopTable(5, 400, 15)}
	case p.LambdarankUnbiased || p.LambdarankPositionBiasRegularization > 0:
		train, _ := clicks(3, 120)
		valid, _ := clicks(5, 30)
		return []*table{train, valid}
	}
	return []*table{withNaN(randomTable(3, 1500), 4, 0.1), withNaN(randomTable(5, 400), 6, 0.2),
		randomTable(7, 45)}
}

// rankSizes are the numbers of ranks that are tried; fewer where it takes long, as under the data race
// detector.
func rankSizes() []int {
	if testing.Short() {
		return []int{3}
	}
	return []int{2, 3, 4}
}

func TestRanksDoNotChangeTheModel(t *testing.T) {
	all := maps.Clone(rankSettings)
	maps.Copy(all, steeredRankSettings)
	for name, set := range all {
		t.Run(name, func(t *testing.T) {
			p := smallParams()
			set(&p)
			data := binned(t, &p, rankTables(&p)...)
			p.NumThreads = 1
			want, wantErr := trainOn(t, peers.Group{}, p, data)
			for _, size := range rankSizes() {
				p.NumThreads = size - 1
				err := peers.Run(size, func(g peers.Group) error {
					got, err := trainOn(t, g, p, data)
					if wantErr == nil && err == nil && got != want {
						return fmt.Errorf("another outcome: %s\nwanted: %s", got.rounds, want.rounds)
					}
					return err
				})
				if wantErr != nil {
					assert.ErrorContains(t, err, wantErr.Error())
				} else {
					require.NoError(t, err, "%d ranks", size)
				}
			}
		})
	}
}

// TestRanksWithoutRows has more ranks than queries, so that some have no row.
func TestRanksWithoutRows(t *testing.T) {
	p := smallParams()
	p.NumLeaves, p.ActiveFraction = 6, 1
	data := binned(t, &p, randomTable(8, 100), randomTable(9, 20))
	want, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	require.NoError(t, peers.Run(7, func(g peers.Group) error {
		got, err := trainOn(t, g, p, data)
		if err == nil && got != want {
			return errors.New("another model")
		}
		return err
	}))
}

// wholeObjective computes the gradients of all queries at once.
type wholeObjective struct{ given }

func (o *wholeObjective) All(objective.Gradients, objective.Round) error { return nil }

// TestRanksRefuse what needs all queries.
func TestRanksRefuse(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(8, 100))
	err := peers.Run(2, func(g peers.Group) error {
		_, err := Train(t.Context(), p, divided(g, data)[0], nil, Options{Objective: &wholeObjective{}})
		return err
	})
	assert.ErrorIs(t, err, ErrPeers)
	assert.ErrorContains(t, err, "objective given")
}

// TestWeightsOfRanks: the median is that of all ranks.
func TestWeightsOfRanks(t *testing.T) {
	meta := randomTable(8, 100).meta
	meta.Weights = make([]float64, 100)
	for i := range meta.Weights {
		meta.Weights[i] = float64(i % 7)
	}
	meta.Weights[70] = 1e12
	var want, got *WeightError
	require.ErrorAs(t, checkWeights(meta), &want)
	err := peers.Run(3, func(g peers.Group) error {
		from, to := dataset.ShareOut(meta.Queries, g)
		return checkWeights(dataset.PartOf(meta, g, from, to))
	})
	require.ErrorAs(t, err, &got)
	assert.Equal(t, [2]float64{want.Weight, want.Median}, [2]float64{got.Weight, got.Median})
}

// TestRanksGoOn: a training that is interrupted on some ranks continues with another number of them.
func TestRanksGoOn(t *testing.T) {
	for name, set := range map[string]func(p *Params){
		"plain": func(*Params) {},
		"costs": func(p *Params) {
			p.CategoricalFeature, p.CEGBPenaltyFeatureLazy, p.CEGBPenaltyFeatureCoupled, p.PathSmooth = "1,3",
				"0:0.01,1:0.02", "2:1,4:2", 2
		},
		"positions": func(p *Params) { p.LambdarankPositionBiasRegularization, p.ExtraTrees = 0.5, true },
		"mean":      func(p *Params) { p.Objective, p.GrowPolicy, p.NumLeaves = "regression", Symmetric, 16 },
	} {
		t.Run(name, func(t *testing.T) {
			p := smallParams()
			p.NumIterations, p.ActiveFraction, p.BaggingFraction, p.BaggingFreq, p.Patience, p.LearningRate = 12, 0.4,
				0.7, 2, 5, 0.4
			set(&p)
			requireGoingOn(t, p)
		})
	}
}

func requireGoingOn(t *testing.T, p Params) {
	data := binned(t, &p, rankTables(&p)[:2]...)
	want, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	c := training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 1, Resume: training.IfPresent}
	for _, size := range []int{2, 3, 1, 4} {
		var outcomes [4]rankOutcome
		require.NoError(t, peers.Run(size, func(g peers.Group) (err error) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			own := c
			rounds := 0
			if own.Event = func(e training.CheckpointEvent) {
				if rounds++; rounds == 3 && size < 4 && g.Rank() == size-1 { // one rank is interrupted, and all end
					cancel()
				}
			}; size == 1 {
				g = peers.Group{}
			}
			outcomes[g.Rank()], err = trainWith(ctx, g, p, data, &own)
			return err
		}), "%d ranks", size)
		if size == 4 {
			for _, got := range outcomes {
				assert.Equal(t, want, got)
			}
		}
	}
	p.LearningRate = 0.5
	assert.ErrorContains(t, peers.Run(2, func(g peers.Group) error {
		own := c
		own.Resume = training.Required
		_, err := trainWith(context.Background(), g, p, data, &own)
		return err
	}), "learning_rate is 0.5, and was 0.4")
}

// TestRanksAreTheSame: different parameters are found before the first tree.
func TestRanksAreTheSame(t *testing.T) {
	data := binned(t, ptr(smallParams()), randomTable(8, 100))
	assert.ErrorContains(t, peers.Run(3, func(g peers.Group) error {
		p := smallParams()
		p.NumLeaves += g.Rank() / 2
		_, err := trainOn(t, g, p, data)
		return err
	}), "parameters or bins that differ")
}

func ptr[T any](v T) *T { return &v }
