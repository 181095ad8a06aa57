package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModelEditsThatCannotBe(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt"}, fewRows...)...)
	succeed(t, dir, "train", "data=train.txt", "ranker=ranknet", "hidden_layers=2", "epochs=1",
		"output_model=model.nn")
	writeFile(t, dir, "named.csv", "grade,query,price,stars\n"+strings.Repeat("1,1,2,3\n0,1,1,2\n2,1,3,1\n", 40))
	succeed(t, dir, append([]string{"train", "data=named.csv", "group_column=name:query",
		"output_model=named.txt"}, fewRows...)...)
	refuseAll(t, dir, []refusal{
		{2, "model model.txt drop_trees=1", "drop_trees changes the model: name the file of the result"},
		{2, "model model.txt drop_trees=1,x output=e.txt", `"x" is not a number or a range`},
		{1, "model model.txt drop_trees=10 output=e.txt", "the model has 10 trees"},
		{1, "model model.txt start_iteration_predict=10 output=e.txt", "the model has 10 trees"},
		{1, "predict data=test.txt input_model=model.txt start_iteration_predict=10", "the model has 10 trees"},
		{1, "eval data=test.txt input_model=model.txt start_iteration_predict=10", "the model has 10 trees"},
		{2, "model model.txt drop_trees=0-9 output=e.txt", "no tree is left"},
		{1, "model model.txt scale=0 output=e.txt", "scale=0: the factor must be"},
		{1, "model model.txt join=named.txt output=e.txt", "feature 1 is Column_1 in one and price in the other"},
		{2, "model model.txt join=model.nn output=e.txt", "join=model.nn: a network has no trees"},
		{1, "model model.txt join=absent.txt output=e.txt", "absent.txt"},
		{2, "model model.txt output=model.txt", "would be overwritten"},
		{2, "model model.nn scale=2 output=e.nn", "scale is for trees; this model is a network"},
	}...)
	require.NoFileExists(t, dir+"/e.txt")
}
