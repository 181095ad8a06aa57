package study

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// twoFolds returns a new folder with two folds of small data. Feature 2 grows with the grade; the others
// are noise computed from the row number.
func twoFolds(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for fold := range 2 {
		for part, queries := range map[string]int{"train": 30, "vali": 8, "test": 10} {
			path := filepath.Join(folder, fmt.Sprintf("Fold%d", fold+1), part+".txt")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			require.NoError(t, os.WriteFile(path, []byte(letorText(queries, 1000*fold+100*len(part))), 0o666))
		}
	}
	return folder
}

func letorText(queries, firstID int) string {
	var b strings.Builder
	for q := range queries {
		for d := range 12 {
			n := (firstID+q)*12 + d
			grade := n * 7 % 5 % 3
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d.%d 3:%d\n", grade, firstID+q, n*31%17, grade+n*5%3, n*13%10, n*17%23)
		}
	}
	return b.String()
}

// smallTrees are settings under which trees grow on small data.
var smallTrees = settingPairs("num_leaves", "4", "min_data_in_leaf", "5", "num_iterations", "8")

// preparedComparison returns options for a test, of rankers that train quickly.
func preparedComparison(t *testing.T, path string) BenchOptions {
	t.Helper()
	o := BenchOptions{Data: path, Output: filepath.Join(t.TempDir(), "out"), Seeds: 2, Metric: "ndcg@3",
		Cutoffs:    []int{1, 3},
		Convention: "default", Gain: metric.Exp2(), Tests: metric.DefaultTestOptions(), Program: "test",
		General: smallTrees}
	o.Tests.Resamples, o.Tests.Trials = 200, 500
	o.Rankers = []RankerSpec{
		{Name: "plain", Kind: "lambdamart"},
		{Name: "bagged", Kind: "lambdamart", Settings: settingPairs("bagging_fraction", "0.4", "bagging_freq",
			"1")},
		{Name: "hopeless", Kind: "lambdamart", Settings: settingPairs("learning_rate", "1e-9", "num_leaves", "2")},
	}
	return o
}

// ofTrees makes o compare one ranker, of this name.
func (o *BenchOptions) ofTrees(name string, settings ...param.Setting) {
	o.Rankers = []RankerSpec{{Name: name, Kind: "lambdamart", Settings: settings}}
}

func compared(t *testing.T, o BenchOptions) *BenchResult {
	t.Helper()
	s, err := Bench(context.Background(), o)
	require.NoError(t, err)
	return s
}

// comparedAnew returns the result, and how many training runs it took.
func comparedAnew(t *testing.T, o BenchOptions) (s *BenchResult, done int) {
	t.Helper()
	log, said := logged()
	o.Log = log
	s = compared(t, o)
	return s, strings.Count(said.String(), "event=end")
}

func TestExperiment(t *testing.T) {
	o := preparedComparison(t, twoFolds(t))
	s, done := comparedAnew(t, o)
	assert.Equal(t, 2*2*3, done, "folds, seeds, rankers")
	require.Len(t, s.Rankers, 3)
	for i, r := range s.Rankers {
		assert.Len(t, r.values, 20, "the test queries of both folds")
		assert.Positive(t, r.TrainSeconds)
		assert.Positive(t, r.ScoreMicros)
		assert.Positive(t, r.ModelBytes)
		assert.LessOrEqual(t, r.Interval.Low, r.Mean)
		assert.GreaterOrEqual(t, r.Interval.High, r.Mean)
		if i > 0 {
			assert.LessOrEqual(t, r.Mean, s.Rankers[i-1].Mean, "best first")
			assert.InDelta(t, r.Mean-s.Rankers[0].Mean, r.Against.Difference, 1e-9)
		}
		switch r.Ranker {
		case "plain":
			assert.Zero(t, r.SeedSD, "nothing is drawn")
		case "bagged":
			assert.Positive(t, r.SeedSD)
		}
	}

	// Probabilities are corrected for all pairs together.
	require.Len(t, s.Pairs, 3)
	var raw, corrected []float64
	for i, p := range s.Pairs {
		raw, corrected = append(raw, p.Wilcoxon.P), append(corrected, p.Holm.Wilcoxon)
		if p.A == 0 {
			assert.Same(t, &s.Pairs[i], s.Rankers[i+1].Against)
			assert.Equal(t, i+1, p.B)
		}
	}
	assert.Equal(t, min(1, 3*slices.Min(raw)), slices.Min(corrected))
}

// TestWhatIsTakenOver: stored results are reused if and only if nothing that they depend on has changed.
func TestWhatIsTakenOver(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: does some hundred trainings")
	}
	data := twoFolds(t)
	o := preparedComparison(t, data)
	again := func() int {
		_, done := comparedAnew(t, o)
		return done
	}
	assert.Equal(t, 12, again())
	assert.Equal(t, 0, again())
	o.Threads = 1
	assert.Equal(t, 0, again(), "threads change nothing")
	o.Seeds = 3
	assert.Equal(t, 6, again(), "the third seed")
	o.Seeds = 2
	for name, change := range map[string]func(){
		"program":    func() { o.Program = "other" },
		"metric":     func() { o.Metric = "ndcg@1" },
		"convention": func() { o.Convention = "lightgbm" },
		"gain":       func() { o.Gain = metric.Linear() },
		"cut-offs":   func() { o.Cutoffs = []int{2} },
		"reading":    func() { o.Files.FeatureBase = 1 },
	} {
		before := o
		change()
		assert.Equal(t, 12, again(), name)
		o = before
	}
	assert.Equal(t, 0, again(), "all is as it was")

	path := filepath.Join(data, "Fold2", "vali.txt")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o666))
	assert.Equal(t, 6, again(), "fold 2 has changed")
	require.NoError(t, os.WriteFile(filepath.Join(data, "Fold1", "train.txt.weight"),
		[]byte(strings.Repeat("1\n", 360)), 0o666))
	assert.Equal(t, 6, again(), "fold 1 has weights")

	o.ofTrees("plain", settingPairs("lambda_l2", "3")...)
	assert.Equal(t, 4, again(), "another parameter")
	o.ofTrees("plain")
	assert.Equal(t, 0, again())
}

func TestDamagedResultsAreMadeAgain(t *testing.T) {
	o := preparedComparison(t, twoFolds(t))
	compared(t, o)
	files, err := filepath.Glob(filepath.Join(o.Output, "runs", "Fold1", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 6)
	require.NoError(t, os.Truncate(files[0], 1000))
	log, said := logged()
	o.Log = log
	compared(t, o)
	assert.Equal(t, 1, strings.Count(said.String(), "event=end"))
	assert.Regexp(t, "level=WARN .*"+regexp.QuoteMeta(files[0])+".* it is done again", said.String())
}

// withoutTimes returns the lines of the results without the columns of times.
func withoutTimes(s *BenchResult) string {
	var b strings.Builder
	s.Tables[0].TSV(&b)
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		lines[i] = strings.Join(cells[:max(0, len(cells)-2)], "\t")
	}
	return strings.Join(lines, "\n")
}

// ofBoth makes o compare trees and a network, which continue training after the best iteration.
func (o *BenchOptions) ofBoth() {
	o.General = settingPairs("patience", "0")
	o.Rankers = []RankerSpec{
		{Name: "trees", Kind: "lambdamart", Settings: settingPairs("num_leaves", "8", "min_data_in_leaf", "2",
			"num_iterations", "30", "learning_rate", "0.3")},
		{Name: "network", Kind: "listnet", Settings: settingPairs("hidden_layers", "6", "epochs", "12",
			"learning_rate", "0.05", "dropout", "0")},
	}
}

// TestValidationChoosesTheIteration: the best iteration on the validation queries is used even though
// training continues: a run that ends there gives the same test values.
func TestValidationChoosesTheIteration(t *testing.T) {
	o := preparedComparison(t, twoFolds(t))
	o.ofBoth()
	beyond := map[string]bool{}
	for _, r := range compared(t, o).runs {
		best := math.Inf(-1)
		for _, p := range r.Curve {
			best = max(best, float64(p.Value))
		}
		assert.Equal(t, metric.Value(best), r.Validation)
		assert.Equal(t, metric.Value(best), r.Curve[r.Kept-1].Value)
		if r.Kept == r.Iterations {
			continue
		}
		beyond[r.Ranker] = true
		short := o
		short.Override = settingPairs("num_iterations", strconv.Itoa(r.Kept), "epochs", strconv.Itoa(r.Kept))
		for _, same := range compared(t, short).runs {
			if same.Ranker == r.Ranker && same.Fold == r.Fold && same.Seed == r.Seed {
				assert.Equal(t, r.Judged, same.Judged, "%s kept %d of %d", r.Ranker, r.Kept, r.Iterations)
			}
		}
	}
	assert.Len(t, beyond, 2, "both continued after their best")
}

// TestAnEnsembleIsJudgedAsOne: the rounds of an ensemble belong to its models, so its own curve has one
// point.
func TestAnEnsembleIsJudgedAsOne(t *testing.T) {
	o := preparedComparison(t, twoFolds(t))
	o.ofTrees("mean", settingPairs("num_models", "2", "model_objectives", "lambdarank,query_rmse")...)
	s := compared(t, o)
	for _, r := range s.runs {
		require.Len(t, r.Curve, 1)
		assert.Equal(t, r.Curve[0].Value, r.Validation)
		assert.False(t, math.IsNaN(float64(r.Validation)))
	}
	require.NoError(t, s.Write(io.Discard))
}

// TestARankerThatFailsIsLeftOut: trees that cannot grow, and a network that diverges at once, with advice.
func TestARankerThatFailsIsLeftOut(t *testing.T) {
	o := preparedComparison(t, twoFolds(t))
	o.General = nil
	tame := RankerSpec{Name: "plain", Kind: "lambdamart", Settings: smallTrees}
	for want, broken := range map[string]RankerSpec{
		"min_data_in_leaf": {Kind: "lambdamart", Settings: settingPairs("min_data_in_leaf", "1000000")},
		"exploded; try learning_rate=": {Kind: "mse",
			Settings: settingPairs("learning_rate", "1e9", "hidden_layers", "8,8,8", "epochs", "5")},
	} {
		broken.Name = "broken"
		o.Rankers = []RankerSpec{tame, broken}
		s := compared(t, o)
		require.Len(t, s.Rankers, 1)
		assert.Equal(t, "plain", s.Rankers[0].Ranker)
		require.Len(t, s.Failed, 4)
		assert.ErrorContains(t, s.Failed[0], "Fold1 broken seed 1")
		for text := range strings.SplitSeq(want, "; ") {
			assert.ErrorContains(t, s.Failed[0], text)
		}
		assert.NoError(t, s.Write(io.Discard))
	}
}

// TestWarningsReachTheReport: the report says if test queries were used in training, and repeats warnings
// of runs.
func TestWarningsReachTheReport(t *testing.T) {
	data := twoFolds(t)
	train, err := os.ReadFile(filepath.Join(data, "Fold1", "train.txt"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(data, "Fold1", "test.txt"), train, 0o666))
	o := preparedComparison(t, data)
	o.Seeds = 1
	o.ofTrees("only")
	s := compared(t, o)
	assert.Equal(t, 30, s.Splits[0].Leaked)
	assert.Zero(t, s.Splits[1].Leaked)
	s.runs[1].Warning = "the loss exploded"
	var b strings.Builder
	s.describe()
	require.NoError(t, s.Write(&b))
	assert.Contains(t, b.String(), "Fold1: 30 of 30 test queries have the ids of training queries")
	assert.Contains(t, b.String(), "only on Fold2, seed 1: the loss exploded.")
}

func TestDataThatCannotBeRead(t *testing.T) {
	for _, part := range []string{"train", "vali", "test"} {
		data := twoFolds(t)
		require.NoError(t, os.WriteFile(filepath.Join(data, "Fold2", part+".txt"), []byte("1 qid:1 1:x\n"), 0o666))
		o := preparedComparison(t, data)
		_, err := Bench(context.Background(), o)
		assert.ErrorContains(t, err, filepath.Join("Fold2", part+".txt")+":1:9")
	}
}

// TestOutputThatCannotBeWritten: an output that cannot be written is an error before anything is trained.
func TestOutputThatCannotBeWritten(t *testing.T) {
	o := preparedComparison(t, twoFolds(t))
	o.Output = filepath.Join(o.Data, "Fold1", "train.txt")
	log, said := logged()
	o.Log = log
	_, err := Bench(context.Background(), o)
	assert.ErrorContains(t, err, "train.txt")
	assert.Empty(t, said.String(), "nothing has begun")
}

func TestExperimentsThatCannotBe(t *testing.T) {
	data := twoFolds(t)
	for want, change := range map[string]func(o *BenchOptions){
		"seeds=0":           func(o *BenchOptions) { o.Seeds = 0 },
		"ncdg":              func(o *BenchOptions) { o.Metric = "ncdg" },
		"no convention":     func(o *BenchOptions) { o.Convention = "none" },
		"breaks ties":       func(o *BenchOptions) { o.Convention = "trec_eval" },
		"no such file":      func(o *BenchOptions) { o.Data = filepath.Join(data, "absent") },
		"neither the files": func(o *BenchOptions) { o.Data = t.TempDir() },
		"metric=pair_agreement: bench reads no pairs": func(o *BenchOptions) { o.Metric = "pair_agreement" },
		"objective=pairs:1,lambdarank:1: bench reads no pairs": func(o *BenchOptions) {
			o.General = []param.Setting{{Name: "objective", Value: "pairs:1,lambdarank:1"}}
		},
	} {
		o := preparedComparison(t, data)
		change(&o)
		assert.ErrorContains(t, o.Check(), want)
	}
}

// TestAutoIsThePreset: lambdamart-auto equals lambdamart with the preset's parameters, unless they are given.
func TestAutoIsThePreset(t *testing.T) {
	folder := twoFolds(t)
	o := preparedComparison(t, folder)
	o.Seeds, o.General, o.Override = 1, nil, settingPairs("num_iterations", "12")
	splits, err := findSplits(folder)
	require.NoError(t, err)
	src, err := data.Open(splits[0].Train, data.Options{})
	require.NoError(t, err)
	meta, err := dataset.Describe(t.Context(), src)
	require.NoError(t, err)
	require.NoError(t, src.Close())
	usual := booster.DefaultParams()
	var chosen []param.Setting
	for _, c := range choosePreset(PresetAuto, &usual, meta, true, "num_leaves") {
		if c.Name != "num_leaves" {
			chosen = append(chosen, c)
		}
	}
	given := settingPairs("num_leaves", "3")
	o.Rankers = []RankerSpec{
		{Name: "auto", Kind: KindAuto, Settings: given},
		{Name: "same", Kind: KindLambdaMART, Settings: append(given, chosen...)},
		{Name: "plain", Kind: KindLambdaMART, Settings: given},
	}
	s := compared(t, o)
	values := map[string][]float64{}
	for _, r := range s.Rankers {
		values[r.Ranker] = r.values
	}
	assert.Equal(t, values["same"], values["auto"])
	for _, r := range s.runs {
		assert.LessOrEqual(t, r.Iterations, 12)
	}
	require.Len(t, s.Failed, 0)
}

// folderOf makes a folder with empty files.
func folderOf(t *testing.T, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	return folder
}

func TestOneSplit(t *testing.T) {
	folder := folderOf(t, "train.txt.gz", "validation.csv", "test.svm", "train.txt.query", "test.svm.weight",
		"train.txt.gz.bin", "README.md", "train-old.txt")
	got, err := findSplits(folder)
	require.NoError(t, err)
	in := func(name string) string { return filepath.Join(folder, name) }
	assert.Equal(t, []Split{{Name: filepath.Base(folder), Train: in("train.txt.gz"), Vali: in("validation.csv"),
		Test: in("test.svm")}}, got)
}

func TestFoldsComeInTheOrderOfTheirNumbers(t *testing.T) {
	var files []string
	for _, fold := range []string{"Fold10", "Fold2", "Fold1"} {
		for _, part := range []string{"train.txt", "vali.txt", "test.txt"} {
			files = append(files, fold+"/"+part)
		}
	}
	got, err := findSplits(folderOf(t, append(files, "notes/train.txt", "Folder/test.txt")...))
	require.NoError(t, err)
	require.Len(t, got, 3)
	assert.Equal(t, []string{"Fold1", "Fold2", "Fold10"}, []string{got[0].Name, got[1].Name, got[2].Name})
}

func TestFoldersWithoutASplit(t *testing.T) {
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"neither the files train, vali and test nor folders Fold1", nil},
		{"has no file vali", []string{"train.txt", "test.txt"}},
		{"has no file train", []string{"vali.txt", "test.txt"}},
		{"both train.csv and train.txt could be meant", []string{"train.csv", "train.txt", "vali.txt", "test.txt"}},
		{"has both", []string{"train.txt", "vali.txt", "test.txt", "Fold1/train.txt"}},
		{"Fold2 lacks the files", []string{"Fold1/train.txt", "Fold1/vali.txt", "Fold1/test.txt", "Fold2/x"}},
		{"has no file test", []string{"Fold1/train.txt", "Fold1/vali.txt"}},
	} {
		_, err := findSplits(folderOf(t, c.files...))
		require.Error(t, err, c.want)
		assert.Contains(t, err.Error(), c.want)
	}
	_, err := findSplits(filepath.Join(t.TempDir(), "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = findSplits(filepath.Join(folderOf(t, "train.csv"), "train.csv"))
	assert.ErrorContains(t, err, "train.csv is a file; give a folder")
}

// runOfRanker makes a result with the given values on test queries.
func runOfRanker(ranker string, seed int, values ...float64) *rankerRun {
	return &rankerRun{Ranker: ranker, Seed: seed, Kept: 1, Validation: 0.5, Curve: []runPoint{{1, 0.5}},
		Queries: []string{"q1", "q2", "q3", "q4"}[:len(values)],
		Judged:  []metricValues{{Metric: "ndcg@10", Values: values}}, TrainSeconds: 2}
}

// TestSummaryByHand: means and the deviation over seeds, computed by hand.
func TestSummaryByHand(t *testing.T) {
	nan := math.NaN()
	e := &experiment{options: BenchOptions{Data: ".", Seeds: 2, Tests: metric.DefaultTestOptions()},
		rankers: []benchRanker{{Name: "a"}, {Name: "b"}},
		metrics: []metric.Metric{metric.NDCG(metric.Default(), 10)}, splits: []Split{{Name: "s"}}}
	var jobs []job
	add := func(ranker, seed int, values ...float64) {
		r := &e.rankers[ranker]
		jobs = append(jobs, job{ranker: r, seed: seed, run: runOfRanker(r.Name, seed, values...)})
	}
	add(0, 1, 0.2, 0.4, nan, 0.6)
	add(0, 2, 0.4, 0.8, nan, 0.6)
	add(1, 1, 0.5, 0.7, nan, 0.9)
	add(1, 2, 0.5, 0.7, nan, 0.9)
	s, err := e.summarize(t.Context(), jobs, nil)
	require.NoError(t, err)
	require.Len(t, s.Rankers, 2)
	best, other := s.Rankers[0], s.Rankers[1]
	assert.Equal(t, "b", best.Ranker)
	assert.InDelta(t, 0.7, best.Mean, 1e-12)
	assert.Zero(t, best.SeedSD)
	assert.InDelta(t, 0.5, other.Mean, 1e-12, "of .3, .6 and .6")
	assert.InDelta(t, 0.2/math.Sqrt2, other.SeedSD, 1e-12, "of the means .4 and .6")
	assert.InDelta(t, -0.2, other.Against.Difference, 1e-9, "of -.2, -.1 and -.3")
	assert.Equal(t, 3, other.Against.Queries)
	assert.Equal(t, 2.0, other.TrainSeconds)
	assert.Equal(t, other.Against.Randomization.P, other.Against.Holm.Randomization,
		"one comparison needs no correction")
}

// TestSeedsDoNotMakeDifferencesCertain: a query counts once for any number of seeds. Counting seeds as
// further queries would make the same differences look more significant.
func TestSeedsDoNotMakeDifferencesCertain(t *testing.T) {
	p := func(seeds int) float64 {
		e := &experiment{options: BenchOptions{Data: ".", Seeds: seeds, Tests: metric.DefaultTestOptions()},
			rankers: []benchRanker{{Name: "a"}, {Name: "b"}},
			metrics: []metric.Metric{metric.NDCG(metric.Default(), 10)}, splits: []Split{{Name: "s"}}}
		var jobs []job
		for r, values := range [][]float64{{0.5, 0.6, 0.2, 0.4}, {0.4, 0.7, 0.1, 0.2}} {
			for seed := 1; seed <= seeds; seed++ {
				jobs = append(jobs, job{ranker: &e.rankers[r], seed: seed,
					run: runOfRanker(e.rankers[r].Name, seed, values...)})
			}
		}
		s, err := e.summarize(t.Context(), jobs, nil)
		require.NoError(t, err)
		return s.Rankers[1].Against.Holm.Randomization
	}
	assert.Equal(t, p(1), p(5))
}

// TestTestDataMustFit: the features of test documents, all columns of each, are refused before memory is
// taken.
func TestTestDataMustFit(t *testing.T) {
	src, err := dataset.FromRows(selectRows(1, 3))
	require.NoError(t, err)
	t.Setenv("GOMEMLIMIT", "1")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	_, _, err = readDense(t.Context(), src, planted)
	assert.ErrorIs(t, err, limits.ErrMemory)
}
