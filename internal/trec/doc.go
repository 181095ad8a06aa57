// Package trec reads and writes the two text formats of the Text REtrieval Conference: runs, which are the
// rankings of a system, and qrels, which are relevance judgments.
//
// A line has the following fields, separated by blanks (spaces or tabs):
//
//	query Q0 document rank score tag     in a run
//	query iteration document relevance   in qrels
//
// Queries, documents and tags are any words without blanks. Blank lines are skipped, and so are comments,
// which begin with a number sign; a line may end with CR LF. As in trec_eval, only scores order the
// documents of a query: Q0, the rank and the iteration may be any words and are ignored. Scores and
// relevance are finite decimal numbers; a score may also be NaN, for a document that is not ranked.
// Relevance may be fractional, and may be negative, for example for spam or for a document that is in the
// pool but was not judged; the convention of the metric defines what that means.
//
// A document that occurs twice in a query is an error, as in trec_eval. [ReadRun] and [ReadQrels] accept
// lines in any order. [StreamRun] keeps one query in memory and requires the lines of a query to be
// consecutive.
package trec
