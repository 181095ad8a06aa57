// Package parquet reads columns of Parquet files: numbers and texts, in the order
// of rows, in memory that does not depend on the length of the file.
//
// It reads what ranking data needs and no more: columns directly under the root
// that are not repeated, null or not. Other columns may be in the file; they are
// not looked at. In particular:
//
//   - physical types: all but INT96; decimals are scaled, unsigned integers are unsigned;
//   - encodings: plain, dictionary, run lengths, the three delta encodings, byte
//     stream split;
//   - pages: versions 1 and 2;
//   - compression: none, snappy, gzip, zstd.
//
// Anything else is an error that wraps [ErrUnsupported]; bytes that contradict
// the format are errors that wrap [ErrDamaged]. No input makes the package panic.
//
// The format is that of https://github.com/apache/parquet-format, release 2.11:
// field numbers, constants and layouts below are those of parquet.thrift and
// of its page Encodings.
//
// # Why not a library
//
// A reader over github.com/parquet-go/parquet-go v0.32.0 was written and measured
// against this one, and refused. It returned wrong values without an error for
// three kinds of files: booleans in runs, which pyarrow writes in version 2 pages;
// LZ4 (its issue 608, which this package answers with an error); and pages that
// hold fewer values than their header says. Files of some hundred bytes made it
// take all memory, from which a Go program cannot recover: it believes the lengths
// of runs and of lists in the footer before it has seen what is in them, and does
// not bound a page while it is decompressed. testdata/generate.py makes such files;
// a library that passes the tests of this package may take its place.
package parquet

import "errors"

var (
	// ErrNotParquet says that a file does not begin or end as Parquet does.
	ErrNotParquet = errors.New("not a Parquet file: it lacks the mark PAR1")
	// ErrDamaged says that bytes contradict the format.
	ErrDamaged = errors.New("damaged Parquet")
	// ErrUnsupported says that a file uses what this package does not read.
	ErrUnsupported = errors.New("this Parquet is not supported")
	// ErrEncrypted says that a file is encrypted.
	ErrEncrypted = errors.New("encrypted Parquet is not supported")
)
