package worker

import (
	"context"
	"io"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/modelpage"
	"github.com/lambdamart/lambdamart/io/data"
)

// checkReport refuses a page that would replace a file of the training, or that cannot be written.
func (t *trainer) checkReport() error {
	inputs := cli.Inputs("input_model", t.initialModel)
	for _, a := range t.request.Sets {
		if a.DataFile != "" {
			inputs = append(inputs, cli.Input{Parameter: a.Name, Path: a.DataFile})
		}
	}
	if err := cli.CheckOutputs(t.outputs(), inputs); err != nil {
		return err
	}
	return cli.CheckPage(t.report)
}

// outputs returns the files that the training writes.
func (t *trainer) outputs() []cli.Input {
	return append(cli.Inputs("report", t.report), cli.Inputs("checkpoint", t.request.Checkpoint)...)
}

// writeReport writes the page of the model. It explains the model for documents of the first validation set
// or, without one, of the training data. The model is not lost if the page cannot be written.
func (t *trainer) writeReport(ctx context.Context, all *data.Loaded, result *booster.Result) {
	if t.report == "" || len(result.Model.Trees) == 0 {
		return
	}
	r := modelpage.OfTraining(&t.params.Params, all, t.judged, result)
	r.Path = "of " + t.request.Sets[0].Name
	d := modelpage.Documents{Layout: t.params.Data.Layout, Workers: t.params.NumThreads}
	for _, a := range t.request.Sets {
		if a.DataFile != "" {
			d.Sets = append(d.Sets, a.DataFile)
		}
	}
	set := min(1, len(t.inputs)-1)
	d.Name, d.Path, d.Source = t.request.Sets[set].Name, t.inputs[set].Path, t.inputs[set].Source
	err := modelpage.Write(context.WithoutCancel(ctx), t.report, r, d, cli.NewConsole(io.Discard))
	if err != nil {
		t.Warn("report=" + t.report + ": the page was not written: " + err.Error())
	} else if r.Why != "" {
		t.Warn("report=" + t.report + ": " + r.Why)
	}
}
