// Package study runs many training runs on the same data: to cross-validate, search for parameters, select
// features, find out whether more queries would help, and compare rankers.
//
//	queries ─ DrawFolds ► Folds ─ newParts ► a Part for each fold: queries to train on, and to
//	        ─ a validation set ─ withValidation ► validate on; all parts have the same bins
//	                                 │ runs on all parts go on side by side, round by round: jointRun.train,
//	                                 ▼ partRun.advance, and booster.Training.Step, which grows a tree
//	           one curve: the mean over all validation queries after each round
//	                                 │
//	   CrossValidate     Tune      Select      Curve      Tradeoff      Bench, on folds of files
//	                                 │
//	                                 ▼
//	           a result, which is a document: text, TSV, JSON and a page
//
// Every study keeps finished work in a [Store], from which it continues after an interruption. It logs plans,
// finished runs, remarks and warnings: messages for people with attributes for programs, of which the first,
// "event", has the kind; remarks and warnings have none. A result is the same, byte for byte, for any number
// of threads, with or without interruptions, and for any order of folds.
//
// # One curve decides
//
// The value of an iteration is the mean over the validation queries of all parts, each judged by the model
// of its part after that iteration. No part stops by itself, because the final training run, on all data, has
// one number of iterations: with Params.Patience, all parts end together, when that value has not risen for
// this many iterations. [CrossValidate] takes the first iteration with the largest value. The other studies
// average the curve over neighboring iterations, from 7/8 to 9/8 of each: on few queries, the peak of a
// rough curve is noise, and would favor large learning rates.
//
// The value of the best iteration is slightly optimistic, because it is the largest of many. Use it to
// compare parameters, but report the value on test queries.
//
// With boosting=dart, trees change after they were grown, and only the last iteration has a model. It is
// the best one by definition, and Params.Patience is an error ([ErrDART]).
//
// The model of a fold is, byte for byte, the one that booster.Train fits to the fold's training queries.
//
// # Search for parameters
//
// Trial 0 of [Tune] is the base: the parameters that the search begins with. It and the trials of
// preset=auto are trained on all folds. The settings of all others are drawn at random from the space,
// independently of each other and of all results. They come in brackets of [bracketSize]: all trials of a
// bracket are trained on a third of the folds, and the best third of them on all folds. (Successive halving:
// K. Jamieson, A. Talwalkar, Non-stochastic best arm identification and hyperparameter optimization, AISTATS
// 2016.) With a validation set, the first step trains on a third of the training queries, or is left out if
// there are at most 30,000 rows. Each trial is trained until it stops early; one with half the learning rate
// has twice the patience. The trials are the same for any number of threads, on any machine, and after any
// interruption.
//
// The best of many trials is better than the base on the validation queries even if no parameter matters. So
// the final model, which is the model of one trial or the mean of those of preset=auto (tune_final.go), is
// compared with the base query by query (randomization test). If it was fixed before the search, p is not
// changed. Otherwise p is multiplied by the number of trials (Bonferroni), which is valid for single trials
// however they depend on each other. Only differences above 0 count, and both a fixed model and one that was
// found are tested at half of [metric.Alpha], so together they are wrong in at most 5 of 100 searches.
// TestNoiseBeatsNothing and TestFamilywiseErrors simulate that, the former also for means. Unless p is below
// [metric.Alpha], TuneResult.Beats is false: there is no evidence that the final model beats the base. That
// does not mean that it does not; the interval shows how large the difference may be.
//
// # Selection of features
//
// The first step of [Select] trains on all features, and ranks them once, by what nDCG loses on validation
// queries if the values of a feature are permuted among documents (package explain). Each further step trains
// on the most important features of the set before: it leaves out a fifth of them, and at first those that no
// tree uses. A set is as good as the best one if the mean metric is lower by at most one standard error of
// the paired differences over queries (the one-standard-error rule of CART). The first set that is not ends
// the selection. SelectOptions.Number asks for one set of this size instead.
//
// Redundant features share their importance, so a set may have more of them than it needs. The chosen set is
// the smallest one that is as good. Its values on the validation queries are optimistic, because they were
// used to choose it.
//
// # Comparison of rankers
//
// [Bench] trains rankers on splits with several seeds and judges them on test queries. A split is three
// files in one folder, which are recognized by their names up to the first dot: train, to which models are
// fitted; vali (or valid, validation), which chooses the iteration that a model keeps; and test, on which no
// choice depends. Several splits are folders named Fold1, Fold2, ... in one folder, as in MSLR-WEB and LETOR.
// Companions (.query, .weight) belong to their files. By default, there are at most 1000 trees, and training
// stops early after 50 trees without improvement; for networks, there are at most 100 epochs, and training
// stops early after 10.
//
// A run ends by the ranker's own early stopping or after its number of rounds. In any case the model keeps
// the iteration with the best metric on the validation queries. The time of a run includes validation, but
// not reading and binning.
//
// A ranker's value for a test query is the mean over its seeds: seeds are averaged for each query before
// anything is tested, so every query counts once, however many seeds there are. The mean, its interval and
// the tests use the queries of all folds together. All pairs of rankers are compared by the tests of package
// metric. The table shows the pairs with the best ranker. Since the same queries determined which ranker is
// best, probabilities are corrected for the number of all pairs (Holm), not of those that are shown.
package study
