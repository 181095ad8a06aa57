// Package trec reads and writes the two formats of the Text REtrieval Conference:
// runs, which say what a system ranked, and qrels, which say what is relevant.
//
// A line is divided by blanks (spaces or tabs) into exactly
//
//	query Q0 document rank score tag     in a run
//	query iteration document relevance   in qrels
//
// Queries, documents and tags are any words without blanks. Blank lines are
// passed over; a line may end with CR LF. As in trec_eval, the order of a query's
// documents is that of their scores: Q0, the rank and the iteration are read past,
// whatever they are. Scores and relevance are finite decimal numbers. Relevance
// may have a fraction, and may be negative (a document found to be spam, or in
// the pool and not judged), for the convention of the metric to judge.
//
// A document that comes twice in a query is an error, as it is in trec_eval.
// [ReadRun] and [ReadQrels] take lines in any order; [StreamRun] holds one query
// in memory and takes queries whose lines follow each other.
package trec
