package lambdamart_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/tree"
)

var (
	ctx  = context.Background()
	ndcg = metric.NDCG(metric.Default(), 5)
)

// write writes a file and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}

// small returns parameters for small data.
func small() lambdamart.Params {
	p := lambdamart.DefaultParams()
	p.NumIterations, p.MinDataInLeaf, p.NumLeaves = 3, 1, 4
	return p
}

// letorText returns LETOR text of queries in which the only feature equals the label.
func letorText(queries int) string {
	var b strings.Builder
	for q := range queries {
		for label := range 3 {
			b.WriteString(strings.NewReplacer("L", string(rune('0'+label)), "Q",
				string(rune('a'+q))).Replace("L qid:Q 1:L.5 2:1\n"))
		}
	}
	return b.String()
}

// trained returns a model trained on letorText.
func trained(t *testing.T) *tree.Ensemble {
	t.Helper()
	d, err := lambdamart.Load(ctx, small(), write(t, "train.txt", letorText(8)))
	require.NoError(t, err)
	defer d.Close()
	r, err := lambdamart.Train(ctx, small(), d)
	require.NoError(t, err)
	return r.Model
}

func TestParametersFromText(t *testing.T) {
	p := lambdamart.DefaultParams()
	require.NoError(t, p.Set("num_leaves", "63"))
	require.NoError(t, p.Set("label_column", "name:grade"))
	assert.Equal(t, 63, p.NumLeaves)
	assert.Equal(t, "name:grade", p.Data.Label)
	before := p
	require.ErrorIs(t, p.Set("num_leafs", "3"), param.ErrUnknown)
	require.ErrorContains(t, p.Set("num_leaves", "0"), "num_leaves=0: must be >= 2")
	require.ErrorContains(t, p.Set("label_gain", "3,1"), "must be exp2, linear")
	assert.Equal(t, before, p, "errors change nothing")

	n := lambdamart.DefaultNetworkParams()
	require.NoError(t, n.Set("hidden_layers", "8,4"))
	require.NoError(t, n.Set("feature_base", "1"))
	assert.Equal(t, []int{8, 4}, n.HiddenLayers)
	assert.Equal(t, 1, n.Data.FeatureBase)
	require.Error(t, n.Set("epochs", "no"))
}

// written returns the file of a model.
func written(t *testing.T, m lambdamart.Model) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&b, m))
	return b.String()
}

// writtenTrees returns the file of a model without the parameters of its run.
func writtenTrees(t *testing.T, m *tree.Ensemble) string {
	t.Helper()
	trees := *m
	trees.Parameters = ""
	return written(t, &trees)
}

// TestStopSetByPath: the validation set for early stopping may be given by its path.
func TestStopSetByPath(t *testing.T) {
	p := small()
	first, second := write(t, "a.txt", letorText(2)), write(t, "b.txt", letorText(3))
	p.Patience, p.StopSet = 5, second
	d, err := lambdamart.Load(ctx, p, write(t, "train.txt", letorText(8)), first, second)
	require.NoError(t, err)
	defer d.Close()
	r, err := lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	assert.Equal(t, "ndcg@5 on valid_2", r.Watched)
}

func TestOptions(t *testing.T) {
	d, err := lambdamart.Bin(ctx, small(), matrix(5), matrix(3))
	require.NoError(t, err)
	defer d.Close()
	var profile booster.Profile
	p := small()
	p.Options.Profile = &profile
	_, err = lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	assert.Equal(t, 3, profile.Iterations)
}

func TestNetworks(t *testing.T) {
	p := lambdamart.DefaultNetworkParams()
	p.Epochs, p.HiddenLayers, p.NaN = 2, []int{4}, nnbaseline.MeanForNaN
	d, err := lambdamart.ReadNetworkData(ctx, matrix(5), matrix(3))
	require.NoError(t, err)
	steps := 0
	p.Options.Metrics = []metric.Metric{bestFirst{}}
	p.Options.Step = func(epoch, done, of int) { steps++ }
	r, err := lambdamart.TrainNetwork(ctx, p, d)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Rounds)
	assert.Positive(t, steps)

	path := filepath.Join(t.TempDir(), "model.nn")
	require.NoError(t, lambdamart.WriteModel(path, r.Model))
	m, err := lambdamart.ReadModel(path)
	require.NoError(t, err)
	require.IsType(t, r.Model, m)
	assert.Equal(t, written(t, r.Model), written(t, m))

	compiled, err := lambdamart.Compile(m)
	require.NoError(t, err)
	assert.Same(t, m, compiled)

	_, err = lambdamart.Export(path, m, "solr", model.Options{})
	assert.ErrorIs(t, err, lambdamart.ErrNotTrees)
}

func TestModelFiles(t *testing.T) {
	m := trained(t)
	path := filepath.Join(t.TempDir(), "model.txt")
	require.NoError(t, lambdamart.WriteModel(path, m))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, written(t, m), string(content))
	is, err := lambdamart.IsModel(path)
	assert.True(t, is && err == nil)
	is, err = lambdamart.IsModel(write(t, "data.txt", "1 qid:1 1:2\n"))
	assert.False(t, is || err != nil)

	read, err := lambdamart.ReadModel(path)
	require.NoError(t, err)
	assert.Equal(t, written(t, m), written(t, read))

	scorer, err := lambdamart.Compile(m)
	require.NoError(t, err)
	assert.IsType(t, &tree.Scorer{}, scorer)
	assert.ErrorIs(t, lambdamart.WriteModel(path, scorer), lambdamart.ErrModel)
	assert.ErrorIs(t, lambdamart.WriteModelTo(&bytes.Buffer{}, scorer), lambdamart.ErrModel)
}

// TestModelErrors: an error in reading a model names the file and returns no model.
func TestModelErrors(t *testing.T) {
	for name, content := range map[string]string{
		"scores.txt": "0.5\n0.25\n",
		"cut.nn":     "\x8bLMN\r\n\x1a\n\x01",
		"cut.txt":    "tree\nversion=v4\n",
	} {
		path := write(t, name, content)
		m, err := lambdamart.ReadModel(path)
		require.ErrorContains(t, err, path)
		assert.True(t, m == nil, name)
	}
	_, err := lambdamart.ReadModel(write(t, "scores.txt", "0.5\n"))
	assert.ErrorIs(t, err, model.ErrUnknown)
	m, err := lambdamart.ReadModelFrom(strings.NewReader("tree\nversion=v4\n"))
	require.Error(t, err)
	assert.True(t, m == nil)
}

// TestScores: a model gives the same scores row by row and on a file.
func TestScores(t *testing.T) {
	m := trained(t)
	path := write(t, "test.txt", letorText(2))
	all, summary, err := lambdamart.Score(ctx, m, path, data.Options{})
	require.NoError(t, err)
	assert.Equal(t, 6, summary.Rows)
	rows := [][]float64{{0, 0.5, 1}, {0, 1.5, 1}, {0, 2.5, 1}}
	scores, err := lambdamart.ScoreRows(m, rows)
	require.NoError(t, err)
	assert.Equal(t, append(scores, scores...), all)
	assert.IsIncreasing(t, scores)

	_, err = lambdamart.ScoreRows(m, [][]float64{{0, 0.5, 1}, {0, 1.5}})
	require.ErrorIs(t, err, lambdamart.ErrWidth)
	assert.ErrorContains(t, err, "row 1 has 2 values, and the model 3 features")
}

// TestFeatureZero: a model of a matrix, whose first column is feature 0, does not fit LETOR text unless the
// caller sets the number of the text's first feature.
func TestFeatureZero(t *testing.T) {
	d, err := lambdamart.Bin(ctx, small(), matrix(5))
	require.NoError(t, err)
	defer d.Close()
	r, err := lambdamart.Train(ctx, small(), d)
	require.NoError(t, err)
	path := write(t, "test.txt", letorText(2))
	_, _, err = lambdamart.Score(ctx, r.Model, path, data.Options{})
	require.ErrorIs(t, err, data.ErrFeatureZero)
	_, err = lambdamart.Evaluate(ctx, r.Model, path, data.Options{}, ndcg)
	require.ErrorIs(t, err, data.ErrFeatureZero)
	_, _, err = lambdamart.Score(ctx, r.Model, path, data.Options{Layout: data.Layout{FeatureBase: 1}})
	assert.NoError(t, err)
}

func TestEvaluate(t *testing.T) {
	m, path := trained(t), write(t, "test.txt", letorText(3))
	j, err := lambdamart.Evaluate(ctx, m, path, data.Options{}, ndcg, bestFirst{})
	require.NoError(t, err)
	assert.Equal(t, path, j.System)
	assert.Equal(t, []string{"a", "b", "c"}, j.Queries)
	assert.Equal(t, 1.0, j.Results[0].Mean)
	assert.Equal(t, "best-first", j.Results[1].Metric)

	_, err = lambdamart.Evaluate(ctx, m, path, data.Options{})
	assert.Error(t, err, "there is no metric")
	_, err = lambdamart.Compare(j)
	assert.ErrorIs(t, err, evaluate.ErrFewSystems)
	_, err = lambdamart.Compare(j, &evaluate.Judgment{})
	assert.ErrorIs(t, err, lambdamart.ErrNoResult)
}

// TestEvaluateByDocument: document ids are read if a metric breaks ties by them.
func TestEvaluateByDocument(t *testing.T) {
	path := write(t, "test.txt", "0 qid:1 1:1 #docid = a\n1 qid:1 1:1 #docid = b\n")
	c, err := metric.ConventionByName("trec_eval", metric.Exp2())
	require.NoError(t, err)
	m, err := metric.Parse("mrr", c)
	require.NoError(t, err)
	j, err := lambdamart.Evaluate(ctx, trained(t), path, data.Options{}, m)
	require.NoError(t, err)
	assert.Equal(t, 1.0, j.Results[0].Mean)

	path = write(t, "train.txt", "0 qid:1 1:1 #docid = a\n1 qid:1 1:2 #docid = b\n")
	p := small()
	p.Metric, p.MetricConvention, p.MinDataInLeaf, p.MinDataInBin = []string{"mrr"}, "trec_eval", 1, 1
	d, err := lambdamart.Load(ctx, p, path, path)
	require.NoError(t, err)
	defer d.Close()
	_, err = lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	n := lambdamart.DefaultNetworkParams()
	n.MetricConvention = "trec_eval"
	networkData, err := lambdamart.LoadNetworkData(ctx, n, path, path)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, networkData.Validation[0].Meta.Docs)
}

// TestTrainingErrors: unsuitable data is an error and not a panic.
func TestTrainingErrors(t *testing.T) {
	d, err := lambdamart.Bin(ctx, small(), matrix(5))
	require.NoError(t, err)
	defer d.Close()
	p := small()
	p.Patience = 1
	_, err = lambdamart.Train(ctx, p, d)
	assert.Error(t, err, "patience without validation data")
	p = small()
	p.NumLeaves = 0
	_, err = lambdamart.Train(ctx, p, d)
	assert.ErrorContains(t, err, "num_leaves")
	_, err = study.CrossValidate(ctx, small().Params, study.On(d, study.Folds{}), study.Options{})
	assert.ErrorIs(t, err, study.ErrFolds)
	_, err = dataset.FromRows(nil, nil, nil)
	assert.Error(t, err)
}

// TestJudgedBy: what a model states decides how it is judged, and what it does not state has its default.
func TestJudgedBy(t *testing.T) {
	for section, want := range map[string]string{
		"":                                 "default label_gain=exp2",
		"[label_gain: ]\n[metric: ndcg]\n": "default label_gain=exp2", // LightGBM's
		"[label_gain: 0,1,1,1,100]\n":      "default label_gain=0,1,1,1,100",
		"[label_gain: 3,1]\n[metric_convention: nobody]\n": "default label_gain=exp2",
		"[lambdamart: made_by=train; label_gain=linear; metric_convention=trec_eval]\n": "trec_eval " +
			"label_gain=linear",
	} {
		assert.Equal(t, "metric_convention="+want,
			lambdamart.JudgedBy(&tree.Ensemble{Parameters: section}).String(), section)
	}
}
