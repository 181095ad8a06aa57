// Package data opens ranking data in any form, and loads all that a training run needs.
//
// # Opening
//
// [Open] opens a file by its content: LETOR text, a table, which is CSV, TSV or Parquet, in one file or in a
// folder of parts, or arrays of another program. Text may be compressed by gzip or zstd, and "-" is standard
// input. The result is a [dataset.File]: it is read in parallel, as often as needed, and none of its
// values are kept.
//
//	2 qid:10 1:3 2:0.5 # docid = D7     LETOR text: label, query, features by number, perhaps a document
//	grade,qid,bm25,price                a table, whose first line may name the columns
//
// Columns of a table are chosen as in LightGBM, by name ("name:relevance" or "relevance") or by number from
// 0. The number of the label column counts all columns; other numbers do not count the label column. All
// other columns are features, numbered by their place without the label. Columns of queries and weights and
// ignored columns keep their numbers, as features that are zero in all rows. Data that is read for a model
// ([Options].Features) is matched to it by name. Companion files may be beside the data, with its name and
// an ending ([Companions]): .query, .weight, .init, .label2, .position, and XGBoost's .group and .base_margin.
//
// [Write] writes data in the same forms. [OpenScores] opens a table of documents that have scores already.
//
// # Loading
//
// [Load] reads training data and validation sets for boosted trees. The bins of the features are
// found in the training data, and all sets are binned by them; the columns of tables are matched to
// the training data's features by name. A set can also be binned data, which lambdamart bin or
// [Loader.Store] stored: it is mapped into memory and not read.
//
//	path ── Open ──► dataset.File ── histogram.Read, Sample.Bin ──► Set: Meta, Bins
//	     └─ binned data ------------------------------------------┘
//
// With [LoadOptions].QueryContext, rows get columns of query context as they are read, which are binned like
// others.
//
// An [Input] may be data in memory (dataset.FromRows, dataset.NewDense) and any other dataset.Source. [Each]
// opens the same sets for a caller that keeps values in a form of its own instead of bins, such as a neural
// network (nnbaseline.Read). A [Loader] loads one set at a time.
//
// What a user should know about the data, such as features that are ignored, is returned in
// [Set.Remarks]. Nothing is printed.
package data
