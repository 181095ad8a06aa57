// Package rows reads ranking data from text whose lines are rows, whatever their form, in parallel
// and in bounded memory. A form of text says what its lines are ([Lines]) and how a row is parsed
// ([Parser]); everything else is the same for all forms: cutting files into blocks at line ends,
// handing blocks to workers, joining what they found in the order of the data, companion files, and
// errors with a place.
//
// The text is cut into blocks of about a quarter of a mebibyte, which workers parse at the same
// time. Results do not depend on the number of workers or the size of blocks, and an error is the
// first one in the data.
//
// The way of the text:
//
//	file ─► blocks of lines ─► Parser: rows ─► Work ─┬─► found ─► Joiner: Meta
//	                                                 └─► Emit, in order
//
// A plain file has a table of its blocks, by which workers read at any place (chunk.go); all other
// input is read in one sequence.
package rows
