package binned

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/test/aid"
)

// randomSet returns queries of 1 to 9 rows, with features of few and of many values, one of them with missing
// values, and a constant feature.
func randomSet(t testing.TB, seed uint64, queries int, weighted bool) *Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	meta := &dataset.Meta{Features: []string{"Column_0", "clicks", "", "längste"}, EmptyQueries: 3}
	var values []float64
	for q := range queries {
		n := 1 + rng.IntN(9)
		meta.Queries = append(meta.Queries, dataset.Query{ID: "q" + strconv.Itoa(q*q), First: meta.NumRows(),
			Len: n})
		for range n {
			last := rng.ExpFloat64()
			if rng.IntN(3) == 0 {
				last = math.NaN()
			}
			values = append(values, 0, rng.NormFloat64(), float64(rng.IntN(3)), last)
			meta.Labels = append(meta.Labels, float64(rng.IntN(5)))
			if weighted {
				meta.Weights = append(meta.Weights, rng.Float64())
				meta.InitialScores = append(meta.InitialScores, rng.NormFloat64())
				meta.LabelColumn = 3
			}
		}
	}
	s := &Set{Meta: meta, Params: histogram.BinParams{MaxBin: 15, MinDataInBin: 2, SampleCount: 100,
		Seed: math.MaxUint64, Missing: histogram.MissingNaN}, FeatureBase: 1}
	return s.bin(t, values)
}

// bin bins row-major values and adds them to the set.
func (s *Set) bin(t testing.TB, values []float64) *Set {
	t.Helper()
	src, err := dataset.NewDense(*s.Meta, values)
	require.NoError(t, err)
	sample, err := histogram.Read(t.Context(), src, s.Params)
	require.NoError(t, err)
	s.Bins, err = sample.Bin(t.Context(), src)
	require.NoError(t, err)
	s.Params.Sparse = hasSparse(s.Bins.Mapper)
	return s
}

// withContext returns a set whose last two features are query context of the second feature.
func withContext(t testing.TB) *Set {
	s := randomSet(t, 8, 20, false)
	s.Meta.Context = &querycontext.Columns{Raw: 2, List: []querycontext.Column{{Kind: querycontext.GapToBest,
		Feature: 1}, {Kind: querycontext.Count}}}
	return s
}

// withGoals returns a set with further labels and positions.
func withGoals(t testing.TB) *Set {
	s := randomSet(t, 9, 20, true)
	s.Meta.PositionNames = []string{"1", "sidebar", "2"}
	s.Meta.LabelName, s.Meta.More = "click", []dataset.Labels{{Name: "cart"}, {Name: "buy"}}
	for row := range s.Meta.NumRows() {
		for i := range s.Meta.More {
			s.Meta.More[i].Values = append(s.Meta.More[i].Values, float64(row%(i+4))/2)
		}
		s.Meta.Positions = append(s.Meta.Positions, int32(row*row%3))
	}
	return s
}

// earlier returns a file without goals and dictionaries in an earlier version.
func earlier(data []byte, v uint32) []byte {
	s, _, _ := divide(data)
	end := prefaceSize
	for _, section := range s[:sectionsOf(v)] { // the others are empty
		end = aligned(end) + len(section)
	}
	b := slices.Clone(data[:end])
	binary.LittleEndian.PutUint32(b[12:], v)
	return resealed(b)
}

// TestVersions: sets of all kinds are read back, also from earlier versions. Every changed byte and every cut
// is found.
func TestVersions(t *testing.T) {
	labels, positions, wide := withGoals(t), withGoals(t), randomSet(t, 14, 3, false)
	labels.Meta.Positions, labels.Meta.PositionNames = nil, nil
	positions.Meta.LabelName, positions.Meta.More = "", nil
	wide.Params.MaxBin = 256
	for name, c := range map[string]struct {
		set   *Set
		first uint32 // version that could hold it
	}{
		"plain": {randomSet(t, 3, 5, false), 2}, "weights": {randomSet(t, 4, 5, true), 2},
		"context": {withContext(t), 3}, "goals": {withGoals(t), 8}, "labels": {labels, 8},
		"positions": {positions, 4}, "categories": {withCategories(t), 5}, "max_bin": {wide, 6},
		"many bins": {withManyBins(t), 6}, "sparse": {withSparse(t), 7},
	} {
		b := fileOf(t, c.set)
		for v := uint32(version); v >= c.first; v-- {
			got, err := decodeBytes(earlier(b, v))
			require.NoError(t, err, name)
			assert.Equal(t, c.set.Meta, got.Meta, name)
			assert.Equal(t, c.set.Params, got.Params, name)
			assert.Equal(t, b, fileOf(t, got), name)
		}
		step := 1 + len(b)/4000
		for i := 0; i < len(b); i += step {
			changed := slices.Clone(b)
			changed[i] ^= 1 << (i % 8)
			_, err := decodeBytes(changed)
			require.Error(t, err, "%s, byte %d", name, i)
			require.NotErrorIs(t, err, ErrInvalid, "%s, byte %d", name, i)
			_, err = decodeBytes(b[:i])
			require.ErrorIs(t, err, ErrCut, "%s, %d bytes", name, i)
		}
	}
}

// TestGoals: further labels and positions are in sections of their own.
func TestGoals(t *testing.T) {
	want := withGoals(t)
	rows, b := want.Meta.NumRows(), fileOf(t, want)
	for i, length := range []int{8 + 2*rows*8 + 3*8 + len("clickcartbuy"), (1 + rows) * 8, 3*8 +
		len("1sidebar2")} {
		assert.EqualValues(t, length, binary.LittleEndian.Uint64(b[184+16*i:]))
	}
}

// TestContext: query context is numbers after the parameters.
func TestContext(t *testing.T) {
	b := fileOf(t, withContext(t))
	assert.EqualValues(t, 8*(8+1+2*2), binary.LittleEndian.Uint64(b[24:]))
	for i, v := range []uint64{2, 4, 1, 5, 0} { // number of raw features; kind and feature of each column
		assert.Equal(t, v, binary.LittleEndian.Uint64(b[256+64+8*i:]))
	}
}

// withManyBins returns a set of three features; the first and the third have more
// bins than a byte can number.
func withManyBins(t testing.TB) *Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(10, 0))
	meta := dataset.Meta{Features: []string{"a", "b", "brand"}, Queries: []dataset.Query{{ID: "q", Len: 1500}},
		Labels: make([]float64, 1500)}
	var values []float64
	for range meta.Labels {
		values = append(values, rng.NormFloat64(), float64(rng.IntN(3)), float64(rng.IntN(300)))
	}
	s := &Set{Meta: &meta, Params: histogram.BinParams{MaxBin: 1000, MinDataInBin: 1, SampleCount: 5000,
		Categorical: "2"}}
	return s.bin(t, values)
}

// TestManyBins: two-byte bins are at the offsets of the description.
func TestManyBins(t *testing.T) {
	want := withManyBins(t)
	all := want.encode()[bins]
	require.Len(t, all, 16*want.Meta.NumRows())
	for row := range int32(want.Meta.NumRows()) {
		bytes := all[16*row:][:16]
		assert.EqualValues(t, want.Bins.At(row, 1), bytes[0])
		assert.Equal(t, want.Bins.At(row, 0), binary.LittleEndian.Uint16(bytes[8:]))
		assert.Equal(t, want.Bins.At(row, 2), binary.LittleEndian.Uint16(bytes[10:]))
	}
}

// withSparse returns a set of many features, nearly all of them sparse.
func withSparse(t testing.TB) *Set {
	t.Helper()
	const features, rows = 9000, 130
	rng := rand.New(rand.NewPCG(11, 0))
	meta := dataset.Meta{Queries: []dataset.Query{{ID: "q", Len: rows}}, Labels: make([]float64, rows)}
	for f := range features {
		meta.Features = append(meta.Features, strconv.Itoa(f))
	}
	values := make([]float64, rows*features)
	for i := range values {
		if i%features < 5 || rng.IntN(70) == 0 {
			values[i] = float64(1 + rng.IntN(3))
		}
	}
	return (&Set{Meta: &meta, Params: histogram.BinParams{MaxBin: 9, MinDataInBin: 1, SampleCount: 5000,
		Sparse: true}}).bin(t, values)
}

// TestSparse: sparse bins are read back, and are at the offsets of the description.
func TestSparse(t *testing.T) {
	want := withSparse(t)
	require.True(t, hasSparse(want.Bins.Mapper))
	got, err := decodeBytes(fileOf(t, want))
	require.NoError(t, err)
	rows, stride := want.Meta.NumRows(), want.Bins.Stride
	for row := range int32(rows) {
		for c := range int32(len(want.Bins.Columns)) {
			if want.Bins.At(row, c) != got.Bins.At(row, c) {
				t.Fatalf("row %d, column %d", row, c)
			}
		}
	}
	all, first := want.encode()[bins], 0
	// Check the sparse bins of one row, in order.
	for c, row := int32(0), int32(7); c < int32(len(want.Bins.Columns)); c++ {
		at := all[rows*stride:]
		begin, end := binary.LittleEndian.Uint64(at[8*row:]), binary.LittleEndian.Uint64(at[8*row+8:])
		places := at[8*(rows+1):][4*begin : 4*end]
		if bin := want.Bins.At(row, c); want.Bins.Bins(c).Sparse && bin != want.Bins.Bins(c).Zero {
			found := false
			for ; len(places) > 0; places = places[4:] {
				found = found || int(binary.LittleEndian.Uint32(places)) == first+int(bin)
			}
			require.True(t, found, "column %d", c)
		}
		first += want.Bins.Bins(c).NumBins()
	}
}

// withCategories returns a set whose third feature is categorical.
func withCategories(t testing.TB) *Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 0))
	meta := dataset.Meta{Features: []string{"a", "b", "brand"}, Queries: []dataset.Query{{ID: "q", Len: 200}},
		Labels: make([]float64, 200)}
	var values []float64
	for range meta.Labels {
		values = append(values, rng.NormFloat64(), float64(rng.IntN(3)), float64(rng.IntN(7)*100))
	}
	meta.Dictionaries = map[int][]string{2: {"ö", "", "x"}}
	s := &Set{Meta: &meta, Params: histogram.BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 200000,
		Missing: histogram.MissingNaN, Sparse: true}}
	s.Params.Categorical = "2"
	return s.bin(t, values)
}

// fileOf returns the file of a set, as bytes.
func fileOf(t testing.TB, s *Set) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, s.Write(&b))
	return b.Bytes()
}

func decodeBytes(data []byte) (*Set, error) {
	pool := par.New(1)
	defer pool.Close()
	return decode(data, pool)
}

func TestRoundTrip(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		for _, queries := range []int{1, 2, 300} {
			want := randomSet(t, 1, queries, weighted)
			path := filepath.Join(t.TempDir(), "set.bin")
			require.NoError(t, stream.WriteFile(path, want.Write))
			require.True(t, Is(path))
			f, err := Open(path, Options{})
			require.NoError(t, err)
			assert.Equal(t, want, &f.Set)
			assert.False(t, f.holds(uintptr(unsafe.Pointer(&f.Meta.Labels[0]))), "labels may outlive the mapping")
			require.NoError(t, f.Close())
			assert.Equal(t, fileOf(t, want), fileOf(t, want))
		}
	}
}

// TestFileIsAsDescribed: a file equals the package's description byte by byte. The expected numbers are
// written from the description, not from the code.
func TestFileIsAsDescribed(t *testing.T) {
	s := randomSet(t, 2, 3, true)
	b := fileOf(t, s)
	rows, k := s.Meta.NumRows(), 4
	assert.Equal(t, []byte{0x8b, 0x4c, 0x4d, 0x42, 0x0d, 0x0a, 0x1a, 0x0a, 0x0d, 0x0c, 0x0b, 0x0a, 8, 0, 0, 0},
		b[:16])
	assert.EqualValues(t, len(b), binary.LittleEndian.Uint64(b[16:]))
	assert.Equal(t, crc32.Checksum(b[:252], crc32.MakeTable(0x82f63b78)), binary.LittleEndian.Uint32(b[252:]))
	bounds := 0
	for _, f := range s.Bins.Mapper.Features {
		bounds += len(f.UpperBounds)
	}
	ids := 0
	for _, q := range s.Meta.Queries {
		ids += len(q.ID)
	}
	at := 256
	for i, length := range []int{8 * 8, k * 40, bounds * 8, k*8 + len("Column_0clickslängste"), rows * 8,
		rows * 8, rows * 8, 3 * 8, 3*8 + ids, rows * 8, 0, 0, 0, 0} {
		for at%64 != 0 {
			assert.Zero(t, b[at])
			at++
		}
		assert.EqualValues(t, length, binary.LittleEndian.Uint64(b[24+16*i:]), "section %d", i)
		var blocks []byte
		if length > 0 {
			blocks = binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b[at:at+length], castagnoli))
		}
		assert.Equal(t, crc32.Checksum(blocks, castagnoli), binary.LittleEndian.Uint32(b[24+16*i+8:]), "section %d",
			i)
		at += length
	}
	assert.Len(t, b, at)
}

// TestSumOfBlocks: the checksum of a section of several blocks does not depend on the number of workers.
func TestSumOfBlocks(t *testing.T) {
	section := make([]byte, 2*sumBlock+77)
	for i := range section {
		section[i] = byte(i * i >> 7)
	}
	var sums []byte
	for _, block := range [][]byte{section[:sumBlock], section[sumBlock : 2*sumBlock], section[2*sumBlock:]} {
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(block, castagnoli))
	}
	for _, workers := range []int{1, 2, 7} {
		pool := par.New(workers)
		assert.Equal(t, crc32.Checksum(sums, castagnoli), sumWith(pool)(section))
		pool.Close()
	}
}

func TestOtherFiles(t *testing.T) {
	b := fileOf(t, randomSet(t, 5, 2, false))
	with := func(at int, bytes ...byte) []byte {
		changed := slices.Clone(b)
		copy(changed[at:], bytes)
		return changed
	}
	for _, c := range []struct {
		data []byte
		kind error
		text string
	}{
		{[]byte("1 qid:1 1:0.5\n"), ErrForeign,
			"x.bin: not binned data of lambdamart; make it with lambdamart bin"},
		{[]byte(lightGBM + "\x01\x02"), ErrForeign, "x.bin: it is LightGBM's binary data: not binned"},
		{nil, ErrCut, "x.bin: 0 bytes, less than the first 256"},
		{with(4, '\n', 0x1a), ErrDamaged, "transferred as text"},
		{with(8, 0x0a, 0x0b, 0x0c, 0x0d), ErrByteOrder, "big-endian"},
		{with(8, 1), ErrDamaged, "byte order mark is 0xa0b0c01"},
		{with(12, 1), ErrVersion, "version 1; this is for versions 2 to 8"},
		{with(24, 57), ErrDamaged, "checksum of the first 256 bytes"},
		{b[:len(b)-1], ErrCut, "of " + strconv.Itoa(len(b)) + " bytes"},
		{append(slices.Clone(b), 0), ErrDamaged, "instead of " + strconv.Itoa(len(b))},
		{with(len(b)-64, ^b[len(b)-64]), ErrDamaged, "checksum of the bins"},
	} {
		path := aid.File(t, "x.bin", c.data)
		_, err := Open(path, Options{})
		require.ErrorIs(t, err, c.kind)
		assert.Equal(t, 1, strings.Count(err.Error(), path+": "), "the path comes once")
		assert.Contains(t, err.Error(), c.text)
	}
}

func TestIs(t *testing.T) {
	dir := t.TempDir()
	assert.False(t, Is(dir))
	assert.False(t, Is("-"))
	assert.False(t, Is(filepath.Join(dir, "absent")))
	for content, want := range map[string]bool{"": false, "1 qid:1 1:1\n": false, "\x1f\x8b": false, magicStart +
		"\r": true, lightGBM: true} {
		path := filepath.Join(dir, "f")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
		assert.Equal(t, want, Is(path), "%q", content)
	}
}

func TestOpenNamesWhatTheSystemSays(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "absent.bin"), Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	folder := t.TempDir()
	_, err = Open(folder, Options{})
	assert.Error(t, err)
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range open {
		file, _ := os.Readlink(link)
		assert.NotEqual(t, folder, file, "what cannot be mapped is closed")
	}
}

// resealed corrects the length and the checksums of a file, so that only its content is wrong.
func resealed(data []byte) []byte {
	b := slices.Clone(data)
	if len(b) < prefaceSize {
		return b
	}
	pool := par.New(1)
	defer pool.Close()
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], byteOrder)
	if v := binary.LittleEndian.Uint32(b[12:]); v < versionOldest || v > version {
		binary.LittleEndian.PutUint32(b[12:], version)
	}
	binary.LittleEndian.PutUint64(b[16:], uint64(len(b)))
	reseal := func() {
		binary.LittleEndian.PutUint32(b[checksumAt:], crc32.Checksum(b[:checksumAt], castagnoli))
	}
	reseal()
	s, _, err := divide(b)
	if err != nil {
		return b
	}
	for i := range sectionsOf(binary.LittleEndian.Uint32(b[12:])) {
		binary.LittleEndian.PutUint32(b[entriesAt+i*entrySize+8:], sumWith(pool)(s[i]))
	}
	reseal()
	return b
}

// TestFilesThatContradictThemselves: a file whose checksums are right but whose content is invalid is an
// error, too.
func TestFilesThatContradictThemselves(t *testing.T) {
	plain, goals, context, wide := randomSet(t, 6, 4, true), withGoals(t), withContext(t), withManyBins(t)
	few, brands := withSparse(t), withCategories(t)
	rows, stride := few.Meta.NumRows(), few.Bins.Stride
	category := 8 * (len(brands.Bins.Mapper.Features[0].UpperBounds) +
		len(brands.Bins.Mapper.Features[1].UpperBounds))
	pool := par.New(1)
	defer pool.Close()
	number := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
	}
	shorter := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }
	nan := math.Float64bits(math.NaN())
	put := func(at int, value byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = value; return b }
	}
	last := func(b []byte) []byte { b[len(b)-1] = 255; return b }
	for _, c := range []struct {
		set     *Set
		section int
		change  func([]byte) []byte
		text    string
	}{
		{plain, parameters, number(0, 1<<16), "max_bin is 65536"},
		{plain, parameters, number(0, 1), "max_bin is 1"},
		{plain, parameters, number(8, 0), "min_data_in_bin is 0"},
		{plain, parameters, number(16, 1<<63), "bin_construct_sample_cnt is"},
		{plain, parameters, number(32, 3), "feature_base is 3"},
		{plain, parameters, shorter(8), "7 parameters; wanted 8"},
		{plain, parameters, shorter(1), "parameters: 63 bytes are not a multiple of 8"},
		{plain, parameters, number(48, 3), "type of missing values is 3"},
		{plain, features, shorter(1), "features: 159 bytes are not a multiple of 40"},
		{plain, features, shorter(40), "upper bounds that belong to no feature"},
		{plain, features, number(0, 1<<60), "feature 0: 1152921504606846976 upper bounds"},
		{plain, features, number(0, 0), "feature 0: not bins: 0 upper bounds"},
		{plain, features, number(8, 3), "feature 0: missing values of type 3"},
		{plain, features, number(8, 1), "feature 0: not bins: missing type 1 with 1 upper bounds"},
		{plain, features, number(16, nan), "feature 0: not bins: values from NaN"},
		{plain, features, number(32, 1<<63), "feature 0 is NaN in -9223372036854775808 of"},
		{plain, features, number(32, 1<<20), "feature 0 is NaN in 1048576 of"},
		{plain, upperBounds, number(0, nan), "feature 0"},
		{plain, upperBounds, shorter(8), "upper bounds, of"},
		{plain, featureNames, number(24, 1<<62), "feature names: text 3 ends at 4611686018427387904"},
		{plain, featureNames, shorter(1), "feature names: text 3 ends at"},
		{plain, featureNames, func(b []byte) []byte { return append(b, 0) },
			"feature names: 1 bytes after the last text"},
		{plain, featureNames, func(b []byte) []byte { return b[:31] },
			"feature names: 31 bytes are too few for 4 texts"},
		{plain, labels, number(0, nan), "the label of row 0 is NaN"},
		{plain, labels, shorter(8), "labels"},
		{plain, weights, number(8, math.Float64bits(-1)), "the weight of row 1 is -1"},
		{plain, weights, shorter(8), "weights for"},
		{plain, initialScores, number(8, nan), "the initial score of row 1 is NaN"},
		{plain, initialScores, shorter(8), "initial scores for"},
		{plain, queryLengths, number(0, 0), `query 0 ("q0") has 0 rows`},
		{plain, queryLengths, number(0, 1<<63), `query 0 ("q0") has 9223372036854775808 rows`},
		{plain, queryLengths, shorter(8), "query ids: 8 bytes after the last text"[:10]},
		{plain, queryIDs, number(0, 1<<63), "query ids: text 0 ends at 9223372036854775808"},
		{goals, moreLabels, number(16, nan), "the label cart of row 1 is NaN"},
		{goals, moreLabels, number(0, 1<<40), "further labels of"},
		{goals, moreLabels, number(0, 1), "further labels: "},
		{goals, moreLabels, shorter(8), "further labels: text"},
		{goals, positions, number(8, 3), "the position of row 0 is number 3 of 3"},
		{goals, positions, number(0, 1<<40), "1099511627776 names of"},
		{goals, positions, number(0, 2), "position names: 8 bytes after the last text"[:14]},
		{goals, positions, shorter(8), "positions for"},
		{goals, positions, func([]byte) []byte { return nil }, "position names: 33 bytes that belong to nothing"},
		{goals, positionNames, number(0, 1<<40), "position names: text 0 ends at 1099511627776"},
		{plain, bins, shorter(8), "bytes for"},
		{plain, bins, func(b []byte) []byte { b[1] = 254; return b }, "row 0 has a bin that its column lacks"},
		{context, parameters, number(64, math.MaxUint64), "query context"},
		{context, parameters, number(72, math.MaxUint64), "query context: kind 18446744073709551615"},
		{context, parameters, number(80, math.MaxUint64), "query context: kind 4 of feature 18446744073709551615"},
		{context, parameters, number(88, math.MaxUint64), "query context: kind 18446744073709551615"},
		{context, parameters, number(96, math.MaxUint64), "query context: kind 5 of feature 18446744073709551615"},
		{wide, bins, func(b []byte) []byte { binary.LittleEndian.PutUint16(b[8:], 1000); return b },
			"row 0 has a bin that its column lacks"},
		{wide, bins, func(b []byte) []byte { binary.LittleEndian.PutUint16(b[10:], 301); return b },
			"row 0 has a bin that its column lacks"},
		{few, bins, func(b []byte) []byte { return b[:rows*stride] }, "and of sparse features"},
		{few, bins, shorter(1), "and of sparse features"},
		{few, bins, shorter(4), ""},
		{few, bins, put(rows*stride+8*5+6, 1), ""}, // descending
		{few, bins, last, ""},                      // beyond the last place
		{few, features, func(b []byte) []byte { b[7*featureSize+8] &^= sparse; return b }, ""},
		{few, features, func(b []byte) []byte { b[7*featureSize+8] |= categorical; return b }, ""},
		{brands, upperBounds, number(category, math.Float64bits(0.5)), "feature 2: category 0.5"},
		{brands, upperBounds, number(category, nan), "feature 2: category NaN"},
		{brands, upperBounds, number(category, math.Float64bits(1<<20)), "feature 2: category 1.048576e+06"},
		{brands, upperBounds, func(b []byte) []byte {
			copy(b[category:], b[category+8:category+16])
			return b
		}, "which is too large or there twice"},
		{brands, features, put(80+8, 7), "feature 2: missing values of type 7"},
		{brands, features, put(80+8, 5), "feature 2: not bins: missing type 1 of"},
		{brands, features, put(8, 32), "feature 0: missing values of type 32"},
		{brands, bins, put(2, 8), "row 0 has a bin that its column lacks"},
		{brands, dictionaries, put(8, 3), "dictionaries that do not fit"},
		{brands, dictionaries, put(24, 200), "dictionaries: text 0 ends at"},
	} {
		s := c.set.encode()
		s[c.section] = c.change(slices.Clone(s[c.section]))
		b := s.preface(sumWith(pool))
		for _, section := range s {
			b = append(append(b, make([]byte, aligned(len(b))-len(b))...), section...)
		}
		_, err := decodeBytes(b)
		require.ErrorIs(t, err, ErrInvalid, c.text)
		assert.Contains(t, err.Error(), c.text)
	}
}

// TestHugeSections: section lengths beyond the size of any file do not overflow.
func TestHugeSections(t *testing.T) {
	b := fileOf(t, randomSet(t, 7, 2, false))
	for i := range numSections {
		for _, length := range []uint64{math.MaxUint64, math.MaxInt64, 1 << 62, uint64(len(b))} {
			changed := slices.Clone(b)
			binary.LittleEndian.PutUint64(changed[entriesAt+i*entrySize:], length)
			_, err := decodeBytes(resealed(changed))
			require.ErrorIs(t, err, ErrInvalid)
			require.Contains(t, err.Error(), "do not fit into the file")
		}
	}
}

func TestOneTrainingHasOneMapper(t *testing.T) {
	dir := t.TempDir()
	train, other := randomSet(t, 8, 20, false), randomSet(t, 9, 20, false)
	path := filepath.Join(dir, "vali.bin")
	require.NoError(t, stream.WriteFile(path, train.Write))
	f, err := Open(path, Options{Mapper: train.Bins.Mapper})
	require.NoError(t, err)
	assert.Same(t, train.Bins.Mapper, f.Bins.Mapper)
	require.NoError(t, f.Close())

	_, err = Open(path, Options{Mapper: other.Bins.Mapper})
	require.ErrorIs(t, err, ErrOtherBins)
	assert.Regexp(t, `vali\.bin: feature 1 has .* instead of .*: it has other bins`, err.Error())
}

func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	a, b := randomSet(t, 10, 3, false), randomSet(t, 11, 9, false)
	a.Bins = b.Bins
	assert.ErrorContains(t, a.Write(&bytes.Buffer{}), "rows of 4 features")
	b.Meta.Pairs = []dataset.Pair{}
	assert.ErrorContains(t, b.Write(&bytes.Buffer{}), "has pairs, which a file of bins cannot hold")
	b.Meta.Pairs = nil
	b.Meta.Labels[0] = math.NaN()
	assert.ErrorContains(t, b.Write(&bytes.Buffer{}), "label of row 0")
}

// FuzzDecode: a damaged file causes neither a panic nor large allocations.
func FuzzDecode(f *testing.F) {
	f.Add(fileOf(f, randomSet(f, 12, 3, true)))
	f.Add(fileOf(f, withGoals(f)))
	f.Add(fileOf(f, withManyBins(f)))
	f.Add(fileOf(f, withSparse(f)))
	f.Add(fileOf(f, withContext(f)))
	f.Add(fileOf(f, withCategories(f)))
	f.Add(fileOf(f, randomSet(f, 13, 1, false))[:prefaceSize])
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, resealed(data)} {
			s, err := decodeBytes(b)
			if err != nil {
				continue
			}
			var again bytes.Buffer
			require.NoError(t, s.Write(&again))
			back, err := decodeBytes(again.Bytes())
			require.NoError(t, err)
			require.Equal(t, again.Bytes(), fileOf(t, back))
		}
	})
}

func TestDifferenceOfMappers(t *testing.T) {
	mapper := func(least float64, bounds ...float64) *histogram.Mapper {
		f, err := histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: append(bounds, math.Inf(1)),
			Missing: histogram.MissingNone, Min: least, Max: 9})
		require.NoError(t, err)
		return &histogram.Mapper{Features: []histogram.FeatureBins{f}}
	}
	a := mapper(0, 1, 2)
	assert.Empty(t, difference(a, mapper(0, 1, 2)))
	assert.Equal(t, "0 features instead of 1", difference(a, &histogram.Mapper{}))
	assert.Equal(t, "feature 0 has 2 bins instead of 3", difference(a, mapper(0, 1)))
	assert.Equal(t, "feature 0 has bin 1 up to 3 instead of 2", difference(a, mapper(0, 1, 3)))
	withNaN := mapper(0, 1, 2)
	withNaN.Features[0].Missing = histogram.MissingNaN
	assert.Equal(t, "feature 0 has missing values of type 2 instead of 0", difference(a, withNaN))
	assert.Equal(t, "feature 0 has values from 1 to 9 instead of 0 to 9", difference(a, mapper(1, 1, 2)))
}
