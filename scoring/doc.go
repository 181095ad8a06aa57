// Package scoring computes the output of a model for every row of ranking data: its score, the leaf that it
// reaches in each tree, or the contribution of each feature to the score.
//
// Data is read once. Goroutines parse blocks of rows, collect some hundreds of rows in a dense
// matrix, since models score many rows faster than one, and compute the numbers of the block;
// blocks are handed out in the order of the data:
//
//	blocks of rows → dense batches → numbers → emit, or lines of text
//	    (parallel, in any order)              (one at a time, in order)
//
// Results do not depend on the number of goroutines.
//
// If features of the model are query context, they are computed from all rows of each query, which must
// follow each other then. Data without queries is an error, and [Output.All] reads the data twice.
//
// Feature n of the data is feature n of the model. A feature that the data lacks counts as zero, and one that
// the model does not know is ignored; the [Summary] of a pass has the largest feature number of each. Tables
// are matched to a model by the names of their columns when they are opened.
package scoring
