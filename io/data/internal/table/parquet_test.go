package table

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/test/aid"
)

// TestParquetDataIsText: every file that testdata/generate.py writes has the features of rows.csv, whatever
// its encodings, pages and row groups.
func TestParquetDataIsText(t *testing.T) {
	opts := Options{Label: "name:target", Query: "query", NoLabels: true}
	want, wantMeta, err := readData(t, "testdata/rows.csv", opts)
	require.NoError(t, err)
	opts.Ignore = "name:note"
	for _, name := range []string{"snappy", "gzip", "zstd", "plain", "plain_v2", "delta", "lengths", "unsigned",
		"decimal", "dictionary_of_arrow"} {
		for _, workers := range []int{1, 2, 7} {
			opts.Workers = workers
			got, meta, err := readData(t, "testdata/"+name+".parquet", opts)
			require.NoError(t, err, name)
			sameData(t, want, got)
			require.Equal(t, []int{0, 2}, meta.Absent, name) // "query" and "note"
			meta.Features, meta.Absent = meta.Features[:2], meta.Absent[:1]
			require.Equal(t, wantMeta, meta, name)
		}
	}
	got, _, err := readData(t, "testdata/parts", opts)
	require.NoError(t, err)
	sameData(t, want, got)
}

// TestGuessedParquetQueries: the column "query" has the query ids if it holds integers or texts. A column
// of floating-point numbers does not.
func TestGuessedParquetQueries(t *testing.T) {
	for _, name := range []string{"snappy", "zstd"} {
		path := "testdata/" + name + ".parquet"
		want, wantMeta, err := readData(t, path, Options{Label: "target", Query: "query", Ignore: "note",
			NoLabels: true})
		require.NoError(t, err)
		got, meta, err := readData(t, path, Options{Label: "target", Ignore: "note", NoLabels: true})
		require.NoError(t, err)
		sameData(t, want, got)
		require.Equal(t, wantMeta, meta, name)
	}
	o := Options{Label: "target", Ignore: "note", NoLabels: true}
	names := []string{"query", "target"}
	c, err := o.find("a.parquet", names, len(names), none, none)
	require.NoError(t, err)
	require.Equal(t, 0, c.role[0])
}

func TestBadParquetData(t *testing.T) {
	usual := Options{Label: "target", Query: "query", Ignore: "note"}
	for _, c := range []struct {
		name string
		opts Options
		want error
		row  int64
	}{
		{"snappy", usual, dataset.ErrLabelFinite, firstMissing(t)},
		{"snappy", Options{Label: "query", Query: "target", Ignore: "note"}, dataset.ErrQueryReturns, 4},
		{"snappy", Options{Label: "query", Query: "target"}, parquet.ErrUnsupported, 0},
		{"zstd", Options{Label: "query", Query: "target", Ignore: "note"}, parquet.ErrUnsupported, 0},
		{"snappy", Options{Label: "query", Query: "score", Ignore: "note"}, parquet.ErrNotWhole, 0},
		{"snappy", Options{Label: "score", Weight: "target", Query: "query", Ignore: "note"}, ErrWeight,
			firstMissing(t)},
		{"snappy", Options{Label: "nothing"}, ErrNoColumn, 0},
		{"lz4", Options{Label: "target", Query: "query", Ignore: "note"}, parquet.ErrUnsupported, 0},
	} {
		_, _, err := readData(t, "testdata/"+c.name+".parquet", c.opts)
		var e *dataset.Error
		if c.row > 0 {
			require.ErrorAs(t, err, &e, c.name)
			assert.Equal(t, c.row, e.Row)
		}
		assert.ErrorIs(t, err, c.want, "%s %+v", c.name, c.opts)
	}
	whole, err := os.ReadFile("testdata/snappy.parquet")
	require.NoError(t, err)
	for cut := 0; cut < len(whole); cut += 97 {
		_, _, err := readData(t, aid.File(t, "cut.parquet", whole[:cut]), usual)
		require.Error(t, err)
	}
}

// firstMissing returns the first row of rows.csv, counted from 1, without a target.
func firstMissing(t *testing.T) int64 {
	text, err := os.ReadFile("testdata/rows.csv")
	require.NoError(t, err)
	for i, line := range strings.Split(string(text), "\n")[1:] {
		if cells := strings.Split(line, ","); len(cells) == 3 && cells[1] == "" {
			return int64(i + 1)
		}
	}
	t.Fatal("none")
	return 0
}

// TestParquetVisitorsError: the error of the first row is returned, and reading ends when the context does.
func TestParquetVisitorsError(t *testing.T) {
	d, err := Open("testdata/snappy.parquet", Options{Label: "target", Query: "query", Ignore: "note",
		NoLabels: true, Workers: 3})
	require.NoError(t, err)
	defer d.Close()
	errs := make([]error, 500)
	for i := range errs {
		errs[i] = errors.New("refused")
	}
	for _, first := range []int{0, 63, 64, 499} {
		_, err = dataset.Scan(context.Background(), d, nil, func(_ int, row dataset.Row) error {
			if row.Number >= first {
				return errs[row.Number]
			}
			return nil
		})
		assert.Same(t, errs[first], err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = dataset.Scan(ctx, d, nil, func(int, dataset.Row) error { return nil })
	assert.ErrorIs(t, err, context.Canceled)
}

// TestParquetVisitorsPanic: no worker waits for the block of one that has panicked.
func TestParquetVisitorsPanic(t *testing.T) {
	d, err := Open("testdata/snappy.parquet", Options{Label: "target", Query: "query", Ignore: "note",
		NoLabels: true, Workers: 3})
	require.NoError(t, err)
	defer d.Close()
	wait := func(_ int, b *dataset.Block) error {
		if b.FirstRow == 0 {
			time.Sleep(10 * time.Millisecond) // so that the next block waits
		}
		return nil
	}
	fall := func(b *dataset.Block) error {
		if b.FirstRow == 0 {
			panic("refused")
		}
		return nil
	}
	assert.Panics(t, func() { _ = dataset.Stream(context.Background(), d, wait, fall) })
	assert.Panics(t, func() {
		_ = dataset.Stream(context.Background(), d, func(worker int, b *dataset.Block) error {
			return cmp.Or(wait(worker, b), fall(b))
		}, func(*dataset.Block) error { return nil })
	})
}

// TestBatchRows: a batch has 4 MiB (2^19 values) per worker and at most 64 MiB, within minimum and maximum
// row counts. It is not longer than the row groups that share a dictionary.
func TestBatchRows(t *testing.T) {
	for _, c := range []struct {
		columns, workers int
		groups           []int64
		want             int
	}{
		{137, 1, []int64{235_750}, 1 << 18 / 137 &^ 7},
		{137, 3, []int64{235_750}, 3 << 18 / 137 &^ 7},
		{137, 33, []int64{235_750}, 1 << 23 / 137 &^ 7},
		{3, 16, []int64{1e6}, mostRows},
		{100_000, 16, []int64{1e6}, leastRows},
		{137, 16, []int64{20_000, 20_000, 19_000}, 20_000},
		{137, 16, []int64{100, 1e4 - 100}, 1e4 - 100},
		{137, 16, []int64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, groupRows},
		{137, 1, []int64{5}, 5},
		{137, 1, nil, 1},
		{0, 1, []int64{5}, 5},
	} {
		f := &parquet.File{}
		for _, rows := range c.groups {
			f.Groups = append(f.Groups, parquet.RowGroup{Rows: rows})
		}
		d := &parquetData{files: []*parquet.File{f}, rows: rowsOf(f)}
		d.Opts.Workers = c.workers
		assert.Equal(t, c.want, d.batchRows(c.columns), "%d columns, %v", c.columns, c.groups)
	}
}

// TestMemoryOfColumns: if there are more columns than memory to read them, an error says so in advance.
func TestMemoryOfColumns(t *testing.T) {
	before := debug.SetMemoryLimit(1000)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "1000")
	_, _, err := readData(t, "testdata/snappy.parquet", Options{Label: "name:target", Query: "query",
		NoLabels: true, Ignore: "name:note"})
	require.ErrorIs(t, err, limits.ErrMemory)
	assert.ErrorContains(t, err, "reading 1 column of Parquet needs about 1 MB")
}

// FuzzParquetData: damaged files are errors, and take no more memory than their size permits. It begins with
// small files, so that more inputs can be tried.
func FuzzParquetData(f *testing.F) {
	for _, name := range []string{"none", "snappy", "gzip", "zstd", "plain_v2", "delta"} {
		content, err := os.ReadFile("testdata/small/" + name + ".parquet")
		require.NoError(f, err)
		f.Add(content)
	}
	path := filepath.Join(f.TempDir(), "data.parquet")
	f.Fuzz(func(t *testing.T, content []byte) {
		require.NoError(t, os.WriteFile(path, content, 0o666))
		_, _, _ = readData(t, path, Options{Label: "target", Query: "query", Ignore: "note", NoLabels: true,
			Workers: 1})
	})
}
