package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestColumnsAreMatchedByName: a table without labels and with its columns in another order gets the same
// scores. A table that lacks a feature is refused, and the error names the feature.
func TestColumnsAreMatchedByName(t *testing.T) {
	dir := t.TempDir()
	var train, shuffled, lacking strings.Builder
	train.WriteString("grade,query,price,stars,unused\n")
	shuffled.WriteString("stars,note,price\n")
	lacking.WriteString("query,price\n")
	for row := range 400 {
		price, stars := float64(row*7919%1000)/8, row*31%6
		fmt.Fprintf(&train, "%d,shop %d,%v,%d,3\n", (stars+int(price)/40)/2, row/10, price, stars)
		fmt.Fprintf(&shuffled, "%d,\"any, text\",%v\n", stars, price)
		fmt.Fprintf(&lacking, "shop %d,%v\n", row/10, price)
	}
	writeFile(t, dir, "train.csv", train.String())
	writeFile(t, dir, "shuffled.csv", shuffled.String())
	writeFile(t, dir, "lacking.csv", lacking.String())
	succeed(t, dir, "train", "data=train.csv", "label_column=name:grade", "group_column=name:query",
		"num_iterations=5", "valid=train.csv")
	assert.Contains(t, readFile(t, dir, "model.txt"), "\nfeature_names=query price stars unused\n")
	want := succeed(t, dir, "predict", "data=train.csv", "input_model=model.txt").stdout
	assert.Equal(t, want, succeed(t, dir, "predict", "data=shuffled.csv", "input_model=model.txt").stdout)
	assert.Contains(t, refused(t, dir, "predict", "data=lacking.csv", "input_model=model.txt"),
		"lacks features of the model (without stars)")
	assert.Contains(t, refused(t, dir, "train", "group_column=none", "data=train.csv"),
		"give group_column=name:NAME")
	// Without names, the order of columns is all that there is, so that every command warns.
	writeFile(t, dir, "numbers.txt", strings.Replace(readFile(t, dir, "model.txt"),
		"=query price stars unused\n",
		"=Column_0 Column_1 Column_2 Column_3\n", 1))
	for _, command := range []string{"predict", "eval label=grade", "explain label=grade",
		"compare label=grade model.txt",
		"refit label=grade output_model=x", "calibrate label=grade output_model=x",
		"train label=grade num_iterations=1 output_model=x"} {
		words, model := strings.Fields(command), "input_model=numbers.txt"
		if words[0] == "compare" {
			model = "numbers.txt"
		}
		got := succeed(t, dir, append(words, "data=train.csv", model)...)
		assert.Equal(t, 1, strings.Count(got.stderr,
			"warning: train.csv: the names of the model's features are only numbers "+
				"(Column_0, ...), so the columns are taken in their order ("), command)
	}
	columns := []string{"predict", "data=train.csv", "input_model=model.txt", "group_column=query"}
	assert.Equal(t, 400, strings.Count(succeed(t, dir, append(columns, "output_ids=true")...).stdout,
		"\nshop ")+1)
	assert.Contains(t, refused(t, dir, append(columns, "format=trec")...),
		`"shop 0": a query, document or tag must be a word without blanks`)
}

// refused runs a command that must fail because of the content of its input, and returns its messages.
func refused(t *testing.T, dir string, args ...string) string {
	t.Helper()
	got := execute(t, dir, args...)
	require.Equal(t, 1, got.status, got.stderr)
	return got.stderr
}

// TestInitialScoresAreToldAndBinned: the companion .init is used and mentioned, and bin stores it.
func TestInitialScoresAreToldAndBinned(t *testing.T) {
	dir := folderWithData(t)
	rows := strings.Count(readFile(t, dir, "train.txt"), "\n")
	var initial strings.Builder
	for row := range rows {
		fmt.Fprintln(&initial, float64(row*37%11)/4)
	}
	writeFile(t, dir, "train.txt.init", initial.String())
	writeFile(t, dir, "train.txt.position", strings.Repeat("1\n", rows))
	got := succeed(t, dir, "train", "data=train.txt", "num_iterations=3")
	assert.Contains(t, got.stderr, "scores begin at those of train.txt.init")
	assert.Contains(t, got.stderr, "the biases of 1 positions are learned beside the trees")
	assert.Contains(t, got.stderr, "biases of positions: 1: ")
	model := readFile(t, dir, "model.txt")
	succeed(t, dir, "bin", "data=train.txt")
	succeed(t, dir, "train", "data=train.txt.bin", "num_iterations=3")
	assert.Equal(t, model, readFile(t, dir, "model.txt"))
	network := []string{"train", "ranker=ranknet", "data=train.txt", "hidden_layers=3", "epochs=1"}
	got = succeed(t, dir, network...)
	assert.Contains(t, got.stderr, "the positions of the documents are not used")
	assert.Contains(t, got.stderr, "scores begin at those of train.txt.init")
	fromScores := readFile(t, dir, "model.nn")
	require.NoError(t, os.Remove(filepath.Join(dir, "train.txt.init")))
	succeed(t, dir, network...)
	assert.NotEqual(t, fromScores, readFile(t, dir, "model.nn"))
	succeed(t, dir, "train", "data=train.txt", "num_iterations=3")
	assert.NotEqual(t, model, readFile(t, dir, "model.txt"))
}

// TestDocumentIDsOfTables: document ids are printed before scores, in runs and in explanations, and are not
// features.
func TestDocumentIDsOfTables(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "t.csv",
		"grade,qid,doc,a,b\n1,q1,d1,1,2\n0,q1,d2,3,1\n2,q1,d3,2,5\n0,q2,d4,1,2\n1,q2,d5,2,2\n")
	columns := []string{"label_column=name:grade", "docid_column=doc"}
	run := func(args ...string) outcome { return succeed(t, dir, append(args, columns...)...) }
	run("train", "data=t.csv", "num_iterations=2", "min_data_in_leaf=1", "min_data_in_bin=1",
		"min_sum_hessian_in_leaf=0", "output_model=m")
	model := strings.Split(readFile(t, dir, "m"), "\n")
	assert.Contains(t, model, "feature_infos=none none [1:3] [1:5]")
	assert.Regexp(t, `^q1\td1\t\S+\nq1\td2\t\S+\nq1\td3\t\S+\nq2\td4\t\S+\nq2\td5\t\S+\n$`,
		run("predict", "data=t.csv", "input_model=m", "output_ids=true").stdout)
	assert.Contains(t, run("predict", "data=t.csv", "input_model=m", "format=trec").stdout, "q2 Q0 d5 1 ")
	assert.Contains(t, run("explain", "data=t.csv", "input_model=m", "for_query=q1").stdout, "d3")
	bad := refused(t, dir, "predict", "data=t.csv", "input_model=m", "output_ids=true", "docid_column=dok",
		columns[0])
	assert.Contains(t, bad, `column "dok": there is no such column`)
	got := execute(t, dir, "predict", "data=t.csv", "input_model=m", "output_ids=true", "format=trec")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "output_ids=true has no effect on format=trec")
}
