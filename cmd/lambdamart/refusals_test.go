package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderToRefuse returns a folder with the files of testdata/refusals, and with data, models and bins that
// are as they should be, or were damaged.
func folderToRefuse(t *testing.T) string {
	t.Helper()
	dir := folderWithPairs(t)
	tableOfGoals(t, dir)
	writeShop(t, filepath.Join(dir, "shop.csv"), 1, 60)
	writeFile(t, dir, "stump.txt", modelText(2, "0.5", "0.25 -1"))
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/refusals")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o777))
	test := readFile(t, dir, "test.txt")
	writeFile(t, dir, "none.txt", withoutQueries(test))
	writeFile(t, dir, "returns.txt", test+"0 qid:1000 1:1\n")
	writeFile(t, dir, "both.txt", letorText(10, 31)) // queries 31 to 40 are in train.txt
	writeFile(t, dir, "my.txt#1", test)
	writeFile(t, dir, "--m.txt", test)
	writeFile(t, dir, "binary.txt", strings.Replace(modelText(2, "0.5", "0 -1"), "=lambdarank\n",
		"=binary sigmoid:2\n", 1))
	few := " num_leaves=4 min_data_in_leaf=5 num_iterations=10 output_model="
	for _, args := range words(
		"train data=train.txt"+few+"model.txt",
		"train data=train.txt query_context=rank,zscore,count"+few+"context.txt",
		"train data=named.csv group_column=name:query min_sum_hessian_in_leaf=0 min_data_in_bin=1 "+
			"min_data_in_leaf=1 output_model=named.txt",
		"train data=own.csv num_iterations=1 min_data_in_leaf=1 min_sum_hessian_in_leaf=0 output_model=own.txt",
		"train data=train.txt ranker=mse hidden_layers=8 dropout=0 epochs=5 lr=0.01 output_model=model.nn",
		"calibrate data=test.txt input_model=model.txt output_model=calibrated.txt calibration_label=grade>=2",
		"model calibrated.txt num_iteration_predict=2 output=part.txt",
		"train data=goals.csv label_columns=label,bought group_column=query ignore_column=name:place "+
			"objective=lambdarank@label:1,lambdarank@bought:0.01 num_iterations=5 output_model=two-labels.txt",
		"train data=shop.csv label_column=name:grade group_column=name:query num_iterations=3 "+
			"categorical_feature=name:brand,shop output_model=shop.txt",
		"bin data=shop.csv label_column=name:grade group_column=name:query categorical_feature=name:brand,shop "+
			"output=shop.bin",
		"bin data=train.txt valid=test.txt output=train.bin max_bin=9",
		"bin data=test.txt output=other.bin",
		"bin data=train.txt output=raw.bin",
		"bin data=train.txt output=rank.bin query_context=rank",
	) {
		succeed(t, dir, args...)
	}
	bins, network := readFile(t, dir, "train.bin"), readFile(t, dir, "model.nn")
	writeFile(t, dir, "cut.bin", bins[:len(bins)-100])
	writeFile(t, dir, "damaged.bin", bins[:len(bins)-100]+"?"+bins[len(bins)-99:])
	writeFile(t, dir, "lightgbm.bin", "______LightGBM_Binary_File_Token______\n")
	writeFile(t, dir, "cut.nn", network[:len(network)-7])
	writeFile(t, dir, "changed.nn", network[:len(network)-20]+"x"+network[len(network)-19:])
	return dir
}

// TestRefusals: each line of testdata/refusals/commands.txt fails with its status and its message, prints
// nothing else, and leaves all files as they were.
func TestRefusals(t *testing.T) {
	dir := folderToRefuse(t)
	before := contentOf(t, dir)
	for _, c := range refusalsOf(t, dir, "commands.txt") {
		refuse(t, dir, c)
	}
	assert.Equal(t, before, contentOf(t, dir))
}

// refusal is a command line that fails, its exit status, and a part of its message.
type refusal struct {
	status     int
	args, want string
}

// refusalsOf reads lines of a status, a command line, and a message after =>, in which \n ends a line.
func refusalsOf(t *testing.T, dir, name string) (all []refusal) {
	t.Helper()
	for line := range strings.Lines(readFile(t, dir, name)) {
		args, want, is := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		if is && line[0] != '#' {
			all = append(all, refusal{int(args[0] - '0'), args[2:], strings.ReplaceAll(want, `\n`, "\n")})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// refuse runs a command line that must fail and print nothing but a message, which it returns.
func refuse(t *testing.T, dir string, c refusal) string {
	t.Helper()
	got := execute(t, dir, strings.Fields(c.args)...)
	assert.Equal(t, c.status, got.status, "%s\n%s", c.args, got.stderr)
	assert.Contains(t, got.stderr, c.want, c.args)
	assert.Contains(t, "\n"+got.stderr, "\nlambdamart: ", c.args)
	assert.Empty(t, got.stdout, c.args)
	return got.stderr
}

// contentOf returns the content of all files of a folder, by their paths.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all[path] = readFile(t, filepath.Dir(path), entry.Name())
		}
		return err
	}))
	return all
}
