package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplainRefuses(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, "train", "data=train.txt", "num_iterations=3", "min_data_in_leaf=5", "output_model=model.txt")
	base := []string{"explain", "data=train.txt", "input_model=model.txt"}
	assert.Contains(t, execute(t, dir, append(base, "report=-")...).stderr, "name a file of its own")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"for_query=nothing"}, 1, `there is no query "nothing"; the nearest is "`},
		{[]string{"for_query=1", "document=doc-1-1", "against=100000"}, 1, `there is no document "100000"; the nearest is "`},
		{[]string{"for_query=1", "document=1"}, 2, "document= and against= belong together"},
		{[]string{"document=doc-1-1", "against=doc-1-2"}, 2, "give for_query="},
		{[]string{"for_query=1", "document=doc-1-1", "against=doc-1-1"}, 2, "the same document"},
		{[]string{"metric_convention=nobody"}, 2, "metric_convention=nobody"},
		{[]string{"report=model.txt"}, 2, "input_model=model.txt would be overwritten"},
		{[]string{"report=" + filepath.Join("no", "where.html")}, 1, "where.html"},
	} {
		out := execute(t, dir, append(base, c.args...)...)
		assert.Equal(t, c.code, out.status, "%v: %s", c.args, out.stderr)
		assert.Contains(t, out.stderr, c.want)
	}
	writeFile(t, dir, "zero.txt", "0 qid:1 1:1\n0 qid:1 2:1\n")
	assert.Contains(t, refused(t, dir, "explain", "data=zero.txt", "input_model=model.txt"), "no document of these queries has a grade above 0")
	writeFile(t, dir, "wide.txt", "0 qid:1 1:1\n1 qid:1 900:1\n")
	assert.Contains(t, succeed(t, dir, "explain", "data=wide.txt", "input_model=model.txt", "for_query=1").stderr, "warning: the data has columns up to 900")
	writeFile(t, dir, "other.csv", "label,qid,a,b\n1,1,2,3\n0,1,4,5\n")
	writeFile(t, dir, "own.csv", "label,qid,x,y\n1,1,2,3\n0,1,4,5\n2,1,1,1\n0,1,9,9\n")
	succeed(t, dir, "train", "data=own.csv", "num_iterations=1", "min_data_in_leaf=1", "min_sum_hessian_in_leaf=0", "output_model=own.txt")
	out := execute(t, dir, "explain", "data=other.csv", "input_model=own.txt")
	assert.Equal(t, 1, out.status)
	assert.Contains(t, out.stderr, "lacks features of the model (without")
}
