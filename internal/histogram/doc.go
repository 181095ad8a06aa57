// Package histogram finds the bins of features and holds data as a matrix of bin numbers.
//
// Trees are not trained on feature values but on bins: adjacent ranges of values, usually at most 255 for
// each feature. A bin number takes one byte instead of eight, and a split is searched among 255 boundaries
// instead of all values. [Read] finds the bins from a sample of the data, [Sample.Bin] bins the data itself,
// and [Mapper.Bin] bins other data, such as a validation set, with the same bins:
//
//	dataset.Source ── Read ──▶ Sample ── Sample.Bin ──▶ Matrix     training data
//	                             │
//	                           Mapper ── Mapper.Bin ──▶ Matrix     other data
//
// Package io/data/internal/binned stores a [Matrix] in a file and maps it back into memory.
//
// # Bins
//
// A feature with the upper bounds u[0] < u[1] < … < u[k-1] = +Inf has k bins. A value x lies in the
// first bin b with x <= u[b]:
//
//	bin        0        1        2           k-1
//	       --------┤--------┤--------┤ … ├---------
//	              u[0]     u[1]     u[2]        +Inf
//
// The split "x <= u[b]" of a model therefore sends a row to the same side as "bin <= b" did in training.
//
// # How bins are found
//
// The rule is LightGBM's, and the same sample gives the same numbers:
//
//   - Bins are found from a sample of [BinParams].SampleCount rows, chosen by a hash of the row's
//     number, or from all rows if there are no more.
//   - A bound is the midpoint of two neighboring sampled values, moved up to the next float64, so
//     that a midpoint that is itself a value lies to the left.
//   - Zero has its own bin, from -1e-35 to 1e-35, if there are sampled values on both sides of it. If
//     there are none on one side, the bin of zero includes that side. Negative and positive values
//     share the other bins in proportion to their numbers of rows.
//   - If there are no more distinct values than bins, each value has a bin, or shares it with the next
//     values until the bin holds BinParams.MinDataInBin rows.
//   - Otherwise, bins hold about equally many rows. A value with more rows than that is the last one
//     of its bin.
//
// A feature whose sampled values all lie in one bin is constant ([FeatureBins.Constant]): no split
// can use it, and a [Matrix] has no column for it.
//
// # Missing values
//
// LightGBM's rules decide from the sample which values of a feature are missing. [BinParams].Missing
// selects the values that may be:
//
//	MissingNaN    A feature with NaN and other values in the sample has one bin more, its last,
//	              for NaN. The other values share at most MaxBin-1 bins.
//	MissingZero   NaN and zero share the bin of zero, if the feature has three bins or more.
//	MissingNone   No value is missing: NaN counts as 0.
//
// If the sample of a feature has no NaN, NaN counts as 0 in all rows, and a model treats it the same way when
// it scores. [Matrix.NaNs] counts such rows, so that a program can warn.
//
// If zeros are missing, and the sample of a feature has no value on one side of zero, the bin of zero
// includes that side. A value there that is not in the sample is then binned as missing, although a model
// compares it with thresholds. LightGBM does the same.
//
// # The binned matrix
//
// A [Matrix] has a column for each feature that is not constant, in ascending order of feature numbers. It is
// stored row by row. A row takes [Matrix.Stride] bytes: at most one for each column of 256 bins or fewer, two
// for each wider column, and zeros up to a whole number of groups of [GroupSize] bytes, so that a program can
// load eight bins at once.
//
//	           group 0                           group 1
//	byte       0    1    2    3    …    7        8    9    10   …    15
//	row 0    │ c0 │ c1 │ c2 │ c3 │ … │ c7 │    │ c8 │ c9 │ 0  │ … │ 0  │
//	row 1    │ c0 │ c1 │ c2 │ c3 │ … │ c7 │    │ c8 │ c9 │ 0  │ … │ 0  │
//	          └-------------------- stride: 16 bytes -----------------┘
//
// A column with few bins does not need a whole byte. If sharing bytes makes rows shorter by at least one
// group, a byte holds several columns; [Matrix.Field] locates each column:
//
//	bit        7   6   5   4   3   2   1   0
//	byte 5   │ 0 │    c9     │      c0       │    c0: Field{At: 5, Shift: 0, Mask: 15}, 9 to 16 bins
//	                                              c9: Field{At: 5, Shift: 4, Mask: 7},  5 to 8 bins
//
// A column with more than 256 bins has two bytes, the lower one first. All such columns come last, in their
// own groups, and do not affect the other columns.
//
// If rows would be long and nearly all rows of a column have the bin of 0, the column is sparse: it has no
// byte in a row, and only its other bins are stored, in four bytes each (see [SparseRows]). So data with many
// features takes memory only for nonzero values, and the bins are the same.
//
// [Matrix.At] reads one bin. Code that reads many bins uses the bytes of [Matrix.Row] or [Matrix.Raw], and
// the fields of the columns that it needs. The layout depends only on the bins of the features and on which
// of them are sparse. Files rely on it: io/data/internal/binned describes it in full.
//
// # Gradients are summed elsewhere
//
// A tree trainer sums gradients by bin, and these sums are the histograms that this package is named for. How
// they are summed is a detail of the trainer, which changes as it gets faster, so it is in an internal
// package. That package reads the matrix through [Matrix.Raw] and [Matrix.Field].
package histogram
