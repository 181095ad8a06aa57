package lambdamart_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// randomLETOR returns queries of 15 documents whose labels depend on features 1 and 2 of four.
func randomLETOR(seed uint64, queries int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for q := range queries {
		for range 15 {
			x, y := rng.Float64(), rng.Float64()
			fmt.Fprintf(&b, "%d qid:%d 1:%.3f 2:%.3f 3:%.3f 4:%d\n", int(2*x+2*y*rng.Float64()), q, x, y,
				rng.Float64(), rng.IntN(5))
		}
	}
	return b.String()
}

// trainOn trains on files, and returns the model and the last value of each metric.
func trainOn(t *testing.T, p lambdamart.Params, paths ...string) (*tree.Ensemble, []float64) {
	t.Helper()
	d, err := lambdamart.Load(ctx, p, paths[0], paths[1:]...)
	require.NoError(t, err)
	defer d.Close()
	var last []float64
	p.Options.Round = func(r training.Round) {
		last = nil
		for _, e := range r.Evaluations {
			last = append(last, e.Result.Mean)
		}
	}
	r, err := lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	return r.Model, last
}

// TestTrainingInParts: training in several runs, each continuing from the previous model, gives the bytes
// of a single run. Initial scores are equal in every bit, and no random draw is repeated.
func TestTrainingInParts(t *testing.T) {
	train, valid := write(t, "train.txt", randomLETOR(1, 60)), write(t, "valid.txt", randomLETOR(2, 20))
	for name, change := range map[string]func(p *lambdamart.Params){
		"all rows": func(p *lambdamart.Params) {},
		"sparse":   func(p *lambdamart.Params) { p.ActiveFraction = 0.3 },
		"bags": func(p *lambdamart.Params) {
			p.BaggingFraction, p.BaggingFreq, p.FeatureFraction = 0.5, 3, 0.6
		},
		"draws":  func(p *lambdamart.Params) { p.Objective = "yetirank" },
		"xendcg": func(p *lambdamart.Params) { p.Objective = "rank_xendcg" },
	} {
		t.Run(name, func(t *testing.T) {
			p := small()
			change(&p)
			p.NumIterations, p.NumLeaves, p.NumThreads = 12, 8, 1
			want, metrics := trainOn(t, p, train, valid)
			for part, n := range []int{5, 4, 3} {
				p.NumIterations, p.NumThreads = n, []int{7, 2, 1}[part]
				var last []float64
				p.InitialModel, last = trainOn(t, p, train, valid)
				if part == 2 {
					assert.Equal(t, metrics, last)
				}
			}
			assert.Equal(t, writtenTrees(t, want), writtenTrees(t, p.InitialModel))
		})
	}
}

// TestStepsOfATrainingThatGoesOn: the models and the result of a run that is stepped begin with the trees of
// the model before, as those of Train do.
func TestStepsOfATrainingThatGoesOn(t *testing.T) {
	train := write(t, "train.txt", randomLETOR(1, 60))
	p := small()
	p.InitialModel, _ = trainOn(t, p, train)
	want, _ := trainOn(t, p, train)
	d, err := lambdamart.Load(ctx, p, train)
	require.NoError(t, err)
	defer d.Close()
	run, err := lambdamart.Start(p, d)
	require.NoError(t, err)
	defer run.Close()
	for err == nil {
		_, err = run.Step(ctx)
	}
	require.ErrorIs(t, err, io.EOF)
	r, err := run.Result()
	require.NoError(t, err)
	assert.Equal(t, written(t, want), written(t, r.Model))
	first, err := run.Model(1)
	require.NoError(t, err)
	assert.Equal(t, want.Trees[:len(p.InitialModel.Trees)+1], first.Trees)
}

// TestCheckpointsOfATrainingThatGoesOn: a run that continues from a model can be interrupted and resumed;
// resuming with another initial model is an error.
func TestCheckpointsOfATrainingThatGoesOn(t *testing.T) {
	train := write(t, "train.txt", randomLETOR(1, 60))
	p := small()
	p.InitialModel, _ = trainOn(t, p, train)
	p.NumIterations = 8
	want, _ := trainOn(t, p, train)
	c := &training.Checkpoints{Path: write(t, "c", ""), Rounds: 3}
	p.Options.Checkpoints = c
	trainOn(t, p, train)
	c.Resume = training.Required
	got, _ := trainOn(t, p, train)
	assert.Equal(t, written(t, want), written(t, got))

	p.InitialModel = p.InitialModel.Part(0, 2)
	d, err := lambdamart.Load(ctx, p, train)
	require.NoError(t, err)
	defer d.Close()
	_, err = lambdamart.Train(ctx, p, d)
	assert.ErrorIs(t, err, training.ErrCheckpointMismatch)
	assert.ErrorContains(t, err, ": number of trees that training goes on from is 2, and was 3; training "+
		"data: initial scores differ; use")
}

// TestGoingOnFromModelsOfOthers: whichever program wrote the initial model, the metrics printed in training
// are those of the final model.
func TestGoingOnFromModelsOfOthers(t *testing.T) {
	train, valid := write(t, "train.txt", randomLETOR(1, 60)), write(t, "valid.txt", randomLETOR(2, 20))
	p := small()
	p.Metric, p.EvalAt = []string{"ndcg"}, []int{5}
	first, _ := trainOn(t, p, train)
	average := *first
	average.Average = true
	models := map[string]*tree.Ensemble{"an average": &average}
	for _, target := range []string{"xgboost", "ranklib", "solr"} {
		x, err := model.Export(first, target, model.Options{})
		require.NoError(t, err, target)
		read, _, err := model.Read(bytes.NewReader(x.Content))
		require.NoError(t, err, target)
		models[target] = read
	}
	for name, m := range models {
		p.InitialModel = m
		got, last := trainOn(t, p, train, valid)
		assert.Len(t, got.Trees, len(m.Trees)+3, name)
		assert.Equal(t, "lambdarank", got.Objective, name)
		judged, err := lambdamart.Evaluate(ctx, got, valid, data.Options{}, ndcg)
		require.NoError(t, err, name)
		assert.Equal(t, last[0], judged.Results[0].Mean, name)
	}
}

func TestInitialModelsThatDoNotFit(t *testing.T) {
	train := write(t, "train.txt", randomLETOR(1, 30))
	p := small()
	first, _ := trainOn(t, p, train)

	load := func(m *tree.Ensemble, paths ...string) error {
		q := p
		q.InitialModel = m
		d, err := lambdamart.Load(ctx, q, paths[0], paths[1:]...)
		if err == nil {
			d.Close()
		}
		return err
	}
	require.NoError(t, load(first, train))
	assert.ErrorContains(t, load(first, write(t, "narrow.txt", strings.ReplaceAll(letorText(8), " 2:1", ""))),
		"the data ends with column")
	zero := first.Part(0, 1)
	zero.Trees = []tree.Tree{first.Trees[0]}
	zero.Trees[0].Feature = make([]int32, first.Trees[0].NumNodes())
	assert.ErrorIs(t, load(zero, train), data.ErrFeatureZero)

	csv := func(names string) string {
		return write(t, "t.csv", "grade,query,"+names+"\n"+strings.Repeat("1,1,2,3\n0,1,1,2\n2,1,3,1\n", 40))
	}
	p.Data.Query = "name:query"
	named, _ := trainOn(t, p, csv("price,stars"))
	require.NoError(t, load(named, csv("stars,price")))
	err := load(named, csv("cost,stars"))
	assert.ErrorIs(t, err, tree.ErrOtherFeatures)
	assert.ErrorContains(t, err, "lacks price")
	assert.ErrorContains(t, load(named, csv("price,stars"), csv("cost,stars")), "without price")

	d, err := lambdamart.Load(ctx, p, csv("price,stars"))
	require.NoError(t, err)
	defer d.Close()
	p.InitialModel = named
	_, err = lambdamart.Train(ctx, p, d)
	assert.ErrorIs(t, err, lambdamart.ErrInitialModel)
}

// TestInitialScoresAddUp: initial scores of the data and of the model add up, and the source's scores are not
// modified.
func TestInitialScoresAddUp(t *testing.T) {
	meta := dataset.Meta{Queries: []dataset.Query{{ID: "a", Len: 40}}, Labels: make([]float64, 40),
		InitialScores: make([]float64, 40)}
	values := make([]float64, 80)
	for r := range meta.Labels {
		meta.Labels[r], meta.InitialScores[r], values[2*r+1] = float64(r%3), float64(r), float64(r%3)
	}
	src, err := dataset.NewDense(meta, values)
	require.NoError(t, err)
	p := small()
	d, err := lambdamart.Bin(ctx, p, src)
	require.NoError(t, err)
	r, err := lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	p.InitialModel = r.Model
	again, err := lambdamart.Bin(ctx, p, src, src)
	require.NoError(t, err)
	for _, s := range []*data.Set{again.Training, again.Validation[0]} {
		for row, x := range s.Meta.InitialScores {
			score, err := r.Model.ScoreRow(values[2*row : 2*row+2])
			require.NoError(t, err)
			assert.Equal(t, score+float64(row), x)
		}
	}
	assert.Equal(t, 7.0, meta.InitialScores[7])
}
