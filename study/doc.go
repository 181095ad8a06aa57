// Package study is about many training runs on the same data: it cross-validates, searches for parameters,
// selects features, asks whether more queries would help, and compares rankers.
//
//	queries ─ DrawFolds ► Folds ─ newParts ► a Part for each fold: queries to train on, and to
//	        ─ a validation set ─ withValidation ► validate on; all parts have the same bins
//	                                 │ runs on all parts go on side by side, round by round
//	                                 ▼
//	           one curve: the mean over all validation queries after each round
//	                                 │
//	   CrossValidate     Tune      Select      Curve         Compare, on folds of files
//	                                 │
//	                                 ▼
//	           a result, which is a document: text, TSV, JSON and a page
//
// Every study keeps finished work in a [Store], from which it continues after an interruption, and tells
// its events ([Event]) to the caller: what is planned, rounds, finished runs, remarks and warnings. Threads,
// interruptions and the order of folds change no byte of a result.
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
// The value of the best iteration flatters a little, since it is the largest of many. It is fit for
// comparing parameters, not for a report: test queries are for that.
//
// With boosting=dart, trees change after they were grown, and only the last iteration has a model. It is
// the best one by definition, and Params.Patience is refused ([ErrDART]).
//
// A model of a fold is the one that booster.Train fits to the fold's training queries, to the byte.
//
// # Search for parameters
//
// Trial 0 of [Tune] is the base: the parameters that the search begins with, trained until it stops early.
// Its best iteration and its learning rate say how long a training run is. The trials of TuneOptions.First
// are trained to the end. The others come in brackets of [bracketSize]. The first bracket of a search
// without First is spread over the space: in every dimension, each of its trials lies in another ninth
// (Latin hypercube). In later brackets, some trials are spread in the same way, and the others are copies of
// good trials with some values changed. In a bracket
//
//  1. all trials are trained for a third of the base's length,
//  2. the better third of them for its whole length,
//  3. and the best third of these until it stops early.
//
// (Successive halving: K. Jamieson, A. Talwalkar, Non-stochastic best arm identification and hyperparameter
// optimization, AISTATS 2016.) A length is a sum of learning rates: a trial with half the learning rate has
// twice the iterations, and twice the patience. Trials keep their state in memory between steps and
// continue from it. On data of more than 200,000 rows, the first step trains on a part of the training
// queries instead, and the second one starts from the beginning.
//
// A budget of trials gives the same trials for any number of threads, on any machine, and after any
// interruption. A budget of seconds depends on the machine: when it is over, what is being trained is
// finished, and nothing else is begun.
//
// The best of many trials is better than the base on the validation queries even if no parameter matters.
// So the final model, which is that of one trial or the mean of several (tune_final.go), is compared with
// the base query by query (randomization test). What was fixed before the search is tested as such, however
// long the search went on: if the final model is the mean of the models of First, or the only one of them,
// p stands as it is; if it is a mean of some of them, or one of several, p is multiplied by the number of
// such choices. Otherwise the search found the model, and p is multiplied by the number of trials that were
// begun (Bonferroni), which holds for single trials however they depend on each other. Only differences
// above 0 count, at half of [metric.Alpha] each: a fixed model and one that was found are together
// wrong in at most 5 of 100 searches. TestNoiseBeatsNothing and TestFamilywiseErrors simulate that, the
// first also for means. Unless p is below [metric.Alpha], TuneResult.Beats is false: it is not proven
// that the final model beats the base, nor that it does not. The interval says what is known.
//
// # Selection of features
//
// A step of [Select] trains on a set of features and judges it. The importance of each feature in the
// models of the step is measured on validation queries in three ways (package explain), and
// SelectOptions.By chooses the one that decides. The next step has the features without the least important
// ones: SelectOptions.Share of them, and at least those that no tree uses.
//
// A step is accepted if its set is as good as the best one so far: if the mean metric is not more than one
// standard error below, that of the paired differences over queries (the one-standard-error rule of CART),
// or not more than SelectOptions.Tolerance. A step that is not accepted is undone and tried again with half
// of the features. So the one of two features that say the same goes, and the other, on which the models
// rest then, stays. When even single features cannot be left out, for the [singleTries] least important
// ones, the search ends, or, if a number of features is wanted, the one of these that costs least goes all
// the same.
//
// The chosen set is the smallest accepted one that is as good as the best of all steps. The validation
// queries have chosen it, and their values of it flatter: chance has a part in both the order in which
// features went and the end. SelectOptions.Test compares the models of all features and of the chosen ones,
// both trained on all training data, on queries that have chosen nothing.
//
// # Comparison of rankers
//
// [Compare] trains rankers on splits with several seeds and judges them on test queries. A split is three
// files in one folder, which are recognized by their names up to the first dot: train, to which models are
// fitted; vali (or valid, validation), which chooses the iteration that a model keeps and, on each fold,
// one of a ranker's variants; and test, which chooses nothing. Several splits are folders named Fold1,
// Fold2, ... in one folder, as in MSLR-WEB and LETOR. Companions (.query, .weight) belong to their files.
// By default, there are at most 1000 trees, and training stops early after 50 without a better one; or
// there are at most 100 epochs, and training stops early after 10.
//
// A run ends by the ranker's own early stopping, after CompareOptions.MaxIterations, or when
// CompareOptions.MaxSeconds are over, after the current tree or step. Whatever ended it, the model keeps
// the iteration with the best metric on the validation queries. Its time includes validation, but not
// reading and binning. Limits of time make results depend on the machine: the report says which runs they
// ended.
//
// A ranker's value for a test query is the mean over its seeds: seeds are averaged for each query before
// anything is tested, so that every query counts once, however many seeds there are. The mean, its interval
// and the pairs of the tests are made from the queries of all folds together. All pairs of rankers are
// compared by the tests of package metric. The table shows those with the ranker whose mean is best.
// That one was found on the same queries, so probabilities are corrected for the number of all pairs
// (Shaffer), not of those that are shown.
package study
