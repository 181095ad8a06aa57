// Package metric judges rankings, and tests whether two rankers differ by more than chance.
//
//	metrics := []metric.Metric{metric.NDCG(metric.Default(), 10)}
//	results, err := metric.Evaluate(metrics, data, scores, 0)
//
// A metric judges one query at a time: the relevance grades (labels) of its documents and the scores that
// rank them, the highest first. The figure for a data set is the mean over its queries. [Evaluate] judges
// data in memory, and an [Evaluator] judges queries one batch after the other. [Parse] makes metrics from
// names such as "map" and "ndcg@10", which docs/metrics.md lists. A program's own metric is a type with the
// three methods of [Metric].
//
// # Conventions
//
// Tools that print "ndcg@10" print different numbers for the same scores. A [Convention] states
// everything in which they differ, and every [Result] carries its own:
//
//   - the gain of a grade: 2^label - 1, the label itself, or a table ([Gain]);
//   - the discount of a rank ([Discount]);
//   - the value of a query without a relevant document ([Empty]);
//   - the ranks of documents with equal scores ([Ties]);
//   - whether queries have weights ([Weights]);
//   - the meaning of a negative label;
//   - the meaning of a cut-off beyond the last document ([Short]).
//
// [Presets] are named after the tools whose numbers they reproduce, to the last digits. Those of LightGBM,
// XGBoost, CatBoost, scikit-learn and trec_eval are tested against the tools, those of gdeval, mslr, letor4
// and ranklib against transcriptions of their rules. [Default] is LightGBM's convention with ties averaged.
//
// # Definitions
//
// Ranks count from 0. With g the gain and d the discount,
//
//	DCG@k  = sum over ranks r < k of g(label at rank r) · d(r)
//	nDCG@k = DCG@k / the largest DCG@k that any order of the query's documents has
//
// (K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20,
// 2002; C. Burges and others, Learning to rank using gradient descent, ICML 2005, for the gain
// 2^label - 1.)
//
// A cut-off beyond the number of documents means all documents, unless [Short] says otherwise. A query is
// empty for a metric if none of its documents has a gain, or none is relevant. For such a query, nDCG, MAP
// and recall are 0/0, and the convention defines its value. Everything else follows from the formula: one
// relevant document alone has nDCG 1, and so have equal positive labels in any order.
//
// Under [Averaged] the value of a query is its mean over all orders of documents with equal scores,
// in closed form. In DCG, for example, each of the ranks that tied documents share gets the mean of
// their gains (F. McSherry and M. Najork, Computing information retrieval performance measures
// efficiently in the presence of tied scores, ECIR 2008). The value does not depend on the order of
// the input, to the last bit.
//
// Scores compare as float64; -0 equals 0; infinities are scores like any other. NaN is not a score:
// [Evaluate] returns an error for it, and [Metric.Query] the value NaN.
//
// # Differences of rankers
//
// [Compare] compares two rankers that one metric judged on the same queries, so values come in pairs. Its
// tests are two-sided: from the differences b - a, they compute how probable a difference at least as large
// would be if the rankers were equally good:
//
//   - Student's t: the mean, if differences were normal (Student, The probable error of a mean,
//     Biometrika 6, 1908). Robust for some tens of queries.
//   - Fisher's randomization test: the mean, without an assumption about the distribution. Recommended for
//     retrieval by M. D. Smucker, J. Allan and B. Carterette, A comparison of statistical significance tests
//     for information retrieval evaluation, CIKM 2007.
//   - Wilcoxon's test: ranks of the differences instead of their sizes (F. Wilcoxon, Individual
//     comparisons by ranking methods, Biometrics Bulletin 1, 1945).
//
// A [Sample] holds values with the weights of the queries, and computes their mean and its confidence
// interval. [Holm] corrects the probabilities of several comparisons.
//
// # Reproducibility
//
// Metrics choose the iteration at which training stops, so they influence the model. Sums run in
// rank order and then in query order, products are not fused, and logarithms are those of
// internal/exact. Random draws are hashes of the seed, the trial and the query. So results are the same to
// the last bit on every machine, for every number of workers.
package metric
