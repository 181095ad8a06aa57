package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/objective"
)

// beCommand is an environment variable. If it is set, the test binary runs the command itself, so that
// tests
// can use real processes, with real signals and exit statuses.
const beCommand = "LAMBDAMART_TEST_BE_COMMAND"

// showThreads is an environment variable. If it is set, the command prints the number of threads first.
const showThreads = "LAMBDAMART_TEST_THREADS"

// sayReady is an environment variable. If it is set, the command prints a line when it catches signals.
const sayReady = "LAMBDAMART_TEST_READY"

func TestMain(m *testing.M) {
	if os.Getenv(showThreads) != "" {
		useLimits()
		fmt.Fprintln(os.Stderr, "GOMAXPROCS", runtime.GOMAXPROCS(0))
	}
	switch {
	case os.Getenv(sayReady) != "":
		ctx, _ := untilSignal(false)
		fmt.Fprintln(os.Stderr, "ready")
		os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, peers.Group{}))
	case os.Getenv(beCommand) != "":
		main()
	}
	os.Exit(m.Run())
}

// command prepares a process that runs the command in dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(binary, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), beCommand+"=1")
	return c
}

// outcome is the result of a finished command.
type outcome struct {
	status         int
	stdout, stderr string
}

// execute runs a command line in dir, in this process, which is faster than starting one.
func execute(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	before, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(dir))
	defer os.Chdir(before)
	var stderr bytes.Buffer
	status := 0
	stdout := printed(t, func() { status = run(t.Context(), args, os.Stdout, &stderr, peers.Group{}) })
	return outcome{status, stdout, stderr.String()}
}

// printed returns what a function prints to standard output.
func printed(t *testing.T, function func()) string {
	t.Helper()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	text := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(from)
		from.Close()
		text <- all
	}()
	stdout := os.Stdout
	os.Stdout = to
	defer func() { os.Stdout = stdout }()
	function()
	to.Close()
	return string(<-text)
}

// refusal is a command line that fails, its exit status, and a part of its message.
type refusal struct {
	status     int
	args, want string
}

// refuseAll runs command lines that must fail and print nothing but the message.
func refuseAll(t *testing.T, dir string, all ...refusal) {
	t.Helper()
	for _, c := range all {
		got := execute(t, dir, strings.Fields(c.args)...)
		assert.Equal(t, c.status, got.status, "%s\n%s", c.args, got.stderr)
		assert.Contains(t, got.stderr, c.want, c.args)
		assert.True(t, strings.HasPrefix(got.stderr, "lambdamart: ") ||
			strings.Contains(got.stderr, "\nlambdamart: "), c.args)
		assert.Empty(t, got.stdout, c.args)
	}
}

// succeed runs the command, which must succeed.
func succeed(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	got := execute(t, dir, args...)
	require.Zero(t, got.status, "%v\n%s", args, got.stderr)
	return got
}

// writeFile writes a file in dir.
func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
}

// readFile returns the content of a file in dir.
func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(content)
}

// withoutParameters returns the text of a model file without its section of parameters.
func withoutParameters(model string) string {
	before, section, _ := strings.Cut(model, "\nparameters:\n")
	_, after, _ := strings.Cut(section, "\nend of parameters\n")
	return before + after
}

// folderWithData returns a new folder with small training and test data. Feature 2 grows with the grade;
// features
// 1 and 3 are noise computed from the row number; feature 4 is constant.
func folderWithData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "train.txt", letorText(40, 1))
	writeFile(t, dir, "test.txt", letorText(10, 1000))
	return dir
}

func letorText(queries, firstID int) string {
	var b strings.Builder
	for q := range queries {
		for d := range 12 {
			n := (firstID+q)*12 + d
			grade := n * 7 % 5 % 3
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d.%d 3:%d 4:1 # doc-%d-%d\n", grade, firstID+q, n*31%17, grade, n*13%10,
				n*17%23, firstID+q, d)
		}
	}
	return b.String()
}

// fewRows are parameters under which trees grow on the small data.
var fewRows = []string{"num_leaves=4", "min_data_in_leaf=5", "num_iterations=10"}

func TestHelp(t *testing.T) {
	got := succeed(t, t.TempDir(), "help")
	names := []string{"completion"}
	for _, c := range program().Commands {
		if c.Hidden {
			assert.NotContains(t, got.stdout, c.Name)
			continue
		}
		names = append(names, c.Name)
		assert.Contains(t, succeed(t, t.TempDir(), c.Name, "--help").stdout, "Example", c.Name)
		for _, name := range c.Main {
			assert.True(t, name == "config" || c.New().Table().Find(name) != nil, "%s %s", c.Name, name)
		}
	}
	assert.Subset(t, names, []string{"train", "bin", "predict", "eval", "compare", "bench", "model", "export",
		"check-export", "version"})
	for _, name := range names {
		assert.Contains(t, got.stdout, name)
		help := succeed(t, t.TempDir(), "help", name).stdout
		assert.Contains(t, help, "lambdamart "+name, name)
	}
}

func TestUsageErrors(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "nested.conf", "config = other.conf\n")
	writeFile(t, dir, "bad.conf", "num_leaves\n")
	writeFile(t, dir, "refit.conf", "task = refit\n")
	writeFile(t, dir, "continue.conf", "input_model = old.txt\n")
	loss := "no-such-loss"
	refuseAll(t, dir, []refusal{
		{2, "trian data=train.txt", `unknown command "trian"; did you mean train?`},
		{2, "train", "data is missing: give data=FILE"},
		{2, "predict data=train.txt output_model=scores.txt", "did you mean output_result?"},
		{2, "cv data=train.txt output_model=model.txt", "did you mean output?"},
		{2, "train data=train.txt num_leafs=3", "num_leafs=3: unknown parameter; did you mean num_leaves?"},
		{2, "train data=train.txt --num-leafs 3", "--num-leafs: unknown parameter; did you mean num_leaves?"},
		{2, "train data=train.txt num_leaves=1 learning_rate=0",
			"learning_rate=0: must be > 0\nlambdamart: num_leaves=1: must be >= 2, <= 131072\n"},
		{2, "train data=train.txt num_leaves=3 --max-leaves 4", "num_leaves is already given by"},
		{2, "train data=train.txt num_leaves", `"num_leaves": expected key=value; write num_leaves=VALUE`},
		{2, "train train.txt", `"train.txt": expected key=value; if this is the data, write data=train.txt`},
		{2, "train absent.txt", `"absent.txt": expected key=value; lambdamart help train lists the parameters`},
		{2, "plan num_rows=10 num_features=2",
			"there is no command plan any more: it estimated training on several machines"},
		{2, "help plan", "docs/machines.md has a table"},
		{2, "help trian", `unknown command "trian"; did you mean train?`},
		{2, "help num_leafs", "num_leafs: it is not a command, and an unknown parameter; did you mean num_leaves?"},
		{2, "version 2", `version takes no arguments: leave "2" out`},
		{2, "train data=train.txt boosting=gblinear", "boosting=gblinear: must be one of gbdt, dart"},
		{2, "train data=train.txt mc_method=advanced",
			"mc_method=advanced: it bounded each side of a split by itself until 2026-11-26; use intermediate"},
		{2, "train data=train.txt boosting=rf",
			"boosting=rf: it trained a random forest until 2026-11-26; use gbdt"},
		{2, "train data=train.txt data_sample_strategy=goss",
			"data_sample_strategy=goss: only bagging is available: Its value goss favored"},
		{2, "train data=train.txt lambdarank_unbiased=true",
			"lambdarank_unbiased=true: only false is available: It learned ratios of positions"},
		{2, "train data=train.txt lambdarank_noise=0.5",
			"lambdarank_noise=0.5: only 0 is available: It ranked by scores with noise"},
		{2, "train data=train.txt pos_bagging_fraction=0.5",
			"pos_bagging_fraction=0.5: only 1 is available: For two classes. Drawing documents by grade"},
		{2, "train data=train.txt num_machines=4", "num_machines=4: only 1 is available"},
		{2, "train data=train.txt objective=no-such-loss", "objective=no-such-loss: " +
			objective.Choice(&loss).Check().Error()},
		{2, "train data=train.txt metric=ncdg", "ndcg"},
		{2, "train data=train.txt patience=3", "patience=3 needs a validation set: give valid=FILE"},
		{2, "train data=train.txt valid=test.txt patience=3 metric=none", "early stopping needs a metric to watch"},
		{2, "train data=train.txt ranker=ranknet input_model=absent.txt",
			"input_model=absent.txt: training continues from models of trees"},
		{2, "train config=continue.conf data=train.txt output_model=old.txt ranker=ranknet", "input_model=old.txt"},
		{2, "train data=train.txt output_model=train.txt", "data=train.txt would be overwritten by the output"},
		{2, "train data=train.txt task=predict", "task=predict contradicts the command train"},
		{2, "train config=absent.conf", "absent.conf"},
		{2, "train config=nested.conf data=train.txt", "nested.conf: a configuration file cannot name another"},
		{2, "train config=bad.conf data=train.txt", `bad.conf:1: "num_leaves": expected key=value`},
		{2, "config=refit.conf", "data is missing: give data=FILE"},
		{2, "task=convert_model", "task=convert_model: use the command export"},
		{2, "predict data=test.txt", "input_model is missing"},
		{2, "predict data=test.txt input_model=test.txt format=csv", "format=csv: must be one of scores, trec"},
		{2, "predict data=test.txt input_model=test.txt predict_contrib=true predict_leaf_index=true",
			"exclude each other"},
		{2, "predict data=test.txt input_model=test.txt pred_early_stop=true",
			"pred_early_stop=true: only false is available: Scores would come from different numbers of trees"},
		{2, "eval data=test.txt", "give either input_model=FILE or scores=FILE"},
		{2, "model", "input_model is missing"},
	}...)
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"))
}

func TestFailures(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "bad.txt", "1 qid:1 1:x\n")
	writeFile(t, dir, "equal.txt", strings.Repeat("1 qid:1 1:1\n1 qid:1 1:2\n", 50))
	writeFile(t, dir, "empty.txt", "")
	writeFile(t, dir, "short.txt", "1\n2\n")
	refuseAll(t, dir, []refusal{
		{1, "train data=absent.txt", "absent.txt"},
		{1, "train data=.", "bad.txt: it does not look like a part of a table"},
		{1, "train data=empty.txt", "empty.txt"},
		{1, "train data=bad.txt", "bad.txt:1:9"},
		{1, "train data=train.txt valid=bad.txt", "bad.txt:1:9"},
		{1, "train data=train.txt min_data_in_leaf=1000", "min_data_in_leaf"},
		{1, "train data=train.txt min_sum_hessian_in_leaf=1e9", "min_sum_hessian_in_leaf"},
		{1, "train data=equal.txt", "all documents have the label 1"},
		{1, "predict data=test.txt input_model=absent.txt", "absent.txt"},
		{1, "predict data=test.txt input_model=train.txt", "train.txt"},
		{1, "eval data=test.txt scores=short.txt", "short.txt: 2 scores for 120 rows"},
		{1, "eval data=test.txt scores=bad.txt", `bad.txt:1: "1 qid:1 1:x" is not a score`},
		{1, "model train.txt", "train.txt"},
	}...)
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"))
}

func TestCompletion(t *testing.T) {
	got := succeed(t, t.TempDir(), "__complete", "train", "num_l")
	assert.Contains(t, got.stdout, "num_leaves=\t")
	assert.NotContains(t, got.stdout, "num_machines")
	assert.Contains(t, succeed(t, t.TempDir(), "completion", "bash").stdout, "lambdamart")
}
