// Package metamorphic tests training by relations between runs: what must happen to the model if the input
// changes in a certain way. No expected number is written down.
//
// For all objectives, the model depends on the order of queries, of documents in a query and of features only
// through names; it is unchanged by a constant feature, by labels that have the same gains, and by the scale
// of weights; thresholds follow a feature that is scaled by a power of two. What a loss makes of labels,
// scores and weights, package objective tests against formulas.
//
// Most relations hold to the last bit, because gradients are summed as integers. The others are stated with
// their tolerance and its reason.
package metamorphic
