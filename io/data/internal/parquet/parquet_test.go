package parquet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samples is a folder of files written by pyarrow, and rows.csv with the content of each of them.
// io/data/internal/table/testdata/generate.py makes them.
const samples = "../table/testdata"

// Find returns the column with that name, or nil.
func (f *File) Find(name string) *Column {
	for i := range f.Columns {
		if f.Columns[i].Name == name {
			return &f.Columns[i]
		}
	}
	return nil
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(samples, name+".parquet"))
	require.NoError(t, err)
	return data
}

// rows returns the cells of rows.csv by column.
func rows(t testing.TB) (query, target, score []string) {
	t.Helper()
	in, err := os.Open(filepath.Join(samples, "rows.csv"))
	require.NoError(t, err)
	defer in.Close()
	records, err := csv.NewReader(in).ReadAll()
	require.NoError(t, err)
	for _, r := range records[1:] {
		query, target, score = append(query, r[0]), append(target, r[1]), append(score, r[2])
	}
	return query, target, score
}

func open(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return f
}

// readAll reads a column, the given number of rows at a time.
func readAll[T float64 | string](r *Reader[T], batch int) (all []T, null []bool, err error) {
	var missing any = "\x00 null"
	if _, isNumber := any(r.Null).(float64); isNumber {
		missing = 1.25e-299 // which no sample has
	}
	r.Null = missing.(T)
	dst := make([]T, batch)
	for {
		n, err := r.Read(dst)
		for _, v := range dst[:n] {
			if null = append(null, v == r.Null); v == r.Null {
				v = *new(T)
			}
			all = append(all, v)
		}
		if err == io.EOF {
			return all, null, nil
		}
		if err != nil {
			return all, null, err
		}
	}
}

// cells is readAll with the values as texts, and "" for null.
func cells(t *testing.T, f *File, name string, batch int) (all []string) {
	t.Helper()
	c := f.Find(name)
	require.NotNil(t, c)
	if c.TextColumn() == nil && c.NumberColumn() != nil || name == "query" {
		texts, null, err := readAll(f.Texts(c), batch)
		require.NoError(t, err)
		assert.NotContains(t, null, true)
		return texts
	}
	require.NoError(t, c.NumberColumn())
	numbers, null, err := readAll(f.Numbers(c), batch)
	require.NoError(t, err)
	for i, v := range numbers {
		if null[i] {
			assert.Zero(t, v)
			all = append(all, "")
			continue
		}
		all = append(all, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return all
}

var sameRows = []string{"snappy", "gzip", "zstd", "plain", "plain_v2", "delta", "lengths", "unsigned",
	"decimal", "dictionary_of_arrow"}

func TestBatchesChangeNothing(t *testing.T) {
	for _, name := range sameRows {
		f := open(t, sample(t, name))
		for _, column := range []string{"query", "target", "score"} {
			want := cells(t, f, column, 10_000)
			for _, batch := range []int{1, 7, 128, 499, 500, 501} {
				assert.Equal(t, want, cells(t, f, column, batch), "%s %s %d", name, column, batch)
			}
		}
	}
}

// TestSkip: after skipping rows, reading continues as if they had been read, across pages and groups.
func TestSkip(t *testing.T) {
	for _, name := range []string{"snappy", "zstd", "delta", "lengths", "plain", "plain_v2"} {
		f := open(t, sample(t, name))
		wantNumbers, wantNull, err := readAll(f.Numbers(f.Find("score")), 1000)
		require.NoError(t, err)
		wantTexts, _, err := readAll(f.Texts(f.Find("query")), 1000)
		require.NoError(t, err)
		for first := 0; first <= len(wantTexts); first += 1 + first%40 {
			numbers, texts := f.Numbers(f.Find("score")), f.Texts(f.Find("query"))
			require.NoError(t, numbers.Skip(int64(first/2)), "%s %d", name, first)
			require.NoError(t, numbers.Skip(int64(first-first/2)), "%s %d", name, first)
			require.NoError(t, texts.Skip(int64(first)), "%s %d", name, first)
			gotNumbers, gotNull, err := readAll(numbers, 1000)
			require.NoError(t, err)
			gotTexts, _, err := readAll(texts, 1000)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(wantNumbers[first:], wantNull[first:], wantTexts[first:]),
				fmt.Sprint(gotNumbers, gotNull, gotTexts), "%s %d", name, first)
		}
		assert.Error(t, f.Texts(f.Find("query")).Skip(int64(len(wantTexts)+1)))
	}
}

func TestFloat32AndBooleans(t *testing.T) {
	_, target, score := rows(t)
	numbers, null, err := readAll(open(t, sample(t, "float32")).Numbers(open(t,
		sample(t, "float32")).Find("score")), 100)
	require.NoError(t, err)
	f := open(t, sample(t, "boolean"))
	booleans, _, err := readAll(f.Numbers(f.Find("target")), 100)
	require.NoError(t, err)
	for i := range score {
		v, err := strconv.ParseFloat(score[i], 32)
		assert.Equal(t, err != nil, null[i])
		assert.Equal(t, v, numbers[i])
		grade, _ := strconv.Atoi(target[i])
		assert.Equal(t, grade > 1, booleans[i] == 1)
	}
	texts, null, err := readAll(f.Texts(f.Find("target")), 100)
	require.NoError(t, err)
	for i, v := range booleans {
		assert.True(t, null[i] || texts[i] == strconv.FormatBool(v == 1), texts[i])
	}
}

func TestEqualTextsShareMemory(t *testing.T) {
	f := open(t, sample(t, "plain"))
	texts, _, err := readAll(f.Texts(f.Find("query")), 10)
	require.NoError(t, err)
	allocations := testing.AllocsPerRun(1, func() { _, _, _ = readAll(f.Texts(f.Find("query")), 10) })
	assert.Less(t, allocations, float64(len(texts)), "a text is made once for the rows of a query")
}

func TestRefusedColumns(t *testing.T) {
	f := open(t, sample(t, "snappy"))
	assert.ErrorIs(t, f.Find("note").NumberColumn(), ErrUnsupported)
	assert.ErrorIs(t, f.Find("note").TextColumn(), ErrUnsupported)
	assert.ErrorIs(t, f.Find("score").TextColumn(), ErrUnsupported)
	assert.NoError(t, f.Find("query").NumberColumn(), "integers are both")
	assert.ErrorIs(t, open(t, sample(t, "plain")).Find("query").NumberColumn(), ErrUnsupported)
	assert.Nil(t, f.Find("absent"))
}

func TestRefusedFiles(t *testing.T) {
	whole := sample(t, "snappy")
	encrypted := append(bytes.Clone(whole[:len(whole)-4]), "PARE"...)
	long := bytes.Clone(whole)
	copy(long[len(long)-8:], "\xff\xff\xff\x7f")
	for _, c := range []struct {
		data []byte
		want error
	}{
		{nil, ErrNotParquet},
		{[]byte("query,target,score\n1,2,3\n"), ErrNotParquet},
		{whole[:len(whole)-1], ErrNotParquet},
		{[]byte("PAR1PAR1"), ErrNotParquet},
		{encrypted, ErrEncrypted},
		{long, ErrDamaged},
		{[]byte("PAR1\x00\x00\x00\x00PAR1"), ErrDamaged},
	} {
		_, err := Open(bytes.NewReader(c.data), int64(len(c.data)))
		assert.ErrorIs(t, err, c.want)
	}
	f := open(t, sample(t, "lz4"))
	_, _, err := readAll(f.Numbers(f.Find("score")), 10)
	assert.ErrorIs(t, err, ErrUnsupported)
	assert.ErrorContains(t, err, `column "score", row group 0`)
	assert.ErrorContains(t, err, "snappy, gzip or zstd")
}

// ours returns a file of testdata; testdata/generate.py describes its content.
func ours(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".parquet"))
	require.NoError(t, err)
	return data
}

// TestBooleansInRuns: version 2 pages store booleans in runs, and a run's length need not be a multiple of
// the eight values in a byte.
func TestBooleansInRuns(t *testing.T) {
	f := open(t, ours(t, "boolean_runs"))
	got, _, err := readAll(f.Numbers(f.Find("c")), 100)
	require.NoError(t, err)
	require.Len(t, got, 500)
	for row, v := range got {
		assert.Equal(t, row%13 > 0, v == 1, "row %d", row)
	}
}

// TestDamagedNumbers: one number in each file is too large. It may be an error or be ignored, but it must
// not cause an allocation of that size or values that are not in the file.
func TestDamagedNumbers(t *testing.T) {
	for name, damaged := range map[string]bool{"long_runs": false, "long_list": true, "short_page": true,
		"inflated": true} {
		data := ours(t, name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		var got []float64
		if err == nil {
			got, _, err = readAll(f.Numbers(f.Find("c")), 100)
		}
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
		if damaged {
			assert.ErrorIs(t, err, ErrDamaged, name)
			assert.Empty(t, got, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, []float64{7, 7, 7, 7, 7, 7, 7, 7}, got, name)
	}
}

// TestDamage: a file damaged at any byte is either read, possibly with other values, or refused with one of
// this package's errors.
func TestDamage(t *testing.T) {
	for _, name := range []string{"snappy", "zstd", "plain_v2", "delta"} {
		whole := sample(t, name)
		step := 17
		if testing.Short() {
			step = 37
		}
		for at := 0; at < len(whole); at += step {
			for _, bits := range []byte{0xff, 0x01} {
				data := bytes.Clone(whole)
				data[at] ^= bits
				readDamaged(t, data)
			}
		}
	}
}

func readDamaged(t testing.TB, data []byte) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		assertOurs(t, err)
		return
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		if c.NumberColumn() == nil {
			assertOurs(t, drain(f.Numbers(c)))
		}
		if c.TextColumn() == nil {
			assertOurs(t, drain(f.Texts(c)))
		}
	}
}

// drain reads up to 10,000 rows.
func drain[T float64 | string](r *Reader[T]) error {
	dst := make([]T, 1000)
	for range 10 {
		if _, err := r.Read(dst); err != nil {
			return err
		}
	}
	return nil
}

func assertOurs(t testing.TB, err error) {
	for _, ours := range []error{nil, io.EOF, ErrNotParquet, ErrDamaged, ErrUnsupported, ErrEncrypted} {
		if errors.Is(err, ours) {
			return
		}
	}
	t.Errorf("%v is not one of our errors", err)
}

func FuzzRead(f *testing.F) {
	for _, name := range append(sameRows, "boolean", "float32", "lz4") {
		f.Add(sample(f, name))
	}
	for _, name := range []string{"boolean_runs", "long_runs", "long_list", "short_page", "inflated"} {
		f.Add(ours(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readDamaged(t, data) })
}

// TestRunsOfTheSpecification: the example of the page Encodings: the numbers 0 to 7 in 3 bits are 88 C6 FA.
func TestRunsOfTheSpecification(t *testing.T) {
	r, err := newRuns([]byte{1<<1 | 1, 0x88, 0xc6, 0xfa, 4 << 1, 5}, 3)
	require.NoError(t, err)
	got := make([]uint32, 12)
	require.NoError(t, r.next(got[:5]))
	require.NoError(t, r.next(got[5:]))
	assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 5}, got)
	assert.ErrorIs(t, r.next(got[:1]), ErrDamaged)
}

// TestDeltaOfTheSpecification: example 2 of delta encoding on the page Encodings: 7, 5, 3, 1, 2, 3, 4, 5
// has the differences -2, -2, -2, 1, 1, 1, 1, which are stored as the smallest, -2, and 0, 0, 0, 3, 3, 3, 3
// in 2 bits.
func TestDeltaOfTheSpecification(t *testing.T) {
	head := []byte{8, 1, 8, 14} // 8 differences per block, 1 miniblock, 8 values, first value 7 (zigzag)
	d, err := newDelta(append(head, 3, 2, 0b11000000, 0b00111111, 9))
	require.NoError(t, err)
	got := make([]int64, 8)
	require.NoError(t, d.next(got[:3]))
	require.NoError(t, d.next(got[3:]))
	assert.Equal(t, []int64{7, 5, 3, 1, 2, 3, 4, 5}, got)
	assert.Equal(t, []byte{9}, d.rest())
	assert.ErrorIs(t, d.next(got[:1]), ErrDamaged)
}

func TestDecimals(t *testing.T) {
	c := &Column{physical: fixedArray, meaning: decimalMeaning, scale: 2}
	got := make([]float64, 4)
	require.NoError(t, c.numbers(got, &values{bytes: [][]byte{{0xff, 0xff}, {0x00, 0x7b}, {}, {0x80}}}))
	assert.Equal(t, []float64{-0.01, 1.23, 0, -1.28}, got)
	c = &Column{physical: int64Type, meaning: decimalMeaning, scale: 20}
	require.NoError(t, c.numbers(got[:1], &values{ints: []int64{math.MaxInt64}}))
	assert.Equal(t, 0.09223372036854775807, got[0])
}

// TestScaledIDs: ids in columns of decimals and floats are digits if they are whole numbers that the type
// holds exactly, and otherwise texts that are refused.
func TestScaledIDs(t *testing.T) {
	cents := Column{physical: int64Type, meaning: decimalMeaning, scale: 2}
	tens := Column{physical: int64Type, meaning: decimalMeaning, scale: -1}
	tiny := Column{physical: int64Type, meaning: decimalMeaning, scale: 1 << 20} // as a damaged file may state
	halves := Column{physical: fixedArray, meaning: float16Meaning, width: 2}
	for _, c := range []struct {
		column Column
		value  values
		want   string
		isID   bool
	}{
		{cents, values{ints: []int64{1200}}, "12", true},
		{cents, values{ints: []int64{-1200}}, "-12", true},
		{cents, values{ints: []int64{0}}, "0", true},
		{cents, values{ints: []int64{1250}}, "12.5", false},
		{cents, values{ints: []int64{-5}}, "-0.05", false},
		{tens, values{ints: []int64{12}}, "12e1", false},
		{tiny, values{ints: []int64{-12}}, "-12e-1048576", false},
		{Column{physical: double}, values{floats: []float64{1 << 53}}, "9007199254740992", true},
		{Column{physical: double}, values{floats: []float64{1 << 54}}, "1.8014398509481984e+16", false},
		{Column{physical: double}, values{floats: []float64{math.NaN()}}, "NaN", false},
		{Column{physical: double}, values{floats: []float64{math.Inf(-1)}}, "-Inf", false},
		{Column{physical: double}, values{floats: []float64{0.25}}, "0.25", false},
		{Column{physical: float}, values{floats: []float64{1 << 25}}, "3.3554432e+07", false},
		{halves, values{bytes: [][]byte{{0, 0x6c}}}, "4.096e+03", false},
	} {
		text := make([]string, 1)
		c.column.texts(text, &c.value, "")
		assert.Equal(t, c.want, text[0])
		if err := c.column.CheckID(text[0]); c.isID {
			assert.NoError(t, err, c.want)
		} else {
			assert.ErrorIs(t, err, ErrNotWhole, c.want)
		}
	}
}

func TestUnsigned(t *testing.T) {
	c := &Column{physical: int64Type, unsigned: true}
	got, text := make([]float64, 1), make([]string, 1)
	require.NoError(t, c.numbers(got, &values{ints: []int64{-1}}))
	assert.Equal(t, 0x1p64, got[0])
	c.texts(text, &values{ints: []int64{-1}}, "")
	assert.Equal(t, "18446744073709551615", text[0])
	assert.Equal(t, int64(math.MaxUint32), c.widen(math.MaxUint32))
}
