package letor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/test/aid"
)

// scanError returns the error of reading text.
func scanError(t *testing.T, path string, opts Options) error {
	f, err := Open(path, opts)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = dataset.Scan(context.Background(), f, nil, func(int, dataset.Row) error { return nil })
	return err
}

func streamError(t *testing.T, path string, opts Options) error {
	f, err := Open(path, opts)
	if err != nil {
		return err
	}
	defer f.Close()
	nothing := func(*dataset.Block) error { return nil }
	return dataset.Stream(context.Background(), f, func(int, *dataset.Block) error { return nil }, nothing)
}

// badTexts are texts with one mistake each, marked by «».
var badTexts = []struct {
	text string
	want error
}{
	{"«»", dataset.ErrEmpty},
	{"«»\n# nothing\n\n", dataset.ErrEmpty},
	{"«x» qid:1 1:2\n", ErrLabel},
	{"0 qid:1\n  «1e» qid:1\n", ErrLabel},
	{"«qid:1» 1:2\n", ErrLabel},
	{"«0x10» qid:1 1:2\n", ErrLabel},
	{"«1_0» qid:1 1:2\n", ErrLabel},
	{"0 qid:1\n«\ufeff0» qid:1\n", ErrLabel},
	{"«nan» qid:1 1:2\n", dataset.ErrLabelFinite},
	{"«-Inf» qid:1 1:2\n", dataset.ErrLabelFinite},
	{"«1e999» qid:1 1:2\n", dataset.ErrLabelFinite},
	{"0 «qid:» 1:2\n", ErrQueryID},
	{"0 «qid:c»# 1:2\n", ErrQueryID},
	{"0 1:2 «qid:7» 2:2\n", ErrQueryPlace},
	{"0 qid:1 1:2\n0 «»1:2\n", dataset.ErrQueryMissing},
	{"0 1:2\n\n0 «qid:3» 1:2\n", dataset.ErrQueryMixed},
	{"0 qid:1\n0 qid:2\n0 qid:2\n1 «qid:1»\n", dataset.ErrQueryReturns},
	{"0 qid:1 «2»\n", ErrFeature},
	{"0 qid:1 «x:2»\n", ErrFeatureNumber},
	{"0 qid:1 «:2»\n", ErrFeatureNumber},
	{"0 qid:1 «-1:2»\n", ErrFeatureNumber},
	{"0 qid:1 «+1:2»\n", ErrFeatureNumber},
	{"0 qid:1 «1.5:2»\n", ErrFeatureNumber},
	{"0 qid:1 «16777216:2»\n", ErrFeatureNumber},
	{"0 qid:1 «2147483648:2»\n", ErrFeatureNumber},
	{"0 qid:1 «99999999999999999999999:2»\n", ErrFeatureNumber},
	{"0 qid:1 1:1 «1:2»\n", ErrFeatureOrder},
	{"0 qid:1 2:1 3:1\t«2:2» 4:1\n", ErrFeatureOrder},
	{"0 qid:1 3000:1 «2999:2»\n", ErrFeatureOrder},
	{"0 qid:1 «1:»\n", dataset.ErrValue},
	{"0 qid:1 «1:x»\n", dataset.ErrValue},
	{"0 qid:1 «1:1:1»\n", dataset.ErrValue},
	{"0 qid:1 «1:1,5»\n", dataset.ErrValue},
	{"0 qid:1 «1:--1»\n", dataset.ErrValue},
	{"0 qid:1 «1:1-»\n", dataset.ErrValue},
	{"0 qid:1 «1:.» 2:1\n", dataset.ErrValue},
	{"0 qid:1 «1:1.2.3» 2:1\n", dataset.ErrValue},
	{"0 qid:1 «1:0x1p-2» 2:1\n", dataset.ErrValue},
	{"0 qid:1 «1:1\x00» 2:1\n", dataset.ErrValue},
	{"0 qid:1 «1:na» 2:1\n", dataset.ErrValue},
	{"0 qid:1 «1:inf» 2:1\n", dataset.ErrValueFinite},
	{"0 qid:1 «1:-Infinity» 2:1\n", dataset.ErrValueFinite},
	{"0 qid:1 «1:-1e309» 2:1\n", dataset.ErrValueFinite},
	{"0 qid:1 1:nan «2:NaNs» # x\n", dataset.ErrValue},
	{"0 qid:1 1:2 «2:-1.#IND» 3:4\n", dataset.ErrValue},
	{"0 qid:1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 «9:1.#INF»\n", dataset.ErrValue},
	{"0 qid:1 «1:1.#QNAN» 2:1\n", dataset.ErrValue},
	{"«1.#J» qid:1 1:1\n", ErrLabel},
	{"0 qid:1 1:nan «2:nan(1)»\n", dataset.ErrValue},
	{"\ufeff\r\n0 qid:1 1:2\r\n0 qid:1 «1:x»\r\n", dataset.ErrValue},
	// The first error in the file is reported, whatever block it is in.
	{"0 qid:1\n0 qid:2\n0 «qid:1» 1:x\n0 qid:1 1:y\n", dataset.ErrQueryReturns},
	{"0 qid:1\n0 qid:2\n0 qid:2 1:1 «2:x»\n0 qid:1 1:y\n", dataset.ErrValue},
}

func TestBadTexts(t *testing.T) {
	for _, c := range badTexts {
		before, rest, _ := strings.Cut(c.text, "«")
		token, after, _ := strings.Cut(rest, "»")
		path := aid.File(t, "data.txt", before+token+after)
		for _, opts := range []Options{{}, {blockSize: 1}, {blockSize: 9, Workers: 7}} {
			err := scanError(t, path, opts)
			var e *dataset.Error
			require.ErrorAs(t, err, &e, c.text)
			require.ErrorIs(t, err, c.want, c.text)
			require.Equal(t, path, e.Path)
			if c.want == dataset.ErrEmpty {
				continue
			}
			line := before[strings.LastIndexByte(before, '\n')+1:]
			assert.Equal(t, strings.Count(before, "\n")+1, e.Line, c.text)
			assert.Equal(t, len(line)+1, e.Column, c.text)
			assert.Equal(t, token, e.Token, c.text)

			if c.want != dataset.ErrQueryReturns {
				assert.Equal(t, err, streamError(t, path, opts), c.text)
			}
		}
	}
}

func TestErrorText(t *testing.T) {
	path := aid.File(t, "data.txt", "0 qid:1\n0 qid:2\n\n1 qid:1 1:2\n")
	assert.EqualError(t, scanError(t, path, Options{}),
		path+`:4:3: "qid:1": the rows of a query are not consecutive; `+
			`sort the file by query id (the query begins on line 1, and qid:2 on line 2 is between; `+
			`sort -s -k2,2 does)`)
	path = aid.File(t, "data.txt", "0 qid:1 "+strings.Repeat("9", 1000)+":1\n")
	assert.Less(t, len(scanError(t, path, Options{}).Error())-len(path), 200)
}

const (
	withoutIDs = "0 1:1\n1 1:2\n# no row\n2 1:3\n"
	withIDs    = "0 qid:a 1:1\n1 qid:a 1:2\n2 qid:b 1:3\n"
)

// beside writes text and companion files, which are given by their endings.
func beside(t *testing.T, text string, companions map[string]string) string {
	path := aid.File(t, "data.txt", text)
	for ending, content := range companions {
		require.NoError(t, os.WriteFile(path+ending, []byte(content), 0o666))
	}
	return path
}

func TestQueriesOfCompanions(t *testing.T) {
	for _, c := range []struct {
		text, query, weight string
		weights             []float64
		queries             []dataset.Query
	}{
		{withoutIDs, "2\n1\n", "", nil,
			[]dataset.Query{{ID: "0", First: 0, Len: 2}, {ID: "1", First: 2, Len: 1}}},
		{withoutIDs, "0\r\n2\r\n\n 0\n1", "1\n0\n2.5e-1\n\n", []float64{1, 0, .25},
			[]dataset.Query{{ID: "1", First: 0, Len: 2}, {ID: "3", First: 2, Len: 1}}},
		{withIDs, "nonsense, not read where rows have ids", "\ufeff1\n1\n1", []float64{1, 1, 1},
			[]dataset.Query{{ID: "a", First: 0, Len: 2}, {ID: "b", First: 2, Len: 1}}},
	} {
		companions := map[string]string{".query": c.query}
		if c.weight != "" {
			companions[".weight"] = c.weight
		}
		path := beside(t, c.text, companions)
		for size := 1; size < 20; size++ {
			rows, meta, err := readScan(t, path, Options{blockSize: size})
			require.NoError(t, err)
			assert.Equal(t, c.queries, meta.Queries)
			assert.Equal(t, strings.Count(c.query, "0"), meta.EmptyQueries)
			assert.Equal(t, c.weights, meta.Weights)
			streamed, err := readStream(t, path, Options{blockSize: size})
			require.NoError(t, err)
			sameRows(t, rows, streamed)
		}
	}
}

// TestCompanions: LightGBM's files .init and .position, and a .weight with a line for each query, for all of
// its documents.
func TestCompanions(t *testing.T) {
	read := func(ending, content string) *dataset.Meta {
		_, meta, err := readScan(t, beside(t, withIDs, map[string]string{ending: content}), Options{})
		require.NoError(t, err)
		return meta
	}
	m := read(".init", "0.5\n-1e3\n\n0\n")
	assert.Equal(t, []float64{0.5, -1e3, 0}, m.InitialScores)
	assert.Empty(t, m.Remarks)
	m = read(".position", "first\n2\n\nfirst\n")
	assert.Nil(t, m.InitialScores)
	assert.Empty(t, m.Remarks)
	assert.Equal(t, []int32{0, 1, 0}, m.Positions)
	assert.Equal(t, []string{"first", "2"}, m.PositionNames)
	m = read(".weight", "0.5\n3\n")
	assert.Equal(t, []float64{0.5, 0.5, 3}, m.Weights)
	assert.Contains(t, strings.Join(m.Remarks, "\n"), ".weight has 2 lines, one for each query")
}

func TestBadCompanions(t *testing.T) {
	for _, c := range []struct {
		text, ending, content string
		want                  error
		line, column          int
	}{
		{withoutIDs, "", withoutIDs, dataset.ErrNoQueries, 0, 0},
		{withoutIDs, ".query", "2\n", dataset.ErrCountSum, 0, 0},
		{withoutIDs, ".query", "2\n2\n", dataset.ErrCountSum, 0, 0},
		{withoutIDs, ".query", "2\n x\n", dataset.ErrCount, 2, 2},
		{withoutIDs, ".query", "-1\n", dataset.ErrCount, 1, 1},
		{withoutIDs, ".query", "1 2\n", dataset.ErrCount, 1, 1},
		{withoutIDs, ".query", "99999999999999999999\n", dataset.ErrCount, 1, 1},
		{withoutIDs, ".query", "1099511627775\n1099511627775\n", dataset.ErrCount, 2, 1},
		{withIDs, ".weight", "1\n1\n1\n1\n", dataset.ErrWeightCount, 0, 0},
		{withIDs, ".weight", "1\n\n-1\n1\n", dataset.ErrWeight, 3, 1},
		{withIDs, ".weight", "1\nnan\n1\n", dataset.ErrWeight, 2, 1},
		{withIDs, ".weight", "inf\n1\n1\n", dataset.ErrWeight, 1, 1},
		{withIDs, ".init", "0.5\n1\n", dataset.ErrInitialCount, 0, 0},
		{withIDs, ".init", "0.5\nnan\n1\n", dataset.ErrInitial, 2, 1},
		{withIDs, ".init", "0.5\n1\t2\n1\n", dataset.ErrInitial, 2, 1},
		{withIDs, ".position", "1\n2\n", dataset.ErrPositionCount, 0, 0},
		{withIDs, ".position", "1\n2 2\n3\n", dataset.ErrPosition, 2, 1},
		{withIDs, ".position", "1\n\ufeff2\n3\n", dataset.ErrPosition, 2, 1},
	} {
		path := beside(t, c.text, map[string]string{c.ending: c.content})
		err := scanError(t, path, Options{})
		var e *dataset.Error
		require.ErrorAs(t, err, &e)
		assert.ErrorIs(t, err, c.want)
		assert.Equal(t, []any{path + c.ending, c.line, c.column}, []any{e.Path, e.Line, e.Column}, "%+v", c)
	}
}

// TestCompanionThatLeadsNowhere: the file of a link was not fetched, which is not the same as none.
func TestCompanionThatLeadsNowhere(t *testing.T) {
	for ending, text := range map[string]string{".query": withoutIDs, ".group": withoutIDs, ".weight": withIDs,
		".init": withIDs, ".position": withIDs} {
		path := beside(t, text, nil)
		if err := os.Symlink(path+".elsewhere", path+ending); err != nil {
			t.Skip(err) // Windows asks for a right
		}
		err := scanError(t, path, Options{})
		require.ErrorIs(t, err, os.ErrNotExist)
		assert.ErrorContains(t, err, path+ending)
	}
}

// TestStreamChecksCounts: wrong counts can be detected only at the end.
func TestStreamChecksCounts(t *testing.T) {
	path := aid.File(t, "data.txt", "0 1:1\n1 1:2\n")
	assert.NoError(t, streamError(t, path, Options{}), "rows without queries can be scored")
	require.NoError(t, os.WriteFile(path+".query", []byte("3\n"), 0o666))
	assert.ErrorIs(t, streamError(t, path, Options{}), dataset.ErrCountSum)
}

func TestStreamAcceptsQueriesThatComeBack(t *testing.T) {
	path := aid.File(t, "data.txt", "0 qid:1\n0 qid:2\n0 qid:1\n")
	for size := 1; size < 30; size++ {
		rows, err := readStream(t, path, Options{blockSize: size})
		require.NoError(t, err)
		require.Len(t, rows, 3)
		assert.Equal(t, "1", rows[2].query)
	}
}

// TestVisitorsError: the error of the first row in the file is returned.
func TestVisitorsError(t *testing.T) {
	path := aid.File(t, "data.txt", strings.Repeat("0 qid:1 1:1\n", 1000))
	f, err := Open(path, Options{blockSize: 50, Workers: 7})
	require.NoError(t, err)
	defer f.Close()
	errs := make([]error, 1000)
	for i := range errs {
		errs[i] = errors.New("refused")
	}
	for _, first := range []int{0, 1, 77, 999} {
		_, err = dataset.Scan(context.Background(), f, nil, func(_ int, row dataset.Row) error {
			if row.Number >= first {
				return errs[row.Number]
			}
			return nil
		})
		assert.Same(t, errs[first], err)
		emitted := 0
		err = dataset.Stream(context.Background(), f, func(_ int, b *dataset.Block) error {
			if end := b.FirstRow + b.Len(); end > first {
				return errs[first]
			}
			return nil
		}, func(b *dataset.Block) error { emitted += b.Len(); return nil })
		assert.Same(t, errs[first], err)
		assert.LessOrEqual(t, emitted, first)
		assert.Greater(t, emitted, first-5)
	}
}

func TestCancel(t *testing.T) {
	path := aid.File(t, "data.txt", strings.Repeat("0 qid:1 1:1\n", 1000))
	f, err := Open(path, Options{blockSize: 50, Workers: 3})
	require.NoError(t, err)
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	_, err = dataset.Scan(ctx, f, nil, func(int, dataset.Row) error { cancel(); return nil })
	assert.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithCancel(context.Background())
	err = dataset.Stream(ctx, f, func(int, *dataset.Block) error { cancel(); return nil },
		func(*dataset.Block) error { return nil })
	assert.ErrorIs(t, err, context.Canceled)
	g, err := Open(path, Options{})
	require.NoError(t, err)
	defer g.Close()
	_, _, err = g.NumRows(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// TestFeaturesFarBeyondTheText: because each feature number takes memory, the largest one is limited by the
// size of the text, or to a million if the text is smaller.
func TestFeaturesFarBeyondTheText(t *testing.T) {
	row := "1 qid:1 1:2 %d:3\n0 qid:1 1:3\n"
	for _, c := range []struct {
		number, rows int
		far          bool
	}{{1 << 20, 1, false}, {1<<20 + 1, 1, true}, {maxFeature, 1, true}, {1<<20 + 1, 1 << 16, false}} {
		text := fmt.Sprintf(row, c.number) + strings.Repeat("1 qid:1 1:2 2:3 3:4\n", c.rows)
		err := scanError(t, aid.File(t, "far.txt", text), Options{FeatureBase: 1})
		if c.far {
			assert.ErrorIs(t, err, dataset.ErrFeatureFar, c)
		} else {
			assert.NoError(t, err, c)
		}
	}
}

// TestFeatureZero: feature 0 is column 0, unless features are counted from 1.
func TestFeatureZero(t *testing.T) {
	for _, text := range []string{"1 qid:1 0:0.5 1:2\n0 qid:1 1:3 2:1\n0 qid:1 0:1e-3 5:7 # a\n",
		"1 qid:1 0:1 1:2 2:3 3:4 4:5 5:6 6:7 7:8 8:9 9:10\n0 qid:1 0:0.25 2:1.5 3:4 4:5 5:6 6:7 7:8 8:9 9:10\n",
		"0 qid:1 00:1 01:2\n"} {
		path := aid.File(t, "data.txt", text)
		agree(t, path, []byte(text), Options{})
		assert.ErrorIs(t, scanError(t, path, Options{FeatureBase: 1}), ErrFeatureNumber, text)
	}
	assert.ErrorIs(t, scanError(t, aid.File(t, "data.txt", "0 qid:1 0:1 0:2\n"), Options{}), ErrFeatureOrder)
}

// TestBombOfOneLine: a small compressed file with a line of 256 MiB is refused after a part of the line.
func TestBombOfOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it decompresses 128 MiB")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(bytes.Repeat([]byte("7"), 256<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	err = scanError(t, aid.File(t, "bomb.gz", packed.Bytes()), Options{})
	assert.ErrorIs(t, err, dataset.ErrLineLong)
}

// TestHasZero: a file has feature 0 if the first feature of any row is that.
func TestHasZero(t *testing.T) {
	long := "1 qid:1 1:1 " + strings.Repeat("2:1 ", 1<<16) + "0:1\n" // not even a row
	for text, want := range map[string]bool{"1 qid:1 0:1\n": true, "1 0:1": true,
		"1 qid:0 1:1\n2 qid:0 2:1\n": false,
		"":                           false, "# 0:1\n1 qid:1 1:1 # 0:1\n": false,
		"1 qid:1\n\r\n\t 2 \t qid:1\t00:1\r\n": true, long: false,
		long + "1 qid:1 0:1\n": true, "0:1 qid:1 1:1\n": false} {
		in, err := stream.Open(aid.File(t, "data.txt", text), stream.Options{})
		require.NoError(t, err)
		got, err := HasZero(in)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%.40q", text)
		assert.Equal(t, want, BeginsWithZero([]byte(text)), "%.40q", text)
		require.NoError(t, in.Close())
	}
}

// TestHasZeroEndsItsReader: the decoder of a compressed file, most of which is not read, ends.
func TestHasZeroEndsItsReader(t *testing.T) {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	fmt.Fprintln(z, "1 qid:1 0:1")
	for range 1 << 18 {
		fmt.Fprintf(z, "1 qid:1 1:%v\n", rng.Float64())
	}
	require.NoError(t, z.Close())
	path := aid.File(t, "data.txt", packed.String())
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine that began in it remains
		in, err := stream.Open(path, stream.Options{})
		require.NoError(t, err)
		defer in.Close()
		found, err := HasZero(in)
		require.NoError(t, err)
		assert.True(t, found)
	})
}
