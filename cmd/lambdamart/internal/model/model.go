// Package model is the command model.
package model

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/learner"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/modelpage"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Command returns the entry of the command.
func Command() cli.Command {
	return cli.Command{
		Name:  "model",
		Use:   "model FILE",
		Short: "Show what is in a model: trees, leaves, importance of features; or edit it",
		Long: `Show what is in a model file of any format that is read (LightGBM's text and JSON,
XGBoost's JSON and UBJSON, RankLib's and QuickRank's XML, and exports): its trees,
leaves and depth, the features that it uses, and their importance: the gain of all
splits on the feature, and their number. Of a neural ranker: its layers, and the
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
		New:   func() cli.Task { return Default() },
	}
}

// Params are the parameters of model.
type Params struct {
	Model  string
	Output string // empty: none is written
	Top    int    // number of features to list; all if 0
	Edit

	Report  string // page to write; empty: none
	Data    string // whose documents the page explains; empty: none
	Layout  data.Layout
	Threads int
}

// Default returns the default values.
func Default() *Params {
	return &Params{Top: 20, Edit: defaultEdit(), Layout: data.DefaultLayout()}
}

// Table implements [cli.Task].
func (p *Params) Table() param.Table {
	return slices.Concat(param.Table{
		cli.InputModel(&p.Model),
		cli.Output(&p.Output),
		cli.Report(&p.Report),
		cli.Data(&p.Data),
		{Name: "top", Group: cli.GroupMessages,
			Help:  "Features to list; all if 0.",
			Value: param.Int(&p.Top, param.AtLeast(0))},
	}, p.Edit.Table(), p.Layout.Table(), param.Table{cli.NumThreads(&p.Threads)})
}

// Run implements [cli.Task].
func (p *Params) Run(ctx context.Context, env *cli.Env) error {
	if err := p.check(); err != nil {
		return err
	}
	m, hash, err := cli.ReadModel(p.Model, env.Messages)
	if err != nil {
		return err
	}
	switch from := m.(type) {
	case *nnbaseline.Model:
		err = p.network(env, hash, from)
	case *tree.Ensemble:
		m, err = p.trees(env, hash, from)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Model, err)
	}
	if err := p.save(env, m); err != nil {
		return err
	}
	return cli.Interrupted(ctx, p.writeReport(ctx, env, hash, m))
}

// writeReport writes the page of the model, if its file is named.
func (p *Params) writeReport(ctx context.Context, env *cli.Env, hash string, m lambdamart.Model) error {
	trees, ok := m.(*tree.Ensemble)
	switch {
	case p.Report == "":
		return nil
	case !ok:
		return cli.Usagef("report=%s: %s is a network, and only models of trees have such a page", p.Report, p.Model)
	}
	report := &explain.ModelReport{Path: p.Model, Hash: hash, Model: trees}
	if p.given() != "" {
		report.Path, report.Hash = p.Output, "" // the edited model, whose file has another one
	}
	documents := modelpage.Documents{Path: p.Data, Layout: p.Layout, Workers: p.Threads}
	if p.Data != "" {
		documents.Sets = []string{p.Data}
	}
	return modelpage.Write(ctx, p.Report, report, documents, env.Messages)
}

// check returns an error for parameters that cannot be right, before the model is read.
func (p *Params) check() error {
	if p.Data != "" && p.Report == "" {
		return cli.Usagef("data=%s: the model is explained for data on a page; name it, as in report=model.html", p.Data)
	}
	inputs := slices.Concat([]cli.Input{{Parameter: "input_model", Path: p.Model}}, cli.Inputs("join", p.Join...), cli.Inputs("data", p.Data))
	if err := cli.CheckPage(p.Report); err != nil {
		return err
	}
	if p.Output != "" {
		return cli.CheckPaths(p.Output, inputs...)
	}
	if name := p.given(); name != "" {
		return cli.Usagef("%s changes the model: name the file of the result, as in output=edited.txt", name)
	}
	if p.Model == "" {
		return cli.Usagef("input_model is missing: give the model's file")
	}
	return nil
}

// network shows a network.
func (p *Params) network(env *cli.Env, hash string, m *nnbaseline.Model) error {
	if err := p.ofNetwork(m); err != nil {
		return err
	}
	if p.Output != "-" {
		printNetwork(env.Stdout, p.Model, hash, m)
	}
	return nil
}

// trees edits a model of trees and shows it.
func (p *Params) trees(env *cli.Env, hash string, m *tree.Ensemble) (*tree.Ensemble, error) {
	m, err := p.apply(m, env.Messages)
	if err != nil {
		return nil, err
	}
	if len(m.Trees) == 0 && p.Output != "" {
		return nil, cli.Usagef("no tree is left, and a model without trees ranks nothing: leave some of the edits out")
	}
	if p.Output != "-" {
		printTrees(env.Stdout, p.Model, hash, m)
		printImportance(env.Stdout, m, p.Top)
	}
	return m, nil
}

// save writes the model, if its file is named.
func (p *Params) save(env *cli.Env, m lambdamart.Model) error {
	if p.Output == "" {
		return nil
	}
	return cli.SaveModel(p.Output, m, env.Messages)
}

func printNetwork(w io.Writer, path, hash string, model *nnbaseline.Model) {
	fmt.Fprintf(w, "%s (sha256 %s)\n", path, hash)
	fmt.Fprintf(w, "loss       %s\n", model.Ranker())
	fmt.Fprintf(w, "layers     %s\n", layers(model))
	fmt.Fprintf(w, "weights    %s\n", digits.Thousands(model.NumWeights()))
	fmt.Fprintf(w, "features   %d used of %d; the others were constant\n\ntrained with\n", len(model.UsedFeatures()), model.NumFeatures())
	for _, name := range slices.Sorted(maps.Keys(model.Parameters())) {
		fmt.Fprintf(w, "  %s=%s\n", cli.Printable(name), cli.Printable(model.Parameters()[name]))
	}
}

// layers returns the widths of the layers of a network, such as 136-64-32-1.
func layers(model *nnbaseline.Model) string {
	var widths []string
	for _, width := range model.Layers() {
		widths = append(widths, strconv.Itoa(width))
	}
	return strings.Join(widths, "-")
}

func printTrees(w io.Writer, path, hash string, model *tree.Ensemble) {
	leaves, most, depth := 0, 0, 0
	for i := range model.Trees {
		t := &model.Trees[i]
		leaves += t.NumLeaves()
		most = max(most, t.NumLeaves())
		depth = max(depth, t.Depth())
	}
	fmt.Fprintf(w, "%s (sha256 %s)\n", path, hash)
	fmt.Fprintf(w, "objective  %s\n", cli.Printable(model.Objective))
	fmt.Fprintf(w, "trees      %s\n", digits.Thousands(len(model.Trees)))
	fmt.Fprintf(w, "leaves     %s, at most %d in a tree\n", digits.Thousands(leaves), most)
	fmt.Fprintf(w, "depth      at most %d\n", depth)
	fmt.Fprintf(w, "features   %d used of %d\n", len(model.UsedFeatures()), len(model.Features))
	if model.Context != nil {
		_, columns, _ := strings.Cut(model.Context.String(), ";")
		fmt.Fprintf(w, "context    %s: columns computed of all documents of a query\n", strings.ReplaceAll(columns, ";", " "))
	}
	printProvenance(w, model)
}

// printProvenance prints what the model says of its run: the facts, and the parameters that differ from
// the defaults. Sections of other programs that have another form are left out.
func printProvenance(w io.Writer, model *tree.Ensemble) {
	parameters, facts, err := provenance.Parse(model.Parameters)
	if err != nil || len(parameters) == 0 {
		return
	}
	fmt.Fprintf(w, "\ntrained with\n")
	p, defaults := booster.DefaultParams(), booster.DefaultParams()
	table := p.Table()
	for _, s := range parameters {
		if row := table.Find(s.Name); row == nil || row.Value.Set(s.Value) != nil {
			facts = append(facts, s)
		}
	}
	for _, s := range facts {
		fmt.Fprintf(w, "  %s=%s\n", s.Name, cli.Printable(s.Value))
	}
	for _, changed := range learner.Changed(table, defaults.Table()) {
		fmt.Fprintf(w, "  %s\n", cli.Printable(changed))
	}
	fmt.Fprintf(w, "  and the defaults of all other parameters (the file lists them)\n")
}

// printImportance lists the features with the largest gain, or all used features if top is 0. In a
// model without gains, such as RankLib's and dumps, it counts splits instead.
func printImportance(w io.Writer, model *tree.Ensemble, top int) {
	gain, splits := model.Importance(tree.ByGain), model.Importance(tree.BySplit)
	importance, head := gain, fmt.Sprintf("%12s %7s %8s", "gain", "share", "splits")
	hasGain := sum(gain) != 0
	if !hasGain {
		importance, head = countSplits(model), fmt.Sprintf("%12s %7s", "splits", "share")
	}
	used := model.UsedFeatures()
	slices.SortStableFunc(used, func(a, b int) int { return cmp.Compare(importance[b], importance[a]) })
	shown, total := used, sum(importance)
	if top > 0 {
		shown = used[:min(top, len(used))]
	}
	if len(shown) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s  feature\n", head)
	for _, f := range shown {
		fmt.Fprintf(w, "%12.5g %6.1f%%", importance[f], 100*importance[f]/total)
		if hasGain {
			fmt.Fprintf(w, " %8.0f", splits[f])
		}
		fmt.Fprintf(w, "  %s\n", cli.Printable(model.Features[f].Name))
	}
	if rest := len(used) - len(shown); rest > 0 {
		fmt.Fprintf(w, "and %d more (top=0 lists all)\n", rest)
	}
}

// countSplits returns the number of splits on each feature, whatever their gain.
func countSplits(model *tree.Ensemble) []float64 {
	counts := make([]float64, len(model.Features))
	for i := range model.Trees {
		for _, f := range model.Trees[i].Feature {
			counts[f]++
		}
	}
	return counts
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
