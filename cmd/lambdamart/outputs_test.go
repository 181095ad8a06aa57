package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/param"
)

// TestOutputsReplaceNothing: no command writes to a file that it reads, writes two outputs to one file, or
// writes a file that its name says is compressed, whichever parameters name it. One shared check covers all
// commands.
func TestOutputsReplaceNothing(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "same", "# one file\n")
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("new", filepath.Join(dir, "to-new")))
	refuses := func(message string, args ...string) {
		got := execute(t, dir, args...)
		assert.Equal(t, 2, got.status, "%v: %s", args, got.stderr)
		assert.Contains(t, got.stderr, message, "%v", args)
	}
	for _, c := range program().Commands {
		if c.Hidden {
			continue
		}
		written, read := filesOf(c)
		for i, out := range written {
			for _, in := range read {
				refuses("would be overwritten by the output", c.Name, in+"=same", out+"=link/./same")
			}
			refuses("x.gz: the file would not be compressed", c.Name, out+"=x.gz")
			refuses("would be read as a companion", c.Name, read[0]+"=same", out+"=same.weight")
			for _, other := range written[:i] {
				refuses("name a file of its own", c.Name, out+"=link/to-new", other+"=./new")
			}
		}
	}
	assert.Equal(t, "# one file\n", readFile(t, dir, "same"))
}

// TestStandardOutputHasOneContent: a model that goes to standard output, also by the names of the pipe, can
// be read from it, and other outputs do not share it with what the command prints.
func TestStandardOutputHasOneContent(t *testing.T) {
	dir := folderWithData(t)
	args := append([]string{"train", "data=train.txt", "valid=test.txt"}, fewRows...)
	succeed(t, dir, append(args, "output_model=model.txt")...)
	for _, path := range []string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		if _, err := os.Stat(path); path != "-" && err != nil {
			continue // not on this system
		}
		c := command(t, dir, append(args, "output_model="+path)...)
		var messages strings.Builder
		c.Stderr = &messages
		model, err := c.Output()
		require.NoError(t, err, path)
		assert.Contains(t, messages.String(), "valid_1 (test.txt; ")
		assert.Equal(t, readFile(t, dir, "model.txt"), string(model))
	}
	for _, c := range program().Commands {
		if c.Hidden {
			continue
		}
		if c.Folder {
			got := execute(t, dir, c.Name, "data=train.txt", "output=-")
			assert.Contains(t, got.stderr, "output=-: the results are several files; name a folder", c.Name)
		}
		written, _ := filesOf(c)
		for _, out := range written {
			if slices.Contains([]string{"output_model", "output_result", "output"}, out) {
				continue
			}
			got := execute(t, dir, c.Name, out+"=-")
			assert.Equal(t, 2, got.status, got.stderr)
			assert.Contains(t, got.stderr, out+"=-: standard output has what the command prints", c.Name)
		}
	}
}

// TestStandardInputIsReadOnce: two parameters that name standard input would read the same data, or nothing.
func TestStandardInputIsReadOnce(t *testing.T) {
	dir := folderWithData(t)
	for _, args := range []string{"train data=- valid=-", "train data=train.txt valid=-,test.txt,-",
		"train data=- objective=pairs pairs=-", "train data=- input_model=-", "train data=- feature_names=-",
		"eval data=- scores=-", "eval data=- input_model=m.txt pairs=-", "predict data=- input_model=-",
		"explain data=- input_model=-", "refit data=- input_model=- output_model=r.txt",
		"cv data=- fold_file=- output=cv", "bin data=- reference=- output=b.bin",
		"compare a.txt b.txt qrels=- run=-"} {
		got := execute(t, dir, strings.Fields(args)...)
		assert.Equal(t, 2, got.status, "%s: %s", args, got.stderr)
		assert.Contains(t, got.stderr, "standard input can be read once only", args)
	}
}

// filesOf returns the names of a command's parameters that name files.
func filesOf(c cli.Command) (written, read []string) {
	for _, row := range c.New().Table() {
		switch {
		case row.File == param.Written:
			written = append(written, row.Name)
		case row.File == param.Read:
			read = append(read, row.Name)
		}
	}
	return written, append(read, "config")
}

// TestOneRunWritesAnOutput: while another process writes to an output, every command refuses that output.
func TestOneRunWritesAnOutput(t *testing.T) {
	dir := folderWithData(t)
	release, err := stream.Reserve(filepath.Join(dir, "m.txt"))
	require.NoError(t, err)
	for _, c := range program().Commands {
		if c.Hidden {
			continue
		}
		for _, row := range c.New().Table() {
			if row.File == param.Written {
				got := execute(t, dir, c.Name, row.Name+"=./m.txt")
				assert.Equal(t, 1, got.status, "%s %s: %s", c.Name, row.Name, got.stderr)
				assert.Contains(t, got.stderr, row.Name+"=./m.txt: another run is writing", "%s", c.Name)
			}
		}
	}
	release()
	succeed(t, dir, "train", "data=train.txt", "output_model=m.txt", "num_iterations=1", "min_data_in_leaf=5")
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestFilesAreDeclared: every parameter whose help mentions a file declares whether it is read or written.
func TestFilesAreDeclared(t *testing.T) {
	others := "data_format header group_column weight_column label_columns position_column " +
		"output_ids snapshot_seconds saved_feature_importance_type ignore_column docid_column"
	for _, c := range program().Commands {
		if c.Hidden || c.Name == "serve" {
			continue
		}
		for _, row := range c.New().Table() {
			if strings.Contains(row.Help, "ile to write") || strings.HasPrefix(row.Help, "File of") ||
				strings.HasPrefix(row.Help, "Model to") {
				assert.True(t, row.File != param.NoFile || strings.Contains(others, row.Name), "%s %s", c.Name, row.Name)
			}
		}
	}
}

// TestModelsInTheFolderOfResults: the output folder may also hold the model.
func TestModelsInTheFolderOfResults(t *testing.T) {
	dir := folderWithData(t)
	args := append([]string{"cv", "data=train.txt", "folds=2", "output=new", "report=new/page.html"}, fewRows...)
	succeed(t, dir, append(args, "final_model=new/model.txt")...)
	assert.FileExists(t, filepath.Join(dir, "new/model.txt"))
	assert.FileExists(t, filepath.Join(dir, "new/page.html"))
}
