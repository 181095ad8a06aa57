package arrays

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/test/aid"
)

// content is an arrays file under construction.
type content struct{ bytes.Buffer }

// put appends numbers at the next multiple of 8 bytes, and returns their offset.
func (c *content) put(numbers any) int {
	if c.Len() == 0 {
		c.Write(make([]byte, headerSize))
	}
	c.Write(make([]byte, -c.Len()&7))
	at := c.Len()
	if err := binary.Write(c, binary.LittleEndian, numbers); err != nil {
		panic(err)
	}
	return at
}

// finish appends the description d and returns the file's content.
func (c *content) finish(d any) []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	at := c.put(text)
	copy(c.Bytes(), magic)
	binary.LittleEndian.PutUint64(c.Bytes()[len(magic):], uint64(at))
	binary.LittleEndian.PutUint64(c.Bytes()[len(magic)+8:], uint64(len(text)))
	return c.Bytes()
}

const (
	manyRows     = 600 // spans more than two blocks
	fewRows      = 20  // for fuzzing, which is slow with large files
	testFeatures = 3
)

// testData returns feature values, row-major, and the metadata of a data set.
func testData(rows int) (values []float64, meta dataset.Meta) {
	for r := range rows {
		values = append(values, float64(r), float64(r%7), math.Sqrt(float64(r%5)))
		meta.Labels = append(meta.Labels, float64(r%3))
		meta.Weights = append(meta.Weights, 1+float64(r/10%4))
		meta.Positions = append(meta.Positions, int32(r%2))
	}
	values[4] = math.NaN()
	for q := range rows / 10 {
		meta.Queries = append(meta.Queries, dataset.Query{ID: wording.ColumnNames(q + 1)[q][len("Column_"):],
			First: 10 * q, Len: 10})
	}
	meta.PositionNames, meta.Features = []string{"first", "second"}, []string{"a", "b", "c"}
	return values, meta
}

// fileOf writes an arrays file with the test data and returns its path. The function values adds the
// feature values.
func fileOf(t testing.TB, rows int, values form) string {
	t.Helper()
	data, m := testData(rows)
	c := &content{}
	d := map[string]any{"rows": rows, "features": testFeatures, "names": m.Features, "queries": len(m.Queries),
		"position_names": m.PositionNames,
		"groups":         c.put(slices.Repeat([]int64{10}, len(m.Queries))), "labels": c.put(m.Labels),
		"weights": c.put(m.Weights), "positions": c.put(m.Positions)}
	values(c, d, data)
	return aid.File(t, "arrays", c.finish(d))
}

// form adds feature values in one of the possible forms to a file and to its description.
type form func(c *content, d map[string]any, values []float64)

var forms = map[string]form{
	"rows": func(c *content, d map[string]any, values []float64) {
		d["dense"] = dense{Offset: c.put(values)}
	},
	"single": func(c *content, d map[string]any, values []float64) {
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		d["dense"] = dense{Offset: c.put(narrow), Single: true}
	},
}

// TestArraysAreRead: in all forms, Scan and Stream give the same data as the library's own type.
func TestArraysAreRead(t *testing.T) {
	values, want := testData(manyRows)
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			path := fileOf(t, manyRows, form)
			assert.True(t, Is(path))
			s, err := Open(path, Options{Workers: 2})
			require.NoError(t, err)
			assert.Equal(t, &want, s.Meta())
			assert.Equal(t, want.Features, s.Names())
			assert.True(t, s.HasWeights())

			got := make([]float64, len(values))
			take := func(r dataset.Row) {
				for i, f := range r.Feature {
					got[r.Number*testFeatures+int(f)] = r.Value[i]
				}
			}
			near := func(i int) bool {
				return values[i] == got[i] || math.Abs(values[i]-got[i]) < 1e-6 || values[i] != values[i] &&
					got[i] != got[i]
			}
			check := func() {
				for i := range values {
					require.True(t, near(i), "value %d: %v, not %v", i, got[i], values[i])
				}
				clear(got)
			}
			meta, err := dataset.Scan(t.Context(), s, nil, func(_ int, r dataset.Row) error { take(r); return nil })
			require.NoError(t, err)
			assert.Equal(t, s.Meta(), meta)
			check()
			labels, rows := []float64{}, 0
			require.NoError(t, dataset.Stream(t.Context(), s, func(_ int, b *dataset.Block) error { return nil },
				func(b *dataset.Block) error {
					assert.Equal(t, rows, b.FirstRow)
					for i := range b.Len() {
						take(b.Rows[i])
					}
					rows, labels = rows+b.Len(), append(labels, b.Labels...)
					return nil
				}))
			check()
			assert.Equal(t, want.Labels, labels)
			labels = s.Meta().Labels
			require.NoError(t, s.Close())
			assert.Equal(t, want.Labels, labels, "they are not in the memory that is gone")
		})
	}
}

// TestInfiniteValues: training refuses infinite values; scoring, which only compares them, reads them.
func TestInfiniteValues(t *testing.T) {
	path := fileOf(t, manyRows, func(c *content, d map[string]any, values []float64) {
		values[5] = math.Inf(1)
		d["dense"] = dense{Offset: c.put(values)}
	})
	for _, infinite := range []bool{false, true} {
		s, err := Open(path, Options{Infinite: infinite})
		require.NoError(t, err)
		_, err = dataset.Scan(t.Context(), s, nil, func(int, dataset.Row) error { return nil })
		streamed := dataset.Stream(context.Background(), s, func(int, *dataset.Block) error { return nil },
			func(*dataset.Block) error { return nil })
		if infinite {
			assert.NoError(t, err)
			assert.NoError(t, streamed)
		} else {
			assert.ErrorContains(t, err, "row 1, feature \"c\"")
			assert.ErrorIs(t, streamed, dataset.ErrValueFinite)
		}
		require.NoError(t, s.Close())
	}
}

// TestFilesThatAreNoArrays: an invalid description is an error that names the invalid part.
func TestFilesThatAreNoArrays(t *testing.T) {
	for want, change := range map[string]func(d map[string]any){
		"has no values":          func(d map[string]any) { delete(d, "dense") },
		"arrays of -1 rows":      func(d map[string]any) { d["rows"] = -1 },
		"are not in the":         func(d map[string]any) { d["labels"] = 1 << 40 },
		"not aligned":            func(d map[string]any) { d["labels"] = 3 },
		"1800 numbers":           func(d map[string]any) { d["dense"] = dense{Offset: 1 << 40} },
		"2 names of 3 features":  func(d map[string]any) { d["names"] = []string{"a", "b"} },
		"the description of the": func(d map[string]any) { d["rows"] = "many" },
	} {
		path := fileOf(t, manyRows, func(c *content, d map[string]any, values []float64) {
			forms["rows"](c, d, values)
			change(d)
		})
		_, err := Open(path, Options{})
		require.Error(t, err, want)
		assert.Regexp(t, want, err.Error())
	}
	path := aid.File(t, "text", "1 qid:1 1:2\n")
	assert.False(t, Is(path))
	_, err := Open(path, Options{})
	assert.ErrorContains(t, err, "magic")
	assert.False(t, Is(t.TempDir()))
	assert.False(t, Is("-"))
}

// FuzzArrays: any bytes either can be read as a set or are an error.
func FuzzArrays(f *testing.F) {
	for _, form := range forms {
		b, err := os.ReadFile(fileOf(f, fewRows, form))
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		memory := append(make([]byte, 0, len(b)+8), b...)
		s, err := decode(memory, func() error { return nil }, Options{Workers: 1})
		if err != nil || s.Meta().NumFeatures() > 1000 {
			return
		}
		if _, err := dataset.Scan(t.Context(), s, nil, func(int, dataset.Row) error { return nil }); err == nil {
			rows := 0
			require.NoError(t, dataset.Stream(t.Context(), s, func(int, *dataset.Block) error { return nil },
				func(b *dataset.Block) error { rows += b.Len(); return nil }))
			require.Equal(t, s.Meta().NumRows(), rows)
		}
	})
}

// TestRowsWithoutColumns: a matrix without columns has rows, and no values.
func TestRowsWithoutColumns(t *testing.T) {
	assert.NotPanics(t, func() {
		gather[float64](nil, nil, []int{3}, 0, strides{1, 1}, 0)
	})
}

func TestQueriesHaveRows(t *testing.T) {
	for _, sizes := range [][]int64{{3, 0}, {-1}, {math.MaxInt64, 2}} {
		var memory bytes.Buffer
		require.NoError(t, binary.Write(&memory, binary.LittleEndian, sizes))
		_, err := queries(memory.Bytes(), 0, len(sizes))
		assert.ErrorContains(t, err, "rows", sizes)
	}
}

func TestSparseRowsAreRead(t *testing.T) {
	starts, columns := []int64{0, 2, 2, 3}, []int32{0, 2, 1}
	require.NoError(t, checkSparse(starts, columns, 3))
	c := &content{}
	for _, single := range []bool{false, true} {
		p := Sparse{N: 3, Columns: c.put(columns), Starts: c.put(starts), Data: c.put([]float64{1.5, 2, 3})}
		if p.Single = single; single {
			p.Data = c.put([]float32{1.5, 2, 3})
		}
		rows, err := p.Unlabeled(c.Bytes(), 3, []string{"a", "b", "c"}, Options{})
		require.NoError(t, err)
		sum := 0.0
		_, err = dataset.Scan(t.Context(), rows, nil, func(_ int, r dataset.Row) error {
			for i, f := range r.Feature {
				sum += float64(r.Number) + r.Value[i]*float64(f)
			}
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, 2+2*2+3.0, sum)
	}
	assert.Error(t, checkSparse(starts, []int32{2, 0, 1}, 3))
	assert.Error(t, checkSparse(starts, []int32{0, 3, 1}, 3))
	assert.Error(t, checkSparse([]int64{0, 3, 2, 3}, columns, 3))
	assert.Error(t, checkSparse([]int64{0, 2, 2, 2}, columns, 3))
}
