package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/model"
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
	v, err := model.VerifyFile(o.inputModel, o.export.vectorsFile)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %v, %d trees, for %s; sums in %s\n", o.inputModel, v.Format, len(v.Model.Trees), v.Vectors.Target, v.Vectors.Arithmetic)
	if v.Report.Different == 0 {
		fmt.Fprintf(w, "%s vectors: all scores are equal\n", thousands(v.Report.Rows))
		return nil
	}
	printDifference(w, v)
	return errors.New("the file does not score as the model that was exported")
}

// printDifference shows the first row that differs, with the values that the model uses.
func printDifference(w io.Writer, v *model.Verified) {
	report := v.Report
	fmt.Fprintf(w, "%s vectors: %s scores differ, by up to %.9g (row %d)\n",
		thousands(report.Rows), thousands(report.Different), report.Worst, report.WorstRow+1)
	row := v.Vectors.Rows[report.First]
	fmt.Fprintf(w, "first in row %d: score %v, want %v\n", report.First+1, report.Scores[report.First], row.Score)
	used := make(map[string]bool)
	for _, i := range v.Model.UsedFeatures() {
		used[v.Model.Features[i].Name] = true
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, name := range v.Vectors.Features {
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
