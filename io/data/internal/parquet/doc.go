// Package parquet reads columns of Parquet files, and writes such files: numbers and texts, in the order of
// rows, in memory that does not depend on the length of the file.
//
// It reads what ranking data needs and no more: columns directly under the root that are not
// repeated, with nulls or without. Other columns may be in the file; they are not read. In
// particular:
//
//   - physical types: all but INT96; decimals are scaled, unsigned integers are unsigned;
//   - encodings: plain, dictionary, run lengths, the three delta encodings, byte stream split;
//   - pages: versions 1 and 2;
//   - compression: none, snappy, gzip, zstd.
//
// It writes plain numbers and texts, compressed by zstd ([Writer]).
//
// Anything else in a file is an error that wraps [ErrUnsupported]; bytes that contradict the format are
// errors that wrap [ErrDamaged]. No input makes the package panic.
//
// The format is that of https://github.com/apache/parquet-format, release 2.11: field numbers,
// constants and layouts in this package are those of parquet.thrift and of its page Encodings.
//
// # Why not a library
//
// Two libraries were measured beside this package. A library that passes the tests of this package,
// is about as fast and does not triple the program may take its place.
//
// github.com/parquet-go/parquet-go v0.32.0 was refused because it is not safe. It returned wrong
// values without an error for three kinds of files: booleans in runs, which pyarrow writes in
// version 2 pages; LZ4 (its issue 608, which this package answers with an error); and pages that
// hold fewer values than their header says. Files of some hundred bytes made it take all memory,
// from which a Go program cannot recover: it believes the lengths of runs and of lists in the
// footer before it has seen what is in them, and does not bound a page while it is decompressed.
// testdata/generate.py makes such files.
//
// github.com/apache/arrow-go/v18 v18.8.0 is safe enough: it reads these files right or reports an
// error, gives the same values as this package for all files in testdata of package table, and
// reads LZ4 and Brotli too. It was refused because it is slower and heavy. Processor time to read
// all 138 columns of 953,376 MSLR-shaped rows (pyarrow 26.0.1, go1.26.8, two cores of an AMD EPYC
// that did other work too, least of four runs), and the largest memory of the process:
//
//	                                     this package     arrow-go, column      arrow-go, record
//	                                                      chunk readers         batches of 61,000 rows
//	snappy, dictionaries (285 MB)        .58 s   47 MB    1.01 s   105 MB       1.72 s   1,271 MB
//	the same, 50,000 rows a row group    .54 s   42 MB    1.56 s    91 MB       1.87 s     558 MB
//	zstd, dictionaries (249 MB)          .86 s   62 MB    1.16 s    99 MB       2.02 s   1,240 MB
//	no compression, plain (1,053 MB)     .52 s   30 MB     .70 s    99 MB       2.03 s   2,401 MB
//
// (Package table, which makes rows of the columns, takes .86, .76, 1.19 and .76 s and 168 to 311 MB
// for the same files.) Calls of its column readers for all types of columns make lambdamart 34.1
// instead of 10.9 MB large (-trimpath -ldflags='-s -w'), with 22 modules instead of 11. Of 60,000
// files of 400 to 700 bytes with one to four changed bytes, 201 made it panic, and one made it
// allocate 704 MiB; none does so to this package.
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
