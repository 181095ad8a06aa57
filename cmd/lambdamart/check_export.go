package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/vectors"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/tree"
)

func newCheckExport(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "check-export FILE [VECTORS]",
		Short: "Check an exported model against its test vectors",
		Long: `Read an exported model in the form in which the engine has it, score the test
vectors that export wrote beside it as the engine does, and compare: every score must
be equal. The exit status is 1 if one differs.`,
		Example: `  lambdamart check-export model.json
  lambdamart check-export deployed.json model.json.vectors.json`,
	}
	withParameters(cmd, o, o.tableFor("input_model", "vectors_file", "config", "log_json", "verbosity"), messages, func(context.Context) error {
		return o.runCheckExport(cmd.OutOrStdout())
	})
	filesFirst(cmd, "input_model", "vectors_file")
	return cmd
}

func (o *options) runCheckExport(w io.Writer) error {
	if o.inputModel == "" {
		return usagef("give the exported file and its vectors: lambdamart check-export FILE VECTORS")
	}
	var e *tree.Ensemble
	var format model.Format
	err := readNamed(o.inputModel, func(r io.Reader) (err error) { e, format, err = model.Read(r); return err })
	if err != nil {
		return err
	}
	var set *vectors.Set
	path := cmp.Or(o.export.vectorsFile, o.inputModel+vectorsEnding)
	if err := readNamed(path, func(r io.Reader) (err error) { set, err = vectors.Read(r); return err }); err != nil {
		return err
	}
	report, err := set.Check(e)
	if err != nil {
		return fmt.Errorf("%s: %w", o.inputModel, err)
	}
	fmt.Fprintf(w, "%s: %v, %d trees, for %s; sums in %s\n", o.inputModel, format, len(e.Trees), set.Target, set.Arithmetic)
	if report.Different == 0 {
		fmt.Fprintf(w, "%s vectors: all scores are equal\n", thousands(report.Rows))
		return nil
	}
	printDifference(w, e, set, report)
	return errors.New("the file does not score as the model that was exported")
}

// readNamed reads a file, whose errors name it.
func readNamed(path string, read func(io.Reader) error) error {
	return stream.ReadFile(path, func(r io.Reader, name string) error {
		if err := read(r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// printDifference shows the first row that differs, with the values that matter.
func printDifference(w io.Writer, e *tree.Ensemble, set *vectors.Set, report *vectors.Report) {
	fmt.Fprintf(w, "%s vectors: %s scores differ, by up to %.9g (row %d)\n",
		thousands(report.Rows), thousands(report.Different), report.Worst, report.WorstRow+1)
	row := set.Rows[report.First]
	fmt.Fprintf(w, "first in row %d: score %v, want %v\n", report.First+1, report.Scores[report.First], row.Score)
	used := make(map[string]bool)
	for _, i := range e.UsedFeatures() {
		used[e.Features[i].Name] = true
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, name := range set.Features {
		if !used[name] {
			continue
		}
		value := fmt.Sprint(row.Values[i])
		if math.IsNaN(row.Values[i]) {
			value = "missing"
		}
		fmt.Fprintf(table, "  %s\t%s\n", name, value)
	}
	table.Flush()
}
