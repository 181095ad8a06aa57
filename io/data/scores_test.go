package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
	"github.com/lambdamart/lambdamart/test/aid"
)

// scoreRows holds all rows of a table of scores.
type scoreRows struct {
	Query                  []string
	Target, Score, Weights []float64

	MissingTargets, MissingScores int
}

// readScores reads all rows.
func readScores(path string, opts ScoreOptions) (*scoreRows, error) {
	all := new(scoreRows)
	t, err := OpenScores(path, opts)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	err = t.Blocks(context.Background(), func(b *dataset.Block) error {
		for _, q := range b.Queries {
			all.Query = append(all.Query, slices.Repeat([]string{q.ID}, q.Len)...)
		}
		all.Target, all.Score = append(all.Target, b.Labels...), append(all.Score, b.Scores...)
		all.Weights = append(all.Weights, b.Weights...)
		for i := range b.Labels {
			if isMissing(b.Labels[i]) {
				all.MissingTargets++
			}
			if isMissing(b.Scores[i]) {
				all.MissingScores++
			}
		}
		return nil
	})
	return all, err
}

func mustReadScores(t *testing.T, path string, opts ScoreOptions) *scoreRows {
	t.Helper()
	b, err := readScores(path, opts)
	require.NoError(t, err)
	return b
}

// sameScores requires batches to be equal; NaN equals NaN.
func sameScores(t *testing.T, want, got *scoreRows) {
	t.Helper()
	assert.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
}

// TestScoresParquetEqualsText: files written by pyarrow have the rows of rows.csv; see
// io/data/internal/table/testdata/generate.py.
func TestScoresParquetEqualsText(t *testing.T) {
	want := mustReadScores(t, "internal/table/testdata/rows.csv", ScoreOptions{})
	require.Len(t, want.Query, 500)
	assert.Equal(t, 10, want.MissingTargets, "one in 45 rows from row 60 on")
	assert.Equal(t, 9, want.MissingScores, "one in 50 rows from row 70 on")
	for _, name := range []string{"snappy", "gzip", "zstd", "plain", "plain_v2", "delta", "lengths", "unsigned",
		"decimal", "dictionary_of_arrow"} {
		sameScores(t, want, mustReadScores(t, "internal/table/testdata/"+name+".parquet", ScoreOptions{}))
	}
	sameScores(t, want, mustReadScores(t, "internal/table/testdata/parts", ScoreOptions{}))
}

func TestScoresText(t *testing.T) {
	nan := math.NaN()
	want := &scoreRows{Query: []string{"a b", "a b", "ü,1"}, Target: []float64{2, nan, 0.5},
		Score:          []float64{-1e-3, nan, math.Inf(1)},
		MissingTargets: 1}
	plain := "\ufeffid,query,target,score\r\n1,a b,2,-1e-3\r\n\r\n2,a b, NULL,nan\r\n3,\"ü,1\", 0.5 ,inf\r\n"
	sameScores(t, want, mustReadScores(t, aid.File(t, "x.csv", plain), ScoreOptions{}))
	tabs := strings.NewReplacer(`"ü,1"`, "ü,1", ",", "\t").Replace(plain)
	sameScores(t, want, mustReadScores(t, aid.File(t, "x.tsv.gz", zipped(t, tabs)), ScoreOptions{}))
	sameScores(t, want, mustReadScores(t, aid.File(t, "x.txt", tabs), ScoreOptions{Format: TSV}))
}

func TestScoresOtherColumns(t *testing.T) {
	path := aid.File(t, "x.csv", "score,q,label,pred\n9,1,2,0.5\n")
	got := mustReadScores(t, path, ScoreOptions{Query: "q", Target: "label", Score: "pred"})
	sameScores(t, &scoreRows{Query: []string{"1"}, Target: []float64{2}, Score: []float64{0.5}}, got)
}

func TestScoresPartsOfText(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"part-1.csv": "target,score,query\n3,4,b\n",
		"part-0.csv": "query,target,score\na,1,2\n", "part-2.csv": "", "_SUCCESS": "", "_metadata": "x",
		".part-0.csv.crc": "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	sameScores(t, &scoreRows{Query: []string{"a", "b"}, Target: []float64{1, 3}, Score: []float64{2, 4}},
		mustReadScores(t, dir, ScoreOptions{}))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "day=1"), 0o777))
	_, err := readScores(dir, ScoreOptions{})
	assert.ErrorIs(t, err, table.ErrPartition)
	_, err = readScores(t.TempDir(), ScoreOptions{})
	assert.ErrorIs(t, err, table.ErrNoParts)
}

func TestScoresErrorsSayWhere(t *testing.T) {
	const head = "query,target,score\n1,2,3\n"
	whole, err := os.ReadFile("internal/table/testdata/snappy.parquet")
	require.NoError(t, err)
	for _, c := range []struct {
		name, content string
		want          error
		text          string
	}{
		{"x.csv", "", dataset.ErrEmpty, "x.csv: there are no rows"},
		{"x.csv", "query,target,score\n", dataset.ErrEmpty, "x.csv: there are no rows"},
		{"x.csv", "query,target\n1,2\n", table.ErrNoColumn,
			`x.csv: column "score": there is no such column; name the one to use (there are query, target)`},
		{"x.csv", "query,target,score,query\n", table.ErrRepeated, `column "query"`},
		{"x.csv", head + "1,x,3\n", dataset.ErrValue, `x.csv:3:3: column "target": "x": the value is not a number`},
		{"x.csv", head + "1,2,0x\n", dataset.ErrValue,
			`x.csv:3:5: column "score": "0x": the value is not a number`},
		{"x.csv", head + "1,-inf,3\n", dataset.ErrLabelFinite,
			`x.csv:3:3: column "target": "-inf": the label is not finite`},
		{"x.csv", head + "\n,2,3\n", table.ErrQuery, `x.csv:4:1: column "query": the row has no query`},
		{"x.csv", head + "1,2\n", nil, "x.csv:3: the row ends before its last cell (2 cells for 3 columns)"},
		{"x.csv", head + "1,2,\"3\n4,5,6\n", dataset.ErrQuoteOpen, `x.csv:3:5`},
		{"x.csv", head + "1,2,3\"\n", nil, `x.csv:3:6: column "score"`},
		{"x.parquet", "query,target\n", parquet.ErrNotParquet, "x.parquet: not a Parquet file"},
		{"x", string(whole[:2000]), parquet.ErrNotParquet, "x: not a Parquet file"},
		{"x", strings.Replace(string(whole), "score", "scare", -1), table.ErrNoColumn, `column "score"`},
	} {
		path := aid.File(t, c.name, c.content)
		_, err := readScores(path, ScoreOptions{})
		require.Error(t, err, c.text)
		assert.ErrorContains(t, err, c.text)
		assert.ErrorContains(t, err, filepath.Dir(path))
		if c.want != nil {
			assert.ErrorIs(t, err, c.want)
		}
	}
}

func TestScoresReadingEndsWithTheFirstError(t *testing.T) {
	all, err := OpenScores("internal/table/testdata/snappy.parquet", ScoreOptions{})
	require.NoError(t, err)
	defer all.Close()
	stop := errors.New("enough")
	assert.Equal(t, stop, all.Blocks(context.Background(), func(*dataset.Block) error { return stop }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = all.Blocks(ctx, func(*dataset.Block) error { return nil })
	assert.True(t, err == nil || errors.Is(err, context.Canceled))
	rows := 0
	require.NoError(t, all.Blocks(context.Background(),
		func(b *dataset.Block) error { rows += b.Len(); return nil }),
		"it can be read again")
	assert.Equal(t, 500, rows)
}

func FuzzScores(f *testing.F) {
	f.Add("query,target,score\n1,2,3\n", false)
	f.Add("query\ttarget\tscore\n1\tnull\tnan\n", true)
	f.Add("\ufeffquery,target,score\r\n\"a,\"\"b\",inf,-1e308\r\n", false)
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		opts := ScoreOptions{Format: CSV}
		if tabs {
			opts.Format = TSV
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		b, err := readScores(path, opts)
		if err != nil {
			return
		}
		for i, q := range b.Query {
			assert.NotEmpty(t, q)
			assert.False(t, math.IsInf(b.Target[i], 0))
		}
		assert.Len(t, b.Score, len(b.Query))
	})
}

// isMissing reports whether v has the bits of [dataset.Missing], not those of another NaN.
func isMissing(v float64) bool { return math.Float64bits(v) == math.Float64bits(dataset.Missing) }
