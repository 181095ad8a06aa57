// Package explain explains why a model of trees ranks documents as it does, and which features matter to it.
//
// [Load] reads the documents of one query, or of a sample of the queries, with all their values. Then:
//
//	one query    Query: its documents by rank, what lifts each above the mean of the query, and which
//	             misplaced pairs and features cost the query its nDCG
//	two of them  Pair: what puts one above the other, and the smallest change of one feature that swaps them
//	all          Report.Overview: what nDCG loses if the values of a feature are permuted, what queries lose,
//	             and how scores depend on features, alone and in pairs
//
// All explanations are based on the contributions of features to scores, which are Shapley values
// ([tree.Ensemble.Contributions]). Contributions to a score compare a document with all training rows. A
// ranking compares documents of one query, so contributions are shown minus their mean over the query: they
// sum to the score minus the mean score.
package explain
