// Package training is what boosted trees and neural rankers have in common when
// they are trained: rounds, their evaluation on sets of data, early stopping, and
// the parameters of all that. A round grows one tree (package booster) or is one
// epoch of a network (package nnbaseline).
//
//	training data, validation sets (Data)
//	                │
//	┌───────────────▼────────────────┐
//	│ Learner.Round: a tree, an epoch │◄──────────────┐
//	└───────────────┬────────────────┘               │
//	                │ scores of the evaluated sets    │
//	┌───────────────▼────────────────┐               │
//	│ Evaluator: metrics of each set, │               │ next round
//	│ value of the watched metric     │               │
//	└───────────────┬────────────────┘               │
//	                │ Evaluations                     │
//	┌───────────────▼────────────────┐               │
//	│ Options.Round(Round)            │───────────────┘
//	└───────────────┬────────────────┘
//	                │ the rounds are done, or the watched metric has not
//	                │ risen for Params.Patience rounds (StopReason)
//	                ▼
//	      Result: model, best round
//
// # For users of booster and nnbaseline
//
// [Params] is embedded in the parameters of both, so its fields are set on theirs,
// as in p.Patience = 50. [Options] lets a caller watch the rounds and add metrics of
// their own; early stopping can watch such a metric. [Result] is what a training
// returns.
//
// # For authors of learners
//
// A learner implements [Learner]. It makes an [Evaluator] from its data, which
// checks that the data fit together, and hands both to [Run].
package training
