package worker

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// arrays describes a set of data: a data file, binned data, or arrays in shared memory. Offsets count
// bytes, and strides elements.
type arrays struct {
	Name string `json:"name"` // of the set, in messages and evaluations

	// DataFile is the path of a data file; then there is nothing else.
	DataFile string `json:"data_file"`

	// Stored is a file of binned data that the parent process holds; then there is nothing else.
	Stored *file `json:"stored"`

	File     file     `json:"file"`
	Rows     int      `json:"rows"`
	Features int      `json:"features"`
	Names    []string `json:"names"` // of the features; nil if they have none
	Dense    *dense   `json:"dense"` // the values, or
	Sparse   *sparse  `json:"sparse"`

	Labels  int  `json:"labels"`  // float64
	Groups  int  `json:"groups"`  // int64: rows of each query
	Queries int  `json:"queries"` // number of groups
	Weights *int `json:"weights"` // float64
	Initial *int `json:"initial"` // float64: scores from which training begins
	Second  *int `json:"second"`  // float64: second labels

	Positions     *int     `json:"positions"` // int32: indexes of PositionNames
	PositionNames []string `json:"position_names"`

	queryNames []string // ids of the first queries; the others have their numbers
	docs       []string // ids of the rows; nil if they have none
}

// dense is a matrix: the value of row r and column c is element r*RowStride + c*ColumnStride.
type dense struct {
	Offset       int  `json:"offset"`
	Single       bool `json:"single"` // float32, not float64
	RowStride    int  `json:"row_stride"`
	ColumnStride int  `json:"column_stride"`
}

// sparse is a matrix of compressed rows: row r has the values Data[Starts[r]:Starts[r+1]] in the columns
// Columns[Starts[r]:Starts[r+1]], ascending. All others are zero.
type sparse struct {
	N       int  `json:"n"` // number of values
	Data    int  `json:"data"`
	Single  bool `json:"single"`
	Columns int  `json:"columns"` // int32
	Starts  int  `json:"starts"`  // int64
}

// inMemory reports whether the values come in shared memory.
func (a *arrays) inMemory() bool { return a.DataFile == "" && a.Stored == nil }

// input returns the set as it is loaded. release gives its memory back.
func (a *arrays) input(workers int) (in data.Input, release func() error, err error) {
	release = func() error { return nil }
	switch {
	case a.DataFile != "":
		return data.Input{Path: a.DataFile}, release, nil
	case a.Stored != nil:
		return data.Input{Path: a.Stored.name()}, release, nil
	}
	memory, release, err := a.File.mapped()
	if err != nil {
		return in, nil, err
	}
	if in.Source, err = a.source(memory, workers); err != nil {
		release()
		return in, nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return in, release, nil
}

// source returns the data in the mapped memory.
func (a *arrays) source(memory []byte, workers int) (dataset.Source, error) {
	meta, err := a.meta(memory)
	if err != nil {
		return nil, err
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	m := &matrix{meta: meta, workers: workers, rows: a.Rows, features: a.Features}
	switch {
	case a.Dense != nil:
		return a.Dense.source(memory, m)
	case a.Sparse != nil:
		return a.Sparse.source(memory, m)
	}
	return nil, fmt.Errorf("a set has no values")
}

// meta returns all but the values.
func (a *arrays) meta(memory []byte) (*dataset.Meta, error) {
	var m dataset.Meta
	var err error
	if m.Labels, err = vector[float64](memory, a.Labels, a.Rows); err != nil {
		return nil, err
	}
	if m.Queries, err = queries(memory, a.Groups, a.Queries); err != nil {
		return nil, err
	}
	for i, name := range a.queryNames[:min(len(a.queryNames), len(m.Queries))] {
		m.Queries[i].ID = name
	}
	m.Docs = a.docs
	if a.Weights != nil {
		if m.Weights, err = vector[float64](memory, *a.Weights, a.Rows); err != nil {
			return nil, err
		}
	}
	if a.Initial != nil {
		if m.InitialScores, err = vector[float64](memory, *a.Initial, a.Rows); err != nil {
			return nil, err
		}
	}
	if a.Second != nil {
		if m.SecondLabels, err = vector[float64](memory, *a.Second, a.Rows); err != nil {
			return nil, err
		}
	}
	if a.Positions != nil {
		m.PositionNames = a.PositionNames
		if m.Positions, err = vector[int32](memory, *a.Positions, a.Rows); err != nil {
			return nil, err
		}
	}
	if m.Features = a.Names; m.Features == nil {
		m.Features = dataset.ColumnNames(a.Features)
	}
	return &m, m.Check()
}

// queries returns the queries whose numbers of rows are in memory.
func queries(memory []byte, offset, n int) ([]dataset.Query, error) {
	sizes, err := vector[int64](memory, offset, n)
	if err != nil {
		return nil, err
	}
	list := make([]dataset.Query, n)
	first := 0
	for i, size := range sizes {
		if size < 1 || int(size) > math.MaxInt-first {
			return nil, fmt.Errorf("query %d has %d rows", i, size)
		}
		list[i] = dataset.Query{ID: strconv.Itoa(i), First: first, Len: int(size)}
		first += int(size)
	}
	return list, nil
}
