package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
)

// queries returns the metadata of queries of two documents with the given ids. A "-" before an id means
// that both documents have the same label.
func queries(ids ...string) *dataset.Meta {
	m := &dataset.Meta{}
	for i, id := range ids {
		m.Queries = append(m.Queries, dataset.Query{ID: strings.TrimPrefix(id, "-"), First: 2 * i, Len: 2})
		if strings.HasPrefix(id, "-") {
			m.Labels = append(m.Labels, 1, 1)
		} else {
			m.Labels = append(m.Labels, 0, 1)
		}
	}
	return m
}

func TestDraw(t *testing.T) {
	var ids []string
	for i := range 103 {
		id := fmt.Sprint("q", i%97) // some ids occur twice
		if i%97%4 == 0 {
			id = "-" + id
		}
		ids = append(ids, id)
	}
	m := queries(ids...)
	seen := map[string]bool{}
	for seed := range 20 {
		f, err := DrawFolds(m, 5, uint64(seed))
		require.NoError(t, err)
		seen[fmt.Sprint(f.Of)] = true
		assert.Equal(t, []string{"1", "2", "3", "4", "5"}, f.Names)
		for fold := range 5 {
			in, out := f.queries(fold)
			assert.InDelta(t, 103.0/5, len(in), 4)
			assert.Len(t, out, 103-len(in))
			without := 0
			for _, q := range in {
				if !hasPairs(m, []int{q}) {
					without++
				}
			}
			assert.InDelta(t, 26.0/5, without, 2, "queries without pairs are in all folds")
		}
		for q := 97; q < 103; q++ {
			assert.Equal(t, f.Of[q-97], f.Of[q], "one id, one fold")
		}
	}
	assert.Len(t, seen, 20)
	again, err := DrawFolds(m, 5, 3)
	require.NoError(t, err)
	assert.Contains(t, seen, fmt.Sprint(again.Of))
}

func TestDrawRefuses(t *testing.T) {
	for _, c := range []struct {
		m    *dataset.Meta
		n    int
		text string
	}{
		{queries("a", "b"), 3, "3 folds of 2 queries; take fewer"},
		{queries("a", "a", "a"), 2, "2 folds of 1 query"},
		{queries("a", "b"), 1, "1 of them; there must be at least 2"},
		{queries("a", "b"), -1, "at least 2"},
		{queries("-a", "b"), 2, "fold 2 has 1 query, and in none do the grades of documents differ"},
		{queries("-a", "-b"), 2, "do the grades of documents differ"},
	} {
		_, err := DrawFolds(c.m, c.n, 0)
		require.ErrorIs(t, err, ErrFolds)
		assert.ErrorContains(t, err, c.text)
	}
}

func TestReadFolds(t *testing.T) {
	m := queries("a", "b", "c", "d")
	f, err := ReadFolds(strings.NewReader("10 # first\n9\n\n10\n9\n"), "f", m)
	require.NoError(t, err)
	assert.Equal(t, Folds{Names: []string{"9", "10"}, Of: []int{1, 0, 1, 0}}, f)
	f, err = ReadFolds(strings.NewReader("d x\r\nc y\na x\nb x\nother z\na x\n"), "f", m)
	require.NoError(t, err)
	assert.Equal(t, Folds{Names: []string{"x", "y"}, Of: []int{0, 0, 1, 0}}, f)
	f, err = FromRows(m, []float64{3, 3, 1, 1, 3, 3, 1, 1})
	require.NoError(t, err)
	assert.Equal(t, Folds{Names: []string{"1", "3"}, Of: []int{1, 0, 1, 0}}, f)
}

func TestFoldsRefuse(t *testing.T) {
	m := queries("a", "b", "-c", "a")
	for text, want := range map[string]string{
		"1\n2\n1\n":              "f: these folds cannot be used: 3 lines for 4 queries",
		"":                       "0 lines for 4 queries",
		"1\n2 3\n":               `f:2: "2 3"`,
		"1 2 3\n":                "f:1:",
		"1\n2\n\ufeff1\n2\n":     `f:3: "\ufeff1": these folds cannot be used: a byte order mark`,
		"1\n1\n1\n1\n":           `at least 2, and all 4 queries are in fold "1"`,
		"1\n2\n3\n1\n":           "fold 3 has 1 query, and in none",
		"1\n2\n1\n2\n":           "query a is in the folds 1 and 2",
		"a 1\nb 2\n":             "query c of the data has no line",
		"a 1\nb 2\nc 2\na 2\n":   "f:4: these folds cannot be used: query a is in fold 2, and was in fold 1",
		strings.Repeat("x", 1e5): "token too long",
	} {
		_, err := ReadFolds(strings.NewReader(text), "f", m)
		require.Error(t, err, text)
		assert.ErrorContains(t, err, want)
	}
	for want, numbers := range map[string][]float64{
		"numbers of 1 row":                  {1},
		"row 0 has the fold 1.5":            {1.5, 1.5, 2, 2, 2, 2, 2, 2},
		"row 2 has the fold NaN":            {1, 1, math.NaN(), 2, 2, 2, 2, 2},
		"query b has rows of the folds 1 a": {1, 1, 1, 2, 2, 2, 1, 1},
	} {
		_, err := FromRows(m, numbers)
		require.ErrorIs(t, err, ErrFolds)
		assert.ErrorContains(t, err, want)
	}
}

func FuzzReadFolds(f *testing.F) {
	f.Add("1\n2\n1\n2\n")
	f.Add("a 1\nb 2\nc 1\nd 1 # x\n")
	f.Add("1\n2\n3\n1\n")
	f.Add("a 1\nb 2\nc 2\na 2\n")
	m := queries("a", "b", "-c", "a")
	f.Fuzz(func(t *testing.T, text string) {
		folds, err := ReadFolds(strings.NewReader(text), "f", m)
		if err == nil {
			require.NoError(t, folds.check(m))
		}
	})
}

func TestFindOverlap(t *testing.T) {
	d := randomData(t, 8, 20)
	d.Meta.Queries[0].ID = "first" // ids need not be numbers
	some := func(queries ...int) booster.Data { return selectedQueries(d, "", queries) }
	a, b := some(0, 1, 2, 3, 4), some(3, 4, 5, 6)
	assert.Equal(t, Overlap{Queries: 4, Same: 2, IDs: 2, Content: 2}, FindOverlap(a, b))
	b.Meta.Queries[0].ID = "other"
	assert.Equal(t, Overlap{Queries: 4, Same: 1, IDs: 1, Content: 2}, FindOverlap(a, b))
	b.Meta.Labels[8]++ // of query 4
	assert.Equal(t, Overlap{Queries: 4, IDs: 1, Content: 1}, FindOverlap(a, b))
	assert.Equal(t, Overlap{Queries: 2}, FindOverlap(a, some(7, 8)))
}
