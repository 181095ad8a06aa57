package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
)

// checkNetwork returns an error for parameters that only trees support, and names the model if the user did
// not.
func (p *Params) checkNetwork(env *cli.Env) error {
	if !slices.Contains(env.Given, "output_model") {
		p.OutputModel = "model.nn"
	}
	switch n := env.Peers.Size(); {
	case n > 1:
		return cli.Usagef("ranker=%s is a network, which one process trains, and a launcher has started %d",
			p.Ranker, n)
	case p.Report != "":
		return cli.Usagef("report=%s: ranker=%s is a network, and only models of trees have such a page; leave "+
			"report= out", p.Report, p.Ranker)
	case p.InputModel != "":
		return cli.Usagef("input_model=%s: training continues from models of trees; ranker=%s is a network, "+
			"which starts from the beginning", p.InputModel, p.Ranker)
	case p.Profile:
		return cli.Usagef("profile=true lists the phases of growing trees; ranker=%s is a network", p.Ranker)
	}
	return nil
}

// network trains a network and writes the model.
func (r *run) network(ctx context.Context) (err error) {
	if err := r.check(); err != nil {
		return err
	}
	r.warn()
	if r.checkpoints, err = r.newCheckpoints(); err != nil {
		return err
	}
	p := lambdamart.NetworkParams{Params: r.Networks, Data: r.loading}
	p.Data.Loaded = func(s *data.Set) { cli.ShowSet(s, r.Messages) }
	all, err := r.loadForNetwork(ctx, p)
	if err != nil {
		return err
	}
	r.reportNetwork(all)
	r.warnOfUnused(all.Training.Meta)
	p.Options.Checkpoints, p.Options.Round = r.checkpoints, r.show
	p.Options.Step = func(epoch, done, of int) { r.Messages.Within(epoch, p.Epochs, done, of) }
	result, err := lambdamart.TrainNetwork(ctx, p, all)
	r.Messages.EndProgress()
	if err != nil {
		return r.reported(err, all.Training.Meta, r.writeRescuedNetwork(result))
	}
	if err := r.finishNetwork(ctx, result); err != nil {
		return err
	}
	r.removeCheckpoints(result.Stopped)
	r.printMetrics(r.judged, result.Kept)
	return nil
}

// finishNetwork reports why training ended and writes the model.
func (r *run) finishNetwork(ctx context.Context, result *nnbaseline.Result) error {
	if result.Explosion != nil {
		r.Messages.Warn(result.Explosion.Error())
	}
	r.stopped(result.Rounds, result.Kept, result.Stopped, nil)
	if result.SingleDocument+result.EqualLabels > 0 {
		r.Messages.Note(fmt.Sprintf("training queries that teach nothing, skipped: %s with one document, %s "+
			"with equal labels",
			wording.Thousands(result.SingleDocument), wording.Thousands(result.EqualLabels)))
	}
	if result.Best > 0 {
		text := fmt.Sprintf("best epoch: %d (%s %.5f); the model has the weights of epoch %d", result.Best,
			result.Watched, result.BestValue, result.Kept)
		r.Messages.Say("best", text, "iteration", result.Best, "watched", result.Watched, "value", result.BestValue,
			"epoch_kept", result.Kept)
	}
	if result.Rounds == 0 {
		r.Messages.Warn("not even one epoch was done; no model is written")
		return nil
	}
	m, failed := r.calibrate(ctx, result.Model)
	return errors.Join(cli.SaveModel(r.OutputModel, m, r.Messages), failed)
}

// loadForNetwork loads the training and validation data, and refuses what networks cannot use.
func (r *run) loadForNetwork(ctx context.Context, p lambdamart.NetworkParams) (*lambdamart.NetworkData,
	error) {
	all, err := lambdamart.LoadNetworkData(ctx, p, r.Data, r.Valid...)
	if err != nil {
		return nil, err
	}
	if all.Training.Meta.Pairs != nil {
		return nil, cli.Usagef("the data has pairs, and ranker=%s is a network; trees learn from pairs", r.Ranker)
	}
	if len(all.Validation) > 0 {
		if err := r.checkData(r.Valid[0], all.Validation[0].Meta, false); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// warnOfUnused warns of what the training data has and networks do not learn from.
func (r *run) warnOfUnused(meta *dataset.Meta) {
	if meta.Positions != nil {
		r.Messages.Warn("the positions of the documents are not used: only trees with objectives of pairs, such " +
			"as lambdarank, learn their biases")
	}
	if meta.More != nil {
		r.Messages.Warn("networks are trained on the first of the labels; only objectives of trees read the others")
	}
	if text := r.Networks.PairsRemark(meta); text != "" {
		r.Messages.Warn(text)
	}
}

// reportNetwork describes the training run of a network that is about to begin.
func (r *run) reportNetwork(all *lambdamart.NetworkData) {
	layers := slices.Concat([]int{all.Training.Meta.NumFeatures()}, r.Networks.HiddenLayers, []int{1})
	weights, bytes := 0, 0
	for i, out := range layers[1:] {
		weights += (layers[i] + 1) * out
	}
	for _, d := range append([]nnbaseline.Data{all.Training}, all.Validation...) {
		bytes += 4 * d.Meta.NumRows() * d.Meta.NumFeatures()
	}
	widths := strings.ReplaceAll(strings.Trim(fmt.Sprint(layers), "[]"), " ", "-")
	text := fmt.Sprintf("%s on a network of %s, %s; about %s MB of data in memory", r.Ranker, widths,
		wording.Count(weights, "weight"), wording.Thousands(bytes/1e6+1))
	metrics, _ := rounds.Metrics(&r.Networks.Params, r.Networks.LabelGain)
	r.report(text, metrics, "ranker", r.Ranker, "layers", layers, "weights", weights, "memory_bytes", bytes)
}
