// Package binsum sums the gradients and the Hessians of rows by the bins of their features, which takes
// most of the time of training.
//
// It is separate from package histogram because it changes as training gets faster, while package histogram
// is public, and files depend on its layout. It reads the bytes of a matrix in place ([Of]), and copies them
// where copies are faster ([Rows.Gather], [Batch]).
//
// # From rows to histograms
//
// Each row has one integer, its gradient and Hessian packed together ([Sum.Pack]). They are added
// up for the rows of a leaf, a few bytes of a row at a time ([Part]), mostly eight:
//
//	values  one packed sum for each row
//	rows    the numbers of the rows of a leaf
//
//	            part 0             part 1
//	row   0  b0 b1 b2 … b7     b8 b9 b10 … b15
//	row   1  b0 b1 b2 … b7     b8 b9 b10 … b15    Rows: a stride of bytes for each row
//	  …
//	             │ Take               │ Take         copies some hundred rows to a Batch
//	             │ Build              │ Build        adds values[row] to tiles[i][byte i of the part]
//	             ▼                    ▼
//	         ┌───────┐            ┌───────┐
//	         │ Tiles │            │ Tiles │          8 × 256 sums of 8 bytes: 16 KB: a first-
//	         └───────┘            └───────┘          level cache holds them
//	             │ store              │ store        one entry for each bin; bytes that several
//	             ▼                    ▼              columns share are taken apart
//	[ column 0 │ column 1 │ column 2 │ … ]           Histogram: the sums of one leaf
//
// The histogram of a leaf's second child needs no rows: it is the histogram of the leaf minus the histogram
// of the first child ([Rows.storeBoth]).
//
// # Exactness
//
// The values are integers on a common scale (package exact), so the order of addition cannot change a sum.
// Any number of workers gives the same histogram, subtraction is exact, and processes with different rows
// may add up their histograms in any order.
//
// For every kernel, a plain loop in the package or in its test defines what it computes. On amd64, Take,
// Build and storeBoth are in assembly, which is written by the program in _generate, a separate module.
package binsum

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg binsum
