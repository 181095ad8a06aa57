package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Export returns the entry of the command.
func Export() cli.Command {
	return cli.Command{
		Name:  "export",
		Use:   "export FILE to=TARGET output=FILE [key=value]...",
		Short: "Write a model in the form that another engine loads",
		Long: `Write a model in the form that another engine loads:

` + targetsHelp() + `
Every row takes the same branches as in the model: thresholds are converted to the
numbers and comparisons of the engine. A model that an engine cannot represent is
refused, with what it cannot represent.
With vectors=N, rows and the scores that the engine must give them are written to a
second file; what is written is read back and checked in any case.`,
		Example: `  lambdamart export model.txt to=solr features=names.tsv output=model.json vectors=200
  lambdamart export model.txt --to opensearch --output model.json`,
		Files: []string{"input_model"},
		Needs: []string{"input_model"},
		New:   func() cli.Task { return &exportParams{Trees: -1, Context: cli.Computed} },
	}
}

// targetsHelp lists the targets, their files and the programs that load them.
func targetsHelp() string {
	var b strings.Builder
	var former []string
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  to=\tfile\tloaded by")
	for _, t := range model.Targets() {
		fmt.Fprintf(table, "  %s\t%v\t%s\n", strings.Join(t.Names, ", "), t.Format, t.LoadedBy)
		for _, name := range t.FormerNames {
			former = append(former, fmt.Sprintf("%s (%s)", name, t.Name))
		}
	}
	table.Flush()
	return b.String() + "\nFormer names work too: " + strings.Join(former, ", ") + ".\n"
}

// Run implements [cli.Task].
func (p *exportParams) Run(ctx context.Context, env *cli.Env) error {
	m, hash, err := cli.ReadModel(p.Model, env.Messages)
	if err != nil {
		return err
	}
	if network, ok := m.(*nnbaseline.Model); ok {
		return fmt.Errorf("%s: a network (%s), where trees are wanted", p.Model, network.Ranker())
	}
	p.Source = hash
	exported, err := stream.Await(ctx, func() (*model.Exported, error) {
		return model.Export(m.(*tree.Ensemble).Part(0, p.Trees), p.To, p.Options)
	})
	if err != nil {
		return p.ofModel(err)
	}
	write := func(w io.Writer) error {
		_, err := w.Write(exported.Content)
		return err
	}
	if err := cli.SaveFile(p.Output, write, env.Messages); err != nil {
		return err
	}
	env.Messages.Note(exported.Notes...)
	if exported.Vectors == nil {
		return nil
	}
	path := cmp.Or(p.VectorsFile, p.Output+model.VectorsEnding)
	return cli.SaveFile(path, exported.Vectors.Write, env.Messages)
}

// ofModel adds the name of the model to errors about it.
func (p *exportParams) ofModel(err error) error {
	if errors.Is(err, model.ErrNames) || errors.Is(err, model.ErrVerify) {
		return err
	}
	return fmt.Errorf("%s: %w", p.Model, err)
}

// Check implements [cli.Checker], and completes the options of the export.
func (p *exportParams) Check(env *cli.Env) (err error) {
	if p.To == "" {
		return cli.Usagef("to is missing: give one of %s", targetNames())
	}
	if p.Vectors > 0 && p.VectorsFile == "" && (p.Output == "" || p.Output == "-") {
		return cli.Usagef("vectors=%d: the model goes to standard output; name a file for the vectors: "+
			"vectors_file=FILE", p.Vectors)
	}
	if p.Vectors == 0 {
		if err := env.NoEffect("without vectors, the number of test vectors", "vectors_file", "seed"); err != nil {
			return err
		}
	}
	p.Precomputed = p.Context == cli.Precomputed
	if p.Names, err = readNames(p.Features); err != nil {
		return err
	}
	if err := p.Options.Check(p.To); err != nil {
		return cli.Usage(err)
	}
	return cli.Usage(p.checkEnding())
}

// endings are the endings by which programs choose how to read a file, and the formats that they expect, by a
// word of their names.
var endings = map[string]string{".ubj": "UBJSON", ".json": "JSON", ".xml": "XML", ".onnx": "ONNX", ".c": "C",
	".go": "Go", ".java": "Java"}

// checkEnding returns an error if the ending of the output is that of another format. The target is known.
func (p *exportParams) checkEnding() error {
	all := model.Targets()
	t := all[slices.IndexFunc(all, func(t model.Target) bool {
		return slices.Contains(t.Names, p.To) || slices.Contains(t.FormerNames, p.To)
	})]
	ending, own := filepath.Ext(p.Output), endingOf(t.Format)
	if endings[ending] == "" || ending == own {
		return nil
	}
	return fmt.Errorf("output=%s: to=%s writes %s, and %s is the ending of another format; name it %s%s",
		p.Output, p.To, t.Format, ending, strings.TrimSuffix(p.Output, ending), own)
}

// endingOf returns the ending of files of a format.
func endingOf(f model.Format) string {
	for ending, word := range endings {
		if slices.Contains(strings.Fields(string(f)), word) {
			return ending
		}
	}
	return ".txt"
}

// readNames reads the file of feature names. It returns nil if there is none.
func readNames(path string) (*model.Names, error) {
	if path == "" {
		return nil, nil
	}
	var names *model.Names
	err := stream.ReadChecked(path, func(r io.Reader, name string) (err error) {
		names, err = model.ReadNames(r, name)
		return err
	})
	if err != nil {
		return nil, cli.Usagef("features: %w", err)
	}
	return names, nil
}

// exportParams are the parameters of export.
type exportParams struct {
	model.Options // Names is set later

	Model       string // file
	Trees       int    // number of trees to write; all if below 1
	To          string // name of the target
	Output      string // file
	Features    string // file of the names
	VectorsFile string
	Context     string // cli.Computed or cli.Precomputed
}

// Table implements [cli.Task].
func (p *exportParams) Table() param.Table {
	library := p.Options.Table()
	base := *new(data.Layout).Table().Find(featureBase) // the row of other commands, for the targets
	base.Value = library.Find(featureBase).Value
	return slices.Concat(
		param.Table{
			cli.InputModel(&p.Model),
			cli.Output(&p.Output),
			base,
			cli.NumIterationPredict(&p.Trees),
			cli.Context(&p.Context),
			{Name: "to", Group: cli.GroupExport,
				Help:  "Form in which the model is written.",
				Value: bind.Checked(bind.Text(&p.To), targetNames(), p.checkTo)},
			{Name: "features", Group: cli.GroupExport, File: param.Read,
				Help: "File of feature names, a line each: the model's name, a tab or blanks, and the engine's (for " +
					"RankLib its number in the feature set, from 1). Every feature in use must be there.",
				Value: bind.Text(&p.Features)},
			*library.Find("vectors"),
			cli.VectorsFile(&p.VectorsFile),
		},
		cli.Without(library, "vectors", featureBase),
		param.Table{cli.Training("seed", bind.Uint64(&p.Seed))},
	)
}

// featureBase is the parameter for the number of the first feature, in data and in RankLib's files.
const featureBase = "feature_base"

// targetNames lists the names of all targets.
func targetNames() string {
	var names []string
	for _, t := range model.Targets() {
		names = append(names, t.Names...)
	}
	return strings.Join(names, ", ")
}

// checkTo returns an error for an unknown target. Run reports a missing one.
func (p *exportParams) checkTo() error {
	if p.To == "" {
		return nil
	}
	return new(model.Options).Check(p.To)
}
