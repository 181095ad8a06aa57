// Package textfile writes ranking data as text: LETOR text, CSV or TSV, so that other programs read what
// this module computes, such as columns of query context.
//
//	letor      label qid:ID number:value … # docid = ID; zero values are left out
//	lightgbm   the same without query ids and comments: LightGBM reads queries from the companion .query
//	csv, tsv   a first line with names: label, qid, the features; a cell for every feature, NaN as nan
//
// Numbers have the fewest digits that read back to the same float64. Rows are in the order of the data,
// and memory does not depend on their number. [Companions] are files beside the text, for what the text
// does not hold.
package textfile
