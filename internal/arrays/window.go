package arrays

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lambdamart/lambdamart/dataset"
)

// windowed is a matrix that stays in the memory of the other program. That program copies parts of it to a
// small file, the window, when it is asked, so that the whole matrix is never in memory twice.
type windowed struct {
	Set      int    `json:"set"`    // number of the matrix in questions
	Path     string `json:"path"`   // of the window
	Size     int    `json:"size"`   // bytes of the window
	Single   bool   `json:"single"` // float32, not float64
	ByColumn bool   `json:"by_column"`

	// Starts is where the starts of rows lie, as in Sparse, outside the window; nil: the matrix is dense.
	Starts *int `json:"starts"`
}

// Question asks for values of a matrix. They are written to the beginning of its window, without gaps, one
// row after the other, or one column after the other if the matrix is described as ByColumn. Of a sparse
// matrix, stored values are written, and their columns behind them, from a multiple of 8 bytes on.
type Question struct {
	Set     int    `json:"set"`
	Rows    [2]int `json:"rows"` // the first row, and the row after the last
	Columns [2]int `json:"columns"`

	// Chosen means that Rows counts the entries of the last Choice for this matrix, which are numbers of rows.
	Chosen bool  `json:"chosen"`
	Choice []int `json:"-"` // a new one; nil: the last one holds
}

// parent answers questions in this process; nil if there is no other program.
var parent atomic.Pointer[func(Question) error]

// Ask lets a function answer questions, one at a time, until undo is called. A process has only one such
// function, as it has only one parent.
func Ask(answer func(Question) error) (undo func()) {
	parent.Store(&answer)
	return func() { parent.Store(nil) }
}

var errNoParent = errors.New("the values are in the memory of another program, which does not run this " +
	"command")

// ask asks a question, and returns when it is answered.
func ask(q Question) error {
	answer := parent.Load()
	if answer == nil {
		return errNoParent
	}
	return (*answer)(q)
}

// source returns the matrix, whose rows m describes. whole is the memory that is not its window.
func (w *windowed) source(whole []byte, m *matrix) (Set, error) {
	f, err := os.Open(w.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	memory, unmap, err := Map(f, w.Size, false)
	if err != nil {
		return nil, fmt.Errorf("the window of a matrix of another program: %w", err)
	}
	var s Set
	switch {
	case w.Starts != nil:
		s, err = w.sparse(whole, memory, m)
	case w.Single:
		s, err = windowOf[float32](memory, w, m)
	default:
		s, err = windowOf[float64](memory, w, m)
	}
	if err != nil {
		return nil, errors.Join(err, unmap())
	}
	rest := m.unmap
	m.unmap = func() error { return errors.Join(unmap(), rest()) }
	return s, nil
}

func windowOf[T float32 | float64](memory []byte, w *windowed, m *matrix) (Set, error) {
	var zero T
	values, err := Numbers[T](memory, 0, len(memory)/int(unsafe.Sizeof(zero)))
	if err != nil {
		return nil, err
	}
	if len(values) < m.features {
		return nil, fmt.Errorf("a window of %d bytes has no room for a row of %d features", w.Size, m.features)
	}
	all := newWindow(w, values, m)
	m.read = all.readRows
	return denseMatrix{m, all.readColumns}, nil
}

func newWindow[T float32 | float64](w *windowed, values []T, m *matrix) *window[T] {
	all := &window[T]{windowed: w, values: values, rows: m.rows, numbers: make([]int32, m.features)}
	for f := range all.numbers {
		all.numbers[f] = int32(f)
	}
	return all
}

// window is a matrix of which a part is in the window.
type window[T float32 | float64] struct {
	*windowed
	values  []T // of the window
	rows    int
	numbers []int32 // of the features

	mu     sync.Mutex // held while the window is in use
	shown  Question   // what is in it; no rows: nothing
	chosen []int      // the rows that the other program knows as the choice
}

// show asks for values unless they are in the window.
func (w *window[T]) show(q Question) error {
	if q.Set = w.Set; q.Choice == nil && w.shown.Rows == q.Rows && w.shown.Columns == q.Columns &&
		w.shown.Chosen == q.Chosen {
		return nil
	}
	w.shown = Question{}
	if err := ask(q); err != nil {
		return err
	}
	q.Choice = nil
	w.shown = q
	return nil
}

// layout returns the strides of rows and columns in the window.
func (w *window[T]) layout(rows, columns int) strides {
	if w.ByColumn {
		return strides{1, rows}
	}
	return strides{columns, 1}
}

// readRows appends rows, which ascend, to a block. All workers of a pass read rows near each other, so that
// the part of the matrix in the window changes rarely.
func (w *window[T]) readRows(b *dataset.Block, rows []int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	memory := sized(b, len(rows)*len(w.numbers))
	for n := 0; n < len(rows); {
		first, end := w.around(rows[n])
		if err := w.show(Question{Rows: [2]int{first, end}, Columns: [2]int{0, len(w.numbers)}}); err != nil {
			return err
		}
		some, _ := slices.BinarySearch(rows[n:], end)
		layout := w.layout(end-first, len(w.numbers))
		gather(memory[n*len(w.numbers):], w.values, rows[n:n+some], first, layout, len(w.numbers))
		n += some
	}
	appendRows(b, rows, w.numbers)
	return nil
}

// around returns the rows to show for a row and those after it: what is shown, if it has the row.
func (w *window[T]) around(row int) (first, end int) {
	if s := w.shown; !s.Chosen && s.Columns == [2]int{0, len(w.numbers)} && s.Rows[0] <= row && row < s.Rows[1] {
		return s.Rows[0], s.Rows[1]
	}
	return row, min(w.rows, row+max(1, len(w.values)/max(1, len(w.numbers))))
}

// readColumns appends columns to slices, one column a slice.
func (w *window[T]) readColumns(dst [][]float64, column int, rows []int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.rows
	if rows != nil {
		n = len(rows)
	}
	columns := grow(dst, n)
	for first, end := 0, 0; first < n; first = end {
		end = min(n, first+max(1, len(w.values)/max(1, len(dst))))
		q := Question{Rows: [2]int{first, end}, Columns: [2]int{column, column + len(dst)}, Chosen: rows != nil}
		if q.Chosen && !same(w.chosen, rows) {
			q.Choice = rows
		}
		if err := w.show(q); err != nil {
			return err
		}
		if q.Chosen {
			w.chosen = rows
		}
		spread(columns, w.values, first, end, w.layout(end-first, len(dst)))
	}
	return nil
}

// same reports whether two slices are one.
func same(a, b []int) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// spread copies rows [first, end) of the columns in the window.
func spread[T float32 | float64](columns [][]float64, values []T, first, end int, s strides) {
	for i, column := range columns {
		from := values[i*s.column:]
		for at := range end - first {
			column[first+at] = float64(from[at*s.row])
		}
	}
}
