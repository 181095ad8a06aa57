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

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Data is a set of ranking data with its feature values in the form that a learner
// reads, such as a matrix of bins. Training only reads it, so that several training runs
// may share one Data, also at the same time.
type Data[V Values] struct {
	Name   string        // for messages and for Params.StopSet, such as a file's name
	Meta   *dataset.Meta // labels, queries and feature names
	Values V             // as many rows as Meta
}

// Values holds the feature values of rows.
type Values interface {
	comparable
	NumRows() int
}

// maxRows is the largest number of rows of a set. Learners number rows by int32. It is a variable so that
// tests can lower it.
var maxRows = math.MaxInt32

// checkData returns an error for data that do not fit together.
func checkData[V Values](train Data[V], valid []Data[V]) error {
	if err := train.check(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, d := range valid {
		if err := d.check(); err != nil {
			return err
		}
		if seen[d.Name] {
			return fmt.Errorf("data %q: two validation sets of that name", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}

// check returns an error for a set on which a model can neither be trained nor evaluated.
func (d *Data[V]) check() error {
	var none V
	switch {
	case d.Meta == nil || d.Values == none:
		return fmt.Errorf("data %q: Meta or Values is missing", d.Name)
	case d.Meta.AllRows() == 0:
		return fmt.Errorf("data %q: no rows", d.Name)
	case d.Meta.NumRows() > maxRows:
		return fmt.Errorf("data %q: %s; training takes at most %d", d.Name, wording.Count(d.Meta.NumRows(), "row"),
			maxRows)
	case d.Meta.NumRows() != d.Values.NumRows():
		return fmt.Errorf("data %q: %s for %s of values", d.Name, wording.Count(d.Meta.NumRows(), "label"),
			wording.Count(d.Values.NumRows(), "row"))
	}
	return nil
}
