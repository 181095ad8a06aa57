package train

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

const noModel = "no iteration was complete, so there is no model; another seed= may avoid the panic"

// rescue returns the error of training trees. If training has panicked, it writes the model of the iterations
// before, and the error also says what to report and how to go on.
func (f *forest) rescue(result *booster.Result, meta *dataset.Meta, err error) error {
	return f.reported(err, meta, f.checkpoints, func() string {
		if result == nil {
			return noModel
		}
		return f.writeRescued(result)
	})
}

// rescueNetwork is like rescue. A network does not continue from a model.
func (r *run) rescueNetwork(result *nnbaseline.Result, meta *dataset.Meta, c *training.Checkpoints,
	err error) error {
	return r.reported(err, meta, c, func() string {
		if result == nil {
			return noModel
		}
		if err := cli.SaveModel(r.OutputModel, result.Model, r.messages); err != nil {
			return "the model so far could not be written: " + err.Error()
		}
		return fmt.Sprintf("%s has the weights of epoch %d; another seed= may avoid the panic", r.OutputModel,
			result.Kept)
	})
}

// reported returns an error as it is or, if it is of a panic, with what to report and how to go on. rescue
// writes the model, and says how to go on from it.
func (r *run) reported(err error, meta *dataset.Meta, c *training.Checkpoints, rescue func() string) error {
	var panicked *training.PanicError
	if !errors.As(err, &panicked) {
		return err
	}
	wayOn := rescue()
	if c != nil && len(c.Files()) > 0 {
		wayOn += fmt.Sprintf("\nor resume=true continues from the checkpoint %s", c.Files()[0])
	}
	now, defaults := r.table(), DefaultLearners()
	if r.IsNetwork() {
		return Reported(err, r.caller, meta, now, defaults.NetworkTable(), wayOn)
	}
	return Reported(err, r.caller, meta, now, defaults.Trees.Table(), wayOn)
}

// table returns the parameters of what is trained.
func (r *run) table() param.Table {
	if r.IsNetwork() {
		return r.NetworkTable()
	}
	return r.Trees.Table()
}

// Reported returns an error as it is or, if it is of a panic, with what to report: the data, the parameters
// that differ from defaults, and the stack. wayOn says how to go on.
func Reported(err error, caller *cli.Caller, meta *dataset.Meta, now, defaults param.Table,
	wayOn string) error {
	var panicked *training.PanicError
	if !errors.As(err, &panicked) {
		return err
	}
	whose := "lambdamart"
	if caller.Objective != nil || len(caller.Metrics) > 0 {
		whose += ", or of the objective or the metrics of your own"
	}
	const most = 12 // enough to see who called whom
	stack := panicked.Stack[:min(most, len(panicked.Stack))]
	rows, features := wording.Thousands(meta.NumRows()), wording.Thousands(meta.NumFeatures())
	return fmt.Errorf("%w\nthis is a defect of %s; please report this message:\n%s; %s rows, %s features, %s "+
		"queries\nparameters: %s\nstack: %s\n%s", err, whose, version.Identity(), rows, features,
		wording.Thousands(len(meta.Queries)), strings.Join(Changed(now, defaults), " "), strings.Join(stack, "\n  "), wayOn)
}

// writeRescued writes the model of the iterations before a panic, and returns how to go on from it. Peers other
// than the first write a file of their own: the first one may be ended before it can write.
func (f *forest) writeRescued(result *booster.Result) string {
	path := f.OutputModel
	if f.caller.Output != nil {
		if err := lambdamart.WriteModelTo(f.caller.Output, result.Model); err != nil {
			return "the model so far could not be written: " + err.Error()
		}
		return fmt.Sprintf("the model of the %s trees before it is not lost: with it as init_model, "+
			"num_iterations=%d continues from it, and another seed= may avoid the panic",
			wording.Thousands(len(result.Model.Trees)), max(1, f.Trees.NumIterations-result.Rounds))
	}
	if rank := f.env.Peers.Rank(); rank > 0 {
		path += fmt.Sprint(".rank", rank)
	}
	return SaveRescued(path, result, f.Trees.NumIterations, f.messages)
}

// SaveRescued writes the model of the iterations before a panic, and returns how to go on from it.
func SaveRescued(path string, result *booster.Result, iterations int, messages *cli.Console) string {
	if err := cli.SaveModel(path, result.Model, messages); err != nil {
		return "the model so far could not be written: " + err.Error()
	}
	return fmt.Sprintf("%s has the %s trees before it; input_model=%s num_iterations=%d continues from it, and "+
		"another seed= may avoid the panic", path, wording.Thousands(len(result.Model.Trees)), path,
		max(1, iterations-result.Rounds))
}
