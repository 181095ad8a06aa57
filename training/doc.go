// Package training has the parts of training that boosted trees and neural rankers share: rounds, their
// evaluation on sets of data, early stopping, and the parameters for these. A round grows one tree (package
// booster) or is one epoch of a network (package nnbaseline).
//
//	training data and validation sets (Data)
//	    │
//	    ▼
//	Run.Step ◄────────────── its caller: Train, a study, another program
//	    │
//	    ▼
//	Learner.Round            grows a tree, or trains one epoch
//	    │
//	    ▼
//	Learner.Scores           scores of the rows of all evaluated sets
//	    │
//	    ▼
//	Evaluator                metrics of each set; is the round the
//	    │                    best so far by the watched metric?
//	    ▼
//	Round                    is returned to the caller, who steps again, waits, or asks for the Result
//
// Step returns io.EOF when all rounds are done, the watched metric has not risen for Params.Patience rounds,
// the context is canceled, or the learner ends training (StopReason). Before a round, it writes a checkpoint
// of the previous round if one is due.
//
// # For users of booster and nnbaseline
//
// [Params] is embedded in the parameters of both packages, so its fields are set directly, as in p.Patience =
// 50. [Options] lets a caller observe the rounds, and evaluate metrics of their own; early stopping can watch
// such a metric. With [Checkpoints], a run that was interrupted continues and gives the model that it would
// have given. New returns a [Run] to step; Train steps one to its end and returns a [Result].
//
// # For authors of learners
//
// A learner implements [Learner]. It makes an [Evaluator] from its data, which checks that the data sets fit
// together, and passes both to [NewRun]. For checkpoints it implements [Resumable] too.
package training
