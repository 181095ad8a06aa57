package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
)

// CheckExport returns the entry of the command.
func CheckExport() cli.Command {
	return cli.Command{
		Name:  "check-export",
		Use:   "check-export FILE [VECTORS]",
		Short: "Check an exported model against its test vectors",
		Long: `Read an exported model in the form in which the engine has it, score the test
vectors that export wrote beside it as the engine does, and compare: every score must
be equal. The exit status is 1 if one differs. For a format that lambdamart writes but does not
read, the error says how its engine scores the vectors.`,
		Example: `  lambdamart check-export model.json
  lambdamart check-export deployed.json model.json.vectors.json`,
		Files: []string{"input_model", "vectors_file"},
		New:   func() cli.Task { return new(checkParams) },
	}
}

// checkParams are the parameters of check-export. The zero value has the defaults.
type checkParams struct {
	File    string // the exported model
	Vectors string // the test vectors; by default those that export wrote beside it
}

// Table implements [cli.Task].
func (p *checkParams) Table() param.Table {
	vectors := cli.VectorsFile(&p.Vectors)
	vectors.File = param.Read
	return param.Table{cli.InputModel(&p.File), vectors}
}

// Run implements [cli.Task].
func (p *checkParams) Run(ctx context.Context, env *cli.Env) error {
	w := env.Stdout
	if p.File == "" {
		return cli.Usagef("give the exported file and its vectors: lambdamart check-export FILE VECTORS")
	}
	v, err := stream.Await(ctx, func() (*model.Verified, error) { return model.VerifyFile(p.File, p.Vectors) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %v, %s, for %s; sums in %s\n", p.File, v.Format,
		wording.Count(len(v.Model.Trees), "tree"), v.Vectors.Target, v.Vectors.Arithmetic)
	if v.Different == 0 {
		fmt.Fprintf(w, "%s: all scores are equal\n", wording.Count(len(v.Scores), "vector"))
		return nil
	}
	printDifference(w, v)
	return errors.New("the file's scores differ from the exported model's")
}

// printDifference shows the first row that differs, with the values that the model uses.
func printDifference(w io.Writer, v *model.Verified) {
	fmt.Fprintf(w, "%s: %s %s, by up to %.9g (row %d)\n", wording.Count(len(v.Scores), "vector"),
		wording.Count(v.Different, "score"), wording.Agree(v.Different, "differs", "differ"), v.Worst, v.WorstRow)
	row := v.Vectors.Rows[v.First]
	fmt.Fprintf(w, "first in row %d: score %v, want %v\n", v.First, v.Scores[v.First],
		row.Score)
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
