package letor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/test/aid"
)

// Options are those of a file that tests vary.
type Options struct {
	Workers, FeatureBase, blockSize int
	More                            []string
	Infinite, KeepDocs              bool
	Progress                        func(read, total int64)
}

// Open opens a file of LETOR text.
func Open(path string, opts Options) (dataset.File, error) {
	in, err := stream.Open(path, stream.Options{})
	if err != nil {
		return nil, err
	}
	f, err := New(path, in, opts.Infinite, rows.Options{Workers: opts.Workers, BlockSize: opts.blockSize,
		Docs: opts.KeepDocs, LabelFiles: opts.More, Progress: opts.Progress,
		Meta: dataset.Meta{Numbering: map[int]dataset.Numbering{1: dataset.FromOne}[opts.FeatureBase]}})
	if err != nil {
		in.Close()
		return nil, err
	}
	return f, nil
}

// sample covers every form of line: long and short blocks, blank lines, comments, a query of several rows,
// and all forms of numbers.
const sample = "\ufeff# made by hand\n" +
	"2 qid:10 1:3 2:0.5 46:0.076923 #docid = GX008-86-4444840 inc = 1 prob = 0.08\n" +
	"\n" +
	"0 qid:10 # A\r\n" +
	"  1.5\tqid:10\t3:-1 4:6.520804200793011e-08 \t 5:.5 6:7. \r\n" +
	"   # only a comment\n" +
	"-1 qid:x/y 1:123456789 2:1234567.1234567 3:12345678.12345678 9:0.00000000000000000000000000001#docid=q\n" +
	"4 qid:x/y 2047:1 2048:2 2049:3 5000:4 00005001:-0\n" +
	"1e0 qid:11 1:1e22 2:1e23 3:9007199254740993 4:4.9e-324 5:1.7976931348623157e308 6:2.2250738585072011e-308"

// readScan reads all rows of a file with Scan, in order.
func readScan(t testing.TB, path string, opts Options) ([]naiveRow, *dataset.Meta, error) {
	f, err := Open(path, opts)
	require.NoError(t, err)
	defer f.Close()
	var mu sync.Mutex
	rows := map[int]dataset.Row{}
	meta, err := dataset.Scan(context.Background(), f, nil, func(worker int, row dataset.Row) error {
		mu.Lock()
		defer mu.Unlock()
		assert.Less(t, worker, f.Workers())
		rows[row.Number] = dataset.Row{Feature: slices.Clone(row.Feature), Value: slices.Clone(row.Value)}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	require.Len(t, rows, meta.NumRows())
	require.NoError(t, meta.Check())
	return joinRows(rows, meta), meta, nil
}

func joinRows(rows map[int]dataset.Row, meta *dataset.Meta) []naiveRow {
	all := make([]naiveRow, meta.NumRows())
	for _, q := range meta.Queries {
		for r := q.First; r < q.First+q.Len; r++ {
			all[r] = naiveRow{label: meta.Labels[r], query: q.ID, has: true, feature: rows[r].Feature,
				value: rows[r].Value}
			if meta.Docs != nil {
				all[r].doc = meta.Docs[r]
			}
		}
	}
	return all
}

// readStream reads all rows of a file with Stream.
func readStream(t testing.TB, path string, opts Options) (rows []naiveRow, err error) {
	f, err := Open(path, opts)
	require.NoError(t, err)
	defer f.Close()
	work := func(worker int, b *dataset.Block) error {
		for i := range b.Len() {
			assert.Zero(t, b.Scores[i])
			b.Scores[i] = float64(b.FirstRow + i)
		}
		return nil
	}
	err = dataset.Stream(context.Background(), f, work, func(b *dataset.Block) error {
		assert.Equal(t, len(rows), b.FirstRow)
		next := b.FirstRow
		for n, q := range b.Queries {
			assert.Equal(t, next, q.First)
			if n > 0 {
				assert.NotEqual(t, b.Queries[n-1].ID, q.ID)
			}
			for i := q.First - b.FirstRow; i < q.First-b.FirstRow+q.Len; i++ {
				r := b.Rows[i]
				assert.Equal(t, float64(r.Number), b.Scores[i])
				rows = append(rows, naiveRow{label: b.Labels[i], query: q.ID, has: true,
					feature: slices.Clone(r.Feature), value: slices.Clone(r.Value)})
				if b.Docs != nil {
					rows[len(rows)-1].doc = b.Docs[i]
				}
			}
			next += q.Len
		}
		assert.Equal(t, next, b.FirstRow+b.Len())
		return nil
	})
	return rows, err
}

// sameRows requires rows to be equal to the last bit.
func sameRows(t testing.TB, want, got []naiveRow) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i := range want {
		w, g := want[i], got[i]
		require.Equal(t, bitsOf(w.value), bitsOf(g.value), "row %d", i)
		require.True(t, slices.Equal(w.feature, g.feature), "row %d: %v %v", i, w.feature, g.feature)
		require.Equal(t, []any{w.label, w.query, w.doc}, []any{g.label, g.query, g.doc}, "row %d", i)
	}
}

func bitsOf(values []float64) []uint64 {
	all := make([]uint64, len(values))
	for i, v := range values {
		all[i] = math.Float64bits(v)
	}
	return all
}

// agree reads a file by every method and compares with the naive reader.
func agree(t testing.TB, path string, text []byte, opts Options) {
	t.Helper()
	want, ok := naiveRows(text, opts)
	require.True(t, ok)
	wantMeta, ok := naiveMeta(want, opts)
	require.True(t, ok)
	if !opts.KeepDocs {
		for i := range want {
			want[i].doc = ""
		}
	}
	rows, meta, err := readScan(t, path, opts)
	require.NoError(t, err)
	sameRows(t, want, rows)
	require.Equal(t, wantMeta, meta)
	rows, err = readStream(t, path, opts)
	require.NoError(t, err)
	sameRows(t, want, rows)
}

func TestSampleInBlocksOfAllSizes(t *testing.T) {
	path := aid.File(t, "data.txt", sample)
	for _, size := range []int{1, 2, 3, 5, 7, 16, 61, 100, 200, 1000, 1 << 16} {
		for _, workers := range []int{1, 2, 7} {
			for base := range 2 {
				opts := Options{blockSize: size, Workers: workers, FeatureBase: base, KeepDocs: true}
				t.Run(fmt.Sprintf("%d bytes, %d workers, base %d", size, workers, base), func(t *testing.T) {
					agree(t, path, []byte(sample), opts)
				})
			}
		}
	}
}

// TestWideRows: more features than a parser first allocates, on a line longer than a block.
func TestWideRows(t *testing.T) {
	var text strings.Builder
	for row := range 3 {
		fmt.Fprintf(&text, "%d qid:1", row)
		for n := 1; n < 3000; n += 1 + row {
			fmt.Fprintf(&text, " %d:%d.5", n, n*row)
		}
		text.WriteByte('\n')
	}
	agree(t, aid.File(t, "data.txt", text.String()), []byte(text.String()), Options{blockSize: 1000})
}

// TestProgress: each pass reports all bytes of the file by its end.
func TestProgress(t *testing.T) {
	var packed strings.Builder
	g := gzip.NewWriter(&packed)
	fmt.Fprint(g, sample)
	require.NoError(t, g.Close())
	for _, content := range []string{sample, packed.String()} {
		var most, calls atomic.Int64
		path := aid.File(t, "data.txt", content)
		f, err := Open(path, Options{blockSize: 20, Progress: func(read, total int64) {
			assert.EqualValues(t, len(content), total)
			assert.LessOrEqual(t, read, total)
			calls.Add(1)
			for seen := most.Load(); read > seen && !most.CompareAndSwap(seen, read); seen = most.Load() {
			}
		}})
		require.NoError(t, err)
		_, _, err = f.NumRows(context.Background())
		require.NoError(t, err)
		for range 2 {
			most.Store(0)
			calls.Store(0)
			_, err := dataset.Scan(context.Background(), f, nil, func(int, dataset.Row) error { return nil })
			require.NoError(t, err)
			assert.InDelta(t, len(content), most.Load(), 3, "but for a byte order mark")
			assert.Greater(t, calls.Load(), int64(5))
		}
		f.Close()
	}
}

// TestKeep: Meta does not depend on which rows are kept, and other rows are not visited.
func TestKeep(t *testing.T) {
	path := aid.File(t, "data.txt", sample)
	_, want, err := readScan(t, path, Options{KeepDocs: true, FeatureBase: 1})
	require.NoError(t, err)
	f, err := Open(path, Options{KeepDocs: true, FeatureBase: 1, blockSize: 50})
	require.NoError(t, err)
	defer f.Close()
	for mask := range 1 << want.NumRows() {
		var mu sync.Mutex
		seen := 0
		keep := func(row int) bool { return mask>>row&1 == 1 }
		meta, err := dataset.Scan(context.Background(), f, keep, func(_ int, row dataset.Row) error {
			mu.Lock()
			defer mu.Unlock()
			seen |= 1 << row.Number
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, mask, seen)
		assert.Equal(t, want, meta)
	}
	bad := aid.File(t, "data.txt", "0 qid:1 1:1\n0 qid:1 1:x 5:1 5:2\n0 qid:1 1:1 4294967295:1\n")
	g, err := Open(bad, Options{})
	require.NoError(t, err)
	defer g.Close()
	meta, err := dataset.Scan(context.Background(), g, func(row int) bool { return row == 0 },
		func(int, dataset.Row) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 6, meta.NumFeatures(), "a number that no feature can have does not count")
}
