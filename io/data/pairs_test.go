package data

import (
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
)

func TestPairs(t *testing.T) {
	whole := &dataset.Meta{
		Queries: []dataset.Query{{ID: "a", Len: 3}, {ID: "b", First: 3, Len: 2}},
		Labels:  make([]float64, 5),
		Docs:    []string{"x", "y", "z", "x", "x"},
	}
	read := func(text string, m *dataset.Meta) ([]dataset.Pair, error) {
		p, err := ReadPairs(aid.File(t, "pairs", text))
		if err != nil {
			return nil, err
		}
		return p.Of(m)
	}

	want := []dataset.Pair{{Query: 0, Better: 0, Worse: 2, Weight: .5},
		{Query: 0, Better: 2, Worse: 0, Weight: 1},
		{Query: 1, Better: 1, Worse: 0, Weight: 1}}
	got, err := read("weight\tqid\tworse_row\tbetter_row\n1\tb\t1\t2\n1\ta\t1\t3\n.5\ta\t3\t1\n", whole)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	got, err = read("\ufeffqid,better,worse,weight\na,z,x,1\na,x,z,0.5\n", whole)
	require.NoError(t, err)
	assert.Equal(t, want[:2], got)

	// Pairs travel with their queries.
	whole.Pairs = want
	require.NoError(t, whole.Check())
	swapped := whole.Select([]int{1, 0})
	require.NoError(t, swapped.Check())
	assert.Equal(t, []dataset.Pair{{Query: 0, Better: 1, Worse: 0, Weight: 1}}, swapped.PairsOf(0))
	assert.Len(t, swapped.PairsOf(1), 2)

	rows, ids := "qid,better_row,worse_row,weight\n", "qid,better,worse\n"
	for _, c := range []struct {
		text string
		line int
		col  int
		err  error
	}{
		{"", 0, 0, ErrPairHeader},
		{"qid,better,worse_row\n", 1, 0, ErrPairHeader},
		{"qid,better,worse,other\n", 1, 0, ErrPairHeader},
		{"qid,better,worse,better\n", 1, 0, ErrPairHeader},
		{"qid,better,worse,weight,weight\n", 1, 0, ErrPairHeader},
		{ids, 0, 0, ErrPairsEmpty},
		{ids + "c,x\n", 2, 0, csv.ErrFieldCount},
		{ids + "c,x,y\n", 2, 1, ErrPairQuery},
		{ids + "a,x,y\na,x,q\n", 3, 5, ErrPairDoc},
		{ids + "b,x,y\n", 2, 3, ErrPairTwice},
		{rows + "a,0,1,1\n", 2, 3, ErrPairRow},
		{rows + "a,1,4,1\n", 2, 5, ErrPairRow},
		{rows + "a,1,one,1\n", 2, 5, ErrPairRow},
		{rows + "a,2,2,1\n", 2, 5, ErrPairSame},
		{rows + "a,1,2,-1\n", 2, 7, ErrPairWeight},
		{rows + "a,1,2,NaN\n", 2, 7, ErrPairWeight},
		{rows + "a,1,2,\n", 2, 7, ErrPairWeight},
		{rows + "a,1,2,1e308\na,1,3,1e308\n", 3, 7, dataset.ErrPairWeights},
	} {
		_, err := read(c.text, whole)
		var where *dataset.Error
		require.ErrorAs(t, err, &where, "%q", c.text)
		require.ErrorIs(t, err, c.err, "%q", c.text)
		assert.Equal(t, [2]int{c.line, c.col}, [2]int{where.Line, where.Column}, "%q", c.text)
	}
	_, err = read(rows+"a,1\n", whole)
	assert.ErrorContains(t, err, "pairs:2: wrong number of fields: 2, where the first line has 4")
	whole.Docs = nil
	_, err = read(ids+"a,x,y\n", whole)
	assert.ErrorIs(t, err, ErrPairNoIDs)
}
