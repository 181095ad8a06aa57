package train

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Bin returns the entry of the command.
func Bin() cli.Command {
	return cli.Command{
		Name:  "bin",
		Use:   "bin data=FILE [valid=FILE,...] [key=value]...",
		Short: "Store binned data, for several training runs on it",
		Long: `Read data, bin it, and store the bins in a file that train opens at once.

Training on the file gives the same trees as training on the text, bit for bit,
with the same parameters. The facts about the data that a model keeps can differ, because the
file does not keep all of the text. Validation sets get the bins of data, and a file
each, which is named like the text with .bin at its end. reference=train.bin bins data by the
bins of an earlier file.

bin runs in one process. Any number of processes (docs/machines.md) can train on the file,
each on its rows.`,
		Example: `  lambdamart bin data=train.txt valid=vali.txt output=train.bin
  lambdamart train data=train.bin valid=vali.txt.bin
  lambdamart bin data=test.txt reference=train.bin output=test.bin`,
		New: func() cli.Task {
			return &binParams{Layout: data.DefaultLayout(), Training: booster.DefaultParams()}
		},
		Needs: []string{"data"},
	}
}

// binParams are the parameters of bin.
type binParams struct {
	Data      string
	Valid     []string
	Layout    data.Layout // of all sets
	Output    string
	Reference string
	Training  booster.Params // only the parameters of bins, the seed and the threads are used
}

// Table implements [cli.Task].
func (p *binParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			cli.Valid(&p.Valid),
			cli.Output(&p.Output),
			{Name: "reference", Group: cli.GroupFiles, File: param.Read,
				Help:  "Binned data whose bins the new file gets.",
				Value: bind.Text(&p.Reference)},
		},
		p.Layout.Table(),
		cli.BinRows(&p.Training),
	)
}

// Run implements [cli.Task]. It stores the data and then the validation sets, each before the next is read.
func (p *binParams) Run(ctx context.Context, env *cli.Env) error {
	if err := p.Training.CheckContext(); err != nil {
		return &cli.UsageError{Err: err}
	}
	o := data.LoadOptions{
		Layout: p.Layout, Given: env.Given, Workers: p.Training.NumThreads,
		QueryContext: p.Training.QueryContext, QueryContextFeatures: p.Training.QueryContextFeatures,
		Progress: env.Messages.Reading(),
		Loaded:   env.Caller.Named(func(s *data.Set) { cli.ShowSet(s, env.Messages) }),
	}
	l := data.NewLoader(p.Training.BinParams(), o)
	defer l.Close()
	first, err := p.first(ctx, l)
	if err != nil {
		return err
	}
	env.Caller.Show(false, first)
	if out := env.Caller.Output; out != nil {
		return l.Store(out, first)
	}
	save := func(path string, s *data.Set) error {
		return cli.SaveFile(path, func(w io.Writer) error { return l.Store(w, s) }, env.Messages)
	}
	if err := save(p.Output, first); err != nil {
		return err
	}
	for i, path := range p.Valid {
		s, err := l.Add(ctx, data.ValidationSet(i), data.Input{Path: path})
		if err != nil {
			return err
		}
		if err := save(binnedName(path), s); err != nil {
			return err
		}
	}
	return nil
}

// first bins the data, with the bins of the reference if there is one.
func (p *binParams) first(ctx context.Context, l *data.Loader) (*data.Set, error) {
	if p.Reference == "" {
		return l.Training(ctx, data.Input{Path: p.Data})
	}
	if err := l.Reference(p.Reference); err != nil {
		return nil, err
	}
	return l.Add(ctx, "data", data.Input{Path: p.Data})
}

// binnedName returns the default name of a text's binned file.
func binnedName(path string) string { return path + ".bin" }

// Check implements [cli.Checker], and names the output if the user did not.
func (p *binParams) Check(env *cli.Env) error {
	if len(p.Training.QueryContext) == 0 {
		if err := env.NoEffect("without query_context", "query_context_features"); err != nil {
			return err
		}
	}
	if p.Output == "" {
		if p.Data == "-" {
			return cli.Usagef("output is missing: give output=FILE")
		}
		p.Output = binnedName(p.Data)
	}
	outputs := []string{p.Output}
	for _, path := range p.Valid {
		if path == "-" {
			return cli.Usagef("valid=-: the binned file would have no name; use data=- with reference=")
		}
		if slices.Contains(outputs, binnedName(path)) {
			return cli.Usagef("two files would be written to %s", binnedName(path))
		}
		outputs = append(outputs, binnedName(path))
	}
	for _, output := range outputs {
		if err := stream.Probe(output); err != nil {
			return err
		}
	}
	for _, path := range append([]string{p.Data}, p.Valid...) {
		if data.IsBinned(path) { // a reference says what else is wrong with it
			l := data.NewLoader(p.Training.BinParams(), data.LoadOptions{})
			defer l.Close()
			return cli.Usage(cmp.Or(l.Reference(path), fmt.Errorf("%s: it is binned already", path)))
		}
	}
	return nil
}
