package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Explain returns the entry of the command.
func Explain() cli.Command {
	return cli.Command{
		Name: "explain",
		Use: "explain data=FILE input_model=FILE [for_query=ID [document=ID against=ID]] [report=FILE] " +
			"[key=value]...",
		Short: "Explain why documents are in this order, and which features a model depends on",
		Long: `Explain the order of one query (for_query=): what raises or lowers each document
compared with the mean of the query, and which misplaced pairs and features cost nDCG.
With document= and against=: why one is above the other, feature by feature, and the
smallest change of one feature that would swap them.

Without for_query, explain the model over a sample of the queries: what nDCG loses if
the values of a feature are permuted (with intervals), how scores depend
on features and pairs of features, and where nDCG is lost.

nDCG has the label_gain and the metric_convention of the model's training, unless these are
given, and documents of equal scores count as in eval.

The shares of features are Shapley values (those of predict_contrib). Results are
printed, as text or JSON, and report= writes one HTML page with figures too.`,
		Example: `  lambdamart explain data=test.txt input_model=model.txt for_query=10032
  lambdamart explain data=test.txt input_model=model.txt for_query=10032 ` +
			`document=D7 against=D2 report=why.html
  lambdamart explain data=vali.txt input_model=model.txt sample_queries=500 report=model.html json=true`,
		New: func() cli.Task {
			return &explainParams{Layout: data.DefaultLayout(), Part: cli.DefaultPart(),
				Options: explain.DefaultOptions(), Judging: training.JudgingOf(nil)}
		},
	}
}

// explainParams are the parameters of explain.
type explainParams struct {
	Data, Model       string
	Layout            data.Layout
	Part              cli.Part
	Document, Against string
	Report            string
	JSON              bool
	training.Judging  // of the model, unless given
	Options           explain.Options
}

// Table implements [cli.Task].
func (p *explainParams) Table() param.Table {
	o := &p.Options
	return slices.Concat(
		param.Table{cli.Data(&p.Data), cli.InputModel(&p.Model)},
		p.Layout.Table(),
		p.Part.Table(),
		param.Table{
			{Name: "for_query", Group: cli.GroupJudging,
				Help: "explain: id of the query whose order is explained. Without it, the model is explained over a " +
					"sample of queries.",
				Value: bind.Text(&o.Query)},
			{Name: "document", Group: cli.GroupJudging,
				Help: "explain: id of a document of the query, or its row in the data, from 1, if documents have no " +
					"ids; with against=.",
				Value: bind.Text(&p.Document)},
			{Name: "against", Group: cli.GroupJudging,
				Help:  "explain: the document that document= is compared with.",
				Value: bind.Text(&p.Against)},
			{Name: "explain_at", Group: cli.GroupJudging,
				Help:  "explain: cut-off of nDCG; 0 is all ranks.",
				Value: bind.Int(&o.Cutoff, bind.AtLeast(0))},
			{Name: "sample_queries", Group: cli.GroupJudging,
				Help:  "explain: number of queries to sample, by test_seed, without for_query.",
				Value: bind.Int(&o.Queries, bind.AtLeast(1))},
			{Name: "permutations", Group: cli.GroupJudging,
				Help:  "explain: how often the values of each feature are permuted.",
				Value: bind.Int(&o.Repeats, bind.AtLeast(1))},
			{Name: "background", Group: cli.GroupJudging,
				Help: "explain: number of rows of the data that contributions compare with (interventional Shapley " +
					"values); 0 compares with the training rows by the counts in the model (path-dependent ones).",
				Value: bind.Int(&o.Background, bind.AtLeast(0))},
			cli.Report(&p.Report),
			cli.JSON(&p.JSON),
			cli.TestSeed(&o.Seed),
			cli.Training("metric_convention", bind.Text(&p.MetricConvention)),
			cli.Training("label_gain", metric.GainValue(&p.LabelGain)),
			cli.NumThreads(&o.Workers),
		},
	)
}

// Run implements [cli.Task].
func (p *explainParams) Run(ctx context.Context, env *cli.Env) error {
	d, err := p.load(ctx, env)
	if err != nil {
		return err
	}
	env.Messages.Warn(d.Warnings...)
	env.Messages.Note(d.Notes...)
	r := &explain.Report{Model: p.Model, Data: p.Data, Notes: slices.Concat(d.Warnings, d.Notes)}
	if err := p.named(p.fill(ctx, r, d)); err != nil {
		return err
	}
	return cli.Show(env, explanation{r}, p.Report, p.JSON)
}

// explanation is a report as [cli.Shown].
type explanation struct{ *explain.Report }

func (e explanation) Write(w io.Writer) error { return e.WriteHTML(w, cli.Identity()) }
func (e explanation) Text(w io.Writer) error  { return e.WriteText(w) }

func (e explanation) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(e.Report)
}

// Check implements [cli.Checker].
func (p *explainParams) Check(env *cli.Env) error {
	switch {
	case (p.Document == "") != (p.Against == ""):
		return cli.Usagef("document= and against= belong together: they name the two documents that are compared")
	case p.Document != "" && p.Options.Query == "":
		return cli.Usagef("document=%s: give for_query=, the query of the documents", p.Document)
	case p.Document != "" && p.Document == p.Against:
		return cli.Usagef("document=%s and against=%s are the same document", p.Document, p.Against)
	}
	if _, err := p.Convention(); err != nil {
		return &cli.UsageError{Err: fmt.Errorf("metric_convention=%s: %w", p.MetricConvention, err)}
	}
	if p.Options.Query != "" {
		return env.NoEffect("with for_query, which explains one query", "permutations", "sample_queries")
	}
	return nil
}

// load reads the model and the documents.
func (p *explainParams) load(ctx context.Context, env *cli.Env) (*explain.Data, error) {
	messages := env.Messages
	m, _, err := cli.ReadModel(p.Model, messages)
	if err != nil {
		return nil, err
	}
	if m, err = p.Part.Of(m, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Model, err)
	}
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return nil, fmt.Errorf("%s: the model is a network; only models of trees can be explained", p.Model)
	}
	if p.Options.Convention, err = cli.Judging(m, env.Given, p.Judging).Convention(); err != nil {
		return nil, err
	}
	src, err := cli.OpenFor(trees, p.Model, p.Data, data.Options{Layout: p.Layout, Docs: true,
		Workers: p.Options.Workers}, messages)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if p.Options.Progress = messages.Steadily(); p.Document != "" {
		p.Options.Documents = []string{p.Document, p.Against}
	}
	d, err := explain.Load(ctx, src, trees, p.Options)
	messages.EndProgress()
	return d, p.named(err)
}

// named adds the name of the file to an error about it.
func (p *explainParams) named(err error) error {
	if errors.Is(err, explain.ErrUnknown) {
		return fmt.Errorf("%s: %w", p.Data, err)
	}
	return err
}

// fill adds the requested explanations. If ctx is canceled, the error is its cause.
func (p *explainParams) fill(ctx context.Context, r *explain.Report, d *explain.Data) (err error) {
	switch {
	case p.Document != "":
		r.Pair, err = d.Pair(0, p.Document, p.Against)
		return err
	case p.Options.Query != "":
		r.Query, err = d.Query(0)
		return err
	}
	return r.Overview(ctx, d, 0.95)
}
