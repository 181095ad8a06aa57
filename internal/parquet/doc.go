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
// Encodings.md there.
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
