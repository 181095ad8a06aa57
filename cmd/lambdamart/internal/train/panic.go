package train

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/training"
)

// rescue returns the error of training. If training has panicked, it writes the model of the iterations before,
// and the error also says what to report and how to go on.
func (f *forest) rescue(result *booster.Result, all *data.Loaded, err error) error {
	var panicked *training.PanicError
	if !errors.As(err, &panicked) {
		return err
	}
	wayOn := "no iteration was complete, so there is no model; another seed= may avoid the panic"
	if result != nil {
		wayOn = f.writeRescued(result)
	}
	if f.checkpoints != nil && len(f.checkpoints.Files()) > 0 {
		wayOn += fmt.Sprintf("\nor resume=true continues from the checkpoint %s", f.checkpoints.Files()[0])
	}
	return fmt.Errorf("%w\n%s\n%s", err, f.defect(panicked, all), wayOn)
}

// defect says what to report about a panic.
func (f *forest) defect(panicked *training.PanicError, all *data.Loaded) string {
	whose := "lambdamart"
	if f.caller.Objective != nil || len(f.caller.Metrics) > 0 {
		whose += ", or of the objective or the metrics of your own"
	}
	defaults, meta := booster.DefaultParams(), all.Training.Meta
	const most = 12 // enough to see who called whom
	stack := panicked.Stack[:min(most, len(panicked.Stack))]
	return fmt.Sprintf("this is a defect of %s; please report this message:\n%s; %s rows, %s features, %s "+
		"queries\nparameters: %s\nstack: %s", whose, version.Identity(), wording.Thousands(meta.NumRows()),
		wording.Thousands(meta.NumFeatures()), wording.Thousands(len(meta.Queries)),
		strings.Join(Changed(f.Trees.Table(), defaults.Table()), " "), strings.Join(stack, "\n  "))
}

// writeRescued writes the model of the iterations before a panic, and returns how to go on from it. Peers other
// than the first write a file of their own: the first one may be ended before it can write.
func (f *forest) writeRescued(result *booster.Result) string {
	trees, path := len(result.Model.Trees), f.OutputModel
	if f.caller.Output != nil {
		if err := lambdamart.WriteModelTo(f.caller.Output, result.Model); err != nil {
			return "the model so far could not be written: " + err.Error()
		}
		return fmt.Sprintf("the model of the %s trees before it is not lost", wording.Thousands(trees))
	}
	if rank := f.env.Peers.Rank(); rank > 0 {
		path += fmt.Sprint(".rank", rank)
	}
	if err := cli.SaveModel(path, result.Model, f.messages); err != nil {
		return "the model so far could not be written: " + err.Error()
	}
	return fmt.Sprintf("%s has the %s trees before it; input_model=%s num_iterations=%d continues from it, and "+
		"another seed= may avoid the panic", path, wording.Thousands(trees), path,
		max(1, f.Trees.NumIterations-result.Rounds))
}
