// Package bin is the command bin.
package bin

import (
	"context"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/binned"
	"github.com/lambdamart/lambdamart/param"
)

// Command returns the entry of the command.
func Command() cli.Command {
	return cli.Command{
		Name:  "bin",
		Use:   "bin data=FILE [valid=FILE,...] [key=value]...",
		Short: "Store data binned, to train on it again and again",
		Long: `Read data, bin it, and store the bins in a file that train opens at once.

Training on the file gives the same model as training on the text, byte for byte,
with the same parameters. Validation sets get the bins of data, and each its own
file, named as the text with .bin behind. reference=train.bin gives data the bins of
an earlier file.`,
		Example: `  lambdamart bin data=train.txt valid=vali.txt output=train.bin
  lambdamart train data=train.bin valid=vali.txt.bin
  lambdamart bin data=test.txt reference=train.bin output=test.bin`,
		New: func() cli.Task { return Default() },
	}
}

// Params are the parameters of bin.
type Params struct {
	Data      string
	Valid     []string
	Layout    data.Layout // of all sets
	Output    string
	Reference string
	Training  booster.Params // the parameters of bins, the seed and the threads; the rest is not used
}

// Default returns the default values.
func Default() *Params {
	return &Params{Layout: data.DefaultLayout(), Training: booster.DefaultParams()}
}

// Table implements [cli.Task].
func (p *Params) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			cli.Valid(&p.Valid),
			cli.Output(&p.Output),
			{Name: "reference", Group: cli.GroupFiles,
				Help:  "Binned data whose bins the new file gets.",
				Value: param.Text(&p.Reference)},
		},
		p.Layout.Table(),
		cli.BinRows(&p.Training),
	)
}

// Run implements [cli.Task]. It stores the data and then the validation sets, each before the next is
// read.
func (p *Params) Run(ctx context.Context, env *cli.Env) error {
	return cli.Interrupted(ctx, p.store(ctx, env))
}

func (p *Params) store(ctx context.Context, env *cli.Env) error {
	if err := p.check(); err != nil {
		return err
	}
	asked, err := p.Training.ContextRequest()
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	l := data.NewLoader(p.Training.BinParams(), data.LoadOptions{
		Layout: p.Layout, Given: env.Given, Workers: p.Training.NumThreads, Context: asked,
		Progress: env.Messages.Reading(),
		Loaded:   func(s *data.Set) { cli.ShowSet(s, env.Messages) },
	})
	defer l.Close()
	first, err := p.first(ctx, l)
	if err != nil {
		return cli.DataError(err)
	}
	if err := cli.SaveFile(p.Output, l.Binned(first).Write, env.Messages); err != nil {
		return err
	}
	for i, path := range p.Valid {
		s, err := l.Add(ctx, data.ValidationSet(i), path)
		if err != nil {
			return err
		}
		if err := cli.SaveFile(binnedName(path), l.Binned(s).Write, env.Messages); err != nil {
			return err
		}
	}
	return nil
}

// first bins the data, by the bins of the reference if there is one.
func (p *Params) first(ctx context.Context, l *data.Loader) (*data.Set, error) {
	if p.Reference == "" {
		return l.Training(ctx, p.Data)
	}
	if err := l.Reference(p.Reference); err != nil {
		return nil, err
	}
	return l.Add(ctx, "data", p.Data)
}

// binnedName returns the name of a text's binned file where none is given.
func binnedName(path string) string { return path + ".bin" }

// check returns an error for parameters that cannot be right, before anything is read. It names the
// output if the user did not.
func (p *Params) check() error {
	if p.Output == "" && p.Data != "" {
		if p.Data == "-" {
			return cli.Usagef("output is missing: give output=FILE")
		}
		p.Output = binnedName(p.Data)
	}
	inputs := []cli.Input{{Parameter: "data", Path: p.Data}}
	outputs := []string{p.Output}
	for _, path := range p.Valid {
		if path == "-" {
			return cli.Usagef("valid=-: the binned file would have no name; use data=- with reference=")
		}
		inputs = append(inputs, cli.Input{Parameter: "valid", Path: path})
		outputs = append(outputs, binnedName(path))
	}
	if p.Reference != "" {
		inputs = append(inputs, cli.Input{Parameter: "reference", Path: p.Reference})
	}
	for i, output := range outputs {
		if err := cli.CheckPaths(output, inputs...); err != nil {
			return err
		}
		if slices.Contains(outputs[:i], output) {
			return cli.Usagef("two files would be written to %s", output)
		}
	}
	return p.checkTexts()
}

// checkTexts refuses binned data where text is needed.
func (p *Params) checkTexts() error {
	for _, path := range append([]string{p.Data}, p.Valid...) {
		if binned.Is(path) {
			return cli.Usagef("%s: it is binned already", path)
		}
	}
	return nil
}
