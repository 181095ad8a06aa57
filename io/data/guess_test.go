package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

// TestGuessedQueries: a column with a usual name for query ids is used as such and is not a feature. The bins
// are the same as when the column is given.
func TestGuessedQueries(t *testing.T) {
	files := map[string]string{"chosen.csv": asCSV}
	for _, name := range []string{"qid", "QUERY_ID", "query", "Srch_Id"} {
		files[name+".csv"] = strings.Replace(asCSV, "query", name, 1)
		files[name+"_beside.csv"], files[name+"_beside.csv.query"] = files[name+".csv"], "3\n3\n"
	}
	path := folder(t, files)
	chosen, err := loadFiles(ctx, binParams, LoadOptions{Layout: ofTable}, path("chosen.csv"))
	require.NoError(t, err)
	assert.Empty(t, chosen.Training.Remarks)
	for name := range files {
		if name == "chosen.csv" || strings.HasSuffix(name, ".query") {
			continue
		}
		all, err := loadFiles(ctx, binParams, LoadOptions{Layout: Layout{Label: "name:grade"}},
			path(name), path(name))
		require.NoError(t, err, name)
		assert.Equal(t, bins(chosen.Training), bins(all.Training), name)
		for _, s := range append([]*Set{all.Training}, all.Validation...) {
			require.Len(t, s.Remarks, 1, name)
			assert.Contains(t, s.Remarks[0].Text, path(name))
			assert.Equal(t, Remark{Text: s.Remarks[0].Text, OfFile: true}, s.Remarks[0])
			assert.Equal(t, []int{3, 3}, []int{s.Meta.Queries[0].Len, s.Meta.Queries[1].Len})
		}
	}
}

// TestQueriesAreNoLabels: query ids in the first column would be read as labels, without an error if a
// companion file has the queries.
func TestQueriesAreNoLabels(t *testing.T) {
	text := "qid,grade,x\n1,0,7\n1,1,8\n2,1,5\n2,0,6\n"
	path := folder(t, map[string]string{"a.csv": text, "b.csv": text, "b.csv.query": "2\n2\n"})
	for _, name := range []string{"a.csv", "b.csv"} {
		_, err := Open(path(name), Options{})
		require.ErrorIs(t, err, table.ErrQueryLabel, name)
		require.ErrorContains(t, err, "qid", name)
		f, err := Open(path(name), Options{Layout: Layout{Label: "name:grade"}})
		require.NoError(t, err, name)
		require.NoError(t, f.Close())
		_, err = Open(path(name), Options{Layout: Layout{Label: "0"}})
		assert.NotErrorIs(t, err, table.ErrQueryLabel, name)
	}
}

// TestNoGuess: the caller's choice of a column, and the features of a model, take precedence over a guess.
func TestNoGuess(t *testing.T) {
	path := folder(t, map[string]string{
		"b.csv": asCSV, "c.csv": asCSV, "c.csv.query": "3\n3\n",
		"two.csv":  strings.Replace(asCSV, "Column_0", "qid", 1),
		"away.csv": "grade,x,query\n1,2,7\n0,3,8\n1,4,7\n",
	})
	of := func(query string) Options { return Options{Layout: Layout{Label: "name:grade", Query: query}} }
	_, err := Open(path("b.csv"), of("none"))
	assert.ErrorIs(t, err, table.ErrNoQueries)
	_, err = Open(path("two.csv"), of(""))
	assert.ErrorIs(t, err, table.ErrManyQueries)
	assert.ErrorContains(t, err, "qid and query")

	f, err := Open(path("c.csv"), of("none"))
	require.NoError(t, err)
	assert.Empty(t, f.Remarks)
	assert.Empty(t, f.AbsentFeatures())
	require.NoError(t, f.Close())

	o := of("")
	o.Features = &dataset.Features{Names: []string{"query", "Column_1"}, Used: []int{0}}
	f, err = Open(path("c.csv"), o)
	require.NoError(t, err)
	assert.Empty(t, f.Remarks, "the model uses the column")
	assert.Contains(t, rowsOf(t, f)[5], "0:2")
	require.NoError(t, f.Close())

	_, err = loadFiles(ctx, binParams, LoadOptions{Layout: of("").Layout}, path("away.csv"))
	assert.ErrorIs(t, err, dataset.ErrQueryReturns)
	assert.ErrorContains(t, err, `column "query" is taken as query ids because of its name`)
}

// TestQueryIDsAreNoFeature: a column that identifies the queries of the .query file is an error, whatever
// its name. A column is a feature if several queries share a number or if a number is not whole.
func TestQueryIDsAreNoFeature(t *testing.T) {
	write := func(queries int, value func(query, document int) float64) func(string) string {
		var rows strings.Builder
		rows.WriteString("grade,x,search\n")
		for q := range queries {
			for d := range 3 {
				fmt.Fprintf(&rows, "%d,%d,%v\n", d, (q*7+d*5)%11, value(q, d))
			}
		}
		return folder(t, map[string]string{"d.csv": rows.String(), "d.csv.query": strings.Repeat("3\n", queries)})
	}
	load := func(path func(string) string, query string) error {
		_, err := loadFiles(ctx, binParams, LoadOptions{Layout: Layout{Label: "name:grade", Query: query}},
			path("d.csv"))
		return err
	}
	id := func(q, _ int) float64 { return float64(1000 + 37*q) }
	for _, queries := range []int{leastIDs, 700} { // fewer and more queries than bins
		path := write(queries, id)
		err := load(path, "")
		require.ErrorIs(t, err, ErrQueryIDs)
		assert.ErrorContains(t, err, `column "search"`)
		assert.NoError(t, load(path, "none"))
		assert.NoError(t, load(path, "name:search"))
	}
	assert.NoError(t, load(write(leastIDs-1, id), ""))
	assert.NoError(t, load(write(40, func(q, _ int) float64 { return float64(q / 2) }), ""),
		"the length of the query")
	assert.NoError(t, load(write(40, func(q, _ int) float64 { return float64(q) + 0.5 }), ""))
	assert.NoError(t, load(write(40, func(q, d int) float64 { return float64(3*q + d) }), ""),
		"the number of the row")
}
