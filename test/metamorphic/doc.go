// Package metamorphic tests training by relations between runs: what must happen to the model if the input
// changes in a certain way. No expected number is written down.
//
// For all objectives, the model depends on the order of queries, of documents in a query and of features only
// through names; it is unchanged by a constant feature, by labels that mean the same to the loss, by the
// scale of weights, and if a query occurs twice instead of having weight 2; thresholds follow a feature that
// is scaled by a power of two.
//
// Most relations hold to the last bit, because gradients are summed as integers. The others are stated with
// their tolerance and its reason.
package metamorphic
