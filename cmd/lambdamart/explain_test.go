package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplainRefuses(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, "train", "data=train.txt", "num_iterations=3", "min_data_in_leaf=5",
		"output_model=model.txt")
	writeFile(t, dir, "zero.txt", "0 qid:1 1:1\n0 qid:1 2:1\n")
	writeFile(t, dir, "other.csv", "label,qid,a,b\n1,1,2,3\n0,1,4,5\n")
	writeFile(t, dir, "own.csv", "label,qid,x,y\n1,1,2,3\n0,1,4,5\n2,1,1,1\n0,1,9,9\n")
	succeed(t, dir, "train", "data=own.csv", "num_iterations=1", "min_data_in_leaf=1",
		"min_sum_hessian_in_leaf=0", "output_model=own.txt")
	const model = "explain data=train.txt input_model=model.txt "
	refuseAll(t, dir, []refusal{
		{2, model + "report=-", "standard output has what the command prints"},
		{1, model + "for_query=nothing", `there is no query "nothing"; the nearest is "`},
		{1, model + "for_query=1 document=doc-1-1 against=100000",
			`there is no document "100000"; the nearest is "`},
		{2, model + "for_query=1 document=1", "document= and against= belong together"},
		{2, model + "document=doc-1-1 against=doc-1-2", "give for_query="},
		{2, model + "for_query=1 document=doc-1-1 against=doc-1-1", "the same document"},
		{2, model + "metric_convention=nobody", "metric_convention=nobody"},
		{2, model + "report=model.txt", "input_model=model.txt would be overwritten"},
		{1, model + "report=no/where.html", "where.html"},
		{1, "explain data=zero.txt input_model=model.txt", "no document of these queries has a grade above 0"},
		{1, "explain data=other.csv input_model=own.txt", "lacks features of the model (without"},
	}...)
	writeFile(t, dir, "wide.txt", "0 qid:1 1:1\n1 qid:1 900:1\n")
	assert.Contains(t, succeed(t, dir, "explain", "data=wide.txt", "input_model=model.txt",
		"for_query=1").stderr, "warning: the data has columns up to 900")
}
