// Package parquet reads and writes columns of numbers and texts in Parquet files, row after row, in memory
// that does not depend on the length of the file.
//
// It reads only what ranking data needs: columns directly under the root that are not repeated, with or
// without nulls. Other columns of a file are not read. Supported are:
//
//   - types: numbers of all types; decimals are scaled, unsigned integers are unsigned. Times (dates, times
//     of day, timestamps, durations) are texts, as ids and categories, and no numbers, which would depend on
//     the unit in which they are stored;
//   - encodings: plain, dictionary, run lengths, the three delta encodings, byte stream split;
//   - pages: versions 1 and 2;
//   - compression: none, snappy, gzip, zstd.
//
// It writes plain numbers and texts, compressed by zstd ([Writer]).
//
// Anything else in a file is an error that wraps [ErrUnsupported]; bytes that contradict the format are
// errors that wrap [ErrDamaged]. No input makes the package panic.
//
// The format is https://github.com/apache/parquet-format, release 2.11. Field numbers, constants and layouts
// are from parquet.thrift and the page Encodings.
//
// # Why not a library
//
// A library may replace this package if it passes the tests, is about as fast and does not triple the size of
// the program. Two were tried.
//
// github.com/parquet-go/parquet-go v0.32.0 is not safe. It returned wrong values without an error for three
// kinds of files: booleans in runs, which pyarrow writes in version 2 pages; LZ4 (its issue 608), for which
// this package returns an error; and pages with fewer values than their header states. Files of some hundred
// bytes made it allocate all memory, from which a Go program cannot recover: it trusts the lengths of runs
// and of lists in the footer, and does not bound a page while it is decompressed. testdata/generate.py makes
// such files.
//
// github.com/apache/arrow-go/v18 v18.8.0 is safe enough: it reads these files correctly or returns an error,
// gives the same values as this package for all files in testdata of package table, and reads LZ4 and Brotli
// too. But it is slower, uses several times the memory, triples the size of the program, and doubles the
// number of modules. bench/results/2026-11-24-parquet.md has the figures.
package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// File is an open Parquet file, as its footer describes it.
type File struct {
	Columns []Column   // under the root, in the order of the file
	Groups  []RowGroup // in row order
	in      io.ReaderAt
	size    int64
	memory  sync.Pool // *[]byte, for short-lived buffers: compressed pages, dictionaries
}

// Column is a column directly under the root.
type Column struct {
	Name      string
	Index     bool // the program that wrote the file calls it the index of a data frame
	Zoned     bool // the times are points in time, whose texts are those of UTC, not of the zone that was shown
	physical  physical
	width     int // of fixed-length values, bytes
	optional  bool
	unsigned  bool
	meaning   meaning
	unit      time.Duration // of a time of day, a timestamp or a duration
	precision int           // of a decimal
	scale     int           // of a decimal
	nested    bool          // repeated, or with columns of its own
}

// RowGroup is consecutive rows that are stored together.
type RowGroup struct {
	Rows   int64
	chunks map[string]chunk // by column
}

// chunk locates the values of a column in a row group.
type chunk struct {
	offset int64
	stored int64 // bytes, as the footer says
	codec  int32
}

// physical is the type in which values are stored.
type physical int32

const (
	boolean    physical = 0
	int32Type  physical = 1
	int64Type  physical = 2
	int96      physical = 3
	float      physical = 4
	double     physical = 5
	byteArray  physical = 6
	fixedArray physical = 7
)

func (p physical) String() string {
	names := []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY",
		"FIXED_LEN_BYTE_ARRAY"}
	if p >= 0 && int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("physical type %d", int32(p))
}

// Mark is the beginning and the end of a Parquet file.
const Mark = "PAR1"

// tail is the number of bytes after the footer: its length and the mark.
const tail = 8

// Open reads the footer of a file of the given size. The file must stay open while columns are read.
func Open(in io.ReaderAt, size int64) (*File, error) {
	var end [tail]byte
	if size < tail+4 {
		return nil, ErrNotParquet
	}
	if _, err := in.ReadAt(end[:], size-tail); err != nil && err != io.EOF {
		return nil, err
	}
	switch string(end[4:]) {
	case Mark:
	case "PARE":
		return nil, ErrEncrypted
	default:
		return nil, ErrNotParquet
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-tail-4 {
		return nil, fmt.Errorf("%w: a footer of %d bytes in a file of %d", ErrDamaged, length, size)
	}
	footer := make([]byte, length)
	if _, err := in.ReadAt(footer, size-tail-length); err != nil && err != io.EOF {
		return nil, err
	}
	f := &File{in: in, size: size}
	return f, f.readFooter(footer)
}

// Repetition types and converted types of parquet.thrift.
const (
	required = 0
	optional = 1
	repeated = 2

	convertedUTF8   = 0
	convertedUint8  = 11
	convertedUint64 = 14
)

// readFooter reads FileMetaData.
func (f *File) readFooter(footer []byte) error {
	t := &thrift{in: bufio.NewReader(bytes.NewReader(footer)), longest: len(footer)}
	var m fileMetaData
	if err := t.read(&m); err != nil {
		return err
	}
	for _, g := range m.Groups {
		group, err := groupOf(&g)
		if err != nil {
			return err
		}
		f.Groups = append(f.Groups, group)
	}
	if err := f.checkRows(); err != nil {
		return err
	}
	if err := f.findColumns(m.Schema); err != nil {
		return err
	}
	f.findNotes(m.Notes)
	return nil
}

// A file may have freeRows rows, and mostRows more for each of its bytes. Constant columns take less than
// this, but a file of nothing else would only keep its reader busy.
const (
	freeRows = 1 << 24
	mostRows = 256
)

func (f *File) checkRows() error {
	left := freeRows + mostRows*f.size
	for _, g := range f.Groups {
		if g.Rows < 0 {
			return fmt.Errorf("%w: a group of %d rows", ErrDamaged, g.Rows)
		}
		if g.Rows > left {
			return fmt.Errorf("%w: more than %d rows in a file of %d bytes", ErrDamaged, freeRows+mostRows*f.size,
				f.size)
		}
		left -= g.Rows
	}
	return nil
}

// groupOf returns a row group. Pages may be in another file, as for the file _metadata of a folder of parts;
// other files are not read. A chunk begins with its dictionary, if it has one.
func groupOf(g *rowGroup) (RowGroup, error) {
	group := RowGroup{Rows: g.Rows, chunks: map[string]chunk{}}
	for _, c := range g.Columns {
		if file := or(c.File, ""); file != "" {
			return group, fmt.Errorf("%w: it says that its columns are in %.100q; name that file, or its folder",
				ErrUnsupported, file)
		}
		if c.Meta == nil || len(c.Meta.Path) != 1 {
			continue
		}
		offset := c.Meta.Offset
		if dictionary := or(c.Meta.Dictionary, 0); dictionary > 0 && dictionary < offset {
			offset = dictionary
		}
		group.chunks[c.Meta.Path[0]] = chunk{offset: offset, stored: c.Meta.Stored, codec: c.Meta.Codec}
	}
	return group, nil
}

// findColumns finds the children of the root, schema[0].
func (f *File) findColumns(schema []schemaElement) error {
	if len(schema) == 0 {
		return fmt.Errorf("%w: no schema", ErrDamaged)
	}
	at := 1
	for range or(schema[0].Children, 0) {
		if at >= len(schema) {
			return fmt.Errorf("%w: the schema ends too early", ErrDamaged)
		}
		f.Columns = append(f.Columns, columnOf(&schema[at]))
		at = afterElement(schema, at)
	}
	return nil
}

func columnOf(e *schemaElement) Column {
	repetition := or(e.Repetition, required)
	c := Column{Name: e.Name, physical: physical(or(e.Type, -1)), width: int(or(e.Width, 0)),
		optional: repetition == optional, nested: repetition == repeated || or(e.Children, 0) > 0,
		scale: int(or(e.Scale, 0)), precision: int(or(e.Precision, 0))}
	if e.Logical != nil {
		c.setLogical(e.Logical)
	}
	c.setConverted(or(e.Converted, -1))
	return c
}

// afterElement returns the index of the element that follows element at and all its descendants.
func afterElement(schema []schemaElement, at int) int {
	for open := int64(1); open > 0 && at < len(schema); at++ {
		open += int64(or(schema[at].Children, 0)) - 1
	}
	return at
}

var (
	// ErrNotParquet means that a file does not begin or end as Parquet does.
	ErrNotParquet = errors.New("not a Parquet file: it lacks the mark PAR1")
	// ErrDamaged means that bytes contradict the format.
	ErrDamaged = errors.New("damaged Parquet")
	// ErrUnsupported means that a file uses what this package does not read.
	ErrUnsupported = errors.New("this Parquet is not supported")
	// ErrEncrypted means that a file is encrypted.
	ErrEncrypted = errors.New("encrypted Parquet is not supported")
)
