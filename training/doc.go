// Package training is what boosted trees and neural rankers have in common when they are trained:
// rounds, their evaluation on sets of data, early stopping, and the parameters of all that. A round
// grows one tree (package booster) or is one epoch of a network (package nnbaseline).
//
//	training data and validation sets (Data)
//	    │
//	    ▼
//	Learner.Round            grows a tree, or trains one epoch ◄───────┐
//	    │                                                              │
//	    ▼                                                              │
//	Learner.Scores           scores of the rows of all evaluated sets  │
//	    │                                                              │
//	    ▼                                                              │
//	Evaluator                metrics of each set; is the round the     │
//	    │                    best so far by the watched metric?        │
//	    ▼                                                              │
//	Options.Round            the caller sees the Round
//	    │                                                              │
//	    ▼                                                              │
//	Checkpoints              the state is stored, if it is due ────────┘
//	    │
//	    │ all rounds are done, or the watched metric has not risen for
//	    ▼ Params.Patience rounds, or the learner ends training (StopReason)
//	Result                   the model, and which round was the best
//
// # For users of booster and nnbaseline
//
// [Params] is embedded in the parameters of both packages, so that its fields are set on theirs, as
// in p.Patience = 50. [Options] lets a caller observe the rounds, and evaluate metrics of their own;
// early stopping can watch such a metric. With [Checkpoints], a training that was interrupted continues
// and gives the model that it would have given. Train returns a [Result].
//
// # For authors of learners
//
// A learner implements [Learner]. It makes an [Evaluator] from its data, which checks that the data
// fit together, and passes both to [Run]. For checkpoints it implements [Resumable] too.
package training
