package arrays

import (
	"fmt"
	"sort"
	"sync"
	"unsafe"

	"github.com/lambdamart/lambdamart/dataset"
)

// sparseWindow is a sparse matrix of which some rows are in the window: their values and, from the next
// multiple of 8 bytes on, the columns of these values.
type sparseWindow[T float32 | float64] struct {
	*windowed
	memory   []byte  // of the window
	starts   []int64 // of all rows, as in [Sparse]
	features int

	mu      sync.Mutex // held while the window is in use
	rows    [2]int     // that are in it: the first row, and the row after the last
	values  []T        // of these rows
	columns []int32    // of these values
}

// sparse returns the sparse matrix whose rows start where w says in memory. window is the window's memory.
func (w *windowed) sparse(memory, window []byte, m *matrix) (Set, error) {
	starts, err := Numbers[int64](memory, *w.Starts, m.rows+1)
	if err != nil {
		return nil, err
	}
	if err := checkStarts(starts, starts[m.rows]); err != nil {
		return nil, err
	}
	if w.Single {
		m.read, err = sparseRows[float32](w, window, starts, m.features)
	} else {
		m.read, err = sparseRows[float64](w, window, starts, m.features)
	}
	return m, err
}

func sparseRows[T float32 | float64](w *windowed, window []byte, starts []int64,
	features int) (func(*dataset.Block, []int) error, error) {
	s := &sparseWindow[T]{windowed: w, memory: window, starts: starts, features: features}
	for row := range len(starts) - 1 {
		if n := starts[row+1] - starts[row]; n > int64(len(window)) || s.bytes(int(n)) > len(window) {
			return nil, fmt.Errorf("a window of %d bytes has no room for the %d values of row %d", w.Size, n, row)
		}
	}
	return s.readRows, nil
}

// place returns where columns begin that follow n values.
func (w *sparseWindow[T]) place(n int) int {
	var zero T
	return (n*int(unsafe.Sizeof(zero)) + 7) &^ 7
}

// bytes returns how many bytes n values and their columns take in the window.
func (w *sparseWindow[T]) bytes(n int) int { return w.place(n) + 4*n }

// readRows appends rows to a block. As in a dense matrix, all workers of a pass read rows near each other.
func (w *sparseWindow[T]) readRows(b *dataset.Block, rows []int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := 0
	for _, r := range rows {
		all += int(w.starts[r+1] - w.starts[r])
	}
	values, columns := sized(b, all), make([]int32, all)
	for _, r := range rows {
		if err := w.show(r); err != nil {
			return err
		}
		first := int(w.starts[r] - w.starts[w.rows[0]])
		n := copy(columns, w.columns[first:first+int(w.starts[r+1]-w.starts[r])])
		for i, v := range w.values[first : first+n] {
			values[i] = float64(v)
		}
		b.Rows = append(b.Rows, dataset.Row{Number: r, Feature: columns[:n:n], Value: values[:n:n]})
		values, columns = values[n:], columns[n:]
	}
	return nil
}

// show asks for a row, and for as many after it as the window has room for, unless it is in the window.
func (w *sparseWindow[T]) show(row int) error {
	if w.rows[0] <= row && row < w.rows[1] {
		return nil
	}
	w.rows = [2]int{}
	after := len(w.starts) - 1 - row
	end := row + sort.Search(after, func(i int) bool {
		return w.bytes(int(w.starts[row+i+1]-w.starts[row])) > len(w.memory)
	})
	if err := ask(Question{Set: w.Set, Rows: [2]int{row, end}, Columns: [2]int{0, w.features}}); err != nil {
		return err
	}
	n := int(w.starts[end] - w.starts[row])
	var err error
	if w.values, err = Numbers[T](w.memory, 0, n); err != nil {
		return err
	}
	if w.columns, err = Numbers[int32](w.memory, w.place(n), n); err != nil {
		return err
	}
	if err := checkColumns(w.starts[row:end+1], w.columns, row, w.features); err != nil {
		return err
	}
	w.rows = [2]int{row, end}
	return nil
}
