package arrays

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// owner is another program that has a matrix, row-major, and copies parts of it to a window.
type owner struct {
	values []float64
	windowed
	choice []int
	asked  int
}

// answer writes the values that a question is about to the window.
func (o *owner) answer(q Question) error {
	o.asked++
	if q.Choice != nil {
		o.choice = q.Choice
	}
	rows, columns := q.Rows[1]-q.Rows[0], q.Columns[1]-q.Columns[0]
	var window bytes.Buffer
	for at := range rows * columns {
		row, column := at/columns, at%columns
		if o.ByColumn {
			row, column = at%rows, at/rows
		}
		if row += q.Rows[0]; q.Chosen {
			row = o.choice[row]
		}
		put(&window, o.values[row*testFeatures+q.Columns[0]+column], o.Single)
	}
	return show(o.Path, window.Bytes())
}

// show writes to the window in place, since the file is mapped.
func show(path string, window []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(window)
	return errors.Join(err, f.Close())
}

// put writes a number as the window has it.
func put(window *bytes.Buffer, v float64, single bool) {
	if single {
		binary.Write(window, binary.NativeEndian, float32(v))
		return
	}
	binary.Write(window, binary.NativeEndian, v)
}

// inWindow writes an arrays file whose matrix another program has, and returns its path and that program.
func inWindow(t *testing.T, w windowed) (string, *owner) {
	t.Helper()
	w.Path = filepath.Join(t.TempDir(), "window")
	require.NoError(t, os.WriteFile(w.Path, make([]byte, w.Size), 0o600))
	o := &owner{windowed: w}
	return fileOf(t, manyRows, func(_ *content, d map[string]any, values []float64) {
		values[4], o.values = -1, values // not NaN, which is not equal to itself
		for i, v := range values {
			values[i] = float64(float32(v))
		}
		d["windowed"] = w
	}), o
}

// eachWindow calls a test for windows of all layouts, from one row to the whole matrix.
func eachWindow(t *testing.T, test func(t *testing.T, s Set, o *owner)) {
	for _, rows := range []int{1, 7, 100, manyRows} {
		for layout := range 4 {
			w := windowed{Set: 3, Size: rows * testFeatures * 8, ByColumn: layout&1 != 0, Single: layout&2 != 0}
			t.Run(fmt.Sprintf("%d rows, layout %d", rows, layout), func(t *testing.T) {
				path, o := inWindow(t, w)
				defer Ask(o.answer)()
				s, err := Open(path, Options{Workers: 2})
				require.NoError(t, err)
				test(t, s, o)
				require.NoError(t, s.Close())
			})
		}
	}
}

// TestRowsComeThroughWindows: passes over all rows and over some of them see the values of the other program.
func TestRowsComeThroughWindows(t *testing.T) {
	eachWindow(t, func(t *testing.T, s Set, o *owner) {
		for _, keep := range []func(int) bool{nil, func(row int) bool { return row%5 == 2 || row > 400 }} {
			got, want := make([]float64, len(o.values)), make([]float64, len(o.values))
			for i, v := range o.values {
				if keep == nil || keep(i/testFeatures) {
					want[i] = v
				}
			}
			_, err := dataset.Scan(t.Context(), s, keep, func(_ int, r dataset.Row) error {
				copy(got[r.Number*testFeatures:], r.Value)
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
		o.asked = 0
		_, err := dataset.Describe(t.Context(), s)
		require.NoError(t, err)
		assert.Zero(t, o.asked, "no values are needed")
	})
}

// TestColumnsComeThroughWindows: columns of all rows and of several choices of rows have the values of the
// other program.
func TestColumnsComeThroughWindows(t *testing.T) {
	eachWindow(t, func(t *testing.T, s Set, o *owner) {
		some, others := []int{3, 4, 5, 500}, []int{0, 5, 6, 599}
		for _, rows := range [][]int{nil, some, others, some, nil} {
			dst := [][]float64{{-7}, nil}
			require.NoError(t, s.(dataset.Columned).Columns(dst, 1, rows))
			want := [][]float64{{-7}, nil}
			visited := rows
			for row := range manyRows {
				if rows == nil {
					visited = append(visited, row)
				}
			}
			for _, row := range visited {
				want[0] = append(want[0], o.values[row*testFeatures+1])
				want[1] = append(want[1], o.values[row*testFeatures+2])
			}
			assert.Equal(t, want, dst)
		}
	})
}

// TestWindowsThatCannotBeRead: an owner that fails or is not there is an error of every way to read.
func TestWindowsThatCannotBeRead(t *testing.T) {
	path, _ := inWindow(t, windowed{Size: 240})
	s, err := Open(path, Options{Workers: 2})
	require.NoError(t, err)
	defer s.Close()
	check := func(want error) {
		t.Helper()
		_, err := dataset.Scan(t.Context(), s, nil, func(int, dataset.Row) error { return nil })
		assert.ErrorIs(t, err, want)
		assert.ErrorIs(t, s.(dataset.Columned).Columns(make([][]float64, 2), 0, nil), want)
	}
	check(errNoParent)
	fails := errors.New("it has ended")
	undo := Ask(func(Question) error { return fails })
	check(fails)
	undo()
	path, _ = inWindow(t, windowed{Size: 8})
	_, err = Open(path, Options{})
	assert.ErrorContains(t, err, "no room for a row")
	path = fileOf(t, manyRows, func(_ *content, d map[string]any, _ []float64) {
		d["windowed"] = windowed{Path: "/nowhere", Size: 240}
	})
	_, err = Open(path, Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// sparseOwner is another program that has a sparse matrix.
type sparseOwner struct {
	windowed
	starts  []int64
	columns []int32
	values  []float64
}

// answer writes rows to the window.
func (o *sparseOwner) answer(q Question) error {
	from, to := o.starts[q.Rows[0]], o.starts[q.Rows[1]]
	var window bytes.Buffer
	for _, v := range o.values[from:to] {
		put(&window, v, o.Single)
	}
	window.Write(make([]byte, -window.Len()&7))
	binary.Write(&window, binary.NativeEndian, o.columns[from:to])
	if window.Len() > o.Size {
		return fmt.Errorf("%d bytes do not fit into the window", window.Len())
	}
	return show(o.Path, window.Bytes())
}

// inSparseWindow is like inWindow, for a sparse matrix: the test data without its zeros.
func inSparseWindow(t *testing.T, size int, single bool) (string, *sparseOwner) {
	t.Helper()
	o := &sparseOwner{windowed: windowed{Size: size, Single: single, Path: filepath.Join(t.TempDir(), "window")},
		starts: []int64{0}}
	require.NoError(t, os.WriteFile(o.Path, make([]byte, size), 0o600))
	return fileOf(t, manyRows, func(c *content, d map[string]any, values []float64) {
		for i, v := range values {
			if v = float64(float32(v)); v != 0 && v == v {
				o.values, o.columns = append(o.values, v), append(o.columns, int32(i%testFeatures))
			}
			if i%testFeatures == testFeatures-1 {
				o.starts = append(o.starts, int64(len(o.values)))
			}
		}
		at := c.put(o.starts)
		o.windowed.Starts = &at
		d["windowed"] = o.windowed
	}), o
}

// TestSparseRowsComeThroughWindows: windows of one row up to the whole matrix show the rows of the other
// program, and columns out of order or an absent program are errors.
func TestSparseRowsComeThroughWindows(t *testing.T) {
	for _, size := range []int{40, 41, 100, 1000, manyRows * 40} {
		for _, single := range []bool{false, true} {
			path, o := inSparseWindow(t, size, single)
			s, err := Open(path, Options{Workers: 2})
			require.NoError(t, err)
			scan := func() error {
				_, err := dataset.Scan(t.Context(), s, nil, func(_ int, r dataset.Row) error {
					from, to := o.starts[r.Number], o.starts[r.Number+1]
					assert.Equal(t, o.columns[from:to], r.Feature)
					assert.Equal(t, o.values[from:to], r.Value)
					return nil
				})
				return err
			}
			require.ErrorIs(t, scan(), errNoParent)
			undo := Ask(o.answer)
			require.NoError(t, scan())
			last := len(o.columns) - 1
			o.columns[last] = testFeatures
			require.NoError(t, s.Close())
			s, err = Open(path, Options{Workers: 2})
			require.NoError(t, err)
			assert.ErrorContains(t, scan(), fmt.Sprintf("row %d of the sparse matrix: column 3", manyRows-1))
			undo()
			require.NoError(t, s.Close())
		}
	}
	path, _ := inSparseWindow(t, 8, false)
	_, err := Open(path, Options{})
	assert.ErrorContains(t, err, "has no room for the")
}
