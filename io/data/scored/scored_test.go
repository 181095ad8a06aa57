package scored

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/data/format"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
)

// read returns all rows as one batch.
func read(path string, opts Options) (*Batch, error) {
	all := new(Batch)
	if opts.Columns == (Columns{}) {
		opts.Columns = DefaultColumns()
	}
	t, err := Open(path, opts)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	err = t.Rows(context.Background(), func(b *Batch) error {
		all.Query = append(all.Query, b.Query...)
		all.Target = append(all.Target, b.Target...)
		all.Score = append(all.Score, b.Score...)
		all.MissingTargets += b.MissingTargets
		all.NaNTargets += b.NaNTargets
		all.MissingScores += b.MissingScores
		all.NaNScores += b.NaNScores
		return nil
	})
	return all, err
}

func mustRead(t *testing.T, path string, opts Options) *Batch {
	t.Helper()
	b, err := read(path, opts)
	require.NoError(t, err)
	return b
}

// same compares batches; NaN equals NaN.
func same(t *testing.T, want, got *Batch) {
	t.Helper()
	assert.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}

// Files written by pyarrow have the rows of rows.csv: see io/data/table/testdata/generate.py.
func TestParquetEqualsText(t *testing.T) {
	want := mustRead(t, "../table/testdata/rows.csv", Options{})
	require.Len(t, want.Query, 500)
	assert.Equal(t, 10, want.MissingTargets, "one in 45 rows from row 60 on")
	assert.Equal(t, 9, want.MissingScores, "one in 50 rows from row 70 on")
	for _, name := range []string{"snappy", "gzip", "zstd", "plain", "plain_v2", "delta", "lengths", "unsigned",
		"decimal", "dictionary_of_arrow"} {
		same(t, want, mustRead(t, "../table/testdata/"+name+".parquet", Options{}))
	}
	same(t, want, mustRead(t, "../table/testdata/parts", Options{}))
}

func TestText(t *testing.T) {
	nan := math.NaN()
	want := &Batch{Query: []string{"a b", "a b", "ü,1"}, Target: []float64{2, nan, 0.5},
		Score:          []float64{-1e-3, nan, math.Inf(1)},
		MissingTargets: 1, NaNScores: 1}
	plain := "\ufeffid,query,target,score\r\n1,a b,2,-1e-3\r\n\r\n2,a b, NULL,nan\r\n3,\"ü,1\", 0.5 ,inf\r\n"
	same(t, want, mustRead(t, writeFile(t, "x.csv", plain), Options{}))
	tabs := strings.NewReplacer("\"ü,1\"", "ü,1", ",1\"", ",1\"", ",", "\t").Replace(plain)
	tabs = strings.ReplaceAll(tabs, "ü\t1", "ü,1")
	same(t, want, mustRead(t, writeFile(t, "x.tsv", tabs), Options{}))
	same(t, want, mustRead(t, writeFile(t, "x.txt", tabs), Options{Format: format.TSV}))

	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	z.Write([]byte(tabs))
	require.NoError(t, z.Close())
	same(t, want, mustRead(t, writeFile(t, "x.tsv.gz", packed.String()), Options{}))
	packed.Reset()
	s, err := zstd.NewWriter(&packed)
	require.NoError(t, err)
	s.Write([]byte(plain))
	require.NoError(t, s.Close())
	same(t, want, mustRead(t, writeFile(t, "y", packed.String()), Options{}))
}

func TestOtherColumns(t *testing.T) {
	path := writeFile(t, "x.csv", "score,q,label,pred\n9,1,2,0.5\n")
	got := mustRead(t, path, Options{Columns: Columns{Query: "q", Target: "label", Score: "pred"}})
	same(t, &Batch{Query: []string{"1"}, Target: []float64{2}, Score: []float64{0.5}}, got)
}

func TestManyBatches(t *testing.T) {
	var text strings.Builder
	text.WriteString("query,target,score\n")
	const rows = 2*batchRows + 5
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d,%d\n", i/10, i%5, i)
	}
	got := mustRead(t, writeFile(t, "x.csv", text.String()), Options{})
	require.Len(t, got.Query, rows)
	for i, score := range got.Score {
		require.Equal(t, float64(i), score)
		require.Equal(t, fmt.Sprint(i/10), got.Query[i])
	}
}

func TestPartsOfText(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"part-1.csv": "target,score,query\n3,4,b\n",
		"part-0.csv": "query,target,score\na,1,2\n", "part-2.csv": "", "_SUCCESS": "", "_metadata": "x",
		".part-0.csv.crc": "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	same(t, &Batch{Query: []string{"a", "b"}, Target: []float64{1, 3}, Score: []float64{2, 4}},
		mustRead(t, dir, Options{}))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "day=1"), 0o777))
	_, err := read(dir, Options{})
	assert.ErrorIs(t, err, ErrSubfolder)
	_, err = read(t.TempDir(), Options{})
	assert.ErrorIs(t, err, ErrNoParts)
}

func TestErrorsSayWhere(t *testing.T) {
	const head = "query,target,score\n1,2,3\n"
	whole, err := os.ReadFile("../table/testdata/snappy.parquet")
	require.NoError(t, err)
	for _, c := range []struct {
		name, content string
		want          error
		text          string
	}{
		{"x.csv", "", ErrNoRows, "x.csv: the table is empty"},
		{"x.csv", "query,target\n1,2\n", ErrNoColumn, `x.csv: column "score": there is no such column; name the one to use (there are query, target)`},
		{"x.csv", "query,target,score,query\n", ErrRepeated, `column "query"`},
		{"x.csv", head + "1,x,3\n", ErrNumber, `x.csv:3: column "target": "x": not a number`},
		{"x.csv", head + "1,2,0x\n", ErrNumber, `x.csv:3: column "score": "0x": not a number`},
		{"x.csv", head + "1,-inf,3\n", ErrTarget, `x.csv:3: column "target": "-inf": the target is infinite`},
		{"x.csv", head + "\n,2,3\n", ErrQuery, `x.csv:4: column "query": the row has no query`},
		{"x.csv", head + "1,2\n", ErrRecordLength, "x.csv:3: the row has more or fewer cells"},
		{"x.csv", head + "1,2,3\"\n", nil, "x.csv:3: at byte 6"},
		{"x.parquet", "query,target\n", parquet.ErrNotParquet, "x.parquet: not a Parquet file"},
		{"x", string(whole[:2000]), parquet.ErrNotParquet, "x: not a Parquet file"},
		{"x", strings.Replace(string(whole), "score", "scare", -1), ErrNoColumn, `column "score"`},
	} {
		path := writeFile(t, c.name, c.content)
		_, err := read(path, Options{})
		require.Error(t, err, c.text)
		assert.ErrorContains(t, err, c.text)
		assert.ErrorContains(t, err, filepath.Dir(path))
		if c.want != nil {
			assert.ErrorIs(t, err, c.want)
		}
	}
}

func TestReadingEndsWithTheFirstError(t *testing.T) {
	all, err := Open("../table/testdata/snappy.parquet", Options{Columns: DefaultColumns()})
	require.NoError(t, err)
	defer all.Close()
	stop := errors.New("enough")
	assert.Equal(t, stop, all.Rows(context.Background(), func(*Batch) error { return stop }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = all.Rows(ctx, func(*Batch) error { return nil })
	assert.True(t, err == nil || errors.Is(err, context.Canceled))
	rows := 0
	require.NoError(t, all.Rows(context.Background(), func(b *Batch) error { rows += len(b.Query); return nil }),
		"it can be read again")
	assert.Equal(t, 500, rows)
}

func FuzzText(f *testing.F) {
	f.Add("query,target,score\n1,2,3\n", false)
	f.Add("query\ttarget\tscore\n1\tnull\tnan\n", true)
	f.Add("\ufeffquery,target,score\r\n\"a,\"\"b\",inf,-1e308\r\n", false)
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		opts := Options{Format: format.CSV}
		if tabs {
			opts.Format = format.TSV
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		b, err := read(path, opts)
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
