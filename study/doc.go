// Package study is about many trainings: it trains jobs, keeps what they found, and tells who watches. The
// packages below it search for parameters, select features and compare rankers with it.
//
// A study cross-validates boosted trees ([CrossValidate]): it divides the queries of a data set into folds,
// and trains on all folds but one, as often as there are folds, so that every query is judged by a model that
// has not seen it.
//
//	queries ── DrawFolds, ReadFolds ──► Folds
//	                                 │ NewParts: the bins of all data serve all folds
//	                                 ▼
//	           a Part for each fold: its queries to validate on, all others to train on
//	                                 │ Begin, Training.Advance: all parts, round by round
//	                                 ▼
//	           the curve: the mean over all validation queries after each round
//	                                 │ CrossValidate
//	                                 ▼
//	           CVResult: the best iteration, values by fold, out-of-fold scores, the models of the folds
//
// # One curve decides
//
// The value of an iteration is the mean over the validation queries of all folds, each judged by the
// model of its fold after that iteration. The best iteration is the first with the largest value. With
// Params.Patience, training ends on all folds together, when that value has not risen for this many
// iterations. No fold stops by itself, because the final training, on all data, has one number of
// iterations.
//
// The value of the best iteration flatters a little, since it is the largest of many. It is fit for
// comparing parameters, not for a report: test queries are for that.
//
// With boosting=dart, trees change after they were grown, and only the last iteration has a model. It is
// the best one by definition, and Params.Patience is refused ([ErrDART]). The curve is true all the same: a
// training with fewer iterations has its values.
//
// # Bins
//
// Bins are found once, in the feature values of all queries, and all folds use them, as in LightGBM's cv.
// Labels have no part in bins.
//
// # What is kept
//
// Every study has a [Store] of the jobs that it has finished, from which it continues after an interruption,
// and tells a [Listener] its events: what is planned, rounds, finished jobs, remarks and warnings.
//
// # The same bytes
//
// A model of a fold is the one that booster.Train fits to the fold's training queries, to the byte.
// Threads, interruptions and the order of folds change nothing.
package study
