// Package parquet reads and writes columns of numbers and texts in Parquet files, row after row, in memory
// that does not depend on the length of the file.
//
// It reads only what ranking data needs: columns directly under the root that are not repeated, with or
// without nulls. Other columns of a file are not read. Supported are:
//
//   - types: numbers of all types; decimals are scaled, unsigned integers are unsigned. Times (dates, times of
//     day, timestamps, durations) are texts, as ids and categories, and no numbers, which would depend on the
//     unit in which they are stored;
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

import "errors"

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
