package main

import (
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trained returns a folder with data and a small model trained on it.
func trained(t *testing.T) string {
	t.Helper()
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt"}, fewRows...)...)
	return dir
}

func TestScoresGoToStandardOutputAndComeFromStandardInput(t *testing.T) {
	dir := trained(t)
	c := command(t, dir, "predict", "data=-", "input_model=model.txt")
	in, err := os.Open(dir + "/test.txt")
	require.NoError(t, err)
	defer in.Close()
	c.Stdin = in
	out, err := c.Output()
	require.NoError(t, err, stderrOf(err))
	succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt", "output_result=scores.txt")
	assert.Equal(t, readFile(t, dir, "scores.txt"), string(out))
}

func stderrOf(err error) string {
	if e, ok := err.(*exec.ExitError); ok {
		return string(e.Stderr)
	}
	return ""
}

// The model has one tree with two leaves: x[2] <= 0.5 scores 0.1 + 0.2, else -1.
func TestScoresReadBackToTheSameNumber(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.txt", modelText(2, "0.5", "0.30000000000000004 -1"))
	writeFile(t, dir, "data.txt", "0 qid:1 2:0.5\n1 qid:1 2:0.6 9:7\n0 qid:1 1:1\n")
	got := succeed(t, dir, "predict", "data=data.txt", "input_model=model.txt")
	assert.Equal(t, "0.30000000000000004\n-1\n0.30000000000000004\n", got.stdout,
		"the last row has nothing of the one before")
	v, err := strconv.ParseFloat(strings.Fields(got.stdout)[0], 64)
	require.NoError(t, err)
	assert.Equal(t, math.Float64bits(0.30000000000000004), math.Float64bits(v))
	assert.Contains(t, got.stderr, "3 documents in ")
	assert.Contains(t, got.stderr, "warning: the data has columns up to 9, the model knows them up to 3")
}

// modelText returns a LightGBM model of four features and one tree with two leaves.
func modelText(feature int, threshold, leaves string) string {
	tree := "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=" + strconv.Itoa(feature) +
		"\nsplit_gain=1\nthreshold=" + threshold +
		"\ndecision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=" + leaves +
		"\nleaf_weight=1 1\nleaf_count=1 " +
		"1\ninternal_value=0\ninternal_weight=2\ninternal_count=2\nis_linear=0\nshrinkage=1\n\n\n"
	return "tree\nversion=v3\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=3\n" +
		"objective=lambdarank\nfeature_names=Column_0 Column_1 Column_2 Column_3\n" +
		"feature_infos=[0:1] [0:1] [0:1] [0:1]\ntree_sizes=" + strconv.Itoa(len(tree)) +
		"\n\n" + tree + "end of trees\n"
}

func TestNoFeatureOfTheModelIsAWarning(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.txt", modelText(3, "0.5", "1 2"))
	writeFile(t, dir, "data.txt", "0 qid:1 1:0.5\n")
	got := succeed(t, dir, "predict", "data=data.txt", "input_model=model.txt")
	assert.Equal(t, "1\n", got.stdout)
	const warning = "warning: the data has columns up to 1, the model uses columns from 3 on"
	assert.Contains(t, got.stderr, warning)
	writeFile(t, dir, "graded.txt", "0 qid:1 1:0.5\n1 qid:1 1:0.25\n")
	got = succeed(t, dir, "explain", "data=graded.txt", "input_model=model.txt", "for_query=1")
	assert.Contains(t, got.stderr, warning)
}

func TestFeatureBase(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.txt", modelText(0, "0.5", "1 2"))
	writeFile(t, dir, "data.txt", "0 qid:1 1:0.7\n")
	got := execute(t, dir, "predict", "data=data.txt", "input_model=model.txt")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "feature_base=1")
	got = succeed(t, dir, "predict", "data=data.txt", "input_model=model.txt", "feature_base=1")
	assert.Equal(t, "2\n", got.stdout)
}

// TestBinaryPredictsProbabilities: as LightGBM's predict does. Runs have sums, and so does predict_raw_score.
func TestBinaryPredictsProbabilities(t *testing.T) {
	dir := t.TempDir()
	lambdarank := modelText(2, "0.5", "0 -1")
	writeFile(t, dir, "model.txt", strings.Replace(lambdarank, "=lambdarank\n", "=binary sigmoid:2\n", 1))
	writeFile(t, dir, "data.txt", "0 qid:1 2:0.5\n1 qid:1 2:0.6\n")
	const probabilities = "0.5\n0.11920292202211755\n" // 1/(1+e^2)
	for more, want := range map[string]string{
		"": probabilities, "probability=true": probabilities, "raw_score=true": "0\n-1\n",
		"format=trec":          "1 Q0 1 1 0 lambdamart\n1 Q0 2 2 -1 lambdamart\n",
		"predict_contrib=true": "0\t0\t0.5\t0\t-0.5\n0\t0\t-0.5\t0\t-0.5\n",
	} {
		args := append([]string{"predict", "data=data.txt", "input_model=model.txt"}, strings.Fields(more)...)
		assert.Equal(t, want, succeed(t, dir, args...).stdout, more)
	}
	exported := succeed(t, dir, "export", "model.txt", "to=go", "output=model.go")
	assert.Contains(t, exported.stderr, "note: the engine gives sums of trees")
}

// TestCalibrationIsLostAloud: whatever makes a model of other scores says that it has no calibration, and a
// part of the trees is not asked for probabilities as if there had never been one.
func TestCalibrationIsLostAloud(t *testing.T) {
	dir := trained(t)
	succeed(t, dir, "calibrate", "data=test.txt", "input_model=model.txt", "output_model=c.txt")
	const lost = "warning: the given model has a calibration, which is not of the scores of the new one"
	for args, want := range map[string]bool{
		"refit data=train.txt input_model=c.txt output_model=new.txt":                  true,
		"train data=train.txt input_model=c.txt output_model=new.txt num_iterations=1": true,
		"train data=train.txt input_model=c.txt output_model=new.txt num_iterations=1 valid=test.txt " +
			"calibration=platt": false,
		"model c.txt output=new.txt":                                      false,
		"model c.txt":                                                     false,
		"model c.txt output=new.txt drop_trees=0":                         true,
		"model c.txt output=new.txt scale=2":                              true,
		"model c.txt output=new.txt join=c.txt":                           true,
		"refit data=train.txt input_model=model.txt output_model=new.txt": false,
	} {
		assert.Equal(t, want, strings.Contains(succeed(t, dir, strings.Fields(args)...).stderr, lost), args)
	}
	for _, part := range []string{"num_iteration_predict=1", "start_iteration_predict=1"} {
		for _, args := range []string{"predict probability=true", "eval metric=brier"} {
			said := execute(t, dir, append(strings.Fields(args), "data=test.txt", "input_model=c.txt", part)...)
			assert.Equal(t, 1, said.status)
			assert.Contains(t, said.stderr, "the calibration that it has is of the scores of all its trees", args)
		}
	}
}

// TestCalibratedModel: calibrate keeps scores, and adds probabilities, which serve the same order.
func TestCalibratedModel(t *testing.T) {
	dir := trained(t)
	sums := succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt").stdout
	for _, kind := range []string{"auto", "isotonic", "platt"} {
		said := succeed(t, dir, "calibrate", "data=test.txt", "input_model=model.txt",
			"output_model=calibrated.txt", "calibration="+kind,
			"calibration_label=grade>=2")
		assert.Contains(t, said.stderr, "probability of grade>=2 from ")
		assert.Equal(t, sums, succeed(t, dir, "predict", "data=test.txt", "input_model=calibrated.txt").stdout)
		got := strings.Fields(succeed(t, dir, "predict", "data=test.txt", "input_model=calibrated.txt",
			"probability=true").stdout)
		for i, s := range strings.Fields(sums) {
			score, _ := strconv.ParseFloat(s, 64)
			p, err := strconv.ParseFloat(got[i], 64)
			require.NoError(t, err)
			require.True(t, 0 < p && p < 1)
			first, _ := strconv.ParseFloat(strings.Fields(sums)[0], 64)
			p0, _ := strconv.ParseFloat(got[0], 64)
			assert.Equal(t, score > first, p > p0, "order of %v and %v", score, first)
		}
	}
	writeFile(t, dir, "three.txt", "0 qid:1 1:0.1\n2 qid:1 1:0.9\n0 qid:1 1:0.2\n")
	const isTraining = ": if it is that data, "
	for file, want := range map[string]string{"three.txt": "1 of 3 documents is of grade>=1: ",
		"train.txt": isTraining + "the probabilities are too close to 0 and 1; fit them on other queries"} {
		said := execute(t, dir, "calibrate", "data="+file, "input_model=model.txt", "calibration=isotonic",
			"output_model=few.txt")
		assert.Contains(t, said.stderr, want)
		said = succeed(t, dir, "eval", "data="+file, "input_model=model.txt")
		assert.Equal(t, file == "train.txt", strings.Contains(said.stderr, isTraining+"the values"), file)
	}
	judged := succeed(t, dir, "eval", "data=test.txt", "input_model=calibrated.txt",
		"metric=ndcg@10,brier,ece,log_loss").stdout
	assert.Regexp(t, `(?s)metric +event +value\nbrier +grade>=2 +0\.\d{5}\nece +grade>=2 +0\.\d{5}\n`+
		`log_loss +grade>=2 +0\.\d{5}\n\n`+
		` *documents +mean probability +share of events\n.*ndcg@10`, judged)
	succeed(t, dir, "eval", "data=test.txt", "input_model=calibrated.txt", "metric=ndcg@10,brier",
		"report=page.html")
	page := readFile(t, dir, "page.html")
	assert.Regexp(t, `(?s)<p class="lead">ndcg@10 [^<]*</p>\n<p class="lead">.* decided by ties.*`+
		`Made by lambdamart`, page)
	assert.Regexp(t, `(?s)<h1>How good is the ranking\? .*ndcg@10.*`+
		`<svg[^>]* aria-labelledby="reliability-diagram-title .*>as predicted<`, page)
	assert.Equal(t, 15, strings.Count(page, "<title>events: "), "a mark for each bin")
	succeed(t, dir, "export", "calibrated.txt", "to=go", "output=m.go")
	assert.Contains(t, readFile(t, dir, "m.go"), "func Probability(score float64) float64 {")
	succeed(t, dir, "export", "calibrated.txt", "to=solr", "output=m.json", "no_missing=true",
		"no_calibration=true")
	succeed(t, dir, append([]string{"train", "data=train.txt", "valid=test.txt", "output_model=trained.txt",
		"calibration=platt",
		"calibration_label=grade>=2"}, fewRows...)...)
	_, fitted, found := strings.Cut(readFile(t, dir, "calibrated.txt"), "[calibration: ")
	assert.True(t, found && strings.HasSuffix(readFile(t, dir, "trained.txt"), "[calibration: "+fitted),
		"as calibrate does afterwards")
	assert.Contains(t, succeed(t, dir, "model", "trained.txt").stdout, "of grade>=2, by platt calibration\n")
	part := succeed(t, dir, "model", "calibrated.txt", "num_iteration_predict=2", "output=part.txt")
	assert.NotContains(t, readFile(t, dir, "part.txt"), "[calibration: ", part.stderr)
}
