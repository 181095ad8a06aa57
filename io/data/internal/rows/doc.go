// Package rows reads ranking data from text formats whose lines are rows, in parallel and in bounded memory.
// A format defines its lines ([Lines]) and parses a row ([Parser]). Everything else is the same
// for all formats: cutting files into blocks at line ends, handing blocks to workers, joining the results in
// the order of the data, companion files, and errors with line and column.
//
// The text is cut into blocks of about a quarter of a mebibyte, which workers parse at the same
// time. Results do not depend on the number of workers or the size of blocks, and an error is the
// first one in the data.
//
// This is how text becomes rows:
//
//	file ─► blocks of lines ─► Parser: rows ─► Work ─┬─► found ─► Joiner: Meta
//	                                                 └─► Emit, in order
//
// A plain file has a table of its blocks, by which workers read at any place (chunk.go); all other
// input is read in one sequence.
package rows
