// Package binsum sums the gradients and the Hessians of rows by the bins of their features: the
// part of training that takes most of its time.
//
// Package histogram finds bins and holds the binned matrix, and both are public. How the engine sums
// over that matrix is an implementation detail, which changes as the engine gets faster, so it is
// internal. It is not below package booster, because whatever adds up histograms of several
// processes needs these types as well. The bytes of the matrix are read in place ([Of]) and copied
// only where copies make training faster ([Rows.Gather]).
//
// # From rows to histograms
//
// Each row has one integer, its gradient and Hessian packed together ([Sum.Pack]). They are added
// up for the rows of a leaf, a group of [histogram.GroupSize] bytes of a row at a time:
//
//	values  one packed sum for each row
//	rows    the numbers of the rows of a leaf
//
//	            group 0            group 1
//	row   0  b0 b1 b2 … b7     b8 b9 b10 … b15
//	row   1  b0 b1 b2 … b7     b8 b9 b10 … b15    Rows: a stride of bytes for each row
//	  …
//	             │ Build              │ Build        adds values[row] to tile[i][byte i of the group]
//	             ▼                    ▼
//	          ┌──────┐             ┌──────┐
//	          │ Tile │             │ Tile │          8 × 256 sums of 8 bytes: 16 KB, which a
//	          └──────┘             └──────┘          first-level cache holds
//	             │ Store              │ Store        one entry for each bin; bytes that several
//	             ▼                    ▼              columns share are taken apart
//	[ column 0 │ column 1 │ column 2 │ … ]           Histogram: the sums of one leaf
//
// The histogram of a leaf's second child needs no rows: it is that of the leaf less that of the
// first child ([Rows.StoreBoth]).
//
// # Exactness
//
// The values are integers on a common scale (package fixed), so that the order of addition cannot
// change a sum. Any number of workers gives the same histogram, a subtraction is exact, and
// processes that hold different rows may add their histograms up in any order.
//
// Every kernel has a plain loop beside it, or in its test, that says what it computes. On amd64 Build
// and StoreBoth are in assembly, which the program in _generate, a module of its own, writes.
package binsum

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg binsum
