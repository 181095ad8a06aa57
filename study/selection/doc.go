// Package selection finds the features that a ranker of boosted trees needs: backward elimination by
// importance on validation queries.
//
//	all features ── study.Begin ──► value of each validation query, models of all parts
//	     ▲                          │ package explain: permutation, contributions, gain on these queries
//	     │                          ▼
//	     └── the least important are left out, as long as that costs nothing ──► [Result]: the smallest set
//	                                                                                       that is as good
//
// # A step
//
// A step trains on a set of features and judges it by the stop metric on the validation queries of all parts,
// as package tuning judges a trial: by the iteration around which the mean curve is highest. Parts are the
// folds of the data, or the data and a validation set. The importance of each feature in the models of a step
// is measured on validation queries in three ways (package explain), and Options.By chooses the one that
// decides. The next step has the features without the least important ones: Options.Share of them, and at
// least those that no tree uses.
//
// A step is accepted if its set is as good as the best one so far: if the mean metric is not more than one
// standard error below, that of the paired differences over queries (the one-standard-error rule of CART), or
// not more than Options.Tolerance. A step that is not accepted is undone and tried again with half of the
// features. So the one of two features that say the same goes, and the other, on which the models rest then,
// stays. When even single features cannot be left out, for the [tries] least important ones, the search ends,
// or, if a number of features is wanted, the one of these that costs least goes all the same.
//
// Bins are made once; a set is a narrower copy of them, so that its models are those of data without the
// other features.
//
// # What the value of the chosen set is
//
// The chosen set is the smallest accepted one that is as good as the best of all steps. The validation
// queries have chosen it, and their values of it flatter: chance has a part in both the order in which
// features went and the end. It is fit for comparing sets. To know how good the set is, judge it on other
// queries: Options.Test compares the models of all features and of the chosen ones, both trained on all
// training data, on queries that have chosen nothing.
package selection
