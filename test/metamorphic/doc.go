// Package metamorphic tests training, metrics, exports and readers by relations between runs: what must
// happen to the result if the input changes in a certain way. No expected number is written down.
//
// Training (training_test.go), for all objectives: the model depends on the order of queries, of documents in
// a query and of features only through names; it is unchanged by a constant feature, by labels that mean the
// same to the loss, by the scale of weights, and if a query occurs twice instead of having weight 2;
// thresholds follow a feature that is scaled by a power of two.
//
// Metrics (metrics_test.go): rankings depend on the order of scores and nothing else; means over queries
// depend neither on the order of the queries nor on how often all of them are repeated.
//
// Exports (exports_test.go), for all targets: files follow the order and the scale of features, and
// scores add up over trees.
//
// Formats (formats_test.go): the same rows as LETOR text, CSV, TSV or Parquet, plain or compressed, in one
// file or in parts, give the same model, scores and metrics.
//
// Most relations hold to the last bit, because gradients are summed as integers. The others are stated with
// their tolerance and its reason.
package metamorphic
