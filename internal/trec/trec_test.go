package trec

import (
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	source "github.com/lambdamart/lambdamart/internal/stream"
)

const smallRun = "301 Q0 FT911-1 1 2.5 mart\n" +
	"\n" +
	"302\tQ0\tFT911-1 \t7 -1e-3  mart \r\n" +
	"301 Q0 LA-é 2 2.5 other" // no newline at the end

// allOf returns all queries of a run.
func allOf(r io.Reader, anyOrder bool) (all []Query, err error) {
	for q, err := range Runs(r, "f", anyOrder) {
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

func TestRuns(t *testing.T) {
	run, err := allOf(strings.NewReader(smallRun), true)
	require.NoError(t, err)
	assert.Equal(t, []Query{
		{"301", []string{"FT911-1", "LA-é"}, []float64{2.5, 2.5}},
		{"302", []string{"FT911-1"}, []float64{-1e-3}},
	}, run)
	for _, anyOrder := range []bool{false, true} {
		empty, err := allOf(strings.NewReader(" \n\n"), anyOrder)
		require.NoError(t, err)
		assert.Empty(t, empty)
		run, err = allOf(strings.NewReader("1 Q0 a 1 3 t\n1 Q0 b 1 4 t\n2 Q0 a 1 5 t\n"), anyOrder)
		require.NoError(t, err)
		assert.Equal(t, []Query{{"1", []string{"a", "b"}, []float64{3, 4}},
			{"2", []string{"a"}, []float64{5}}}, run)
		for range Runs(strings.NewReader("1 Q0 a 1 3 t\n2 Q0 a 1 5 t\n3 x\n"), "f", anyOrder) {
			break // the loop may end early
		}
	}
}

func TestReadQrels(t *testing.T) {
	q, err := ReadQrels(strings.NewReader("\ufeff301 0 b 2\n302 0 a -1\n301 0 a 0.5\n"), "qrels.txt")
	require.NoError(t, err)
	assert.Equal(t, []string{"301", "302"}, q.Queries)
	assert.Equal(t, map[string]map[string]float64{"301": {"b": 2, "a": 0.5}, "302": {"a": -1}}, q.Judged)
	text, err := appendQrels(nil, q)
	require.NoError(t, err)
	assert.Equal(t, "301 0 a 0.5\n301 0 b 2\n302 0 a -1\n", string(text))
}

func TestErrors(t *testing.T) {
	run := func(r io.Reader) error { _, err := allOf(r, true); return err }
	qrels := func(r io.Reader) error { _, err := ReadQrels(r, "f"); return err }
	stream := func(r io.Reader) error { _, err := allOf(r, false); return err }
	for _, c := range []struct {
		read       func(io.Reader) error
		text, want string
		is         error
	}{
		{run, "1 Q0 a 1 2.5\n", "f:1: a line of a run is", ErrFields},
		{run, "\n1 Q0 a 1 2.5 t t\n", "f:2: a line of a run is", ErrFields},
		{run, "1 Q0 a 1 x t\n", `f:1:10: "x": the score`, ErrScore},
		{run, "1 Q0 a 1 12_3 t\n", `f:1:10: "12_3": the score`, ErrScore},
		{qrels, "1 0 a 1_0\n", `f:1:7: "1_0": the relevance`, ErrRelevance},
		{run, "1 Q0 a 1 -inf t\n", `f:1:10: "-inf": the score`, ErrScore},
		{run, "#1 Q0 a 1 x t\n", `f:1:11: "x": the score`, ErrScore},
		{qrels, "", "f: there are no judgments", ErrNoJudgments},
		{qrels, "# only a comment\n\n", "f: there are no judgments", ErrNoJudgments},
		{run, "1 Q0  a\t1 1e999 t\n", `f:1:11: "1e999": the score`, ErrScore},
		{run, "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 a 2 1 t\n", `f:3:6: "a": the document was`, ErrRepeated},
		{stream, "1 Q0 a 1 1 t\n1 Q0 a 2 1 t\n", `f:2:6: "a": the document was`, ErrRepeated},
		{stream, "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 b 2 1 t\n", `f:3:1: "1": the lines of a query`, ErrQueryReturns},
		{stream, "1 Q0 a 1 1\n", "f:1: a line of a run is", ErrFields},
		{qrels, "1 0 a\n", "f:1: a line of qrels is", ErrQrelsFields},
		{qrels, "1 0 a 1 1\n", "f:1: a line of qrels is", ErrQrelsFields},
		{qrels, "1 0 a inf\n", `f:1:7: "inf": the relevance`, ErrRelevance},
		{qrels, "1 0 a 1\n\ufeff1 0 b 1\n", `f:2:1: "\ufeff1": a byte order mark`, source.ErrMark},
		{run, "1 Q0 a 1 1 t\n\ufeff2 Q0 a 1 1 t\n", `f:2:1: "\ufeff2": a byte order mark`, source.ErrMark},
		{qrels, "1 0 a 1\n1 0 a 1\n", `f:2:5: "a": the document was`, ErrRepeated},
		{qrels, "1 0 a 1\n" + strings.Repeat("x", longestLine+1), "f:2: a line is too long", ErrLong},
	} {
		err := c.read(strings.NewReader(c.text))
		assert.ErrorIs(t, err, c.is, c.text)
		assert.ErrorContains(t, err, c.want)
	}
	broken := errors.New("disk on fire")
	for _, read := range []func(io.Reader) error{run, stream, qrels} {
		err := read(io.MultiReader(strings.NewReader("1 0 a 1"), iotest.ErrReader(broken)))
		assert.ErrorIs(t, err, broken)
		assert.ErrorContains(t, err, "f: ")
	}
}

func TestAppendQuery(t *testing.T) {
	text, err := AppendQuery([]byte("before\n"),
		Query{"7", []string{"a", "b", "c"}, []float64{0.1, 3, 0.1}}, "mart")
	require.NoError(t, err)
	assert.Equal(t, "before\n7 Q0 b 1 3 mart\n7 Q0 a 2 0.1 mart\n7 Q0 c 3 0.1 mart\n", string(text))
	for _, q := range []Query{{ID: "a b"}, {ID: ""}, {ID: "1", Docs: []string{"x\ny"}, Scores: []float64{1}}} {
		_, err := AppendQuery(nil, q, "t")
		assert.ErrorIs(t, err, ErrWord)
	}
	_, err = AppendQuery(nil, Query{ID: "1"}, "my tag")
	assert.ErrorIs(t, err, ErrWord)
	_, err = AppendQuery(nil, Query{"1", []string{"d"}, []float64{math.NaN()}}, "t")
	assert.ErrorIs(t, err, ErrWrittenScore)
	_, err = AppendQuery(nil, Query{"1", []string{"d", "e", "d"}, []float64{1, 2, 3}}, "t")
	assert.ErrorIs(t, err, ErrWrittenTwice)
	assert.ErrorContains(t, err, `query "1", document "d"`)
	_, err = appendQrels(nil, &Qrels{Queries: []string{"1"},
		Judged: map[string]map[string]float64{"1": {"": 1}}})
	assert.ErrorIs(t, err, ErrWord)
}

func FuzzRead(f *testing.F) {
	f.Add(smallRun)
	f.Add("1 0 a 1\n1 0 b -2.5\n")
	f.Add("1 Q0 a 1 0x1p-3 t\n2 Q0 a 1 1 t\n1 Q0 b 1 1 t\n")
	f.Fuzz(func(t *testing.T, text string) {
		run, err := allOf(strings.NewReader(text), true)
		if err == nil {
			again := writeRead(t, run)
			for i, q := range run {
				assert.Equal(t, q.ID, again[i].ID)
				assert.ElementsMatch(t, q.Docs, again[i].Docs)
				assert.ElementsMatch(t, q.Scores, again[i].Scores)
			}
		}
		checkStream(t, text, run, err)
		if q, err := ReadQrels(strings.NewReader(text), "f"); err == nil {
			written, err := appendQrels(nil, q)
			require.NoError(t, err)
			again, err := ReadQrels(strings.NewReader(string(written)), "f")
			require.NoError(t, err)
			assert.Equal(t, q, again)
		}
	})
}

func writeRead(t *testing.T, run []Query) []Query {
	var written []byte
	for _, q := range run {
		var err error
		written, err = AppendQuery(written, q, "t")
		require.NoError(t, err)
	}
	again, err := allOf(strings.NewReader(string(written)), true)
	require.NoError(t, err)
	require.Len(t, again, len(run))
	return again
}

// checkStream checks that a run whose queries are consecutive is read alike without keeping it in memory.
func checkStream(t *testing.T, text string, run []Query, readErr error) {
	queries, err := allOf(strings.NewReader(text), false)
	if err != nil {
		if readErr == nil {
			require.ErrorIs(t, err, ErrQueryReturns)
		}
		return
	}
	require.NoError(t, readErr)
	assert.Equal(t, run, queries)
}

// appendQrels appends the lines of q to dst, the documents of a query ordered by id. The error
// wraps [ErrWord].
func appendQrels(dst []byte, q *Qrels) ([]byte, error) {
	for _, query := range q.Queries {
		docs := slices.Sorted(maps.Keys(q.Judged[query]))
		if err := checkWords(append([]string{query}, docs...)); err != nil {
			return dst, err
		}
		for _, doc := range docs {
			dst = appendLine(dst, query, "0", doc)
			dst = append(appendFloat(append(dst, ' '), q.Judged[query][doc]), '\n')
		}
	}
	return dst, nil
}

// TestComments: lines that begin with a number sign are comments, unless a query's id begins so. A score may
// be NaN.
func TestComments(t *testing.T) {
	run, err := allOf(strings.NewReader("# made by x\n#\n#x y\n#1 Q0 a 1 nan t\n  # six words that say: no "+
		"row\n1 Q0 b 1 2 t\n"), true)
	require.NoError(t, err)
	require.Len(t, run, 2)
	assert.Equal(t, "#1", run[0].ID)
	assert.True(t, math.IsNaN(run[0].Scores[0]))
	q, err := ReadQrels(strings.NewReader("# a b c\n#1 0 a 2\n"), "f")
	require.NoError(t, err)
	assert.Equal(t, []string{"#1"}, q.Queries)
}
