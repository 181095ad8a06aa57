// Package evaluate judges rankings, and compares them query by query.
//
// A [Ranking] is a system's scores of documents whose relevance is known. It is read from one of several
// sources, and any number of metrics judge it in one pass:
//
//	FromRows       queries, grades and scores in memory, rows in any order
//	FromScores     data in memory and a score for each row
//	FromModel      data and a model that scores it
//	FromScoreFile  data and a file with a score on each line
//	FromTable      a table with a query, a target and a score in each row
//	FromRun        a file with a TREC run, and qrels
//
// [Judge] returns a [Judgment] of the ranking of one system, and [Compare] a [Comparison] of several systems.
// Package metric has the metrics, and the conventions by which the numbers of tools differ.
//
// # Gaps
//
// Real rankings have gaps. Each kind of gap has one rule, and [Anomalies] counts how often it was applied:
//
//   - A document without a score, or whose score is NaN, is judged but not ranked: it counts in the
//     ideal ranking and among the relevant documents, and has no rank.
//   - A document without a grade, or whose grade is NaN, or that the qrels lack, has grade 0.
//   - A query of the qrels that the run lacks is a ranking without documents, or is left out
//     ([Qrels]). A query of the run that the qrels lack is left out.
//   - A document that occurs twice in a query of a run or of qrels is an error.
//   - Rows may come in any order. If the rows of a query are not consecutive, they are sorted in memory.
//
// # Memory
//
// Rankings are read as streams. Memory holds the largest query, a few numbers for each query and a part of
// the rows; it does not grow with the number of rows. There are exceptions: for data whose rows have weights
// and data that cannot be streamed, all labels and scores are in memory, and so is a whole run in which the
// lines of a query are not consecutive.
//
// # Reproducibility
//
// Results are the same to the last bit for every number of workers, and whether rows had to be
// sorted or not. Means are summed in the order in which queries first occur, so another order of queries may
// change the last bits of a mean, but not the value of a query.
package evaluate
