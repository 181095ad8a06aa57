package booster

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// seeing is an objective that records its calls.
type seeing struct {
	given
	mutex sync.Mutex
	asked map[[2]int]uint64 // seed, by iteration and query
}

func (o *seeing) Gradients(dst objective.Gradients, q objective.Query) {
	o.given.Gradients(dst, q)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.asked[[2]int{q.Iteration, q.Number}] = q.Seed
}

// TestObjectivesSeeIterationAndSeed: iterations count from 1, like training.Round.
func TestObjectivesSeeIterationAndSeed(t *testing.T) {
	p := smallParams()
	p.NumIterations, p.Seed = 3, 77
	data := binned(t, &p, randomTable(3, 50))[0]
	o := &seeing{given: randomGradients(data.Meta.NumRows()), asked: map[[2]int]uint64{}}
	_, err := Train(t.Context(), p, data, nil, Options{Objective: o})
	require.NoError(t, err)
	want := map[[2]int]uint64{}
	for iteration := 1; iteration <= 3; iteration++ {
		for query := range data.Meta.Queries {
			want[[2]int{iteration, query}] = 77
		}
	}
	assert.Equal(t, want, o.asked)
}

func randomGradients(rows int) given {
	rng := rand.New(rand.NewPCG(9, 9))
	var o given
	for range rows {
		o.lambda, o.hessian = append(o.lambda, rng.NormFloat64()), append(o.hessian, 1)
	}
	return o
}

// TestObjectiveOfOnesOwn: a custom objective ignores the parameters of built-in objectives, and the model
// file names an objective that LightGBM loads.
func TestObjectiveOfOnesOwn(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(3, 200))[0]
	o := randomGradients(data.Meta.NumRows())
	want, err := Train(t.Context(), p, data, nil, Options{Objective: &o})
	require.NoError(t, err)
	assert.Equal(t, "custom", want.Model.Objective)
	p.Objective, p.Sigmoid, p.LambdarankTruncationLevel = "", -1, 0
	got, err := Train(t.Context(), p, data, nil, Options{Objective: &o})
	require.NoError(t, err)
	assert.Equal(t, bytesOf(want.Model), bytesOf(got.Model))
	p.NumLeaves = 1
	_, err = Train(t.Context(), p, data, nil, Options{Objective: &o})
	assert.EqualError(t, err, "num_leaves=1: must be >= 2, <= 131072")
}

// TestNoObjectiveIsTheNamedOne: without a custom objective, the parameters name it and are checked.
func TestNoObjectiveIsTheNamedOne(t *testing.T) {
	p := smallParams()
	p.Sigmoid = 2
	data := binned(t, &p, randomTable(3, 200))[0]
	obj, err := p.newObjective()
	require.NoError(t, err)
	want, err := Train(t.Context(), p, data, nil, Options{Objective: obj})
	require.NoError(t, err)
	got, err := Train(t.Context(), p, data, nil, Options{})
	require.NoError(t, err)
	assert.Equal(t, bytesOf(want.Model), bytesOf(got.Model))
	assert.Equal(t, "lambdarank", got.Model.Objective)
	p.Objective, p.Sigmoid = "no-such-loss", 0
	_, err = Train(t.Context(), p, data, nil, Options{})
	assert.EqualError(t, err,
		"objective=no-such-loss: "+objective.Choice(&p.Objective).Check().Error()+"\nsigmoid=0: must be > 0")
}

// TestInitialScoreIsPartOfTheFirstTree: the sum of the trees is the score that training uses, and validation
// scores start from the same initial score as training scores.
func TestInitialScoreIsPartOfTheFirstTree(t *testing.T) {
	p := smallParams()
	p.Objective, p.NumIterations, p.LearningRate = "regression", 3, 0.5
	table := randomTable(3, 200)
	for row := range table.meta.Labels {
		table.meta.Labels[row] += 100
	}
	data := binned(t, &p, table)[0]
	r, err := Train(t.Context(), p, data, nil, Options{})
	require.NoError(t, err)
	assert.Equal(t, "regression", r.Model.Objective)
	assert.Equal(t, 1.0, r.Model.Trees[0].Shrinkage)
	assert.InDelta(t, 100, r.Model.Trees[0].LeafValue[0], 5)
	assert.InDelta(t, 0, r.Model.Trees[1].LeafValue[0], 5)

	p.BoostFromAverage = false
	from0, err := Train(t.Context(), p, data, nil, Options{})
	require.NoError(t, err)
	assert.InDelta(t, 50, from0.Model.Trees[0].LeafValue[0], 5, "half of the way")

	p.BoostFromAverage = true
	data.Meta.InitialScores = make([]float64, data.Meta.NumRows())
	given, err := Train(t.Context(), p, data, nil, Options{})
	require.NoError(t, err)
	assert.Equal(t, bytesOf(from0.Model), bytesOf(given.Model), "scores of the data are the ones to begin at")
}

// TestDivergenceSaysWhereAndWhatToDo: a learning rate above 2 makes squared errors grow without bound.
func TestDivergenceSaysWhereAndWhatToDo(t *testing.T) {
	p := smallParams()
	p.Objective, p.NumIterations, p.LearningRate = "regression", 2000, 10
	data := binned(t, &p, randomTable(3, 200))[0]
	got, err := Train(t.Context(), p, data, nil, Options{})
	var g *gradientError
	require.ErrorAs(t, err, &g)
	require.NotNil(t, got, "the iterations before the error are not lost")
	assert.Equal(t, training.Failed, got.Stopped)
	p.NumIterations = g.iteration - 1
	want, wantErr := Train(t.Context(), p, data, nil, Options{})
	require.NoError(t, wantErr)
	assert.Equal(t, want.Model.Trees, got.Model.Trees)
	assert.Equal(t, "regression", g.objective)
	assert.Greater(t, g.iteration, 5)
	assert.NotEmpty(t, g.place)
	assert.ErrorContains(t, err, "learning_rate")
}

// wholly wraps an objective and computes the gradients of all queries in one call.
type wholly struct {
	objective.Objective
	t    *testing.T
	data *dataset.Meta
	fail error
}

func (o *wholly) Gradients(objective.Gradients, objective.Query) {
	o.t.Error("a query is asked for although all queries were")
}

func (o *wholly) All(dst objective.Gradients, r objective.Round) error {
	for n := range o.data.Queries {
		q := objective.QueryOf(o.data, n)
		from, to := q.First, q.First+len(q.Labels)
		q.Scores, q.Iteration, q.Seed = r.Scores[from:to], r.Iteration, r.Seed
		o.Objective.Gradients(objective.Gradients{Lambda: dst.Lambda[from:to], Hessian: dst.Hessian[from:to]}, q)
	}
	return o.fail
}

// TestWholeObjectiveGivesTheSameModel: an objective called once for all queries gives the same model as one
// called query by query, also with bags of queries.
func TestWholeObjectiveGivesTheSameModel(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(3, 300))[0]
	for _, fraction := range []float64{1, 0.5} {
		p.BaggingFraction, p.BaggingFreq = fraction, 1
		obj, err := p.newObjective()
		require.NoError(t, err)
		want, err := Train(t.Context(), p, data, nil, Options{Objective: obj})
		require.NoError(t, err)
		whole := &wholly{Objective: obj, t: t, data: data.Meta}
		got, err := Train(t.Context(), p, data, nil, Options{Objective: whole})
		require.NoError(t, err)
		assert.Equal(t, bytesOf(want.Model), bytesOf(got.Model))
		whole.fail = errors.New("no connection")
		_, err = Train(t.Context(), p, data, nil, Options{Objective: whole})
		assert.ErrorIs(t, err, whole.fail)
	}
}
