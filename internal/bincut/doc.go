// Package bincut finds the cut of a column that gains most: the bin up to which the rows of a leaf go left.
// It searches the sums of package binsum.
//
// # Gains
//
// Let G and H be the sums of gradients and Hessians of all rows of the leaf, GL and HL the sums of the rows
// that go left, GR and HR the sums of the others, and T(G) the gradient shrunk toward zero by λ1. A cut
// gains half of
//
//	T(GL)²/(HL+λ2) + T(GR)²/(HR+λ2) - T(G)²/(H+λ2)
//
// (Chen and Guestrin, XGBoost, KDD 2016, eq. 7, with an L1 term). The first two terms are computed with
// one division,
//
//	(T(GL)²·(HR+λ2) + T(GR)²·(HL+λ2)) / ((HL+λ2)·(HR+λ2))
//
// and each operation is rounded separately. The sums are exact, because they are integers.
//
// # Order
//
// If gains are equal the larger bin is kept, as in LightGBM, so that thresholds lie at the same end of a
// range of empty bins. There are two implementations, which go over the bins from the right:
//
//		bins    0    1    2  …  b-1 │ b  …  254
//		       └── rest: goes left ─┘ └─ right: goes right ─┘    the cut after bin b-1
//
//	  - A loop in Go visits the bins one by one. An empty bin repeats the gain of its right neighbor and is
//	    skipped, unless rows are counted.
//	  - Kernels for AVX-512 and AVX2 process 8 or 4 bins at a time, empty or not. Each lane keeps the best
//	    of its own bins; in the end the best lane is kept and, if lanes are equal, the one of the larger bin.
//
// Both give the same bits. The program in _generate, a module of its own, writes
// kernel_amd64.s and kernel_amd64.go.
//
// # Missing values
//
// A column with missing values has one bin for them (package histogram), and each of its cuts sends them to
// one of the sides. Both sides are tried, by the rules and in the order of LightGBM
// (FeatureHistogram::FindBestThresholdSequentially):
//
//   - First missing values go left. If gains are equal the larger bin is kept, as in columns without
//     missing values. Then they go right, and the smaller bin is kept: here LightGBM scans from the
//     other end, and also keeps the first bin.
//   - If both sides gain the same, missing values go left. This includes leaves in which nothing is
//     missing, where the data does not show to which side later missing values should go.
//   - Only bins of values are thresholds. Where NaN is missing, the last of them has the threshold
//     +Inf, which separates missing values from all others. Missing zeros are not separated from
//     negative and positive values together.
//
// Two things differ from LightGBM 4.7. Gains are computed from integer sums and do not depend on the
// direction of a scan; in LightGBM, rounding can make one of two equal gains the larger one. And
// where zeros are missing and 70 % or more of the values share the lowest bin, LightGBM leaves that
// bin out while zeros are on the right, and misses splits; here it is included.
//
// Leaves and columns without missing values are searched as if there were none.
package bincut

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg bincut
