// Package datafile writes ranking data to files: LETOR text, CSV, TSV or Parquet, so that other programs
// read what this module computes, such as columns of query context.
//
//	letor      label qid:ID number:value … # docid = ID; zero values are left out
//	lightgbm   the same without query ids and comments: LightGBM reads queries from the companion .query
//	csv, tsv   a first line with names: label, qid, the features; a cell for every feature, NaN as nan
//	parquet    the same columns: qid is a text, the others are float64, and NaN is a value, not null
//
// Numbers of text have the fewest digits that read back to the same float64. Rows are in the order of the
// data, and memory does not depend on their number. [Companions] are files beside the data, for what the
// file does not hold.
package datafile
