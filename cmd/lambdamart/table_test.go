package main

import (
	"fmt"
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
	got := execute(t, dir, append(columns, "output_ids=true", "format=trec")...)
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "output_ids=true has no effect on format=trec")
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
