// Package scored reads documents that some system has scored already from tables: CSV, TSV and
// Parquet. A row is a document, and three columns of it count, or four: its query, its target (the relevance
// grade), its score, and its weight, which the companion .weight may have instead. Package evaluate
// judges such rows. They are read in memory that does not depend on the length of the table.
//
// Files, folders of parts and their forms are those of package table, which reads tables with
// features. Text is read by encoding/csv. The first line names the columns; each part of a folder
// has its own first line, and so its columns may be in another order than those of other parts.
//
// An empty or blank cell, "null", and a null of Parquet are missing. A missing target or score is
// NaN in a [Batch], as is one that is NaN in the table, and a batch counts the two kinds
// separately. A missing query and an infinite target are errors. Infinite scores are scores.
//
// The rows of a query need not follow each other.
package scored
