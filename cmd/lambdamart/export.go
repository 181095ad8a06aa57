package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/vectors"
	"github.com/lambdamart/lambdamart/param"
)

func newExport(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "export FILE to=TARGET output=FILE [key=value]...",
		Short: "Write a model in the form that another engine loads",
		Long: `Write a model in the form that another engine loads:

` + targetsHelp() + `
Every value goes the same way as in the model: thresholds are converted to the
numbers and comparisons of the engine. What an engine cannot hold is refused by name.
With vectors=N, rows and the scores that the engine must give them are written to a
second file; what is written is read back and checked in any case.`,
		Example: `  lambdamart export model.txt to=solr features=names.tsv output=model.json vectors=200
  lambdamart export model.txt --to opensearch --engine opensearch-3.5 --output model.json`,
	}
	names := []string{"input_model", "config", "output", featureBase, "num_iteration_predict", "seed", "log_json", "verbosity"}
	for _, p := range o.export.table() {
		names = append(names, p.Name)
	}
	withParameters(cmd, o, o.tableFor(names...), messages, func(context.Context) error {
		return o.runExport(messages)
	})
	filesFirst(cmd, "input_model")
	return cmd
}

// targetsHelp lists the targets, their files and the programs that load them.
func targetsHelp() string {
	var b strings.Builder
	var former []string
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  to=\tfile\tloaded by")
	for _, t := range model.Targets() {
		fmt.Fprintf(table, "  %s\t%v\t%s\n", strings.Join(t.Names(), ", "), t.Format(), t.LoadedBy())
		for _, name := range t.FormerNames() {
			former = append(former, fmt.Sprintf("%s (%s)", name, t.Name()))
		}
	}
	table.Flush()
	return b.String() + "\nFormer names work too: " + strings.Join(former, ", ") + ".\n"
}

// filesFirst lets the values of some parameters stand first, without their names.
func filesFirst(cmd *cobra.Command, parameters ...string) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for i := range min(len(args), len(parameters)) {
			if strings.Contains(args[i], "=") {
				break
			}
			args[i] = parameters[i] + "=" + args[i]
		}
		return run(cmd, args)
	}
}

func (o *options) runExport(messages *console) error {
	options, err := o.checkExport()
	if err != nil {
		return err
	}
	original, hash, err := readModel(o.inputModel)
	if err != nil {
		return err
	}
	options.Source = hash
	exported, err := model.Export(original.First(o.numIterations), o.export.to, *options)
	if err != nil {
		return o.exportError(err)
	}
	if err := saveFile(o.output, writerOf(exported.Content), messages); err != nil {
		return err
	}
	for _, note := range exported.Notes {
		messages.emit(noteEvent{note})
	}
	if exported.Vectors == nil {
		return nil
	}
	return saveFile(cmp.Or(o.export.vectorsFile, o.output+vectors.Ending), exported.Vectors.Write, messages)
}

func writerOf(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(content))
		return err
	}
}

// exportError names the model in errors that are about it.
func (o *options) exportError(err error) error {
	var names *model.NamesError
	var verification *model.VerifyError
	if errors.As(err, &names) || errors.As(err, &verification) {
		return err
	}
	return fmt.Errorf("%s: %w", o.inputModel, err)
}

// checkExport returns the options of the export. It finds what is wrong with them before the model
// is read.
func (o *options) checkExport() (*model.Options, error) {
	x := &o.export
	t, found := model.FindTarget(x.to)
	if !found {
		return nil, usagef("to is missing: give one of %s", strings.Join(model.TargetNames(), ", "))
	}
	if err := checkPaths(o.output, input{"input_model", o.inputModel}); err != nil {
		return nil, err
	}
	if x.Vectors > 0 && x.vectorsFile == "" && (o.output == "" || o.output == "-") {
		return nil, usagef("vectors=%d: the model goes to standard output; name a file for the vectors: vectors_file=FILE", x.Vectors)
	}
	options := x.Options
	options.Seed = o.train.Seed
	if slices.Contains(o.given, featureBase) {
		options.Settings = append(options.Settings, param.Setting{Name: featureBase, Value: strconv.Itoa(o.layout.FeatureBase)})
	}
	var err error
	if options.Names, err = readNames(x.features); err != nil {
		return nil, err
	}
	if err := options.Check(t); err != nil {
		return nil, &usageError{err}
	}
	return &options, nil
}

// readNames reads the file of the features' names; nil if there is none.
func readNames(path string) (*model.Names, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &usageError{fmt.Errorf("features: %w", err)}
	}
	defer f.Close()
	return model.ReadNames(f, path)
}
