// Package significance tests whether the difference between two rankers could be chance.
//
// Both rankers are judged by one metric on the same queries, so that values come in pairs, one pair
// a query. All tests are two-sided and paired: they take the differences b - a and compute how
// probable a difference at least as large would be if the rankers were equally good:
//
//   - [Sample.StudentT]: the mean, if differences were normal (Student, The probable error of a mean,
//     Biometrika 6, 1908). Robust for some tens of queries.
//   - [Sample.Randomization]: the mean, without an assumption about the distribution: if the rankers are
//     equally good, the two values of each query may be exchanged (R. A. Fisher, The Design of
//     Experiments, 1935). Recommended for retrieval by M. D. Smucker, J. Allan and B. Carterette, A
//     comparison of statistical significance tests for information retrieval evaluation, CIKM 2007.
//   - [Sample.Wilcoxon]: ranks of the differences instead of their sizes (F. Wilcoxon, Individual
//     comparisons by ranking methods, Biometrics Bulletin 1, 1945).
//
// [Sample] holds the values with the weights of the queries, and computes means, confidence intervals
// ([Sample.Interval]) and these tests; [Compare] does all of this for one pair of rankers. [Holm] corrects
// the probabilities of several comparisons, and [Shaffer] those of all pairs of some rankers.
//
// Random draws are keyed by the seed, the trial and the query: the same seed gives the same
// figures, for any number of workers.
package significance
