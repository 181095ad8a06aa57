// Package table reads ranking data with features from tables: CSV, TSV and Parquet. A row is a
// judged document.
//
// Rows are parsed in parallel, and values are not kept. Package data reads tables of documents that have been
// scored already, to evaluate the scores.
//
// # Files
//
// A path is a file, or a folder of parts as Spark writes it: all files in it are read in the order
// of their names, except those whose names begin with "_" or "." (_SUCCESS, _metadata, checksums).
// A folder within the folder is an error, and so is the folder of a table whose log says which rows of its
// files are current, such as Delta and Iceberg tables. Parts have the same columns in the same order. "-" is
// standard input.
//
// A file that begins with PAR1 is Parquet; package parquet documents which features of Parquet are supported.
// Others are text, which may be compressed with gzip or zstd; [Format] documents how CSV is
// distinguished from TSV. Options.Format overrides both.
//
// # Text
//
// CSV is as in RFC 4180. Cells have commas between them and may be in double quotes, within which
// two double quotes stand for one, and line ends and commas are text. A quote elsewhere is an
// error. Blanks around a cell are ignored. Lines may end in CR LF; a UTF-8 byte order mark is
// skipped; lines with nothing but blanks (in CSV also tabs) are not rows. TSV is the same with tabs. Every
// row has as many cells as the first line. A row with quotes has at most 64 MiB; there is no other limit.
//
// The first line may name the columns ([Header]). Every part of a folder has its own first line, or
// is empty. A name is unique; a blank within it becomes "_", as in LightGBM. A column without a
// name cannot be a feature.
//
// # Columns
//
// Columns are chosen as in LightGBM: by name, "name:relevance", or by number from 0. The number of
// the label's column counts all columns; other numbers leave out the label's. A name without
// "name:" is accepted too, unless it is a number. The label is the first column if none is chosen.
//
// All columns but the label's are features, numbered by their place without it. The columns of
// queries and weights, and those that are ignored, keep their numbers: they are features that are
// zero in all rows, so that models have LightGBM's numbers for the same file.
//
// Data that is read for a model ([Options.Model]) is matched to it by the names of features,
// wherever their columns are. Columns that the model does not use are not read, and one that it
// uses and the table lacks is an error. Where table or model has no names (they are "Column_0",
// "Column_1", ...), the places decide, and the numbers of features must be equal.
//
// What is known to be the index of a pandas data frame, by the notes of a Parquet file or by its name, is not
// a feature unless it is chosen.
//
// Query ids are any texts that are not empty and not "null", and in Parquet also integers, times, and whole
// numbers of other types, which are their digits. The rows of a query follow each other. If no column is
// chosen, the one that is named qid, query_id, query or srch_id, in any case, has the query ids. Without a
// column of queries the companion .query has the number of rows of each; a column of such a name is ignored
// then. Companions have weights, initial scores, further labels and positions (rows.Companions). A folder has
// its companions beside it, under its own name. A column of queries or weights that is chosen takes
// precedence over a companion.
//
// # Numbers
//
// Labels, weights and values are decimal numbers, converted to the nearest float64, or true and false,
// which are 1 and 0; Parquet has them as floats, integers, booleans or decimals, and the categories of a
// feature also as texts. A null of Parquet, an empty cell, and one of LightGBM's words "na", "nan" and
// "null" in any case are missing values, NaN, unless a model has the word among a feature's texts.
// (LightGBM reads an empty last cell of a line as zero, and infinity as 1e308.) A missing label or weight
// is an error. An infinite value is an error except in a feature that is only compared
// ([dataset.Features.Infinite]).
//
// # Assembly
//
// On CPUs with AVX-512 (VBMI2), assembly reads the cells of text, up to eight at a time, and leaves cells
// that are not plain decimal numbers to Go. The program in ../_generate, a module of its own, writes
// kernel_amd64.s and kernel_amd64.go.
package table

//go:generate go run -C ../_generate . -out ../table/kernel_amd64.s -stubs ../table/kernel_amd64.go -pkg table
