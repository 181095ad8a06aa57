package studies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// Folding holds the parameters that divide queries into folds.
type Folding struct {
	N      int
	File   string
	Column string
	Seed   uint64
}

// groupStudies is the heading of the parameters.
const groupStudies = "Cross-validation and tuning"

// Table returns the parameters, bound to p.
func (p *Folding) Table() param.Table {
	return param.Table{
		{Name: "folds", Aliases: []string{"nfold", "n_folds"}, Group: groupStudies,
			Help:  "Number of folds that queries are divided into at random, without dividing a query.",
			Value: bind.Int(&p.N, bind.AtLeast(0))},
		{Name: "fold_seed", Group: groupStudies,
			Help:  "Decides which query is in which fold.",
			Value: bind.Uint64(&p.Seed)},
		{Name: "fold_file", Group: groupStudies, File: param.Read,
			Help: "File of given folds: a line for each query in the order of the data, the name of its fold; or " +
				"lines of a query id and the name of its fold.",
			Value: bind.Text(&p.File)},
		{Name: "fold_column", Group: groupStudies,
			Help:  "Column of a table, by name, with the number of the fold of each row; it is not a feature.",
			Value: bind.Text(&p.Column)},
	}
}

// finalModel is the row of the model that is trained on all data.
func finalModel(dst *string) param.Parameter {
	return param.Parameter{Name: "final_model", Group: cli.GroupFiles, File: param.Written,
		Help: "Model to write that is trained on all data, with the best number of iterations (cv, curve), the " +
			"best parameters (tune) or the chosen features (select).",
		Value: cli.OwnFile(dst)}
}

// checkOverlap returns an error if training queries are also validation queries, and warns of queries that
// may be in both. path is the file of the validation queries.
func checkOverlap(path string, on *study.Data, messages *cli.Console) error {
	o := study.FindOverlap(on.Train, *on.Valid)
	warn := func(n int, what string) {
		messages.Warn(fmt.Sprintf("%s of %s %s the %s of training queries: if they are the same, the search "+
			"chooses what remembers them", wording.Thousands(n), wording.Count(o.Queries, "validation query"),
			wording.Agree(n, "has", "have"), what))
	}
	switch {
	case o.Same > 0:
		return fmt.Errorf("valid=%s: %s of %s %s training queries, with the same ids, labels "+
			"and features: the search would choose what remembers them; leave them out",
			path, wording.Thousands(o.Same), wording.Count(o.Queries, "validation query"),
			wording.Agree(o.Same, "is among the", "are"))
	case o.Content > 0:
		warn(o.Content, "labels and features")
	case o.IDs > 0:
		warn(o.IDs, "ids")
	}
	return nil
}

// check returns an error for parameters that contradict each other. valid are the validation sets, which
// exclude folds.
func (p *Folding) check(env *cli.Env, valid []string) error {
	given, drawn := p.File != "" || p.Column != "", "" // a parameter of folds that are drawn
	for _, name := range []string{"fold_seed", "folds"} {
		if slices.Contains(env.Given, name) {
			drawn = name
		}
	}
	switch {
	case p.File != "" && p.Column != "":
		return cli.Usagef("fold_file=%s and fold_column=%s: give one of them", p.File, p.Column)
	case given && drawn != "":
		return cli.Usagef("%s= is for folds that are drawn, but fold_file or fold_column gives them; "+
			"leave one out", drawn)
	case len(valid) > 1:
		return cli.Usagef("valid has %d sets, but one rule judges all trials; give one", len(valid))
	case len(valid) == 1 && (given || drawn != ""):
		return cli.Usagef("valid=%s and folds: trials are judged by the one or by the others; leave one out",
			valid[0])
	}
	return nil
}

// read reads and bins the data, and shows its description. The column of folds is not a feature. Parameters
// of stored bins are copied to those of the trees.
func (w *work) read(ctx context.Context) (*data.Loaded, error) {
	layout, column := w.Layout, w.Folding.Column
	if column != "" {
		if w.Data == "-" {
			return nil, cli.Usagef("fold_column=%s: data=- cannot be read twice, first for the features and then for "+
				"the folds; write it to a file, or give fold_file=", column)
		}
		var err error
		if layout, err = layout.Ignoring(column); err != nil {
			return nil, &cli.UsageError{Err: err}
		}
	}
	o := data.LoadOptions{Layout: layout, Given: w.Given, Workers: w.Trees.NumThreads,
		Progress: w.Messages.Reading(), Loaded: w.Caller.Named(func(s *data.Set) { cli.ShowSet(s, w.Messages) })}
	d, err := lambdamart.Load(ctx, lambdamart.Params{Params: w.Trees, Data: o}, w.Data, w.Valid...)
	if column != "" && errors.Is(err, data.ErrNoColumns) {
		return nil, fmt.Errorf("fold_column=%s: %s: %w", column, w.Data, data.ErrNoTable)
	}
	if err != nil {
		return nil, err
	}
	if d.Training.Stored {
		w.Trees.AdoptBins(d.Params)
	}
	warnings, _ := w.Trees.Remarks(study.On(d, study.Folds{}).Train, w.Caller.NewObjective() != nil)
	w.Messages.Warn(warnings...)
	return d, nil
}

// remarkOnRows reports the number of rows on which trees grow: of the first fold's training data or, without
// folds, of all data.
func remarkOnRows(trees *booster.Params, on *study.Data, messages *cli.Console) {
	rows, queries := on.Train.Meta.AllRows(), len(on.Train.Meta.Queries)
	for query, fold := range on.Folds.Of {
		if fold == 0 {
			rows, queries = rows-on.Train.Meta.Queries[query].Len, queries-1
		}
	}
	if text := trees.ActiveRemark(rows, queries); text != "" {
		messages.Note(text)
	}
}

// folds returns the folds of the training data.
func (w *work) folds(ctx context.Context, s *data.Set) (f study.Folds, err error) {
	switch p := &w.Folding; {
	case p.File != "":
		f, err = stream.Read(p.File, func(r io.Reader, name string) (study.Folds, error) {
			return study.ReadFolds(r, name, s.Meta)
		})
	case p.Column != "":
		var numbers []float64
		if numbers, err = data.Column(ctx, s.Path, data.Options{Layout: w.Layout, Workers: w.Trees.NumThreads},
			p.Column); err != nil {
			return f, fmt.Errorf("fold_column=%s: %w", p.Column, err)
		}
		if f, err = study.FromRows(s.Meta, numbers); err != nil {
			err = fmt.Errorf("fold_column=%s: %w", p.Column, err)
		}
	default:
		if f, err = study.DrawFolds(s.Meta, p.N, p.Seed); err != nil {
			err = fmt.Errorf("folds=%d: %w", p.N, err)
		}
	}
	return f, err
}

// final trains on all training data, with these features or, without any, with all, and writes the model, if
// its file is named. Validation sets, which chose p, are left out: the model would record them, although it
// depends on p alone.
func (w *work) final(ctx context.Context, p booster.Params, features ...int) error {
	if w.FinalModel == "" {
		return nil
	}
	messages, caller, all := w.Messages, w.Caller, *w.loaded
	if features != nil {
		all = *all.Narrow(features)
	}
	all.Validation = nil
	what := wording.Count(p.NumIterations, "iteration")
	if p.NumModels > 1 {
		what = fmt.Sprintf("%s, each with its own iterations", wording.Count(p.NumModels, "model"))
	}
	messages.Note("training on all data: " + what)
	result, err := lambdamart.Train(ctx, lambdamart.Params{Params: p,
		Options: booster.Options{Objective: caller.NewObjective()}}, &all)
	if err != nil {
		wayOn := ""
		if result != nil {
			wayOn = "the command train goes on: " + train.SaveRescued(w.FinalModel, result, p.NumIterations, messages)
		}
		return train.Reported(err, caller, all.Training.Meta, train.ChangedOfTrees(&p), wayOn)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // a model with only part of the iterations would look complete
	}
	return cli.SaveModel(w.FinalModel, result.Model, messages)
}

// resultFiles are the names of the files that the commands write to their result folders.
var resultFiles = []string{"scores.txt", "queries.tsv", "curve.tsv", "result.json", "trials.tsv",
	"train.conf", "report.html", "features.txt", "features.tsv", "steps.tsv", "shares.tsv", "mixtures.tsv"}

// checkBeside returns an error if paths name files in the result folder that results would overwrite.
func checkBeside(folder string, paths ...string) error {
	for _, path := range paths {
		if path != "" && folder != "" && filepath.Clean(filepath.Dir(path)) == filepath.Clean(folder) &&
			slices.Contains(resultFiles, filepath.Base(path)) {
			return cli.Usagef("%s: output=%s has results in a file of this name: name another file", path, folder)
		}
	}
	return nil
}

// nameOutput names the result folder after the data, if the user did not name it.
func nameOutput(output *string, data, ending string) error {
	if *output != "" {
		return nil
	}
	if data == "-" {
		return cli.Usagef("output is missing: name a folder, as data comes from standard input")
	}
	absolute, err := filepath.Abs(data)
	*output = filepath.Base(absolute) + ending
	return err
}
