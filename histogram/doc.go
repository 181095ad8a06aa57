// Package histogram turns feature values into bins, and bins into sums.
//
// The way of the data: a sample of rows ([dataset.Source]) → the values of each
// feature, sorted → upper bounds of at most max_bin bins ([Read]) → a matrix of at
// most one byte a row and column ([Sample.Bin]; [Mapper.Bin] for other data) → for
// the rows of a leaf, the sums of gradients and Hessians in each bin
// ([Matrix.Build]).
//
// # Bins
//
// A feature with upper bounds u[0] < u[1] < … < u[k-1] = +Inf has k bins, and a
// value x lies in the first bin b with x <= u[b]. A split "x <= u[b]" of a model
// therefore sends a row the same way as "bin <= b" does while training. Bounds
// are LightGBM's: the midpoint of two neighbouring sample values, moved up to
// the next float64, so that a midpoint that is itself a value lies left. Zero
// has a bin of its own, from -1e-35 to 1e-35, where the sample has values below
// and above it.
//
// # Missing values
//
// What is missing is decided for each feature, from the sample, by LightGBM's rules
// ([BinParams].Missing says which):
//
//	MissingNaN   a feature that has NaN and other values in the sample has one bin
//	             more for NaN, its last; the others share at most max_bin - 1
//	MissingZero  NaN and zero share the bin of zero, if the feature has three bins
//	             or more
//	MissingNone  in all other features NaN counts as 0
//
// A feature without NaN in the sample takes NaN for 0, whatever other rows hold:
// a model does the same when it scores. [Matrix.NaNs] counts them.
//
// Where zeros are missing, and the sample of a feature has no value on one side of
// zero, the bin of zero has that side too: a value there that the sample did not
// show is binned as missing, though a model compares it. LightGBM does the same.
//
// # Sums
//
// Gradients and Hessians are integers on a common scale (internal/fixed), and
// so a histogram does not depend on the order in which rows are added: any
// number of workers gives the same one, and a leaf's histogram is its parent's
// less its sibling's without rounding.
package histogram
