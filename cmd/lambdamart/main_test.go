package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/peers"
)

// If this variable is set, the test binary behaves as the command itself, so that tests run real
// processes, with real signals and exit statuses.
const beCommand = "LAMBDAMART_TEST_BE_COMMAND"

// If this variable is set, the number of threads is printed first.
const showThreads = "LAMBDAMART_TEST_THREADS"

func TestMain(m *testing.M) {
	if os.Getenv(showThreads) != "" {
		useLimits()
		fmt.Fprintln(os.Stderr, "GOMAXPROCS", runtime.GOMAXPROCS(0))
	}
	if os.Getenv(beCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command prepares the command to run in dir.
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

// execute runs a command line in dir, in this process, which is faster than another one.
func execute(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	defer stdout.Close()
	before, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(dir))
	defer os.Chdir(before)
	terminal := os.Stdout
	os.Stdout = stdout
	defer func() { os.Stdout = terminal }()
	var stderr bytes.Buffer
	status := run(t.Context(), args, stdout, &stderr, peers.Group{})
	printed, err := os.ReadFile(stdout.Name())
	require.NoError(t, err)
	return outcome{status, string(printed), stderr.String()}
}

// succeed runs the command, which must succeed.
func succeed(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	got := execute(t, dir, args...)
	require.Zero(t, got.status, "%v\n%s", args, got.stderr)
	return got
}

// stopAndGoOn stops a command from outside, by each of two signals, once this many of its files match a pattern, and then
// runs it again in the same folder, which must succeed. It passes that folder and the outcome to check.
func stopAndGoOn(t *testing.T, pattern string, files int, args []string, check func(dir string, again outcome)) {
	t.Helper()
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		dir, _ := stopped(t, folderWithData, pattern, files, how, args...)
		check(dir, succeed(t, dir, args...))
	}
}

// stopped runs a command in a new folder and signals it once this many of its files match a pattern. It tries again
// with another folder while the command ends before the signal comes, as it can where the processor is busy.
func stopped(t *testing.T, folder func(*testing.T) string, pattern string, files int, how syscall.Signal, args ...string) (string, outcome) {
	t.Helper()
	status := map[syscall.Signal]int{syscall.SIGKILL: -1, syscall.SIGINT: 130}[how]
	for {
		dir := folder(t)
		got := signalled(t, dir, filepath.Join(dir, pattern), files, how, args...)
		if got.status != 0 {
			require.Equal(t, status, got.status, got.stderr)
			return dir, got
		}
	}
}

// signalled runs a command and signals it once this many files match a pattern, if it has not ended by then.
func signalled(t *testing.T, dir, pattern string, files int, how syscall.Signal, args ...string) outcome {
	t.Helper()
	c := command(t, dir, args...)
	var stderr strings.Builder
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Wait() }()
	for waiting := true; waiting; {
		select {
		case <-ended:
			waiting = false
		case <-time.After(time.Millisecond):
			found, _ := filepath.Glob(pattern)
			waiting = len(found) < files
		}
	}
	_ = c.Process.Signal(how) // an error if it has ended
	<-ended
	return outcome{status: c.ProcessState.ExitCode(), stderr: stderr.String()}
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

// folderWithData returns a new folder with small training and test data. Documents of higher grades have
// a larger feature 2; features 1 and 3 are noise computed from the number of the row; feature 4 is
// constant.
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
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d.%d 3:%d 4:1 # doc-%d-%d\n", grade, firstID+q, n*31%17, grade, n*13%10, n*17%23, firstID+q, d)
		}
	}
	return b.String()
}

// fewRows are parameters with which trees grow on the small data.
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
	}
	assert.Subset(t, names, []string{"train", "bin", "predict", "eval", "compare", "bench", "model", "export", "check-export", "version"})
	for _, name := range names {
		assert.Contains(t, got.stdout, name)
		help := succeed(t, t.TempDir(), "help", name).stdout
		assert.Contains(t, help, "lambdamart "+name, name)
	}
}

func TestHelpOfAParameter(t *testing.T) {
	help := succeed(t, t.TempDir(), "help", "max_leaves").stdout
	assert.Contains(t, help, "num_leaves=31 ")
	assert.Regexp(t, "\nCommands: train, .*cv.*\n$", help)
	assert.NotContains(t, help, "predict")
	assert.Regexp(t, `In tune, the default is\s+1000\.`, succeed(t, t.TempDir(), "help", "num_iterations").stdout)
	assert.Contains(t, succeed(t, t.TempDir(), "help", "num_machines").stdout, "has no effect [only 1]")
}

// Help of a command with many parameters is a screen; the rest is in "all", and under headings.
func TestHelpInParts(t *testing.T) {
	help := func(args ...string) string {
		return succeed(t, t.TempDir(), append([]string{"help"}, args...)...).stdout
	}
	for _, c := range program().Commands {
		if c.Main == nil {
			continue
		}
		table := c.New().Table()
		for _, name := range c.Main {
			assert.True(t, name == "config" || table.Find(name) != nil, "%s %s", c.Name, name)
		}
		assert.Less(t, strings.Count(help(c.Name), "\n"), 50, c.Name)
		assert.Equal(t, help(c.Name), succeed(t, t.TempDir(), c.Name, "--help").stdout)
	}
	assert.NotContains(t, help("train"), "max_bin=")
	all := help("train", "all")
	assert.Contains(t, all, "\n  max_bin=255 ")
	assert.NotContains(t, all, "\n  hidden_layers=")
	assert.Contains(t, all, "help train networks")
	networks := help("train", "networks")
	assert.Contains(t, networks, "\n  hidden_layers=")
	assert.NotContains(t, networks, "num_leaves")
	assert.Contains(t, help("train", "early", "stopping"), "\n  patience=0 ")
	assert.Contains(t, execute(t, t.TempDir(), "help", "train", "none").stderr, "the headings of its parameters are Files, ")
	assert.Equal(t, 2, execute(t, t.TempDir(), "help", "version", "all").status)
}

func TestVersion(t *testing.T) {
	for _, args := range []string{"version", "--version"} {
		assert.Regexp(t, `^lambdamart \S+, commit .+, go1\.\S+ \S+/\S+\n$`, succeed(t, t.TempDir(), args).stdout)
	}
}

func TestUsageErrors(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "nested.conf", "config = other.conf\n")
	writeFile(t, dir, "bad.conf", "num_leaves\n")
	writeFile(t, dir, "refit.conf", "task = refit\n")
	writeFile(t, dir, "continue.conf", "input_model = old.txt\n")
	loss := "no-such-loss"
	for _, c := range []struct{ args, want string }{
		{"trian data=train.txt", `unknown command "trian"; did you mean train?`},
		{"train", "data is missing: give data=FILE"},
		{"train data=train.txt num_leafs=3", "num_leafs=3: unknown parameter; did you mean num_leaves?"},
		{"train data=train.txt --num-leafs 3", "--num-leafs: unknown parameter; did you mean num_leaves?"},
		{"train data=train.txt num_leaves=1 learning_rate=0", "learning_rate=0: must be > 0\nlambdamart: num_leaves=1: must be >= 2, <= 131072\n"},
		{"train data=train.txt num_leaves=3 --max-leaves 4", "num_leaves is already given by"},
		{"train data=train.txt num_leaves", `"num_leaves": expected key=value; write num_leaves=VALUE`},
		{"train train.txt", `"train.txt": expected key=value; if this is the data, write data=train.txt`},
		{"train absent.txt", `"absent.txt": expected key=value; lambdamart help train lists the parameters`},
		{"help trian", `unknown command "trian"; did you mean train?`},
		{"help num_leafs", "num_leafs: it is not a command, and an unknown parameter; did you mean num_leaves?"},
		{"version 2", `version takes no arguments: leave "2" out`},
		{"train data=train.txt boosting=gblinear", "boosting=gblinear: must be one of gbdt, dart, rf"},
		{"train data=train.txt boosting=rf", "boosting=rf: all trees would be equal: set bagging_freq=1"},
		{"train data=train.txt boosting=goss bagging_fraction=0.5 bagging_freq=1", "data_sample_strategy=goss and bagging_fraction=0.5"},
		{"train data=train.txt pos_bagging_fraction=0.5", "pos_bagging_fraction=0.5: only 1 is available: For classes; grades are not two classes"},
		{"train data=train.txt num_machines=4", "num_machines=4: only 1 is available"},
		{"train data=train.txt objective=no-such-loss", "objective=no-such-loss: " + objective.Choice(&loss).Check().Error()},
		{"train data=train.txt metric=ncdg", "ndcg"},
		{"train data=train.txt patience=3", "patience=3 needs a validation set: give valid=FILE"},
		{"train data=train.txt valid=test.txt patience=3 metric=none", "early stopping needs a metric to watch"},
		{"train data=train.txt ranker=ranknet input_model=absent.txt", "input_model=absent.txt: training continues from models of trees"},
		{"train config=continue.conf data=train.txt output_model=old.txt ranker=ranknet", "input_model=old.txt"},
		{"train data=train.txt output_model=train.txt", "data=train.txt would be overwritten by the output"},
		{"train data=train.txt task=predict", "task=predict contradicts the command train"},
		{"train config=absent.conf", "absent.conf"},
		{"train config=nested.conf data=train.txt", "nested.conf: a configuration file cannot name another"},
		{"train config=bad.conf data=train.txt", `bad.conf:1: "num_leaves": expected key=value`},
		{"config=refit.conf", "data is missing: give data=FILE"},
		{"task=convert_model", "task=convert_model is not available"},
		{"predict data=test.txt", "input_model is missing"},
		{"predict data=test.txt input_model=test.txt format=csv", "format=csv: must be one of scores, trec"},
		{"predict data=test.txt input_model=test.txt predict_contrib=true predict_leaf_index=true", "exclude each other"},
		{"predict data=test.txt input_model=test.txt pred_early_stop=true", "pred_early_stop=true: only false is available: Documents would be compared by different numbers of trees"},
		{"eval data=test.txt", "give either input_model=FILE or scores=FILE"},
		{"model", "input_model is missing"},
	} {
		got := execute(t, dir, strings.Fields(c.args)...)
		assert.Equal(t, 2, got.status, c.args)
		assert.Contains(t, got.stderr, c.want, c.args)
		assert.True(t, strings.HasPrefix(got.stderr, "lambdamart: "), got.stderr)
		assert.Empty(t, got.stdout, c.args)
	}
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"))
}

func TestFailures(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "bad.txt", "1 qid:1 1:x\n")
	writeFile(t, dir, "equal.txt", strings.Repeat("1 qid:1 1:1\n1 qid:1 1:2\n", 50))
	writeFile(t, dir, "empty.txt", "")
	writeFile(t, dir, "short.txt", "1\n2\n")
	for _, c := range []struct{ args, want string }{
		{"train data=absent.txt", "absent.txt"},
		{"train data=.", "directory"},
		{"train data=empty.txt", "empty.txt"},
		{"train data=bad.txt", "bad.txt:1:9"},
		{"train data=train.txt valid=bad.txt", "bad.txt:1:9"},
		{"train data=train.txt min_data_in_leaf=1000", "min_data_in_leaf"},
		{"train data=train.txt min_sum_hessian_in_leaf=1e9", "min_sum_hessian_in_leaf"},
		{"train data=equal.txt", "no query has documents of two different grades"},
		{"predict data=test.txt input_model=absent.txt", "absent.txt"},
		{"predict data=test.txt input_model=train.txt", "train.txt"},
		{"eval data=test.txt scores=short.txt", "short.txt: 2 scores for 120 rows"},
		{"eval data=test.txt scores=bad.txt", `bad.txt:1: "1 qid:1 1:x" is not a score`},
		{"model train.txt", "train.txt"},
	} {
		got := execute(t, dir, strings.Fields(c.args)...)
		assert.Equal(t, 1, got.status, "%s\n%s", c.args, got.stderr)
		assert.Contains(t, got.stderr, c.want, c.args)
		assert.Empty(t, got.stdout, c.args)
	}
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"))
}

func TestCompletion(t *testing.T) {
	got := succeed(t, t.TempDir(), "__complete", "train", "num_l")
	assert.Contains(t, got.stdout, "num_leaves=\t")
	assert.NotContains(t, got.stdout, "num_machines")
	assert.Contains(t, succeed(t, t.TempDir(), "completion", "bash").stdout, "lambdamart")
}
