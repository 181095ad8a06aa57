// Package arrays reads ranking data that another program has stored in memory or in a file as arrays. The
// Python package passes matrices and data frames to any command in this format. Matrices need not be in the
// file: the other program can copy parts of them to another one while they are read (see [Ask]).
//
// The file begins with a header of 24 bytes: the magic bytes, then offset and length of a description in JSON
// (two uint64, little endian). The description has the offset of each array. Numbers have the byte order of
// the machine; a file is not meant to be kept.
package arrays

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strconv"
	"unsafe"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
)

const (
	magic      = "\x8bLMA\r\n\x1a\n"
	headerSize = len(magic) + 8 + 8

	mostFeatures = 1 << 26 // a bound for wrong descriptions, whose names must fit into memory
)

// Set is ranking data in arrays. Blocks returns the same Meta as Meta, which may be used after Close. A dense
// matrix that another program copies is a [dataset.Columned] too.
type Set interface {
	dataset.File
	Meta() *dataset.Meta
	Names() []string // of the features, as given; nil if they have none
}

// description describes the arrays. Offsets count bytes.
type description struct {
	Rows     int      `json:"rows"`
	Features int      `json:"features"`
	Names    []string `json:"names"` // of the features; nil if they have none

	// The values are in one of these forms.
	Dense    *dense    `json:"dense"`
	Windowed *windowed `json:"windowed"`

	Labels  int `json:"labels"`  // float64
	Groups  int `json:"groups"`  // int64: rows of each query
	Queries int `json:"queries"` // number of groups

	QueryNames []string `json:"query_names"` // ids of the queries; nil: their numbers

	Weights *int   `json:"weights"` // float64
	Initial *int   `json:"initial"` // float64: scores from which training begins
	More    []more `json:"more"`    // further labels

	Positions     *int     `json:"positions"` // int32: indexes of PositionNames
	PositionNames []string `json:"position_names"`

	Pairs *pairs `json:"pairs"`
}

// pairs are preferences between rows.
type pairs struct {
	N       int  `json:"n"`
	Rows    int  `json:"rows"`    // int64: of each pair, the better one and the worse one
	Weights *int `json:"weights"` // float64
}

// of returns the pairs as those of the queries.
func (p *pairs) of(memory []byte, m *dataset.Meta) ([]dataset.Pair, error) {
	rows, err := Numbers[int64](memory, p.Rows, 2*p.N)
	if err != nil {
		return nil, err
	}
	var weights []float64
	if err := copyOf(&weights, memory, p.Weights, p.N); err != nil {
		return nil, err
	}
	list := make([]dataset.Pair, p.N)
	for i := range list {
		better, worse := int(rows[2*i]), int(rows[2*i+1])
		query := sort.Search(len(m.Queries), func(q int) bool { return m.Queries[q].First > better }) - 1
		if query < 0 {
			return nil, fmt.Errorf("pair %d has the row %d", i, better)
		}
		first := m.Queries[query].First
		list[i] = dataset.Pair{Query: query, Better: better - first, Worse: worse - first, Weight: 1}
		if weights != nil {
			list[i].Weight = weights[i]
		}
	}
	slices.SortStableFunc(list, dataset.ComparePairs)
	return list, nil
}

// more is a further label.
type more struct {
	Name   string `json:"name"`
	Values int    `json:"values"` // float64
}

// dense is a matrix in the file, one row after the other.
type dense struct {
	Offset int  `json:"offset"`
	Single bool `json:"single"` // float32, not float64
}

// Sparse is a matrix of compressed rows: row r has the values Data[Starts[r]:Starts[r+1]] in the columns
// Columns[Starts[r]:Starts[r+1]], ascending. All other values are zero.
type Sparse struct {
	N       int  `json:"n"` // number of values
	Data    int  `json:"data"`
	Single  bool `json:"single"`
	Columns int  `json:"columns"` // int32
	Starts  int  `json:"starts"`  // int64
}

// Options control how arrays are read.
type Options struct {
	Workers  int  // goroutines; 0 means GOMAXPROCS
	Infinite bool // infinite values are accepted
	Docs     bool // documents have ids: the numbers of their rows, from 0
}

// Is reports whether the file at path is arrays, by its first bytes.
func Is(path string) bool { return stream.Beginning(path, len(magic)) == magic }

// Open reads the arrays in the file at path.
func Open(path string, o Options) (Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := read(f, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// read reads the arrays in a file. Their memory stays until the set is closed.
func read(f *os.File, o Options) (Set, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	memory, unmap, err := Map(f, int(info.Size()), false)
	if err != nil {
		return nil, fmt.Errorf("arrays of another program: %w", err)
	}
	s, err := decode(memory, unmap, o)
	if err != nil {
		return nil, errors.Join(err, unmap())
	}
	return s, nil
}

// decode returns the set in mapped memory.
func decode(memory []byte, unmap func() error, o Options) (Set, error) {
	if len(memory) < headerSize || string(memory[:len(magic)]) != magic {
		return nil, errors.New("these are no arrays: the magic bytes are missing")
	}
	at := binary.LittleEndian.Uint64(memory[len(magic):])
	size := binary.LittleEndian.Uint64(memory[len(magic)+8:])
	if at > uint64(len(memory)) || size > uint64(len(memory))-at {
		return nil, errors.New("the description of the arrays is not in the file")
	}
	var d description
	if err := json.Unmarshal(memory[at:at+size], &d); err != nil {
		return nil, fmt.Errorf("the description of the arrays: %w", err)
	}
	return d.set(memory, unmap, o)
}

// set returns the set that is described.
func (d *description) set(memory []byte, unmap func() error, o Options) (Set, error) {
	if d.Rows < 1 || d.Rows > len(memory) || d.Features < 0 || d.Features > mostFeatures {
		return nil, fmt.Errorf("arrays of %d rows and %d features", d.Rows, d.Features)
	}
	if d.Names != nil && len(d.Names) != d.Features {
		return nil, fmt.Errorf("%d names of %d features", len(d.Names), d.Features)
	}
	meta, err := d.meta(memory)
	if err != nil {
		return nil, err
	}
	if o.Docs {
		meta.Docs = make([]string, d.Rows)
		for row := range meta.Docs {
			meta.Docs[row] = strconv.Itoa(row)
		}
	}
	m := &matrix{rows: d.Rows, features: d.Features, names: d.Names, infinite: o.Infinite, unmap: unmap}
	m.meta, m.Source = meta, dataset.NewMemory(meta, o.Workers, m.readBlock)
	switch {
	case d.Dense != nil:
		return d.Dense.source(memory, m)
	case d.Windowed != nil:
		return d.Windowed.source(memory, m)
	}
	return nil, errors.New("a set has no values")
}

// meta returns everything but the values. It shares no memory with the arrays, so it may be used after they
// are closed.
func (d *description) meta(memory []byte) (*dataset.Meta, error) {
	m := &dataset.Meta{Features: d.Names}
	var err error
	if m.Features == nil {
		m.Features = wording.ColumnNames(d.Features)
	}
	if m.Queries, err = queries(memory, d.Groups, d.Queries); err != nil {
		return nil, err
	}
	if d.QueryNames != nil && len(d.QueryNames) != len(m.Queries) {
		return nil, fmt.Errorf("%d names of %d queries", len(d.QueryNames), len(m.Queries))
	}
	for i, name := range d.QueryNames {
		m.Queries[i].ID = name
	}
	for _, v := range []struct {
		dst    *[]float64
		offset *int
	}{{&m.Labels, &d.Labels}, {&m.Weights, d.Weights}, {&m.InitialScores, d.Initial}} {
		if err := copyOf(v.dst, memory, v.offset, d.Rows); err != nil {
			return nil, err
		}
	}
	for _, l := range d.More {
		labels := dataset.Labels{Name: l.Name}
		if err := copyOf(&labels.Values, memory, &l.Values, d.Rows); err != nil {
			return nil, err
		}
		m.More = append(m.More, labels)
	}
	if err := copyOf(&m.Positions, memory, d.Positions, d.Rows); err != nil {
		return nil, err
	}
	if m.Positions != nil {
		m.PositionNames = d.PositionNames
	}
	if d.Pairs != nil {
		if m.Pairs, err = d.Pairs.of(memory, m); err != nil {
			return nil, err
		}
	}
	return m, m.Check()
}

// copyOf sets dst to a copy of the n numbers at an offset, unless the offset is nil.
func copyOf[T Number](dst *[]T, memory []byte, offset *int, n int) error {
	if offset == nil {
		return nil
	}
	numbers, err := Numbers[T](memory, *offset, n)
	*dst = slices.Clone(numbers)
	return err
}

// queries returns the queries whose numbers of rows are in memory.
func queries(memory []byte, offset, n int) ([]dataset.Query, error) {
	sizes, err := Numbers[int64](memory, offset, n)
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

// Number is an element type of arrays.
type Number interface {
	float64 | float32 | int64 | int32
}

// Numbers returns the n numbers at an offset of data, without copying them.
func Numbers[T Number](data []byte, offset, n int) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	switch {
	case offset < 0 || n < 0 || offset > len(data) || n > (len(data)-offset)/size:
		return nil, fmt.Errorf("%d numbers at byte %d are not in the %d bytes of shared memory", n, offset,
			len(data))
	case offset%size != 0:
		return nil, fmt.Errorf("numbers at byte %d are not aligned", offset)
	case n == 0:
		return nil, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[offset])), n), nil
}
