// Package tuning searches for parameters of boosted trees.
//
//	Space ── points ──► settings ── study.Begin ──► trials, which are trained in steps
//	                                                     │ successive halving: the better third continues,
//	                                                     │ from where it stopped
//	                                                     ▼
//	         the defaults, trained to the end ─────► final model, paired tests ──► Result
//
// # What a value is
//
// Every trial is judged in the same way: the mean of the stop metric over the validation queries of all parts
// (package study), averaged over neighbouring iterations, from 7/8 to 9/8 of the iteration for which that
// average is largest. On few queries, the peak of a rough curve is noise, and would favour large learning
// rates. Parts are the folds of the data, or the data and a validation set. Bins are made once, so that no
// parameter of bins is searched.
//
// # The search
//
// Trial 0 is the base: the parameters that the search begins with, trained until it stops early. Its best
// iteration and its learning rate say how long a training is. The trials that the caller asks for
// ([Options].First) are trained to the end. The others come in brackets of [bracketSize]. The first bracket
// of a search that was asked for none is spread over the space: in every dimension, each of its trials lies
// in another ninth (Latin hypercube). In later brackets, some trials are spread in the same way, and the
// others are copies of good trials with some values changed. In a bracket
//
//  1. all trials are trained for a third of the base's length,
//  2. the better third of them for its whole length,
//  3. and the best third of these until it stops early.
//
// (Successive halving: K. Jamieson, A. Talwalkar, Non-stochastic best arm identification and
// hyperparameter optimization, AISTATS 2016.) A length is a sum of learning rates: a trial with half the
// learning rate has twice the iterations, and twice the patience. Trials keep their state in memory
// between steps and continue from it. On data of more than 200,000 rows, the first step trains on a part of
// the training queries instead, and the second one starts from the beginning.
//
// Query context may have to earn its place ([Options].EarnContext): a bracket after the first one compares
// the models of the result so far with the same ones that have it, and all later trials are of the better
// kind (context.go).
//
// The budget is a number of trials, or seconds. A budget of trials gives the same trials for any number of
// threads, on any machine, and after any interruption. A budget of seconds depends on the machine: when
// it is over, what is being trained is finished, and nothing else is begun.
//
// # Noise
//
// The best of many trials is better than the base on the validation queries even if no parameter matters. So
// the final model, which is that of one trial or the mean of several (final.go), is compared with the base
// query by query (randomization test).
//
// What was fixed before the search is tested as such, however long the search went on: if the final
// model is the mean of the models that the caller asked for, or the only one of them, p stands as it
// is; if it is a mean of some of them, or one of several, p is multiplied by the number of such
// choices. Otherwise the search found the model, and p is multiplied by the number of trials that were
// begun (Bonferroni), which holds for single trials however they depend on each other. Only
// differences above 0 count, at half of [significance.Alpha] each: a fixed model and one that was
// found are together wrong in at most 5 of 100 searches. TestNoiseBeatsNothing and
// TestFamilywiseErrors simulate that, the first also for means.
//
// Unless p is below [significance.Alpha], [Result.Beats] is false: it is not proven that the final model
// beats the base, nor that it does not. The interval says what is known.
//
// Libraries for Go that search (goptuna, for example) draw from generators with a state, whose order
// depends on goroutines, and continue after a kill by means of a database.
package tuning
