package booster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/test/aid"
)

// sampledRun is a run of hundreds of rounds on few active rows, in which many leaves turn out too small and
// are taken out of the tree, and leaves that inherit their rows, too.
type sampledRun struct {
	name   string
	params Params
	table  *table // the training data
	valid  *table
	dense  []Data       // the bins of both as dense columns of bytes
	data   []Data       // as dense, sparse or wide columns
	saved  bytes.Buffer // the run after half of its rounds
}

// oneOf returns one of the values.
func oneOf[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// drawSampled draws data and settings.
func drawSampled(t *testing.T, number int) *sampledRun {
	rng := rand.New(rand.NewPCG(45, uint64(number)))
	r := &sampledRun{params: DefaultParams()}
	p := &r.params
	p.NumThreads, p.Seed, p.IsTrainingMetric, p.MetricFreq = 1, uint64(number), true, 10_000
	p.NumIterations = oneOf(rng, 50, 100, 200)
	p.NumLeaves = oneOf(rng, 31, 63, 127, 255, 511)
	p.ActiveFraction = oneOf(rng, 0.02, 0.05, 0.1, 0.2, 1)
	p.MinDataInLeaf = oneOf(rng, p.MinDataInLeaf, p.MinDataInLeaf, p.MinDataInLeaf, 1, 100)
	p.MinSumHessianInLeaf = oneOf(rng, p.MinSumHessianInLeaf, p.MinSumHessianInLeaf, 0, 1)
	p.LearningRate = oneOf(rng, 0.1, 0.1, 0.02, 0.5)
	p.GrowPolicy = oneOf(rng, p.GrowPolicy, Depthwise, Symmetric)
	p.Objective = oneOf(rng, "lambdarank", "lambdarank", "rank_xendcg", "lambdaloss", "yetirank", "listnet",
		"query_rmse", "regression", "rank_pairwise", "rank_map")
	for range rng.IntN(4) {
		oneOf(rng, sampledChanges...)(p)
	}
	r.drawData(t, rng)
	r.name = fmt.Sprintf("draw %d: %s, %d rounds, %s, %d leaves of %d rows, %v of %d rows", number, p.Objective,
		p.NumIterations, p.GrowPolicy, p.NumLeaves, p.MinDataInLeaf, p.ActiveFraction, len(r.table.values))
	return r
}

// sampledChanges are settings that lead to other leaves or other rows.
var sampledChanges = []func(*Params){
	func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.6, 1 },
	func(p *Params) { p.BaggingFraction, p.BaggingFreq, p.BaggingByQuery = 0.5, 3, false },
	func(p *Params) { p.Boosting, p.SkipDrop, p.DropRate, p.NumIterations = DART, 0.3, 0.2, 60 },
	func(p *Params) {
		p.Boosting, p.SkipDrop, p.UniformDrop, p.MaxDrop, p.NumIterations = DART, 0, true, 2, 30
	},
	func(p *Params) { p.Boosting, p.SkipDrop, p.XGBoostDARTMode, p.NumIterations = DART, 0, true, 30 },
	func(p *Params) { p.FeatureFraction, p.FeatureFractionByNode = 0.7, 0.7 },
	func(p *Params) { p.MaxDepth = 6 },
	func(p *Params) { p.ExtraTrees = true },
	func(p *Params) { p.PathSmooth = 5 },
	func(p *Params) { p.MaxDeltaStep, p.LambdaL1 = 0.5, 0.1 },
	func(p *Params) { p.LambdaL2 = 3 },
	func(p *Params) { p.MinGainToSplit = 0.3 },
	func(p *Params) { p.ZeroAsMissing = true },
	func(p *Params) { p.UseMissing = false },
	func(p *Params) { p.MonotoneConstraints = "0:1,2:-1" },
	func(p *Params) {
		p.MonotoneConstraints, p.MonotoneConstraintsMethod = "0:1,4:-1", MonotoneIntermediate
	},
	func(p *Params) { p.InteractionConstraints = "[0,1],[1,2,3,4]" },
	func(p *Params) { p.FeatureContri = "1:0.5,4:2" },
	func(p *Params) { p.MonotoneConstraints, p.MonotonePenalty = "0:1,2:-1", 0.5 },
}

// drawData draws the run's data: numbers or categories, with missing values, weights, and sparse or wide
// columns.
func (r *sampledRun) drawData(t *testing.T, rng *rand.Rand) {
	rows, size, seed := 1500+rng.IntN(1500), oneOf(rng, 10, 20, 100), rng.Uint64()
	if rng.IntN(3) == 0 {
		r.table, r.valid = shopTable(seed, rows, size), shopTable(seed+1, 300, size)
		r.params.CategoricalFeature, r.params.MinDataPerGroup = "1,3", oneOf(rng, 5, 100)
		r.params.MaxCatToOnehot = oneOf(rng, r.params.MaxCatToOnehot, 100)
	} else {
		plain := randomTable(seed, rows)
		r.table = newTable(withNaN(plain, seed, oneOf(rng, 0, 0.2)).values, plain.meta.Labels, size)
		r.valid = withNaN(randomTable(seed+1, 300), seed+1, 0.1)
	}
	if rng.IntN(3) == 0 {
		r.table.meta.Weights = make([]float64, rows)
		for row := range r.table.meta.Weights {
			r.table.meta.Weights[row] = oneOf(rng, 0.5, 1, 1, 4)
		}
	}
	r.dense = binned(t, &r.params, r.table, r.valid)
	r.data = r.dense
	switch p := r.params; rng.IntN(4) {
	case 0:
		r.data = asSparse(t, r.dense, someSparse[oneOf(rng, "all", "first")], r.table, r.valid)
	case 1:
		r.data = asWide(t, r.dense, r.table, r.valid)
		if p.ExtraTrees || p.ZeroAsMissing && p.MonotoneConstraints != "" || p.MaxCatToOnehot == 100 {
			// It adds bins, which changes draws, makes categories too many to be split one by one, and makes
			// a side of missing values alone one that may have values, to which constraints apply.
			r.dense = r.data
		}
	}
}

// train steps the run to its end, saves it on the way, and checks every third tree.
func (r *sampledRun) train(t *testing.T) *Training {
	run, err := New(r.params, r.data[0], r.data[1:], Options{})
	require.NoError(t, err, r.name)
	t.Cleanup(run.Close)
	for {
		_, err := run.Step(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, r.name)
		if latest := len(run.trainer.trees) - 1; latest%3 == 0 {
			r.requireRows(t, run.trainer, latest)
		}
		if len(run.trainer.trees) == r.params.NumIterations/2 {
			require.NoError(t, run.Save(&r.saved), r.name)
		}
	}
	r.requireScores(t, run.trainer)
	return run
}

// requireRows requires that the leaves of the latest tree have the rows and Hessians that they are said to
// have, and at least the minimum, and that the nodes of each level of a symmetric tree share a condition.
func (r *sampledRun) requireRows(t *testing.T, tr *trainer, number int) {
	fitted := &tr.trees[number]
	require.NoError(t, fitted.Validate(len(r.table.values[0])), r.name)
	counts, hessians := make([]int64, fitted.NumLeaves()), make([]float64, fitted.NumLeaves())
	for row := range tr.rows.each() {
		leaf := fitted.Leaf(r.table.values[row])
		counts[leaf]++
		hessians[leaf] += tr.gradients.Hessian[row]
	}
	require.Equal(t, counts, fitted.LeafCount, "%s: tree %d", r.name, number)
	require.InEpsilonSlice(t, hessians, fitted.LeafWeight, 1e-8, "%s: tree %d", r.name, number)
	if r.params.GrowPolicy == Symmetric {
		levelsOf(t, fitted, levelsFor(&r.params))
	}
	for leaf, n := range counts {
		require.GreaterOrEqual(t, n, int64(r.params.MinDataInLeaf), "%s: tree %d, leaf %d", r.name, number, leaf)
		require.GreaterOrEqual(t, fitted.LeafWeight[leaf], r.params.MinSumHessianInLeaf, "%s: tree %d, leaf %d",
			r.name, number, leaf)
	}
}

// requireScores requires that training has kept the model's scores of both sets, in every bit unless dart has
// changed them.
func (r *sampledRun) requireScores(t *testing.T, tr *trainer) {
	model := tr.Model(0)
	all, err := tr.Scores()
	require.NoError(t, err)
	for set, table := range []*table{r.table, r.valid} {
		for row, x := range table.values {
			want := score(model, x)
			if r.params.Boosting == DART {
				require.InDelta(t, want, all[set][row], 1e-9*(1+math.Abs(want)), r.name)
			} else {
				require.Equal(t, math.Float64bits(want), math.Float64bits(all[set][row]), r.name)
			}
		}
	}
}

// again trains in another way, from which the same model must follow.
func (r *sampledRun) again(t *testing.T, number int, want *Training) {
	if number%3 == 1 && r.saved.Len() == 0 { // training has ended before
		return
	}
	var got []byte
	model := want.trainer.Model(0)
	switch p := r.params; number % 3 {
	case 0:
		p.NumThreads = 2 + number%2
		run, err := Train(t.Context(), p, r.dense[0], r.dense[1:], Options{})
		require.NoError(t, err, r.name)
		got = bytesOf(withoutBounds(run.Model))
		withoutBounds(model)
	case 1:
		got = r.resumed(t)
	default:
		got = r.byPeers(t)
	}
	require.True(t, bytes.Equal(bytesOf(model), got), "%s: another model", r.name)
}

// resumed returns the model of the run that continues from what was saved.
func (r *sampledRun) resumed(t *testing.T) []byte {
	run := stepped(t, r.params, r.data, 0)
	require.NoError(t, run.Restore(&r.saved), r.name)
	for {
		if _, err := run.Step(t.Context()); err != nil {
			require.ErrorIs(t, err, io.EOF, r.name)
			return bytesOf(run.trainer.Model(0))
		}
	}
}

// byPeers returns the model that two peers train together, with at most two messages for each split, and some
// for each round.
func (r *sampledRun) byPeers(t *testing.T) []byte {
	models := make([][]byte, 2)
	err := aid.Peers(2, func(g peers.Group) error {
		c := &counted{Group: g}
		parts := divided(peers.Join(c), r.data)
		run, err := Train(t.Context(), r.params, parts[0], parts[1:], Options{})
		if err == nil {
			run.Model.Parameters = ""
			models[g.Rank()] = bytesOf(run.Model)
			most := 16 * r.params.NumIterations
			for i := range run.Model.Trees {
				most += 2 * (run.Model.Trees[i].NumLeaves() - 1)
			}
			assert.LessOrEqual(t, c.collectives, most, r.name)
		}
		return err
	})
	require.NoError(t, err, r.name)
	require.True(t, bytes.Equal(models[0], models[1]), "%s: peers do not have the same model", r.name)
	return models[0]
}

// TestSampledRuns trains with random settings on data of which few rows are active, with the usual
// min_data_in_leaf, for many rounds, and checks trees and scores.
func TestSampledRuns(t *testing.T) {
	draws := 100
	if aid.Long() {
		draws = 2000
	}
	ran, contracted := 0, 0 // -run may choose some of the draws
	for number := range draws {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			ran++
			r := drawSampled(t, number)
			run := r.train(t)
			contracted += r.contracted(run.trainer)
			r.again(t, number, run)
		})
	}
	assert.Greater(t, contracted, ran, "trees that have fewer leaves than active rows and settings allow")
}

// contracted returns the number of trees that are smaller than num_leaves allows.
func (r *sampledRun) contracted(tr *trainer) (n int) {
	for i := range tr.trees {
		if tr.trees[i].NumLeaves() < r.params.NumLeaves {
			n++
		}
	}
	return n
}
