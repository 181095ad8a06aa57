// Package models has the commands that use models or data: model, predict, explain, transform, export,
// check-export and serve.
package models

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Model returns the entry of the command.
func Model() cli.Command {
	return cli.Command{
		Name:  "model",
		Use:   "model FILE",
		Short: "Show what is in a model: trees, leaves, importance of features; or edit it",
		Long: `Show what is in a model file of any format that is read (LightGBM's text and JSON,
XGBoost's JSON and UBJSON, RankLib's XML, and exports): its trees, leaves and depth,
the features that it uses, and their importance: the gain of all splits on the
feature, and their number. Of a neural ranker: its layers, and the
parameters that it was trained with.

With output=, edit the model and write it in LightGBM's text form: a part of its trees,
without some of them, with scaled values, with the trees of other models, or in random
order; the edits are made in this order. The edited model is then shown.

With report=, write an HTML page about the model: importance, a tree, parameters and,
with data=, contributions, dependence on features, and nDCG by query.`,
		Example: `  lambdamart model model.txt
  lambdamart model model.txt top=0
  lambdamart model model.txt num_iteration_predict=100 output=first100.txt
  lambdamart model model.txt drop_trees=0-9,42 scale=0.5 output=less.txt
  lambdamart model model.txt report=model.html data=test.txt
  lambdamart model a.txt join=b.txt,c.txt shuffle_trees=true output=all.txt`,
		Files: []string{"input_model"},
		Needs: []string{"input_model"},
		New: func() cli.Task {
			return &modelParams{Top: 20, edit: edit{Part: cli.DefaultPart(), Scale: 1}, Layout: data.DefaultLayout()}
		},
	}
}

// modelParams are the parameters of model.
type modelParams struct {
	Model  string
	Output string // empty: no model is written
	Top    int    // number of features to list; 0: all
	edit

	Report  string // page to write; empty: none
	Data    string // documents that the page explains; empty: none
	Layout  data.Layout
	Threads int
}

// Table implements [cli.Task].
func (p *modelParams) Table() param.Table {
	return slices.Concat(param.Table{
		cli.InputModel(&p.Model),
		cli.Output(&p.Output),
		cli.Report(&p.Report),
		cli.Data(&p.Data),
		{Name: "top", Group: cli.GroupMessages,
			Help:  "Features to list; all if 0.",
			Value: bind.Int(&p.Top, bind.AtLeast(0))},
	}, p.edit.Table(), p.Layout.Table(), param.Table{cli.NumThreads(&p.Threads)})
}

// Run implements [cli.Task].
func (p *modelParams) Run(ctx context.Context, env *cli.Env) error {
	m, hash, err := cli.ReadModel(p.Model, env.Messages)
	if err != nil {
		return err
	}
	m, shown, err := p.edited(m, env.Messages)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Model, err)
	}
	if p.Output != "-" {
		shown.Tables[0].Above = fmt.Sprintf("%s (sha256 %s)\n", p.Model, hash)
		if err := shown.Text(env.Stdout); err != nil {
			return err
		}
	}
	if p.Output != "" {
		if err := cli.SaveModel(p.Output, m, env.Messages); err != nil {
			return err
		}
	}
	return p.writeReport(ctx, env, hash, m)
}

// edited returns the edited model and its description, whose first table has the facts.
func (p *modelParams) edited(m lambdamart.Model, messages *cli.Console) (
	lambdamart.Model, *report.Document, error) {
	switch from := m.(type) {
	case *nnbaseline.Model:
		if name := p.given(); name != "" {
			return nil, nil, cli.Usagef("%s is for trees; this model is a network (%s)", name, from.Ranker())
		}
		return m, ofNetwork(from), nil
	case *tree.Ensemble:
		trees, err := p.apply(from, messages)
		if err == nil && len(trees.Trees) == 0 && p.Output != "" {
			err = cli.Usagef("no tree is left, and a model without trees ranks nothing: leave some of the edits out")
		}
		if err != nil {
			return nil, nil, err
		}
		cli.TellUncalibrated(from, trees, messages)
		return trees, ofTrees(trees, p.Top), nil
	}
	return nil, nil, fmt.Errorf("a model of type %T cannot be shown", m)
}

// writeReport writes the page of the model, if its file is named.
func (p *modelParams) writeReport(ctx context.Context, env *cli.Env, hash string, m lambdamart.Model) error {
	trees, ok := m.(*tree.Ensemble)
	switch {
	case p.Report == "":
		return nil
	case !ok:
		return cli.Usagef("report=%s: %s is a network, and only models of trees have such a page",
			p.Report, p.Model)
	}
	if p.Context == cli.Precomputed {
		trees = trees.Precomputed()
	}
	page := &explain.ModelReport{Path: p.Model, Hash: hash, Model: trees}
	if p.given() != "" {
		page.Path, page.Hash = p.Output, "" // the edited model's file has another hash
	}
	documents := train.PageDocuments{Path: p.Data, Layout: p.Layout, Workers: p.Threads}
	if p.Data != "" {
		documents.Sets = []string{p.Data}
	}
	return train.WritePage(ctx, p.Report, page, documents, env.Messages)
}

// Check implements [cli.Checker].
func (p *modelParams) Check(env *cli.Env) error {
	if p.Data != "" && p.Report == "" {
		return cli.Usagef("data=%s: explanations for data are written to a page; name it, as in "+
			"report=model.html",
			p.Data)
	}
	if p.Context == cli.Precomputed && p.Data == "" {
		return cli.Usagef("context=%s is about the data of a page: give report= and data=, or leave it out",
			p.Context)
	}
	if name := p.given(); name != "" && p.Output == "" {
		return cli.Usagef("%s changes the model: name the file of the result, as in output=edited.txt", name)
	}
	if !p.Shuffle {
		if err := env.NoEffect("without shuffle_trees", "shuffle_seed"); err != nil {
			return err
		}
	}
	if p.Data != "" {
		return nil
	}
	var layout []string
	for _, row := range p.Layout.Table() {
		layout = append(layout, row.Name)
	}
	return env.NoEffect("without data", layout...)
}
