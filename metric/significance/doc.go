// Package significance tells whether the difference between two rankers is real.
//
// Both rankers are judged by one metric on the same queries, so that values come
// in pairs, one pair a query. All tests are two-sided, take the differences
// b - a of the pairs, and ask how probable a difference at least as large would
// be if the names of the two rankers meant nothing:
//
//   - [StudentT]: the mean, if differences were normal (Student, The probable
//     error of a mean, Biometrika 6, 1908). Robust for some tens of queries.
//   - [Randomization]: the mean, with no assumption: in every query the two
//     values might as well be exchanged (R. A. Fisher, The Design of Experiments,
//     1935). Recommended for retrieval by M. D. Smucker, J. Allan and B.
//     Carterette, A comparison of statistical significance tests for information
//     retrieval evaluation, CIKM 2007.
//   - [Wilcoxon]: ranks of the differences instead of their sizes (F. Wilcoxon,
//     Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945).
//
// [Bootstrap] gives an interval for a mean, [Holm] corrects probabilities when
// several rankers are compared, and [Compare] does all for one pair.
//
// Random draws are keyed by the seed, the trial and the query: the same seed
// gives the same figures, for any number of workers.
package significance
