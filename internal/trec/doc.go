// Package trec reads and writes the two text formats of the Text REtrieval Conference: runs, which
// are the rankings of a system, and qrels, which are relevance judgments.
//
// A line is divided by blanks (spaces or tabs) into exactly
//
//	query Q0 document rank score tag     in a run
//	query iteration document relevance   in qrels
//
// Queries, documents and tags are any words without blanks. Blank lines are skipped; a line may end
// with CR LF. As in trec_eval, scores alone order the documents of a query: Q0, the rank and the
// iteration may be any words and are ignored. Scores and relevance are finite decimal numbers.
// Relevance may have a fraction, and may be negative (a document that is spam, or that is in the
// pool but was not judged); the convention of the metric defines what that means.
//
// A document that occurs twice in a query is an error, as in trec_eval. [ReadRun] and [ReadQrels]
// accept lines in any order. [StreamRun] keeps one query in memory and requires that the lines of a
// query follow each other.
package trec
