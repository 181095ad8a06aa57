// Package data opens ranking data in any form, and loads all that one training needs.
//
// # Opening
//
// [Open] opens a file by its content: LETOR text (package letor), or a table, which is CSV, TSV or
// Parquet, in one file or in a folder of parts (package table). Text may be compressed by gzip or
// zstd, and "-" is standard input. What comes back is a [dataset.File]: it is read in parallel, as
// often as needed, and none of its values are kept.
//
// # Loading
//
// [Load] reads training data and validation sets for boosted trees. The bins of the features are
// found in the training data, and all sets are binned by them; the columns of tables are matched to
// the training data's features by name. A set can also be binned data, which lambdamart bin or
// [Loader.Binned] stored: it is mapped into memory and not read (package binned).
//
//	path ── Open ──► dataset.File ── histogram.Read, Sample.Bin ──► Set: Meta, Bins
//	     └─ binned.Open ──────────────────────────────────────────┘
//
// With [LoadOptions].Context, rows get columns of query context as they are read (package
// internal/widened), which are binned like others.
//
// [Bin] does the same for data in memory (dataset.FromRows, dataset.NewDense) and for any other
// dataset.Source. [Each] opens the same sets for a caller that keeps values in a form of its own
// instead of bins, such as a neural network (nnbaseline.Read). A [Loader] loads one set at a time.
//
// What a user should know about the data, such as features that are ignored, is returned in
// [Set.Remarks]. Nothing is printed.
package data
