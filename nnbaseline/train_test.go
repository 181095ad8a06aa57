package nnbaseline

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// train calls Train, which must succeed, and also returns the rounds.
func train(t *testing.T, p Params, data Data, valid ...Data) (*Result, []training.Round) {
	t.Helper()
	var rounds []training.Round
	r, err := Train(context.Background(), p, data, valid,
		training.Options{Round: func(r training.Round) { rounds = append(rounds, r) }})
	require.NoError(t, err)
	return r, rounds
}

func TestSeedsAndParametersMakeTheModel(t *testing.T) {
	data, _ := syntheticSets(2)
	model := func(change func(p *Params)) string {
		p := quickParams(RankNet)
		change(&p)
		r, _ := train(t, p, data)
		var weights bytes.Buffer
		require.NoError(t, r.Model.Write(&weights))
		_, text, _ := bytes.Cut(weights.Bytes(), []byte(`}}`)) // without the parameters
		return string(text)
	}
	base := model(func(*Params) {})
	assert.Equal(t, base, model(func(*Params) {}))
	for name, change := range map[string]func(p *Params){
		"seed":          func(p *Params) { p.Seed = 1 },
		"ranker":        func(p *Params) { p.Ranker = ListNet },
		"pairs":         func(p *Params) { p.Pairs = 20 },
		"sigmoid":       func(p *Params) { p.Sigmoid = 2 },
		"dropout":       func(p *Params) { p.Dropout = 0.2 },
		"learning rate": func(p *Params) { p.LearningRate = 2e-3 },
		"batch":         func(p *Params) { p.BatchQueries = 2 },
		"epochs":        func(p *Params) { p.Epochs = 3 },
		"decay":         func(p *Params) { p.WeightDecay = 0.1 },
		"decoupled":     func(p *Params) { p.WeightDecay, p.Optimizer = 0.1, AdamW },
		"clip":          func(p *Params) { p.GradientClip = 1e-3 },
		"cosine":        func(p *Params) { p.Schedule = Cosine },
		"step":          func(p *Params) { p.Schedule, p.ScheduleEpochs = Step, 1 },
	} {
		assert.NotEqual(t, base, model(change), name)
	}
}

func TestEarlyStoppingKeepsTheBest(t *testing.T) {
	data, valid := syntheticSets(3)
	p := quickParams(MSE)
	p.Epochs, p.Patience, p.StopMetric, p.LearningRate = 200, 3, "ndcg@500", 0.05
	r, rounds := train(t, p, data, valid)
	require.Equal(t, training.StoppedEarly, r.Stopped)
	assert.Equal(t, r.Best+3, r.Rounds)
	assert.Len(t, rounds, r.Rounds)
	assert.Equal(t, "ndcg@500 on 500 rows", r.Watched)
	scores := make([]float64, 500)
	require.NoError(t, r.Model.ScoreData(scores, valid, 1))
	m, err := metric.Parse("ndcg@500", metric.Default())
	require.NoError(t, err)
	value, _ := m.Query(valid.Meta.Labels, scores)
	assert.Equal(t, r.BestValue, value, "the model is that of the best epoch")
	last := rounds[len(rounds)-1].Evaluations
	assert.Less(t, last[len(last)-1].Result.Mean, value, "which the last is not")
}

func TestCanceled(t *testing.T) {
	data, _ := syntheticSets(3)
	ctx, cancel := context.WithCancel(context.Background())
	steps := 0
	r, err := Train(ctx, quickParams(ListNet), data, nil, training.Options{Step: func(epoch, done, of int) {
		steps++
		assert.Equal(t, []int{1, steps, 63}, []int{epoch, done, of})
		if steps == 5 {
			cancel()
		}
	}})
	require.NoError(t, err)
	assert.Equal(t, 5, steps)
	assert.Equal(t, []any{training.Canceled, 0}, []any{r.Stopped, r.Rounds})
	assert.NoError(t, r.Model.ScoreData(make([]float64, 1000), data, 1))
}

// TestExplosion: the first epoch is normal, then the learning rate jumps.
func TestExplosion(t *testing.T) {
	data, valid := syntheticSets(4)
	for _, ranker := range Rankers() {
		p := quickParams(ranker)
		p.Dropout = 0
		_, sound := train(t, p, data, valid)
		p.Epochs, p.ScheduleEpochs, p.Schedule = 30, 1, Step
		require.NoError(t, p.Validate())
		p.ScheduleFactor = 1e6 // beyond the limit for users
		run := &run{train: data, valid: []Data{valid}}
		var err error
		run.trainer, err = newTrainer(&p, data)
		require.NoError(t, err)
		metrics, err := rounds.Metrics(&p.Params, p.LabelGain)
		require.NoError(t, err)
		e, err := rounds.NewEvaluator(&p.Params, p.Epochs, data, run.valid, metrics)
		require.NoError(t, err)
		require.NoError(t, run.begin(e, training.Options{}))
		require.NoError(t, rounds.Loop(context.Background(), run.Rounds(), run.Step, nil))
		r := run.result()
		run.trainer.close()
		require.Equal(t, training.Exploded, r.Stopped, ranker)
		assert.Equal(t, 1, r.Best, ranker)
		assert.Equal(t, sound[0].Evaluations[len(sound[0].Evaluations)-1].Result.Mean, r.BestValue)
		var explosion *explosionError
		require.ErrorAs(t, r.Explosion, &explosion)
		assert.GreaterOrEqual(t, explosion.Epoch, 2)
		assert.GreaterOrEqual(t, explosion.LearningRate, 1e3)
		assert.ErrorContains(t, explosion, "learning_rate")
		assert.True(t, r.Model.network.finite())
	}
}

func TestExplosionAtOnce(t *testing.T) {
	data, _ := syntheticSets(4)
	p := quickParams(MSE)
	p.LearningRate = 1e18
	_, err := Train(context.Background(), p, data, nil, training.Options{})
	var explosion *explosionError
	require.ErrorAs(t, err, &explosion)
	assert.Equal(t, []any{1, 2, 1e18}, []any{explosion.Epoch, explosion.Step, explosion.LearningRate})
	assert.Greater(t, explosion.Loss, 1e18)
	assert.ErrorContains(t, err, "step 2 (epoch 1) with learning_rate=1e+18; try learning_rate=0.001")
	assert.ErrorContains(t, &explosionError{LearningRate: 1e-3}, "try learning_rate=0.0001")
}

// TestExplosionOfTheLastStep: an epoch of one step computes its loss before the step, so the loss does not
// reveal the explosion.
func TestExplosionOfTheLastStep(t *testing.T) {
	data, _ := syntheticSets(4)
	p := quickParams(ListNet)
	p.LearningRate, p.BatchQueries = 1e39, 1000
	_, err := Train(context.Background(), p, data, nil, training.Options{})
	var explosion *explosionError
	require.ErrorAs(t, err, &explosion)
	assert.Equal(t, []int{1, 1}, []int{explosion.Epoch, explosion.Step})
}

// TestCanceledAfterAnExplosion: a model that is not finite is never returned.
func TestCanceledAfterAnExplosion(t *testing.T) {
	data, _ := syntheticSets(4)
	p := quickParams(ListNet)
	p.LearningRate = 1e39
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Train(ctx, p, data, nil, training.Options{Step: func(int, int, int) { cancel() }})
	var explosion *explosionError
	assert.ErrorAs(t, err, &explosion)
}

// TestValidationDataIsCheckedFirst: validation data is checked before the first epoch, which may take long.
func TestValidationDataIsCheckedFirst(t *testing.T) {
	data, valid := syntheticSets(4)
	hooks := training.Options{Step: func(int, int, int) { t.Error("a step was made") }}
	holes := valid
	holes.Values = denseData(t, 100, append(slices.Repeat([]float64{1}, 49999), math.NaN())).Values
	_, err := Train(context.Background(), quickParams(ListNet), data, []Data{holes}, hooks)
	var fault *valueError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, valueError{499, "99 (Column_99)", isNaN}, *fault)
	assert.ErrorContains(t, err, "500 rows: ")
}

func TestNothingToLearn(t *testing.T) {
	data := denseData(t, 2, []float64{1, 2, 3, 4, 5, 6})
	data.Meta.Labels = []float64{2, 2, 2}
	_, err := Train(context.Background(), quickParams(ListNet), data, nil, training.Options{})
	assert.ErrorIs(t, err, ErrNothingToLearn)
	r, _ := train(t, quickParams(MSE), data)
	assert.Zero(t, r.SingleDocument+r.EqualLabels)
}

// TestSkippedQueries: one of four queries has anything to learn. The others change only the mean and the
// deviation of the inputs.
func TestSkippedQueries(t *testing.T) {
	data := denseData(t, 1, []float64{1, 2, 3, 4, 5, 6, 7})
	data.Meta.Queries = []dataset.Query{{First: 0, Len: 1}, {First: 1, Len: 2}, {First: 3, Len: 3},
		{First: 6, Len: 1}}
	data.Meta.Labels = []float64{1, 2, 2, 0, 1, 0, 0}
	r, rounds := train(t, quickParams(ListNet), data)
	assert.Equal(t, [2]int{2, 1}, [2]int{r.SingleDocument, r.EqualLabels})
	assert.Equal(t, 3, rounds[0].Documents)
}

// TestBatchNormalizationOfOneDocument: a deviation of 0 does not cause a division by 0.
func TestBatchNormalizationOfOneDocument(t *testing.T) {
	data := denseData(t, 1, []float64{1, 2, 3})
	data.Meta.Queries = []dataset.Query{{First: 0, Len: 1}, {First: 1, Len: 1}, {First: 2, Len: 1}}
	data.Meta.Labels = []float64{0, 1, 2}
	p := quickParams(MSE)
	p.Normalization = BatchNorm
	r, _ := train(t, p, data)
	dst := make([]float64, 3)
	require.NoError(t, r.Model.ScoreData(dst, data, 1))
	for _, score := range dst {
		assert.False(t, math.IsNaN(score))
	}
}

// TestWeightsScaleDerivatives: doubling the weights of all rows doubles the gradient, and a row of weight 0
// contributes nothing.
func TestWeightsScaleDerivatives(t *testing.T) {
	data, _ := syntheticSets(5)
	gradient := func(weight func(row int) float64) []float64 {
		weighted := data
		meta := *data.Meta
		if weight != nil {
			for row := range meta.Labels {
				meta.Weights = append(meta.Weights, weight(row))
			}
		}
		weighted.Meta = &meta
		p := quickParams(MSE)
		p.Dropout = 0
		tr, err := newTrainer(&p, weighted)
		require.NoError(t, err)
		defer tr.close()
		tr.gather([]int32{2})
		tr.differentiate([]int32{2}, tr.pass.forward())
		tr.pass.backward()
		return wide(tr.pass.gradient)
	}
	plain := gradient(nil)
	assert.Equal(t, plain, gradient(func(int) float64 { return 1 }))
	for i, g := range gradient(func(int) float64 { return 2 }) {
		require.InDelta(t, 2*plain[i], g, 1e-6)
	}
	assert.Equal(t, make([]float64, len(plain)), gradient(func(row int) float64 {
		if row >= 32 && row < 48 { // query 2
			return 0
		}
		return 1
	}))
}

// TestInitialScores: the network's output is added to the initial scores. If they are perfect, little is
// left to learn; if they are very wrong in validation data, training cannot compensate.
func TestInitialScores(t *testing.T) {
	data, valid := syntheticSets(5)
	initial := func(d Data, factor float64) Data {
		meta := *d.Meta
		for _, label := range meta.Labels {
			meta.InitialScores = append(meta.InitialScores, factor*label)
		}
		d.Meta = &meta
		return d
	}
	p := quickParams(RankNet)
	_, rounds := train(t, p, initial(data, 10), initial(valid, -1e6))
	assert.Less(t, rounds[0].Loss, 1e-3)
	for _, e := range rounds[0].Evaluations {
		assert.Zero(t, e.Result.Mean, "the first ranks have grade 0")
	}
}

// TestShuffle: each epoch has its own order, which depends on the seed.
func TestShuffle(t *testing.T) {
	order := func(seed uint64, epochs int) []int32 {
		tr := &trainer{params: &Params{Params: training.Params{Seed: seed}}}
		for i := range int32(100) {
			tr.queries = append(tr.queries, i)
		}
		for epoch := range epochs {
			tr.shuffle(epoch)
		}
		return tr.queries
	}
	assert.Equal(t, order(1, 2), order(1, 2))
	assert.NotEqual(t, order(1, 1), order(1, 2))
	assert.NotEqual(t, order(1, 1), order(2, 1))
	assert.ElementsMatch(t, order(1, 0), order(1, 3))
	data, _ := syntheticSets(2)
	tr, err := newTrainer(&Params{Ranker: MSE, Epochs: 1, BatchQueries: 7, Normalization: NoNormalization,
		NaN: RefuseNaN, Params: training.Params{NumThreads: 1}}, data)
	require.NoError(t, err)
	defer tr.close()
	before := slices.Clone(tr.queries)
	_, err = tr.round(context.Background(), &training.Round{Number: 1})
	require.NoError(t, err)
	assert.NotEqual(t, before, tr.queries)
}

// TestLastBias: rounding errors do not change the last bias.
func TestLastBias(t *testing.T) {
	data, _ := syntheticSets(2)
	for _, ranker := range Rankers() {
		p := quickParams(ranker)
		untrained, err := newTrainer(&p, data)
		require.NoError(t, err)
		untrained.close()
		r, _ := train(t, p, data)
		last := len(r.Model.network.layers) - 1
		same := untrained.network.layers[last].bias[0] == r.Model.network.layers[last].bias[0]
		assert.Equal(t, ranker != MSE, same, ranker)
	}
}

func TestDataThatDoNotFit(t *testing.T) {
	data, valid := syntheticSets(5)
	ctx, p := context.Background(), quickParams(ListNet)
	short := data
	short.Values = valid.Values
	_, err := Train(ctx, p, short, nil, training.Options{})
	assert.ErrorContains(t, err, "1,000 labels for 500 rows")
	_, err = Train(ctx, p, data, []Data{valid, valid}, training.Options{})
	assert.ErrorContains(t, err, "two validation sets")
	_, err = Train(ctx, p, Data{Meta: &dataset.Meta{}, Values: new(Values)}, nil, training.Options{})
	assert.ErrorContains(t, err, "no rows")
	p.Patience = 1
	_, err = Train(ctx, p, data, nil, training.Options{})
	assert.ErrorContains(t, err, "validation")
	p.Patience, p.Schedule = 0, Plateau
	_, err = Train(ctx, p, data, nil, training.Options{})
	assert.ErrorContains(t, err, "validation")
	p.Schedule, p.Epochs = Constant, 0
	_, err = Train(ctx, p, data, nil, training.Options{})
	assert.ErrorContains(t, err, "epochs=0")
}

// TestPlateauSeesEachEpoch: how often metrics are printed does not change the learning rate.
func TestPlateauSeesEachEpoch(t *testing.T) {
	data, _ := syntheticSets(5)
	rates := func(freq int) (all []float64) {
		p := quickParams(RankNet)
		p.Schedule, p.ScheduleEpochs, p.Epochs, p.MetricFreq = Plateau, 1, 6, freq
		note := func(r training.Round) { all = append(all, r.LearningRate) }
		_, err := Train(t.Context(), p, data, []Data{data}, training.Options{Round: note})
		require.NoError(t, err)
		return all
	}
	assert.Equal(t, rates(1), rates(4))
}

// TestStepDoesNotAllocate: on one thread, steps do not allocate once the largest step has been run.
func TestStepDoesNotAllocate(t *testing.T) {
	data, _ := syntheticSets(5)
	for _, ranker := range Rankers() {
		for _, normalization := range []string{NoNormalization, BatchNorm, LayerNorm} {
			p := quickParams(ranker)
			p.Normalization, p.GradientClip = normalization, 1
			tr, err := newTrainer(&p, data)
			require.NoError(t, err)
			for range 2 {
				for i := range tr.queries {
					tr.step(tr.queries[i:i+1], 1e-3)
				}
			}
			assert.Zero(t, testing.AllocsPerRun(10, func() { tr.step(tr.queries[:1], 1e-3) }), "%s, %s",
				ranker, normalization)
			tr.close()
		}
	}
}
