// Package table reads ranked and judged documents from tables: CSV, TSV and
// Parquet, in memory that does not depend on the length of the table.
//
// A row is a document. Three columns count, chosen by name: the query that it
// answers (integers or texts), its target, that is the relevance grade, and the
// score that ranks it. Other columns may be there and are not looked at.
//
// # Files
//
// A path is a file, or a folder of parts as Spark writes it: all files in it are
// read in the order of their names, except those whose names begin with "_" or
// "." (_SUCCESS, _metadata, checksums). A folder within the folder is an error.
// "-" is standard input.
//
// A file that begins with PAR1 is Parquet; internal/parquet says what of it is
// read. Others are text, perhaps compressed by gzip or zstd: TSV if the name, less
// .gz or .zst, ends in .tsv or .tab, and CSV otherwise. [Options.Format] overrules
// the name.
//
// # Text
//
// CSV is that of RFC 4180 as encoding/csv reads it: the first line names the
// columns; cells have commas between them and may be in double quotes. Lines may
// end in CR LF; a UTF-8 byte order mark is skipped; blank lines are not rows. TSV
// is the same with tabs. Every part of a folder has its own first line, or nothing.
//
// # Missing values
//
// A null of Parquet, and a cell that is empty, blank or "null", is missing. A
// missing target or score is NaN in a [Batch]; so is one that is NaN itself. Batches
// count the two apart. A row without a query is an error, and so is an infinite
// target. Infinite scores are scores.
package table
