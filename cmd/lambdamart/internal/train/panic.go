package train

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/training"
)

const notWritten = "the model so far could not be written: "

// reported returns an error with how to go on and, if it is of a panic, what to report. wayOn says where the
// model is; "" means that there is none.
func (r *run) reported(err error, meta *dataset.Meta, wayOn string) error {
	switch {
	case wayOn != "":
	case rounds.ReasonOf(err) == training.Failed:
		return err
	default:
		wayOn = "no iteration was complete, so there is no model"
	}
	if c := r.checkpoints; c != nil && len(c.Files()) > 0 {
		wayOn += fmt.Sprintf("\nor resume=true continues from the checkpoint %s", c.Files()[0])
	}
	return Reported(err, r.Caller, meta, r.changed(), wayOn)
}

// UnfinishedError is the error of a round, after which the output has the model of the rounds before.
type UnfinishedError struct {
	err   error
	wayOn string
}

func (e *UnfinishedError) Error() string { return e.err.Error() + "\n" + e.wayOn }
func (e *UnfinishedError) Unwrap() error { return e.err }

// Reported returns an error with how to go on, which wayOn says unless it is "", and, if the error is of a
// panic, with what to report: the data, the parameters that differ from their defaults, and the stack.
func Reported(err error, caller *cli.Caller, meta *dataset.Meta, changed []string, wayOn string) error {
	var panicked *training.PanicError
	switch {
	case errors.As(err, &panicked):
	case wayOn == "":
		return err
	default:
		return &UnfinishedError{err, wayOn}
	}
	wayOn = strings.TrimPrefix(wayOn+"; another seed= may avoid the panic", "; ")
	whose := "lambdamart"
	if caller.Objective != nil || len(caller.Metrics) > 0 {
		whose += ", or of the objective or the metrics of your own"
	}
	const most = 12 // enough to see who called whom
	stack := panicked.Stack[:min(most, len(panicked.Stack))]
	rows, features := wording.Thousands(meta.NumRows()), wording.Thousands(meta.NumFeatures())
	return fmt.Errorf("%w\nthis is a defect of %s; please report this message:\n%s; %s rows, %s features, %s "+
		"queries\nparameters: %s\nstack: %s\n%s", err, whose, cli.Identity(), rows, features,
		wording.Thousands(len(meta.Queries)), strings.Join(changed, " "),
		strings.Join(stack, "\n  "), wayOn)
}

// writeRescued writes the model of the iterations before an error, if there are any, and returns how to go on
// from it. Peers other than the first write a file of their own: the first one may be ended before it can
// write.
func (r *run) writeRescued(result *booster.Result) string {
	path := r.OutputModel
	if result == nil {
		return ""
	}
	if r.Caller.Output != nil {
		if err := lambdamart.WriteModelTo(r.Caller.Output, result.Model); err != nil {
			return notWritten + err.Error()
		}
		return fmt.Sprintf("the model of the %s before it is not lost: with it as init_model, "+
			"num_iterations=%d continues from it",
			wording.Count(len(result.Model.Trees), "tree"), max(1, r.Trees.NumIterations-result.Rounds))
	}
	if rank := r.Peers.Rank(); rank > 0 {
		path += fmt.Sprint(".rank", rank)
	}
	return SaveRescued(path, result, r.Trees.NumIterations, r.Messages)
}

// writeRescuedNetwork is like writeRescued. A network does not continue from a model.
func (r *run) writeRescuedNetwork(result *nnbaseline.Result) string {
	if result == nil {
		return ""
	}
	if err := cli.SaveModel(r.OutputModel, result.Model, r.Messages); err != nil {
		return notWritten + err.Error()
	}
	return fmt.Sprintf("%s has the weights of epoch %d", r.OutputModel, result.Kept)
}

// SaveRescued writes the model of the iterations before an error, and returns how to go on from it.
func SaveRescued(path string, result *booster.Result, iterations int, messages *cli.Console) string {
	if err := cli.SaveModel(path, result.Model, messages); err != nil {
		return notWritten + err.Error()
	}
	return fmt.Sprintf("%s has the %s before it; input_model=%s num_iterations=%d continues from it", path,
		wording.Count(len(result.Model.Trees), "tree"), path, max(1, iterations-result.Rounds))
}
