package test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// The files of the shipped set, relative to this folder.
var (
	trainFile = filepath.Join("..", "testdata", "mslr-small", "train.txt.gz")
	valiFile  = filepath.Join("..", "testdata", "mslr-small", "vali.txt.gz")
	testFile  = filepath.Join("..", "testdata", "mslr-small", "test.txt.gz")
)

// settings are training runs that use everything that may differ between machines: sums, the exponential,
// sampling, growth and boosting modes, bins, and metrics that choose the best iteration. Independent ones
// are combined to save time.
var settings = map[string][]string{
	"default": {"num_iterations=20"},
	"sampled": {"num_iterations=20", "feature_fraction=0.5", "bagging_fraction=0.6",
		"bagging_freq=1", "seed=7"},
	"sparse":   {"num_iterations=20", "active_fraction=0.2", "min_data_in_leaf=5"},
	"missing":  {"num_iterations=20", "zero_as_missing=true"},
	"stopping": {"num_iterations=40", "early_stopping_round=5", "valid=" + valiFile, "num_leaves=7"},
	"extra trees": {"num_iterations=5", "learning_rate=1", "extra_trees=true", "path_smooth=2",
		"max_delta_step=0.4",
		"objective=rank_xendcg"},
	"dart, symmetric": {"num_iterations=6", "boosting=dart", "drop_rate=0.5", "skip_drop=0",
		"grow_policy=symmetric", "max_depth=4", "objective=yetirank"},
	"bags of rows, depthwise, wide bins": {"num_iterations=4", "bagging_fraction=0.7", "bagging_freq=1",
		"bagging_by_query=false", "grow_policy=depthwise",
		"max_bin=1000", "min_data_in_bin=1", "feature_fraction_bynode=0.5", "objective=lambdarank:1,listnet:0.5"},
	"categories, constraints": {"num_iterations=5", "categorical_feature=13,126", "cat_smooth=1",
		"min_data_per_group=5", "monotone_constraints=110:1,130:-1", "monotone_constraints_method=intermediate",
		"lambda_l1=0.01", "objective=query_rmse"},
	"intermediate constraints": {"num_iterations=4", "monotone_constraints=110:1,130:-1,134:1,4:-1",
		"monotone_constraints_method=intermediate", "zero_as_missing=true", "path_smooth=1"},
	"context": {"num_iterations=4",
		"query_context=rank,zscore,linear,max_ratio,gap_to_best,count", "query_context_features=110,130,134"},
	"ensemble": {"num_iterations=3", "num_models=2", "model_objectives=regression,rank_pairwise",
		"zero_as_missing=true"},
}

// TestModelAndScoresAreTheSameOnEveryCPU runs builds for several CPUs. With GOAMD64=v3 and on arm64 the
// compiler fuses products with sums where the source allows it. GODEBUG hides vector instructions from
// the program, not from the compiler. The long form has several builds; test.sh runs some settings, which the
// seed draws, and .ci/run all of them.
func TestModelAndScoresAreTheSameOnEveryCPU(t *testing.T) {
	host := []string{buildCommand(t)}
	names := slices.Sorted(maps.Keys(settings))
	if !aid.All() {
		aid.Random(0).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names = names[:3]
	}
	models, scores := map[string]string{}, map[string]string{}
	for _, name := range names {
		models[name] = train(t, host, settings[name]...)
		scores[name] = predict(t, host, models[name])
	}
	for _, other := range []struct {
		name     string
		run      []string // the command that runs the program; nil: the program runs directly
		env      []string
		runsHere bool
	}{
		{"amd64 v1", nil, []string{"GOARCH=amd64", "GOAMD64=v1"}, runtime.GOARCH == "amd64"},
		{"amd64 v3", nil, []string{"GOARCH=amd64", "GOAMD64=v3"}, runtime.GOARCH == "amd64" && !lacksV3()},
		{"amd64 without AVX-512", []string{"env", "GODEBUG=cpu.avx512f=off"}, nil, runtime.GOARCH == "amd64"},
		{"amd64 without AVX2", []string{"env", "GODEBUG=cpu.avx2=off"}, nil, runtime.GOARCH == "amd64"},
		{"arm64", emulator("aarch64", "arm64"), []string{"GOARCH=arm64"},
			runtime.GOARCH == "arm64" || emulator("aarch64", "arm64") != nil},
		{"s390x", emulator("s390x", "s390x"), []string{"GOARCH=s390x"},
			runtime.GOARCH == "s390x" || emulator("s390x", "s390x") != nil},
	} {
		t.Run(other.name, func(t *testing.T) {
			if other.env != nil && !aid.Long() {
				t.Skip("LAMBDAMART_LONG: builds the command for another processor")
			}
			if !other.runsHere {
				t.Skip("this machine does not run such programs; for arm64 and s390x install qemu-user")
			}
			command := append(other.run, buildCommand(t, other.env...))
			for _, name := range names {
				assert.True(t, train(t, command, settings[name]...) == models[name], "%s: another model", name)
				assert.True(t, predict(t, command, models[name]) == scores[name], "%s: other scores", name)
			}
			if !aid.Long() {
				return
			}
			for _, name := range []string{"sampled", "dart, symmetric", "stopping"} {
				assert.True(t, trainOnTwo(t, host, command, settings[name]...) == models[name],
					"%s: another model, begun on this CPU", name)
				assert.True(t, trainOnTwo(t, command, host, settings[name]...) == models[name],
					"%s: another model, begun on the other CPU", name)
			}
		})
	}
}

// emulator returns the command that runs programs of another architecture, or nil if there is none or
// none is needed.
func emulator(name, goarch string) []string {
	for _, program := range []string{"qemu-" + name, "qemu-" + name + "-static"} {
		if path, err := exec.LookPath(program); err == nil && runtime.GOARCH != goarch {
			return []string{path}
		}
	}
	return nil
}

// lacksV3 reports whether this CPU cannot run programs built with GOAMD64=v3.
func lacksV3() bool {
	cpu, err := os.ReadFile("/proc/cpuinfo")
	for _, feature := range []string{"avx2", "bmi2", "fma"} {
		if err != nil || !strings.Contains(string(cpu), " "+feature+" ") {
			return true
		}
	}
	return false
}

// buildCommand compiles the command with the given variables added to the environment and returns its path.
func buildCommand(t *testing.T, env ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "lambdamart")
	build(t, program, "cmd/lambdamart", env...)
	return program
}

func build(t *testing.T, program, pkg string, env ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds the command for several processors")
	}
	command := exec.Command("go", "build", "-o", program, "../"+pkg)
	command.Env = append(os.Environ(), env...)
	execute(t, command)
}

// train trains and returns the text of the model.
func train(t *testing.T, command []string, parameters ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.txt")
	run(t, command, append([]string{"train", "data=" + trainFile, "output_model=" + model}, parameters...)...)
	return read(t, model)
}

// trainOnTwo trains as train does, but one command is killed after its first checkpoint or a later one, and
// the other resumes.
func trainOnTwo(t *testing.T, first, second []string, parameters ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.txt")
	args := append([]string{"train", "data=" + trainFile, "output_model=" + model, "snapshot_freq=1"},
		parameters...)
	for !killWithCheckpoint(t, first, model, args) {
		require.NoError(t, os.Remove(model)) // the run ended before the signal
	}
	run(t, second, append(args, "resume=true")...)
	return read(t, model)
}

// killWithCheckpoint kills a run with SIGKILL once there is a checkpoint, and reports
// whether a checkpoint remains.
func killWithCheckpoint(t *testing.T, command []string, model string, args []string) bool {
	t.Helper()
	c := exec.Command(command[0], append(command[1:len(command):len(command)], args...)...)
	require.NoError(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			require.NoError(t, err)
			return false
		case <-time.After(time.Millisecond):
		}
		if _, err := os.Stat(model + ".checkpoint"); err == nil {
			require.NoError(t, c.Process.Kill())
			<-ended
			_, err := os.Stat(model + ".checkpoint")
			return err == nil
		}
	}
}

// predict returns the scores of the test part.
func predict(t *testing.T, command []string, model string) string {
	t.Helper()
	folder := t.TempDir()
	input, output := filepath.Join(folder, "model.txt"), filepath.Join(folder, "scores.txt")
	require.NoError(t, os.WriteFile(input, []byte(model), 0o600))
	run(t, command, "predict", "data="+testFile, "input_model="+input, "output_result="+output)
	return read(t, output)
}

func run(t *testing.T, command []string, args ...string) {
	t.Helper()
	args = append(command[1:len(command):len(command)], args...)
	execute(t, exec.Command(command[0], args...))
}

func execute(t *testing.T, command *exec.Cmd) {
	t.Helper()
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s\n%s", command, output)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, text)
	return string(text)
}
